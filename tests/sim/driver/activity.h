/* SPDX-License-Identifier: MIT */
/* What the simulated CUPTI hears from the driver, through a hook that it sets. */
#ifndef SIM_DRIVER_ACTIVITY_H
#define SIM_DRIVER_ACTIVITY_H

#include "tests/sim/driver/sim.h"

struct operation;

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

/* A call of the driver, or of a runtime that told of it. */
struct sim_api_call {
	bool runtime;
	const char *name;
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t correlation;
	int result;
};

/* What cuGetExportTable gives the simulated runtime, to tell of its calls by. */
#define SIM_RUNTIME_TABLE "simulated runti"

struct sim_runtime_table {
	void (*begin)(struct sim_api_call *call);
	void (*end)(struct sim_api_call *call);
};

struct sim_activity_hooks {
	void (*activity)(const struct sim_activity *activity);
	void (*api_call)(const struct sim_api_call *call);
	uint64_t (*node_cost)(void); /* ns that recording a graph's node adds to its launch */
};

/* The hooks run under the driver's lock. NULL takes them out. */
SIM_EXPORT void sim_activity_set_hooks(const struct sim_activity_hooks *hooks);

/* What a call of CUPTI's is to fail with, by SIM_FAULT; 0: it is not. Such a call is logged. */
SIM_EXPORT int sim_activity_fault(const char *entry);

/* How many pieces of work were submitted so far. */
SIM_EXPORT uint64_t sim_activity_count(void);

/* How many calls of memsets are in progress. */
SIM_EXPORT uint32_t sim_activity_memsets(void);

/* The device's clock, moved on first where the caller waits for it. */
SIM_EXPORT uint64_t sim_activity_device_ns(bool advance);

/* The calling thread's clock. */
SIM_EXPORT uint64_t sim_activity_host_ns(void);

/* CUPTI's numbers; false where there is no such stream, context or executable graph. */
SIM_EXPORT bool sim_activity_stream(CUcontext context, CUstream stream, bool per_thread,
				    uint32_t *number);
SIM_EXPORT bool sim_activity_context(CUcontext context, uint32_t *number, uint32_t *device);
SIM_EXPORT bool sim_activity_graph(CUgraphExec graph, uint32_t *number);
SIM_EXPORT bool sim_activity_graph_node(CUgraphNode node, uint64_t *id);

void activity_done(const struct sim_activity *activity);
void activity_api_call(const struct sim_api_call *call);
uint64_t activity_node_cost(void);

#endif
