/* SPDX-License-Identifier: MIT */
/*
 * The report that the reporter makes when the collector cannot: the table from the mapped profile,
 * without histograms, notes or options, and how many operations are missing in it. It uses memory
 * of its own and system calls alone. The reporter's thread, once.
 */
#ifndef KTIME_PRELOAD_REPORTER_LAST_REPORT_H
#define KTIME_PRELOAD_REPORTER_LAST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/reporter/reporter.h"

/* Writes as far as that goes until `end` (CLOCK_MONOTONIC, ns). */
void last_report_write(const struct reporter_output *output, uint64_t end);
/* Whether all of it was written. */
bool last_report_is_written(void);

#endif
