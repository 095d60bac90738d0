/* SPDX-License-Identifier: MIT */
/* One call of a function of host_calls.def, from the wrapper's entry to its return. It leaves a
 * call record without operation and stream. Keeps errno, takes no lock. */
#ifndef KTIME_PRELOAD_LAUNCH_HOST_CALL_H
#define KTIME_PRELOAD_LAUNCH_HOST_CALL_H

#include <cuda.h>
#include <stdint.h>

struct thread;

struct timed_call {
	struct thread *thread; /* NULL: the call is not timed */
	uint64_t started;      /* ticks */
};

/* Before and after the real call, on its thread. A thread that has not made the GPU work, and a
 * call inside another wrapped one, are not timed. */
void host_call_begin(struct timed_call *call);
void host_call_end(const struct timed_call *call, uint16_t api, CUresult result);

#endif
