/* SPDX-License-Identifier: MIT */
#include "tests/unit/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
	char text[TERMINAL_LINES][TERMINAL_COLUMNS + 1];
	char line_marks[TERMINAL_LINES]; /* 'r' where a part of the line is reversed, 'b' where it
					    is bold */
	char mark;
	unsigned row, column;
	unsigned top, bottom; /* the lines that scroll */
	char sequence[32];    /* after ESC */
	size_t length;
} terminal;

static unsigned parameter(unsigned index, unsigned otherwise)
{
	const char *at = terminal.sequence + 1;
	unsigned long value;

	for (; index > 0 && at; index--)
		at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL;
	value = at ? strtoul(at, NULL, 10) : 0;
	return value ? (unsigned)value : otherwise;
}

static void erase(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		terminal.text[i / TERMINAL_COLUMNS][i % TERMINAL_COLUMNS] = ' ';
	for (unsigned row = (from + TERMINAL_COLUMNS - 1) / TERMINAL_COLUMNS;
	     row < to / TERMINAL_COLUMNS; row++)
		terminal.line_marks[row] = ' ';
}

/* Moves the lines that scroll one up, or down. */
static void scroll(bool up)
{
	unsigned count = terminal.bottom - terminal.top,
		 empty = up ? terminal.bottom : terminal.top;
	unsigned from = terminal.top + up, to = terminal.top + !up;

	memmove(terminal.text[to], terminal.text[from], count * sizeof(terminal.text[0]));
	memmove(&terminal.line_marks[to], &terminal.line_marks[from], count);
	erase(empty * TERMINAL_COLUMNS, (empty + 1) * TERMINAL_COLUMNS);
}

static void go_down(void)
{
	if (terminal.row == terminal.bottom)
		scroll(true);
	else
		terminal.row += terminal.row + 1 < TERMINAL_LINES;
}

static void go_up(void)
{
	if (terminal.row == terminal.top)
		scroll(false);
	else
		terminal.row -= terminal.row > 0;
}

/* A whole sequence: "[12;3H" and its like. */
static void obey(char last)
{
	/* Behind the last column the cursor is still in it. */
	unsigned here =
		terminal.row * TERMINAL_COLUMNS +
		(terminal.column < TERMINAL_COLUMNS ? terminal.column : TERMINAL_COLUMNS - 1);

	switch (last) {
	case 'H':
		terminal.row = (parameter(0, 1) - 1) % TERMINAL_LINES;
		terminal.column = (parameter(1, 1) - 1) % TERMINAL_COLUMNS;
		break;
	case 'A':
		terminal.row -= terminal.row < parameter(0, 1) ? terminal.row : parameter(0, 1);
		break;
	case 'B':
		terminal.row = (terminal.row + parameter(0, 1)) % TERMINAL_LINES;
		break;
	case 'C':
		terminal.column = (terminal.column + parameter(0, 1)) % TERMINAL_COLUMNS;
		break;
	case 'D':
		terminal.column -=
			terminal.column < parameter(0, 1) ? terminal.column : parameter(0, 1);
		break;
	case 'J':
		erase(parameter(0, 0) == 2 ? 0 : here, TERMINAL_LINES * TERMINAL_COLUMNS);
		break;
	case 'K':
		if (parameter(0, 0) == 1)
			erase(terminal.row * TERMINAL_COLUMNS, here + 1);
		else
			erase(here, (terminal.row + 1) * TERMINAL_COLUMNS);
		break;
	case 'r':
		terminal.top = (parameter(0, 1) - 1) % TERMINAL_LINES;
		terminal.bottom = (parameter(1, TERMINAL_LINES) - 1) % TERMINAL_LINES;
		terminal.row = terminal.column = 0;
		break;
	case 'm':
		terminal.mark = parameter(0, 0) == 7 || parameter(1, 0) == 7   ? 'r'
				: parameter(0, 0) == 1 || parameter(1, 0) == 1 ? 'b'
									       : ' ';
		break;
	}
}

void terminal_show(char byte)
{
	if (terminal.length > 0) {
		terminal.sequence[terminal.length - 1] = byte;
		terminal.sequence[terminal.length] = '\0';
		/* "[…letter", "(B", "=" */
		if (terminal.sequence[0] == '['
			    ? terminal.length > 1 && byte >= '@'
			    : !strchr("()", terminal.sequence[0]) || terminal.length == 2) {
			if (terminal.sequence[0] == '[')
				obey(byte);
			else if (byte == 'M')
				go_up();
			terminal.length = 0;
		} else if (terminal.length < sizeof(terminal.sequence) - 1) {
			terminal.length++;
		}
		return;
	}
	switch (byte) {
	case '\033':
		terminal.length = 1;
		break;
	case '\r':
		terminal.column = 0;
		break;
	case '\n':
		go_down();
		break;
	case '\b':
		terminal.column -= terminal.column > 0;
		break;
	case '\t':
		terminal.column = (terminal.column / 8 + 1) * 8 % TERMINAL_COLUMNS;
		break;
	default:
		if ((unsigned char)byte < ' ' || terminal.column >= TERMINAL_COLUMNS)
			break;
		terminal.text[terminal.row][terminal.column++] = byte;
		if (byte != ' ')
			terminal.line_marks[terminal.row] = terminal.mark;
	}
}

void terminal_clear(void)
{
	memset(&terminal, 0, sizeof(terminal));
	terminal.bottom = TERMINAL_LINES - 1;
	terminal.mark = ' ';
	erase(0, TERMINAL_LINES * TERMINAL_COLUMNS);
}

char *terminal_line(unsigned row)
{
	return terminal.text[row];
}

char terminal_mark(unsigned row)
{
	return terminal.line_marks[row];
}
