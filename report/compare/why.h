/* SPDX-License-Identifier: MIT */
/* Why a comparison's sides differ: the cause of most of it, and the parts of the whole runs. */
#ifndef KTIME_REPORT_COMPARE_WHY_H
#define KTIME_REPORT_COMPARE_WHY_H

#include "report/compare/comparison.h"

/*
 * Lines, without the end of the last: what cause.h says; and "The whole run takes 26.3 ms less:
 * idle time -32.6 ms (mostly the program after a synchronizing call), before the first operation
 * +11.0 ms (cudaMalloc +10.1 ms), GPU busy -5.09 ms (copies: 128 MB -> 64 MB), the rest +455 us.",
 * in parts that add up to the difference.
 *
 * The parts are not there where they are not known, as of runs on several GPUs, whose times
 * overlap, or are small. Nothing is written if there is no line.
 */
void why_write(const struct comparison *comparison, FILE *file);

#endif
