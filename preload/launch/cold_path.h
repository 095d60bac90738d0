/* SPDX-License-Identifier: MIT */
/*
 * What a thread does when it meets a stream, kernel, graph or context for the first time: it asks
 * the driver, takes locks and allocates, so that the launch path need not do so again.
 */
#ifndef KTIME_PRELOAD_LAUNCH_COLD_PATH_H
#define KTIME_PRELOAD_LAUNCH_COLD_PATH_H

#include "preload/base/launch_section.h"
#include "preload/launch/thread.h"

/* A thread's first call, which may be ktime's own first; NULL where it is not to be watched. */
struct thread *cold_path_thread(void) LAUNCH_SELDOM;

/*
 * A signal is ending the process: the thread waits for that before its next call, outside of the
 * driver, so that neither work nor output of the program goes on for long. Some seconds at most.
 */
void cold_path_park(void) LAUNCH_SELDOM;

/*
 * The stream of a handle that a call has just succeeded with, or of a default stream of the current
 * context; NULL where the driver does not know it. From here on it is in the thread's map.
 */
struct stream *cold_path_stream(struct thread *thread, CUstream handle) LAUNCH_SELDOM;
/* The operation of a kernel, or of a graph where `function` is NULL, right after its launch. */
struct operation *cold_path_operation(struct thread *thread, CUfunction function,
				      CUgraphExec graph) LAUNCH_SELDOM;
/* The thread's event pairs in a context, its last_pool from here on; made where they are not there
 * yet, NULL where memory is out. */
struct event_pool *cold_path_pool(struct thread *thread, struct context *context) LAUNCH_SELDOM;

/*
 * The key of a stream in the thread's map. A default stream's is its context's handle, whose low
 * bits are free, with its number; `current` is then that context, else NULL. 0: no context is
 * current.
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
