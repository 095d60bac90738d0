/* SPDX-License-Identifier: MIT */
/* Allocations that fail, one at a time. A program that is linked with this has an allocator that
 * counts. */
#ifndef KTIME_TESTS_UNIT_NO_MEMORY_H
#define KTIME_TESTS_UNIT_NO_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

/* What is tried; 0 or -errno. */
typedef int run_function(FILE *file, const void *argument);

/* Runs it as often as it allocates, with one of the allocations failing each time, or with each
 * `step`th of them. Nothing may end the program; `cleans_up`: nor may memory be left behind. */
void refuse_each(run_function *function, const void *argument, const char *name, unsigned long step,
		 bool cleans_up);

#endif
