/* SPDX-License-Identifier: MIT */
/*
 * Event pairs in flight: recorded around a call, waiting to be reached by the GPU and read; a queue
 * for each stream. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H
#define KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/events/in_flight.h"

enum event_end {
	EVENT_READ, /* by_events is the time between the two events */
	EVENT_LOST, /* the context is gone, or the driver failed */
	EVENT_LATE, /* not finished when all had to end */
};

/* Queues an operation behind those before it in its stream; false if memory is out. */
bool event_queue_add(struct in_flight *operation);
/*
 * Reads what is finished, and calls `done` for it. One query covers all that went before it in a
 * stream, so a busy stream of a thousand pairs costs some ten. Stops where the clock
 * (CLOCK_MONOTONIC, ns) passes `until`; the next call goes on there. Returns how many pairs are
 * still in flight.
 */
size_t event_queue_poll(uint64_t until, void (*done)(struct in_flight *, enum event_end));
/* Gives up every pair of a context, or of all if it is NULL. */
void event_queue_give_up(const struct context *context, enum event_end end,
			 void (*done)(struct in_flight *, enum event_end));
/* Pairs of a context in flight. */
size_t event_queue_pending(const struct context *context);
/* Frees the queue of a stream that has ended; false if pairs of it are in flight. */
bool event_queue_forget(struct stream *stream);

#endif
