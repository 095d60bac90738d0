/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/activity.h"
#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/stream.h"
#include "tests/sim/driver/timeline.h"

static const struct sim_activity_hooks *hooks;

void sim_activity_set_hooks(const struct sim_activity_hooks *new_hooks)
{
	__atomic_store_n(&hooks, new_hooks, __ATOMIC_RELEASE);
}

static uint64_t done;

void activity_done(const struct sim_activity *activity)
{
	const struct sim_activity_hooks *now = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	if (now)
		now->activity(activity);
	__atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
}

uint64_t sim_activity_count(void)
{
	return __atomic_load_n(&done, __ATOMIC_ACQUIRE);
}

void activity_api_call(const struct sim_api_call *call)
{
	const struct sim_activity_hooks *now = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	if (now)
		now->api_call(call);
}

uint64_t activity_node_cost(void)
{
	const struct sim_activity_hooks *now = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	return now ? now->node_cost() : 0;
}

uint64_t sim_activity_device_ns(bool advance)
{
	struct sim_call call = {.entry = NULL};
	uint64_t ns;

	sim_enter(&call, SIM_NEEDS_NOTHING);
	ns = timeline_device_ns(advance);
	sim_leave(&call, CUDA_SUCCESS);
	return ns;
}

uint64_t sim_activity_host_ns(void)
{
	struct sim_call call = {.entry = NULL};
	uint64_t ns;

	sim_enter(&call, SIM_NEEDS_NOTHING);
	ns = timeline_host_ns();
	sim_leave(&call, CUDA_SUCCESS);
	return ns;
}

bool sim_activity_stream(CUcontext context, CUstream handle, bool per_thread, uint32_t *number)
{
	struct sim_call call = {.entry = NULL, .per_thread = per_thread};
	struct stream *stream = NULL;
	CUresult result;

	(void)context;
	if (sim_enter(&call, SIM_NEEDS_CONTEXT) == CUDA_SUCCESS)
		stream = stream_of(handle, &result);
	if (stream)
		*number = stream->cupti_id;
	sim_leave(&call, CUDA_SUCCESS);
	return stream;
}

bool sim_activity_context(CUcontext handle, uint32_t *number, uint32_t *device)
{
	struct sim_call call = {.entry = NULL};
	struct context *context;

	sim_enter(&call, SIM_NEEDS_NOTHING);
	context = context_get(handle);
	if (context) {
		*number = context->id;
		*device = context->device;
	}
	sim_leave(&call, CUDA_SUCCESS);
	return context;
}

bool sim_activity_graph_node(CUgraphNode handle, uint64_t *id)
{
	struct sim_call call = {.entry = NULL};
	struct graph_node *node;

	sim_enter(&call, SIM_NEEDS_NOTHING);
	node = graph_node_get(handle);
	if (node)
		*id = node->graph->id << 32 | node->number;
	sim_leave(&call, CUDA_SUCCESS);
	return node;
}

bool sim_activity_graph(CUgraphExec handle, uint32_t *number)
{
	struct sim_call call = {.entry = NULL};
	struct graph_exec *graph;

	sim_enter(&call, SIM_NEEDS_NOTHING);
	graph = graph_exec_get(handle);
	if (graph)
		*number = (uint32_t)graph->id;
	sim_leave(&call, CUDA_SUCCESS);
	return graph;
}
