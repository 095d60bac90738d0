/* SPDX-License-Identifier: MIT */
/* Event pairs in flight, recorded around a call and to be read once the GPU has reached them: a
 * queue for each stream. For the collector thread only. */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H
#define KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/events/in_flight.h"

enum event_end {
	EVENT_READ, /* by_events has been set */
	EVENT_LOST, /* the context has ended, or the driver refused */
	EVENT_LATE, /* not finished when ktime had to write the report */
};

/* Queues an operation in its stream's queue; false if memory is out. */
bool event_queue_add(struct in_flight *operation);
/*
 * Reads the finished pairs and calls `done` for each operation. In a stream one query tells that
 * all earlier pairs are finished too, so a stream with a thousand pairs in flight costs some ten
 * queries. Stops when CLOCK_MONOTONIC, in nanoseconds, passes `until`; the next call goes on with
 * the next stream. Returns how many pairs are still in flight.
 */
size_t event_queue_poll(uint64_t until, void (*done)(struct in_flight *, enum event_end));
/* Gives up every pair of a context (NULL: of all contexts), and calls `done` with `end` for
 * each. */
void event_queue_give_up(const struct context *context, enum event_end end,
			 void (*done)(struct in_flight *, enum event_end));
/* How many pairs of a context, or of all (NULL), are in flight. */
size_t event_queue_pending(const struct context *context);
/* Frees the queue of a stream that has ended; false if pairs of it are still in flight. */
bool event_queue_forget(struct stream *stream);

#endif
