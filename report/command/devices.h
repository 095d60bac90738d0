/* SPDX-License-Identifier: MIT */
/* `ktime devices`: what the GPUs here are, and what they can do at most. */
#ifndef KTIME_REPORT_COMMAND_DEVICES_H
#define KTIME_REPORT_COMMAND_DEVICES_H

#include "report/options/options.h"

/* Returns the process's exit status. */
int command_devices(const struct options *options, const char *const *files, size_t count);

#endif
