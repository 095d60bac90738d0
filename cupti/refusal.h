/* SPDX-License-Identifier: MIT */
/* Why CUPTI cannot be used, in words for the user. */
#ifndef KTIME_CUPTI_REFUSAL_H
#define KTIME_CUPTI_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cupti/library.h"

/* Whether another profiler is injected into the program, which uses CUPTI and would lose its
 * records to ktime; one line for the user in `reason`. Any thread. */
bool refusal_by_environment(char *reason, size_t size);

/* What CUPTI's error at the start means, and what the user can do: one line in `reason`. */
void refusal_by_cupti(const struct cupti_functions *cupti, CUptiResult result, char *reason,
		      size_t size);

#endif
