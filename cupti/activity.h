/* SPDX-License-Identifier: MIT */
/* One decoded activity record: what CUPTI reports about one operation on the device, or one API
 * call, in the same form for all versions of CUPTI. */
#ifndef KTIME_CUPTI_ACTIVITY_H
#define KTIME_CUPTI_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/session.h"

enum activity_kind {
	ACTIVITY_UNKNOWN, /* a kind that ktime does not decode: only cupti_kind is set */
	ACTIVITY_KERNEL,
	ACTIVITY_MEMCPY,
	ACTIVITY_MEMCPY_PEER,
	ACTIVITY_MEMSET,
	ACTIVITY_GRAPH, /* a whole graph launch, whose nodes have no records */
	ACTIVITY_UNIFIED_MEMORY,
	ACTIVITY_OVERHEAD,
	ACTIVITY_RUNTIME_API,
	ACTIVITY_DRIVER_API,
	ACTIVITY_KINDS
};

/* Reasons to stop recording kernels for a while; kernels are recorded while no reason is set. */
enum pause_reason {
	PAUSE_BETWEEN_WINDOWS,
	PAUSE_FOR_COUNTERS, /* a launch's hardware counters are read */
	PAUSE_REASONS
};

/* The direction of a copy, numbered as in CUPTI. H: host, D: device, A: array, P: peer. */
enum copy_kind {
	COPY_UNKNOWN,
	COPY_HTOD,
	COPY_DTOH,
	COPY_HTOA,
	COPY_ATOH,
	COPY_ATOA,
	COPY_ATOD,
	COPY_DTOA,
	COPY_DTOD,
	COPY_HTOH,
	COPY_PTOP,
	COPY_KINDS
};

/* What a unified memory record counts, numbered as in CUPTI. */
enum unified_memory_kind {
	UNIFIED_MEMORY_UNKNOWN,
	UNIFIED_MEMORY_HTOD,	       /* bytes migrated; start and end are the migration's */
	UNIFIED_MEMORY_DTOH,	       /* as for HTOD */
	UNIFIED_MEMORY_CPU_PAGE_FAULT, /* one fault; it has a start and no end */
	UNIFIED_MEMORY_GPU_PAGE_FAULT, /* count groups of faults, from the fault to the replay */
	UNIFIED_MEMORY_THRASHING,
	UNIFIED_MEMORY_THROTTLING,
	UNIFIED_MEMORY_REMOTE_MAP,
	UNIFIED_MEMORY_DTOD
};

/* Why managed memory was migrated, numbered as in CUPTI; known for migrations from and to
 * the host. */
enum migration_cause {
	MIGRATION_UNKNOWN,
	MIGRATION_USER,
	MIGRATION_COHERENCE, /* page faults */
	MIGRATION_PREFETCH,
	MIGRATION_EVICTION,
	MIGRATION_ACCESS_COUNTERS
};

#define ACTIVITY_HOST		UINT32_MAX /* instead of a device in unified memory records */
/* In buffer_thread: the records are of one thread's calls, but it is not known which. */
#define ACTIVITY_UNKNOWN_THREAD UINT32_MAX

/*
 * Members that a kind of record does not have are 0. All ids (device, context, stream, correlation,
 * graph) are CUPTI's: a stream's id is what cupti_stream_id() returns, not what cuStreamGetId does.
 */
struct activity {
	enum activity_kind kind;
	uint32_t cupti_kind; /* CUpti_ActivityKind */
	/* false: no start, or an end before the start, so the times are meaningless */
	bool valid;
	uint64_t start,
		end; /* nanoseconds, CLOCK_REALTIME unless the program chose another clock */
	uint32_t device, context, stream;
	uint32_t correlation; /* of the API call that caused it; 0: unknown */
	uint32_t graph;	      /* id of the executable graph, 0 outside graphs */
	uint64_t graph_node;  /* id of the graph's node, 0 outside graphs */
	/* The thread whose calls all records of this buffer are of, from gettid(); 0: all
	 * threads'. */
	uint32_t buffer_thread;

	/* Kernels. The mangled name is CUPTI's memory: copy it before the callback returns. */
	const char *name;
	uint32_t grid[3], block[3];
	uint32_t registers, static_shared, dynamic_shared; /* a thread's; bytes per block */

	/* Copies, memsets and migrations. */
	uint64_t bytes;
	uint8_t copy_kind;		       /* enum copy_kind */
	uint8_t source_kind, destination_kind; /* enum memory_kind; a memset has a destination */
	uint32_t source_device, destination_device; /* peer copies and migrations */

	/* Unified memory. */
	uint32_t unified_memory_kind; /* enum unified_memory_kind */
	uint32_t migration_cause;     /* enum migration_cause */
	uint32_t process;
	uint64_t count; /* GPU page fault groups; 1 for a CPU page fault */

	/* API calls and overheads. */
	uint32_t callback;	/* CUPTI's callback id (cbid): see api_call_name() */
	uint32_t thread;	/* low half of pthread_self() */
	uint32_t result;	/* what the call returned */
	uint32_t overhead_kind; /* CUpti_ActivityOverheadKind */
};

/*
 * The name of an API record's function as a programmer writes it: "cudaMalloc" for CUPTI's
 * cudaMalloc_v3020, or "unknown call"; never NULL, and valid for ever. For the collector thread
 * only.
 */
const char *api_call_name(const struct activity *activity);
/* A short description of an overhead; never NULL. */
const char *overhead_kind_name(uint32_t kind);

/* Decoding activity records of all supported versions of CUPTI. */

/* Decodes one record of any version that ktime uses (library.h), aligned or not. A kind that ktime
 * does not decode gives ACTIVITY_UNKNOWN. The name points to CUPTI's memory. Any thread. */
void decode_activity(const void *record, struct activity *activity);

#endif
