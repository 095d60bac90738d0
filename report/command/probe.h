/* SPDX-License-Identifier: MIT */
/* The devices of this machine, by the driver and NVML, which are loaded for it. */
#ifndef KTIME_REPORT_COMMAND_PROBE_H
#define KTIME_REPORT_COMMAND_PROBE_H

#include <stddef.h>

#include "report/session/session.h"

struct probe {
	struct device_info devices[SESSION_DEVICES];
	size_t count;
	const char *no_nvml; /* why NVML says nothing; NULL: it does */
};
/* 0, or -ENODEV or -ENOSYS with a one-line message. */
int probe_devices(struct probe *probe, char *message, size_t size);

#endif
