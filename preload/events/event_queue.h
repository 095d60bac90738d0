/* SPDX-License-Identifier: MIT */
/*
 * Event pairs under way: recorded around a call, waiting to be reached by the GPU and read. The
 * collector thread alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H
#define KTIME_PRELOAD_EVENTS_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/handles/stream.h"

struct operation;
struct row;

/* One call with an event pair; lives until both clocks have spoken, or one never will. */
struct timed {
	struct event_pair *pair; /* NULL once read */
	struct operation *operation;
	struct stream *stream;
	struct row *row;
	uint64_t bytes;
	uint64_t started;     /* of the host's call; of the device, once the events are read */
	uint32_t correlation; /* ktime's own count of calls, for a trace without CUPTI */
	uint64_t raw;	      /* ns between the two events */
	double weight;	      /* how many calls it stands for */
	uint64_t cupti;	      /* ns by the activity record */
	bool host_included, first;
	bool overlapped, starved; /* as the record shows */
	bool has_raw, has_cupti;
	bool leaves_record; /* one was expected, whether it came or not */
	bool awaits_event, awaits_record;
	struct timed *next;
};

enum timing_end {
	TIMING_READ, /* timed->raw is the time between its events */
	TIMING_LOST, /* the context is gone, or the driver failed */
	TIMING_LATE, /* not finished when all had to end */
	/* Its start is the end of the thread's call before, and another thread's came between. */
	TIMING_INTERLEAVED,
};

struct timed *timed_new(void);
void timed_free(struct timed *timed);

/* Queues a call behind those before it in its stream. */
void timing_add(struct stream *stream, struct timed *timed);
/*
 * Reads what is finished. One question covers all that went before it in a stream, so a busy
 * stream of a thousand pairs costs some ten. Stops where the clock (CLOCK_MONOTONIC, ns) passes
 * `until`; the next call goes on there. Returns how many pairs are still under way.
 */
size_t timing_poll(uint64_t until, void (*done)(struct timed *timed, enum timing_end end));
/* Gives up every pair of a context, or of all where it is NULL. */
void timing_give_up(const struct context *context, enum timing_end end,
		    void (*done)(struct timed *timed, enum timing_end end));
/* Pairs of a context under way. */
size_t timing_pending(const struct context *context);
/* Frees what a stream that is no more has here; false where pairs of it are under way. */
bool timing_forget(struct stream *stream);
/* Makes a context current in the calling thread, if it is not yet; NULL for none. */
bool timing_use_context(struct context *context);

#endif
