/* SPDX-License-Identifier: MIT */
#include "preload/collector/cost.h"

#include "preload/events/event_overhead.h"

/*
 * Where the device had nothing to do before an operation, its call is what the program waited for,
 * and CUPTI a part of the call. Between kernels that are queued behind each other there are 1.1 us
 * and less, with CUPTI; more than this is a device that waited for the host.
 */
#define IDLE_NS		    2000u
/*
 * CUPTI's part of a launch call that was made under it (H200, driver 580, CUPTI 13.0): 0.17 to 0.28
 * of those of a loop of empty kernels in seven runs of the benchmark, 0.52 to 1.33 us of 3.0
 * to 4.7; 0.14 to 0.27 of ResNet-50's at batch 1, 0.9 to 1.5 us of 5.6 to 7.4. A call may wait for
 * something else, so there is a limit. What a call takes that is not known is taken from the loop.
 */
#define CUPTI_PART	    0.2
#define CUPTI_HOST_MOST_NS  2000.0
#define UNKNOWN_CALL_NS	    4000u
/*
 * What it adds on the device to work that is queued, there: kernels of 3, 10 and 100 us took 0.2 to
 * 0.7 us longer, 0.3 in most runs, each node of a graph 0.36 to 0.5, copies of 4 KB 1.3. Kernels of
 * 16 threads in 16 streams, which run while others end, 0.08 to 0.23.
 */
#define KERNEL_GPU_NS	    280u
#define NODE_GPU_NS	    380u
#define COPY_GPU_NS	    1300u
#define OTHER_STREAM_GPU_NS 200u

/* Operations whose call the device waited for, and those that were queued. */
static uint64_t awaited, queued;
/* Nanoseconds: of event pairs on the device, of hooks on each thread, and those seen in all. */
static uint64_t pairs_gpu, hooks_seen;
static double hooks;
/* The driver takes the launches of a context one by one, but much of a call is side by side. */
static unsigned threads_at_once = 1;

void cost_start(void)
{
	awaited = queued = pairs_gpu = hooks_seen = 0;
	hooks = 0;
	threads_at_once = 1;
}

static uint64_t on_host(const struct in_flight *call)
{
	uint64_t taken = call ? call->ended - call->started : UNKNOWN_CALL_NS;
	double part = CUPTI_PART * (double)taken;

	return (uint64_t)(part < CUPTI_HOST_MOST_NS ? part : CUPTI_HOST_MOST_NS);
}

static uint64_t on_device(const struct activity *activity, const struct concurrency *before)
{
	if (!before->same_stream)
		return OTHER_STREAM_GPU_NS;
	if (activity->kind == ACTIVITY_MEMCPY || activity->kind == ACTIVITY_MEMCPY_PEER)
		return COPY_GPU_NS;
	return activity->graph_node ? NODE_GPU_NS : KERNEL_GPU_NS;
}

void cost_of_record(struct session *session, const struct activity *activity,
		    const struct in_flight *call, const struct concurrency *before)
{
	/* A node has no call of its own. */
	uint64_t host = activity->graph_node ? 0 : on_host(call);

	session_count(session, COUNTER_cupti_ns, host);
	if (activity->start > before->device_end &&
	    activity->start - before->device_end > IDLE_NS) {
		awaited += !activity->graph_node;
		session_count(session, COUNTER_cupti_added_ns, host / threads_at_once);
	} else {
		uint64_t device = on_device(activity, before);

		queued += !activity->graph_node;
		session_count(session, COUNTER_gpu_ns, device);
		session_count(session, COUNTER_cupti_added_ns, device);
	}
}

void cost_of_pair(struct session *session)
{
	pairs_gpu += EVENT_PAIR_GPU_NS;
	session_count(session, COUNTER_gpu_ns, EVENT_PAIR_GPU_NS);
}

void cost_update(struct session *session, unsigned threads)
{
	uint64_t *counters = session_header(session)->counters;
	uint64_t host;

	if (threads > 0)
		threads_at_once = threads;
	hooks += (double)(counters[COUNTER_host_ns] - hooks_seen) / threads_at_once;
	hooks_seen = counters[COUNTER_host_ns];
	host = (uint64_t)hooks;
	/* What the hooks take while the device has work to do, nobody waits for. */
	if (awaited + queued > 0)
		host = (uint64_t)(hooks * (double)awaited / (double)(awaited + queued));
	/* The host and the device work side by side: the program waits for the slower. */
	counters[COUNTER_added_ns] =
		counters[COUNTER_cupti_added_ns] + (host > pairs_gpu ? host : pairs_gpu);
}
