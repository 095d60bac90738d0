/* SPDX-License-Identifier: MIT */
/* `ktime on`, `off`, `window` and `snapshot`: what is collected of a program that runs, from
 * another shell. */
#ifndef KTIME_REPORT_LIVE_STEER_H
#define KTIME_REPORT_LIVE_STEER_H

#include <stddef.h>

#include "report/options/options.h"

int command_on(const struct options *options, const char *const *files, size_t count);
int command_off(const struct options *options, const char *const *files, size_t count);
int command_window(const struct options *options, const char *const *files, size_t count);
int command_snapshot(const struct options *options, const char *const *files, size_t count);

#endif
