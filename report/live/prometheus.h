/* SPDX-License-Identifier: MIT */
/* `ktime prometheus`: the metrics of running programs, once. */
#ifndef KTIME_REPORT_LIVE_PROMETHEUS_H
#define KTIME_REPORT_LIVE_PROMETHEUS_H

#include <stddef.h>

#include "report/options/options.h"

int command_prometheus(const struct options *options, const char *const *files, size_t count);

#endif
