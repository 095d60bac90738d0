/* SPDX-License-Identifier: MIT */
/* What makes the difference between the whole runs of a comparison, in parts that add up to it. */
#ifndef KTIME_REPORT_COMPARE_WHY_H
#define KTIME_REPORT_COMPARE_WHY_H

#include "report/compare/compare.h"

/*
 * A line, without its end: "The whole run takes 26.3 ms less: idle time -32.6 ms (the program after
 * a synchronizing call), before the first operation +11.0 ms (cudaMalloc +10.1 ms, could be
 * chance), GPU busy -5.09 ms (copies: 128 MB -> 64 MB), the rest +455 us."
 *
 * It is "" where the parts are not known, as of runs on several GPUs, whose times overlap, or are
 * small. The caller frees it; NULL if memory is out.
 */
char *why_text(const struct comparison *comparison);

#endif
