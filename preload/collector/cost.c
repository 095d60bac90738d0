/* SPDX-License-Identifier: MIT */
#include "preload/collector/cost.h"

#include "preload/events/calibration.h"
#include "preload/recording/rows.h"

/* How many streams of a device are remembered; then the one that ended first is replaced.
 * Chosen. */
#define STREAMS 32

/* The latest operation of a stream. */
struct latest {
	uint64_t stream, start, end;
};

static struct device {
	struct latest streams[STREAMS];
	unsigned count, current; /* `current`: index of the last record's stream */
	struct latest last,
		second; /* `last` ended last; `second` ended last in the other streams */
} devices[SESSION_DEVICES];

/* A stream's entry; its `end` is 0 if it is new. */
static struct latest *latest_of(struct device *device, uint64_t stream)
{
	unsigned oldest = 0;

	if (device->count > 0 && device->streams[device->current].stream == stream)
		return &device->streams[device->current];
	for (unsigned i = 0; i < device->count; i++) {
		if (device->streams[i].stream == stream) {
			device->current = i;
			return &device->streams[i];
		}
		if (device->streams[i].end < device->streams[oldest].end)
			oldest = i;
	}
	device->current = device->count < STREAMS ? device->count++ : oldest;
	device->streams[device->current] = (struct latest){.stream = stream};
	return &device->streams[device->current];
}

static void note_end(struct device *device, const struct latest *current)
{
	if (current->stream == device->last.stream) {
		device->last = *current;
	} else if (current->end > device->last.end) {
		device->second = device->last;
		device->last = *current;
	} else if (current->stream == device->second.stream || current->end > device->second.end) {
		device->second = *current;
	}
}

struct concurrency concurrency_add(const struct activity *activity)
{
	uint64_t stream = (uint64_t)activity->context << 32 | activity->stream;
	unsigned number = activity->device < SESSION_DEVICES ? activity->device : 0;
	struct device *device = &devices[number];
	struct latest *current = latest_of(device, stream);
	const struct latest *other =
		device->last.stream == stream ? &device->second : &device->last;
	struct concurrency before = {
		.overlapped = other->end > activity->start && other->start < activity->end,
		.same_stream = device->last.stream == stream,
		.stream_end = current->end,
		.device_end = device->last.end,
	};

	current->start = activity->start;
	current->end = activity->end;
	note_end(device, current);
	return before;
}

/*
 * A gap before an operation that is longer than this means that the device was idle, waiting for
 * the host: between queued kernels there are at most 1.1 us, with CUPTI (H200). The program then
 * waited for the operation's call, which includes CUPTI's part of it.
 */
#define IDLE_NS		    2000u
/*
 * CUPTI's part of a launch call, which it makes longer (H200, driver 580, CUPTI 13.0): 0.17 to 0.28
 * in a loop of empty kernels, in seven runs of the benchmark (0.52 to 1.33 us of 3.0 to 4.7 us);
 * 0.14 to 0.27 in ResNet-50 at batch 1 (0.9 to 1.5 us of 5.6 to 7.4 us). Limited, as a call may
 * also wait for something else. The duration of a call that is not known is taken from the loop.
 */
#define CUPTI_PART	    0.2
#define CUPTI_HOST_MOST_NS  2000.0
#define UNKNOWN_CALL_NS	    4000u
/*
 * What CUPTI adds to queued work on the device, measured there: 0.2 to 0.7 us to kernels of 3, 10
 * and 100 us (0.3 in most runs), 0.36 to 0.5 to each node of a graph, 1.3 to copies of 4 KB, and
 * 0.08 to 0.23 to kernels of 16 threads in 16 streams, which run while others end.
 */
#define KERNEL_GPU_NS	    280u
#define NODE_GPU_NS	    380u
#define COPY_GPU_NS	    1300u
#define OTHER_STREAM_GPU_NS 200u

/* Operations that the device was idle before, and those that were queued. */
static uint64_t awaited, queued;
/* In nanoseconds: the event pairs' time on the device, and the hooks' time on all threads that
 * `hooks` includes. */
static uint64_t pairs_gpu, hooks_seen;
static double hooks; /* nanoseconds of the hooks, divided by the threads that ran them at once */
/* How many threads are in hooks at once. The driver serialises the launches of a context, but much
 * of a call runs concurrently. */
unsigned cost_threads = 1;

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
	if (activity->graph_node)
		return NODE_GPU_NS;
	return activity->kind == ACTIVITY_MEMCPY || activity->kind == ACTIVITY_MEMCPY_PEER
		       ? COPY_GPU_NS
		       : KERNEL_GPU_NS;
}

void cost_of_record(const struct activity *activity, const struct in_flight *call,
		    const struct concurrency *before)
{
	/* A node of a graph has no call. */
	uint64_t host = activity->graph_node ? 0 : on_host(call);

	session_count(rows_session, COUNTER_cupti_ns, host);
	/* What comes before a node may be a kernel of its graph that is not recorded now. */
	if (!activity->graph_node && activity->start > before->device_end &&
	    activity->start - before->device_end > IDLE_NS) {
		awaited++;
		session_count(rows_session, COUNTER_cupti_added_ns, host / cost_threads);
	} else {
		uint64_t device = on_device(activity, before);

		queued += !activity->graph_node;
		session_count(rows_session, COUNTER_gpu_ns, device);
		session_count(rows_session, COUNTER_cupti_added_ns, device);
	}
}

void cost_of_pair(void)
{
	pairs_gpu += EVENT_PAIR_GPU_NS + (cost_threads - 1) * EVENT_PAIR_THREAD_NS;
	session_count(rows_session, COUNTER_gpu_ns, EVENT_PAIR_GPU_NS);
}

void cost_update(unsigned threads)
{
	uint64_t *counters = session_header(rows_session)->counters;
	uint64_t host;

	if (threads > 0)
		cost_threads = threads;
	hooks += (double)(counters[COUNTER_host_ns] - hooks_seen) / cost_threads;
	hooks_seen = counters[COUNTER_host_ns];
	host = (uint64_t)hooks;
	/* Nobody waits for the hooks while the device has work to do. */
	if (awaited + queued > 0)
		host = (uint64_t)(hooks * (double)awaited / (double)(awaited + queued));
	/* The host and the device work at the same time: the program waits for the slower one. */
	counters[COUNTER_added_ns] =
		counters[COUNTER_cupti_added_ns] + (host > pairs_gpu ? host : pairs_gpu);
}
