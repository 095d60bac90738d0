/* SPDX-License-Identifier: MIT */
/*
 * The program's latest CUDA calls, of all threads: what the host did before an operation began.
 * Calls are numbered from 1 in the order in which they are added; each has a link to its thread's
 * call before it. Times in nanoseconds. For one thread.
 */
#ifndef KTIME_PRELOAD_TIMELINE_HOST_CALLS_H
#define KTIME_PRELOAD_TIMELINE_HOST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many calls are remembered, a power of two. An operation's record comes at most some 200 ms
 * after its call (FLUSH_NS), or once a buffer is full: 32,768 calls are 90 ms of the fastest
 * launching, and at most 10 of the largest buffers. Chosen. */
#define HOST_CALLS_KEPT 32768u

enum host_call_flags {
	HOST_CALL_WAITED = 1, /* a synchronizing call: it waited for the device */
	HOST_CALL_WORK = 2,   /* started an operation, or several */
	HOST_CALL_FIRST = 4,  /* the first launch of a kernel, which may load its module */
};

struct host_call {
	uint64_t begin, end;
	uint32_t previous; /* number of the thread's call before it; 0: none */
	uint32_t thread;   /* from gettid() */
	uint16_t api;	   /* names the function: see api.h */
	uint8_t flags;	   /* enum host_call_flags */
};

/* Adds a call and returns its number; 0 if memory is out. */
uint32_t host_calls_add(const struct host_call *call);
/* The call of a number; NULL for 0, and if it is no longer remembered. */
const struct host_call *host_calls_get(uint32_t number);
/* A call that is still remembered is found to have waited for the device. */
void host_calls_note_wait(uint32_t number);
/* Whether a call is among the older half of those that are remembered. */
bool host_calls_soon_forgotten(uint32_t number);
/* How many bytes of them are in use. */
size_t host_calls_memory(void);

#endif
