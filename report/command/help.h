/* SPDX-License-Identifier: MIT */
/* What is printed from the table of options. */
#ifndef KTIME_REPORT_COMMAND_HELP_H
#define KTIME_REPORT_COMMAND_HELP_H

#include <stdio.h>

void help_write(FILE *file);
/* A completion script for "bash" or "zsh"; -EINVAL for another shell. */
int completion_write(const char *shell, FILE *file);

#endif
