/* SPDX-License-Identifier: MIT */
/* Why CUPTI cannot be used, and what the user may do about it. */
#ifndef KTIME_CUPTI_REFUSAL_H
#define KTIME_CUPTI_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cupti/library.h"

/*
 * Whether the surroundings forbid CUPTI: a profiler that was injected around the program uses it
 * already, and would lose its records to us. One line for the user in `reason`. Any thread.
 */
bool refusal_by_environment(char *reason, size_t size);

/* What CUPTI's answer to a start means: one line in `reason`. */
void refusal_by_cupti(const struct cupti_functions *cupti, CUptiResult result, char *reason,
		      size_t size);

#endif
