/* SPDX-License-Identifier: MIT */
/*
 * One decoded activity record: what CUPTI says about one operation on the device or one API call,
 * in the same words whichever CUPTI it came from.
 */
#ifndef KTIME_CUPTI_ACTIVITY_H
#define KTIME_CUPTI_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

enum activity_kind {
	ACTIVITY_UNKNOWN, /* a kind that ktime does not read; only cupti_kind is set */
	ACTIVITY_KERNEL,
	ACTIVITY_MEMCPY,
	ACTIVITY_MEMCPY_PEER,
	ACTIVITY_MEMSET,
	ACTIVITY_GRAPH, /* a whole graph launch; its nodes have no records of their own */
	ACTIVITY_UNIFIED_MEMORY,
	ACTIVITY_OVERHEAD,
	ACTIVITY_RUNTIME_API,
	ACTIVITY_DRIVER_API,
	ACTIVITY_KINDS
};

/* The direction of a copy, with CUPTI's numbers. H: host, D: device, A: array, P: peer. */
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

/* What a unified memory record counts, with CUPTI's numbers. */
enum unified_memory_kind {
	UNIFIED_MEMORY_UNKNOWN,
	UNIFIED_MEMORY_HTOD,	       /* bytes migrated; start and end are the migration's */
	UNIFIED_MEMORY_DTOH,	       /* the same */
	UNIFIED_MEMORY_CPU_PAGE_FAULT, /* one fault; it has a start and no end */
	UNIFIED_MEMORY_GPU_PAGE_FAULT, /* count groups of faults, from the fault to the replay */
	UNIFIED_MEMORY_THRASHING,
	UNIFIED_MEMORY_THROTTLING,
	UNIFIED_MEMORY_REMOTE_MAP,
	UNIFIED_MEMORY_DTOD
};

/* Why unified memory moved, with CUPTI's numbers; known for migrations from and to the host. */
enum migration_cause {
	MIGRATION_UNKNOWN,
	MIGRATION_USER,
	MIGRATION_COHERENCE, /* page faults */
	MIGRATION_PREFETCH,
	MIGRATION_EVICTION,
	MIGRATION_ACCESS_COUNTERS
};

#define ACTIVITY_HOST		UINT32_MAX /* the host where a unified memory record names a device */
/* In buffer_thread: one thread's calls, and not known whose. */
#define ACTIVITY_UNKNOWN_THREAD UINT32_MAX

/*
 * Members that a kind does not have are 0. The ids (device, context, stream, correlation, graph)
 * are CUPTI's own: a stream's id is what cupti_stream_id() gives for its handle, not
 * cuStreamGetId.
 */
struct activity {
	enum activity_kind kind;
	uint32_t cupti_kind; /* CUpti_ActivityKind */
	/* false: the record has no start, or ends before it starts; its times say nothing */
	bool valid;
	uint64_t start,
		end; /* nanoseconds, CLOCK_REALTIME unless the program chose another clock */
	uint32_t device, context, stream;
	uint32_t correlation; /* of the API call that caused it; 0 unknown */
	uint32_t graph;	      /* id of the executable graph, 0 outside graphs */
	uint64_t graph_node;  /* id of the graph's node, 0 outside graphs */
	/* The thread whose calls the records of this buffer are of, as gettid() says; 0 where they
	 * are of all threads'. */
	uint32_t buffer_thread;

	/* Kernels. The mangled name belongs to CUPTI: copy it before the callback returns. */
	const char *name;
	uint32_t grid[3], block[3];
	uint32_t registers, static_shared, dynamic_shared; /* per thread; bytes per block */

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
	uint32_t callback;	/* callback id (cbid) of the call: api_call_name() names it */
	uint32_t thread;	/* as CUPTI numbers threads: the low half of pthread_self() */
	uint32_t result;	/* what the call returned */
	uint32_t overhead_kind; /* CUpti_ActivityOverheadKind */
};

/* What an overhead is made of, in a few words; never NULL. */
const char *overhead_kind_name(uint32_t kind);

#endif
