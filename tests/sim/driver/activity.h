/* SPDX-License-Identifier: MIT */
/* What the simulated CUPTI hears from the driver, through a hook that it sets. */
#ifndef SIM_DRIVER_ACTIVITY_H
#define SIM_DRIVER_ACTIVITY_H

#include "tests/sim/driver/sim.h"
#include "tests/sim/driver/operation.h"

/* A piece of work on a device, with its times. */
struct sim_activity {
	const struct operation *operation;
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t correlation;
	uint32_t device;
	uint32_t context;
	uint32_t stream; /* CUPTI's number, which is not cuStreamGetId's */
	uint32_t graph;	 /* of the graph launch it belongs to; 0: none */
	uint64_t graph_node;
};

/* A call of a driver entry. */
struct sim_api_call {
	const char *entry;
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t correlation;
	CUresult result;
};

struct sim_activity_hooks {
	void (*activity)(const struct sim_activity *activity);
	void (*driver_call)(const struct sim_api_call *call);
};

/* The hooks run under the driver's lock. NULL takes them out. */
SIM_EXPORT void sim_activity_set_hooks(const struct sim_activity_hooks *hooks);

void activity_done(const struct sim_activity *activity);
void activity_driver_call(const struct sim_call *call, CUresult result);

#endif
