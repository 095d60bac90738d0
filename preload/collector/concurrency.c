/* SPDX-License-Identifier: MIT */
#include "preload/collector/concurrency.h"

#include "report/session/session.h"

/* Of more streams on a device than this the one that ended first is forgotten. */
#define STREAMS 32

/* The latest operation of a stream. */
struct latest {
	uint64_t stream, start, end;
};

static struct device {
	struct latest streams[STREAMS];
	unsigned count, own;	    /* `own`: of the record before, as often of this one */
	struct latest last, second; /* that ended last, and that of all other streams */
} devices[SESSION_DEVICES];

/* The place of a stream, its end 0 where it is new. */
static struct latest *latest_of(struct device *device, uint64_t stream)
{
	unsigned oldest = 0;

	if (device->count > 0 && device->streams[device->own].stream == stream)
		return &device->streams[device->own];
	for (unsigned i = 0; i < device->count; i++) {
		if (device->streams[i].stream == stream) {
			device->own = i;
			return &device->streams[i];
		}
		if (device->streams[i].end < device->streams[oldest].end)
			oldest = i;
	}
	device->own = device->count < STREAMS ? device->count++ : oldest;
	device->streams[device->own] = (struct latest){.stream = stream};
	return &device->streams[device->own];
}

static void note_end(struct device *device, const struct latest *own)
{
	if (own->stream == device->last.stream) {
		device->last = *own;
	} else if (own->end > device->last.end) {
		device->second = device->last;
		device->last = *own;
	} else if (own->stream == device->second.stream || own->end > device->second.end) {
		device->second = *own;
	}
}

struct concurrency concurrency_note(const struct activity *activity)
{
	uint64_t stream = (uint64_t)activity->context << 32 | activity->stream;
	unsigned number = activity->device < SESSION_DEVICES ? activity->device : 0;
	struct device *device = &devices[number];
	struct latest *own = latest_of(device, stream);
	const struct latest *other =
		device->last.stream == stream ? &device->second : &device->last;
	struct concurrency before = {
		.overlapped = other->end > activity->start && other->start < activity->end,
		.same_stream = device->last.stream == stream,
		.stream_end = own->end,
		.device_end = device->last.end,
	};

	own->start = activity->start;
	own->end = activity->end;
	note_end(device, own);
	return before;
}
