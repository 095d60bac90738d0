/* SPDX-License-Identifier: MIT */
/* The counters of the simulated device. */
#ifndef SIM_CUPTI_COUNTERS_H
#define SIM_CUPTI_COUNTERS_H

#include "tests/sim/driver/activity.h"

/* To be called for every piece of work: counts a kernel while the Range Profiler is started. */
void counters_take(const struct sim_activity *activity);

#endif
