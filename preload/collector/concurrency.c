/* SPDX-License-Identifier: MIT */
#include "preload/collector/concurrency.h"

#include "report/session/session.h"

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
