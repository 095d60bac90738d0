/* SPDX-License-Identifier: MIT */
/* The cold path: what a thread does when it meets a stream, kernel, graph or context for the first
 * time. It asks the driver, takes locks and allocates, so that the launch path need not. */
#ifndef KTIME_PRELOAD_LAUNCH_COLD_PATH_H
#define KTIME_PRELOAD_LAUNCH_COLD_PATH_H

#include "preload/base/launch_state.h"
#include "preload/launch/thread.h"

/* To be called at a thread's first call; starts ktime if it has not been started. NULL if the
 * thread's calls are not to be recorded. */
struct thread *cold_path_thread(void) LAUNCH_COLD;

/*
 * To be called when a signal is ending the process: blocks the thread before its next driver call,
 * for some seconds at most, so that the program neither queues work nor prints for long.
 */
void cold_path_park(void) LAUNCH_COLD;

/* The stream of a handle that a call has just succeeded with, or of a default stream of the current
 * context; NULL if the driver does not know it. Adds it to the thread's map. */
struct stream *cold_path_stream(struct thread *thread, CUstream handle) LAUNCH_COLD;
/* The operation of a kernel, or of a graph if `function` is NULL, right after a launch of it. Adds
 * it to the thread's map. */
struct operation *cold_path_operation(struct thread *thread, CUfunction function,
				      CUgraphExec graph) LAUNCH_COLD;
/* The stream and the operation of a call that the program makes while another call is in progress;
 * to be called before the real call. NULL if ktime has not met the handle before.
 * cold_path_known_stream() asks the driver, and may take a lock. */
struct stream *cold_path_known_stream(struct thread *thread, CUstream handle) LAUNCH_COLD;
struct operation *cold_path_known_operation(struct thread *thread, CUfunction function,
					    CUgraphExec graph) LAUNCH_COLD;
/* The thread's event pool in a context, which becomes its last_pool; made if there is none yet.
 * NULL if memory is out. */
struct event_pool *cold_path_pool(struct thread *thread, struct context *context) LAUNCH_COLD;
/* Tests whether gates work in a stream's context, with a free event of that context: see
 * context_gates_try(). */
void cold_path_try_gates(struct thread *thread, const struct stream *stream,
			 CUevent event) LAUNCH_COLD;

/*
 * The key of a stream in the thread's map. The key of a default stream is the handle of its
 * context, whose low bits are zero, with 1 or 2 added; `current` is then that context, else NULL. 0
 * if a default stream is meant and no context is current.
 */
static inline uintptr_t stream_key(CUstream handle, CUcontext *current)
{
	*current = NULL;
	if (handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD)
		return (uintptr_t)handle;
	if (driver.cuCtxGetCurrent(current) != CUDA_SUCCESS || !*current)
		return 0;
	return (uintptr_t)*current | (uintptr_t)handle;
}

#endif
