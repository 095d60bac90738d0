/* SPDX-License-Identifier: MIT */
/* Operations: one for each kernel name, copy direction and graph, the launch path's counterpart of
 * a row. None is ever freed, so call records may keep pointers to them. */
#ifndef KTIME_PRELOAD_HANDLES_OPERATION_H
#define KTIME_PRELOAD_HANDLES_OPERATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"
#include "preload/nvtx/ranges.h"
#include "report/session/session.h"

/* The operations that exist from the start: X(identifier, row kind, name). */
#define FIXED_OPERATIONS(X)                                                                        \
	X(OPERATION_COPY_HTOD, ROW_MEMCPY, "[CUDA memcpy HtoD]")                                   \
	X(OPERATION_COPY_DTOH, ROW_MEMCPY, "[CUDA memcpy DtoH]")                                   \
	X(OPERATION_COPY_DTOD, ROW_MEMCPY, "[CUDA memcpy DtoD]")                                   \
	X(OPERATION_COPY_HTOH, ROW_MEMCPY, "[CUDA memcpy HtoH]")                                   \
	X(OPERATION_COPY_PTOP, ROW_MEMCPY, "[CUDA memcpy PtoP]")                                   \
	X(OPERATION_COPY_HTOA, ROW_MEMCPY, "[CUDA memcpy HtoA]")                                   \
	X(OPERATION_COPY_ATOH, ROW_MEMCPY, "[CUDA memcpy AtoH]")                                   \
	X(OPERATION_COPY_ATOA, ROW_MEMCPY, "[CUDA memcpy AtoA]")                                   \
	X(OPERATION_COPY_ATOD, ROW_MEMCPY, "[CUDA memcpy AtoD]")                                   \
	X(OPERATION_COPY_DTOA, ROW_MEMCPY, "[CUDA memcpy DtoA]")                                   \
	X(OPERATION_MEMSET, ROW_MEMSET, "[CUDA memset]")                                           \
	X(OPERATION_PREFETCH, ROW_MOVEMENT, "[CUDA memory prefetch]")                              \
	X(OPERATION_DISCARD, ROW_MOVEMENT, "[CUDA memory discard]")                                \
	X(OPERATION_DECOMPRESS, ROW_MOVEMENT, "[CUDA memory decompress]")                          \
	X(OPERATION_STREAM_WRITE, ROW_OTHER, "[CUDA stream write value]")                          \
	X(OPERATION_STREAM_BATCH, ROW_OTHER, "[CUDA stream memory operations]")                    \
	X(OPERATION_UNKNOWN_KERNEL, ROW_KERNEL, "[CUDA kernel]")                                   \
	X(OPERATION_UNKNOWN_GRAPH, ROW_GRAPH, "[CUDA graph]")

enum fixed_operation {
#define FIXED_OPERATION_ENUM(identifier, kind, name) identifier,
	FIXED_OPERATIONS(FIXED_OPERATION_ENUM)
#undef FIXED_OPERATION_ENUM
		FIXED_OPERATION_COUNT
};

#define SAMPLE_ALL	   UINT32_MAX /* in sample_below: every call gets an event pair */

/*
 * How many operations a thread can count without call records, by index: 64 KB of counters a
 * thread, touched only as far as used. Chosen; calls of further operations always leave a record.
 */
#define COUNTED_OPERATIONS 8192u

struct graph_contents;

struct operation {
	/* An event pair is recorded around a call if a random 32-bit number is below this. The
	 * collector writes it, launching threads read it, and lower it if it is SAMPLE_ALL and
	 * their pool gets empty. */
	_Atomic uint32_t sample_below;
	uint32_t index;
	/* A programmatic dependent launch (PDL) has followed this kernel in its stream, so ktime
	 * puts no event behind the kernel: it would keep the two from overlapping. Never cleared.
	 */
	_Atomic bool followed;
	enum row_kind kind;
	enum overhead_kind overhead;
	const char *name;			 /* kernels: mangled, from the driver */
	struct graph_contents *_Atomic contents; /* graphs: what a launch does; NULL: not known */
	const char *kernels_listed; /* graphs: the names of its kernels, one per line */
	/* A version of a graph that differs from this one in what its nodes do it with; they share
	 * a row. NULL: not a version. */
	struct operation *version_of;

	/* For the collector thread only. */
	struct row *rows[SESSION_DEVICES];
	uint64_t calls, pairs;		 /* calls, and calls with an event pair, since the start */
	uint64_t timed, shortest;	 /* calls timed by events; the shortest such time in ns */
	bool first_alone;		 /* events have timed its first launch and no other */
	struct range_place first_ranges; /* that the first launch was made in */
	uint64_t window_calls;		 /* calls in the present sampling window */
	/* Count-only launches that the collector has not added to a row yet: see calls.c. */
	uint64_t untaken_calls;
	uint32_t untaken_since;
	uint64_t calls_costed;	/* number of `calls` whose cost late_start.c has estimated */
	uint64_t shortest_call; /* graphs: shortest launch call between windows, ns; 0: none */
	uint64_t calls_before;	/* `calls` when the recording window opened: see sums.c */
	bool in_window;		/* it was called in the last recording window */
	double rate;		/* calls per nanosecond, smoothed: see sampling.c */
	struct operation *next;
	struct operation *allocating; /* graphs that allocate: the one made before */
	/* By device: calls without a call record, as the thread's ring was full, that the collector
	 * has not added to a row yet; `lost_outside`: those made outside the profiling window. */
	_Atomic uint32_t lost[SESSION_DEVICES], lost_outside[SESSION_DEVICES];
};

/* All calls ever dropped because a thread's ring was full: the sum of what was counted in `lost`
 * and `lost_outside` of all operations, including the calls that rows have taken over. */
extern _Atomic uint64_t operation_lost_calls;

/* Sets sample_below for all operations, existing and new ones, until the budget has seen their
 * calls; SAMPLE_ALL unless set. To be called before the first call. */
void operation_first_sampling(uint32_t sample_below);

/* All functions in this file may be called on any thread. */

struct operation *operation_fixed(enum fixed_operation which);
/* The operation of a kernel or graph by name, which is copied; OPERATION_UNKNOWN_KERNEL if memory
 * is out. Takes a lock. */
struct operation *operation_named(enum row_kind kind, const char *name);
/* Makes a version of the graph operation `of`: the same graph after an update of its nodes. It
 * shares the row of `of` and has its own count. Returns `of` if memory is out. Takes a lock. */
struct operation *operation_version(struct operation *of);
/* The list of all operations, newest first, linked by `next`; it may be walked without a lock. */
struct operation *operation_first(void);
#define operations_for_each(operation)                                                             \
	for (struct operation *operation = operation_first(); operation;                           \
	     operation = operation->next)

/*
 * The operation of a kernel's handle. Asks the driver, so call it only within the program's call
 * that passed the handle; takes a lock. A driver older than 12.3 does not know all names; then
 * those that operation_remember_kernel() was given are used.
 */
struct operation *operation_of_kernel(CUfunction function);
/* Whether the driver knows the names of all kernels. */
bool operation_driver_names(void);
/* Remembers the name with which the program looked up a kernel's handle. Takes a lock. */
void operation_remember_kernel(const void *handle, const char *name);
/* Makes the threads look up the operations of all kernel and graph handles again. */
void operation_forget_kernels(void);
/*
 * To be called before a module is unloaded. From then on operation_names_reused is set, and kernel
 * names in CUPTI's records may be wrong: CUPTI reports a kernel loaded at an unloaded one's handle
 * under the old name (CUPTI 13.0, driver 580: 59 of 60 launches of 30 modules). The call that a
 * record is matched with has the right name (records.c).
 */
void operation_modules_unload(void);
extern _Atomic bool operation_names_reused;

/* The operation of a copy, by the memory on its two sides. Any thread; those that take an address
 * ask the driver about it, and keep errno. */

/* Whether a host address is pageable memory. */
bool copy_is_pageable(const void *host);
/* The operation of a copy between two device addresses. Asks the driver for their devices if
 * several are in use. */
enum fixed_operation copy_between_devices(CUdeviceptr destination, CUdeviceptr source);
/* Where a copy is from or to, as cuda.h describes it; `host` is an address of host memory. */
struct copy_end {
	CUmemorytype type;
	CUdeviceptr pointer;
	const void *host;
};
/* The operation of a copy between two ends. Sets an end's CU_MEMORYTYPE_UNIFIED to the host's or
 * the device's memory type. */
enum fixed_operation copy_direction(struct copy_end *source, struct copy_end *destination);

#endif
