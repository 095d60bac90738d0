/* SPDX-License-Identifier: MIT */
/* A terminal for tests: a VT100 of 24 lines and 100 columns, as far as curses makes use of it. */
#ifndef KTIME_TESTS_UNIT_TERMINAL_H
#define KTIME_TESTS_UNIT_TERMINAL_H

#define TERMINAL_LINES	 24
#define TERMINAL_COLUMNS 100

void terminal_clear(void);
/* Takes a byte that a program writes. */
void terminal_show(char byte);
/* A line, which ends in blanks and then 0. */
char *terminal_line(unsigned row);
/* 'r' where the line's last text is reversed, 'b' where it is bold, else ' '. */
char terminal_mark(unsigned row);

#endif
