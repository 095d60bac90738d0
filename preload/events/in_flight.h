/* SPDX-License-Identifier: MIT */
/*
 * An operation in flight: made from its call record, freed once both the event time and the CUPTI
 * record have arrived or been given up. What its activity record is, and the queues that its event
 * pair waits in. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_IN_FLIGHT_H
#define KTIME_PRELOAD_EVENTS_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/nvtx/ranges.h"

struct row;

struct in_flight {
	/* From the call record. */
	struct operation *operation;
	struct stream *stream;
	struct row *row;
	uint64_t started, ended; /* of the host's call: CLOCK_REALTIME in nanoseconds */
	uint64_t bytes;
	struct range_place ranges; /* the NVTX ranges that it was made in */
	uint32_t thread;	   /* the caller's, as gettid() says */
	uint32_t number;	   /* of the call: a trace's correlation id without CUPTI */
	uint32_t host_call;	   /* its number in the timeline (timeline.h); 0: none */
	uint16_t api;		   /* its API row: see entries.h */
	bool reported;		   /* made inside the window, on a device that gets rows */
	bool first, host_included;

	/* From its event pair, which returns to its pool when it has been read; NULL then. */
	struct event_pair *pair;
	double weight;	    /* how many calls it stands for in the row's estimate */
	uint64_t place;	    /* in the row's estimate */
	uint64_t by_events; /* nanoseconds between the two events */
	bool awaits_events, has_events;
	bool gated;
	bool queued;   /* the device came to it amid other work of its stream: see calibration.h */
	bool may_wait; /* the time between its events may include the device waiting for the host */
	/* The time between its two events is longer than the operation and the usual overhead: it
	 * also has a change of engines before it, or the time that CUPTI adds to a graph whose
	 * nodes it records. */
	bool holds_more;

	/* From its activity record. */
	uint64_t by_cupti; /* nanoseconds */
	bool awaits_record, has_cupti;
	bool leaves_record; /* CUPTI makes a record of it, whether that has come or not */
	bool ambiguous;	    /* two threads called concurrently: their order is unknown */
	bool overlapped;    /* ran at the same time as work of another stream */
	bool device_idle;   /* the device was idle, waiting for the host, before it */

	struct in_flight *next;
};

/* What ran on a device before an operation, and at the same time, by the activity records. Times in
 * nanoseconds. */
struct concurrency {
	bool overlapped;     /* it ran at the same time as an operation of another stream */
	bool same_stream;    /* the operation that ended last before it was of its stream */
	uint64_t stream_end; /* end of the one before it in its stream; 0 if none */
	uint64_t device_end; /* end of the one that ended last on its device; 0 if none */
};

/*
 * What an activity record of work on the device is. It is identified once, in collector/records.c,
 * and then given in order to all that take something from it: rows.h, timeline.h, trace.h, cost.h,
 * recording.h, calls.c. None of them passes it on to another.
 */
struct seen {
	const struct activity *activity; /* NULL: a whole graph launch, summed from its nodes */
	struct operation *operation;	 /* its call's, or the one that the record names */
	/* The call that this record was matched with. Of a graph's nodes one alone has it, which
	 * tells the call of their launch. NULL: not known. */
	struct in_flight *call;
	/* The call that launched it, of every node of a graph; NULL: not known. */
	const struct in_flight *launch;
	/* The number of that call in the timeline (timeline.h), or CALL_BY_TIME. 0: not known, or
	 * the record has another clock's times. */
	uint32_t host_call;
	struct row *row; /* NULL: it has none */
	uint64_t nanoseconds;
	struct concurrency before;
	uint16_t made_in; /* a graph's node: the NVTX path that it was made in (names.h) */
	bool must_match;  /* a record without a call is counted as unmatched */
	bool reported;	  /* made inside the window, and in the ranges that the user chose */
	bool shown;	  /* reported, and its operation and times are certain enough for a row */
	bool counted;	  /* its row counts it as a record of CUPTI's */
	bool timed;	  /* its time is added to its row and its NVTX ranges */
	bool busy;	  /* it is part of the device's busy time, whether it is shown or not */
};

/* A queue of operations in flight, oldest at the tail. All zero: empty. */
struct in_flight_ring {
	struct in_flight **slots;
	uint32_t mask, head, tail; /* mask: slots - 1 */
};

static inline uint32_t in_flight_ring_size(const struct in_flight_ring *ring)
{
	return ring->slots ? ring->mask + 1 : 0;
}

static inline uint32_t in_flight_ring_used(const struct in_flight_ring *ring)
{
	return ring->head - ring->tail;
}

static inline struct in_flight *in_flight_at(const struct in_flight_ring *ring, uint32_t index)
{
	return ring->slots[index & ring->mask];
}

/* Doubles the slots; false if memory is out. */
bool in_flight_ring_grow(struct in_flight_ring *ring);

/* The ring must have a free slot. */
static inline void in_flight_ring_add(struct in_flight_ring *ring, struct in_flight *operation)
{
	ring->slots[ring->head++ & ring->mask] = operation;
}

/*
 * Notes which engine (copy engine or compute) the operation runs on; to be called in the order of
 * its stream. If the stream's operation before ran on the other engine, the time between the two
 * events includes a wait of 0.3 to 10 us, gated or not (H200).
 */
void in_flight_follow(struct in_flight *operation);

/*
 * Finds the event pairs during which other streams of the device had calls. The device's front end
 * serves one stream at a time, so the end event of a short operation may then come some
 * microseconds late, and nothing that can be measured in the stream tells how late
 * (docs/internals/accuracy.md).
 *
 * For each device and slot of time the streams that had calls are remembered, once a second stream
 * has one. For the collector thread only; times are CLOCK_REALTIME in nanoseconds.
 */

/* Remembers a call. If it stands for several calls (CALL_STANDS_FOR_MORE), they are assumed to have
 * been made since the last such call of the stream, if that is at most 50 us ago for each. */
void other_streams_call(struct stream *stream, uint64_t started, unsigned stands_for);
/* Whether another stream of the device had a call between the begin of this operation's call and
 * the end of the operation, whose event pair has been read. May be false wrongly for a call more
 * than 0.1 s ago. */
bool other_streams_beside(const struct in_flight *operation);

/* Event pairs in flight, recorded around a call and to be read once the GPU has reached them: a
 * queue for each stream. For the collector thread only. */

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
