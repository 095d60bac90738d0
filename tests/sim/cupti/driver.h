/* SPDX-License-Identifier: MIT */
/* The simulated driver's side of CUPTI, found when it is first needed. */
#ifndef SIM_CUPTI_DRIVER_H
#define SIM_CUPTI_DRIVER_H

#include "tests/sim/driver/activity.h"

#define DRIVER_HOOKS(X)                                                                            \
	X(sim_activity_set_hooks)                                                                  \
	X(sim_activity_device_ns)                                                                  \
	X(sim_activity_host_ns)                                                                    \
	X(sim_activity_stream)                                                                     \
	X(sim_activity_context)                                                                    \
	X(sim_activity_graph)                                                                      \
	X(sim_activity_graph_node)                                                                 \
	X(sim_activity_fault)                                                                      \
	X(sim_activity_count)                                                                      \
	X(sim_activity_memsets)

struct cupti_driver {
#define X(symbol) __typeof__(symbol) *symbol;
	DRIVER_HOOKS(X)
#undef X
};

/* NULL where the driver is not the simulated one. */
const struct cupti_driver *cupti_driver(void);

#endif
