/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_STREAM_H
#define SIM_DRIVER_STREAM_H

#include "tests/sim/driver/context.h"
#include "tests/sim/driver/event_pair.h"
#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/hold.h"
#include "tests/sim/driver/operation.h"
#include "tests/sim/driver/timeline.h"

struct capture;

struct stream {
	struct handle handle;
	struct context *context;
	uint64_t id;	   /* cuStreamGetId's */
	uint32_t cupti_id; /* CUPTI's, which is another */
	unsigned int flags;
	int priority;
	struct moment tail; /* where its work ends */
	bool idle;	    /* a wait has seen its end */
	struct event_pair pair;
	struct capture *capture;
	struct graph_nodes captured; /* what its next node in the capture follows */
	struct stream *next_per_thread;
	int thread; /* whose default stream it is */
};

/* The stream that a handle means in the running call; *result says why there is none. */
struct stream *stream_of(CUstream handle, CUresult *result);

struct stream *stream_create(struct context *context, unsigned int flags, int priority);

/* The streams alive, one after the other: NULL gives the first. */
struct stream *stream_next(const struct stream *stream);

/* Streams end with their context. */
void stream_destroy_all(struct context *context);

/* Where work submitted now to the stream starts; the stream is busy from then on. */
struct moment stream_begin(struct stream *stream);

/* Holds the stream, in which the writes are done first, until the wait is satisfied;
 * CUDA_ERROR_OUT_OF_MEMORY without memory. */
CUresult stream_hold(struct stream *stream, const struct hold_wait *wait,
		     const struct hold_write *writes, size_t write_count);

/* The moment of an event recorded now. */
struct moment stream_event(struct stream *stream);

/* The thread waits for the stream, or for every stream of the context. */
void stream_wait(struct stream *stream);
void stream_wait_all(struct context *context);

/*
 * Does the operation in the stream, or adds it to the graph that the stream captures. A call that
 * is synchronous waits for the stream then.
 */
CUresult stream_submit(struct stream *stream, const struct operation *operation, bool synchronous);

#endif
