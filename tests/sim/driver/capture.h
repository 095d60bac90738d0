/* SPDX-License-Identifier: MIT */
/*
 * Capture: what streams do while they record a graph, and what breaks it.
 *
 * Calls that could wait for the device are unsafe: a thread may not make them while it captures
 * itself other than in relaxed mode, nor while another captures in global mode, unless its own
 * mode says otherwise. Such a call fails and invalidates the captures in its way.
 */
#ifndef SIM_DRIVER_CAPTURE_H
#define SIM_DRIVER_CAPTURE_H

#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/stream.h"

struct capture {
	uint64_t id;
	CUstreamCaptureMode mode;
	int thread;
	bool invalidated;
	bool given; /* the graph is the program's */
	struct stream *origin;
	struct graph *graph;
	struct capture *next;
};

/* NULL without memory. given: the program's graph, or NULL for one of its own. */
struct capture *capture_begin(struct stream *stream, CUstreamCaptureMode mode, struct graph *given);

/* Takes the capture from its streams; the graph stays. */
void capture_end(struct capture *capture);

/* The calling thread, as struct capture has it. */
int capture_thread(void);

/* Sets the calling thread's mode and returns the one before. */
CUstreamCaptureMode capture_exchange_mode(CUstreamCaptureMode mode);

/* An unsafe call's permission: CUDA_SUCCESS or the error that it has to return. */
CUresult capture_unsafe(void);

/* Breaks the stream's capture by a call that no capturing stream may be given. */
CUresult capture_break(struct stream *stream);

/* As capture_break, for all captures in the context. CUDA_SUCCESS where there is none. */
CUresult capture_break_context(struct context *context);

/*
 * Permission for work in the stream: work in the legacy stream breaks the captures of its
 * context's blocking streams.
 */
CUresult capture_allows(struct stream *stream);
bool capture_blocks_legacy(const struct context *context);

/* Adds a node after what the stream has captured so far; *node may be NULL. */
CUresult capture_add(struct stream *stream, CUgraphNodeType type, const struct operation *operation,
		     struct graph_node **node);

/* Ends what the stream, or the context, was capturing; they are about to go. */
void capture_forget_stream(struct stream *stream);

/* The nodes that an event stands for in a capture. */
struct captured_event {
	struct capture *capture;
	uint64_t capture_id;
	struct graph_nodes nodes;
};

CUresult capture_record(struct stream *stream, struct captured_event *event);

/* Whether the event was last recorded in a capture that still goes on. */
bool capture_holds(const struct captured_event *event);

/* Makes the stream wait for the event, and join its capture. */
CUresult capture_wait(struct stream *stream, const struct captured_event *event);

#endif
