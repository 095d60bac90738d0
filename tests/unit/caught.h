/* SPDX-License-Identifier: MIT */
/* What a function writes to the standard output and to the standard error. */
#ifndef KTIME_TESTS_UNIT_CAUGHT_H
#define KTIME_TESTS_UNIT_CAUGHT_H

#include <stdbool.h>

/* What was caught last. */
extern char said[65536], complaint[4096];

/* From here on; `together`: both streams are one, as on a terminal, and it is all in `said`. */
void catch_begin(bool together);
void catch_end(void);

#endif
