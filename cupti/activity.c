/* SPDX-License-Identifier: MIT */
#include "cupti/activity.h"

#include <cupti.h>
#include <stddef.h>
#include <string.h>

#include "cupti/library.h"
#include "report/names/call_names.h"

/*
 * The offsets of the members. When CUPTI appends members to a structure it gives it a new name
 * (CUpti_ActivityKernel4 to 10, CUpti_ActivityMemcpy to 6 …), but never moves existing ones:
 * these are in the records of every version that ktime uses.
 *
 *   X(member of struct activity, structure in the headers, its member, offset, bytes)
 */
#define DEVICE_FIELDS(X, type)                                                                     \
	X(bytes, type, bytes, 8, 8)                                                                \
	X(start, type, start, 16, 8)                                                               \
	X(end, type, end, 24, 8)                                                                   \
	X(device, type, deviceId, 32, 4)                                                           \
	X(context, type, contextId, 36, 4)                                                         \
	X(stream, type, streamId, 40, 4)

#define COPY_FIELDS(X, type)                                                                       \
	X(copy_kind, type, copyKind, 4, 1)                                                         \
	X(source_kind, type, srcKind, 5, 1)                                                        \
	X(destination_kind, type, dstKind, 6, 1)                                                   \
	DEVICE_FIELDS(X, type)

#define KERNEL_FIELDS(X, type)                                                                     \
	X(registers, type, registersPerThread, 6, 2)                                               \
	X(start, type, start, 16, 8)                                                               \
	X(end, type, end, 24, 8)                                                                   \
	X(device, type, deviceId, 40, 4)                                                           \
	X(context, type, contextId, 44, 4)                                                         \
	X(stream, type, streamId, 48, 4)                                                           \
	X(grid[0], type, gridX, 52, 4)                                                             \
	X(grid[1], type, gridY, 56, 4)                                                             \
	X(grid[2], type, gridZ, 60, 4)                                                             \
	X(block[0], type, blockX, 64, 4)                                                           \
	X(block[1], type, blockY, 68, 4)                                                           \
	X(block[2], type, blockZ, 72, 4)                                                           \
	X(static_shared, type, staticSharedMemory, 76, 4)                                          \
	X(dynamic_shared, type, dynamicSharedMemory, 80, 4)                                        \
	X(correlation, type, correlationId, 92, 4)                                                 \
	X(name, type, name, 104, 8)                                                                \
	X(graph_node, type, graphNodeId, 144, 8)                                                   \
	X(graph, type, graphId, 156, 4)

#define MEMCPY_FIELDS(X, type)                                                                     \
	COPY_FIELDS(X, type)                                                                       \
	X(correlation, type, correlationId, 44, 4)                                                 \
	X(graph_node, type, graphNodeId, 64, 8)                                                    \
	X(graph, type, graphId, 72, 4)

#define MEMCPY_PEER_FIELDS(X, type)                                                                \
	COPY_FIELDS(X, type)                                                                       \
	X(source_device, type, srcDeviceId, 44, 4)                                                 \
	X(destination_device, type, dstDeviceId, 52, 4)                                            \
	X(correlation, type, correlationId, 60, 4)                                                 \
	X(graph_node, type, graphNodeId, 72, 8)                                                    \
	X(graph, type, graphId, 80, 4)

#define MEMSET_FIELDS(X, type)                                                                     \
	DEVICE_FIELDS(X, type)                                                                     \
	X(correlation, type, correlationId, 44, 4)                                                 \
	X(destination_kind, type, memoryKind, 50, 2)                                               \
	X(graph_node, type, graphNodeId, 64, 8)                                                    \
	X(graph, type, graphId, 72, 4)

#define GRAPH_FIELDS(X, type)                                                                      \
	X(correlation, type, correlationId, 4, 4)                                                  \
	X(start, type, start, 8, 8)                                                                \
	X(end, type, end, 16, 8)                                                                   \
	X(device, type, deviceId, 24, 4)                                                           \
	X(graph, type, graphId, 28, 4)                                                             \
	X(context, type, contextId, 32, 4)                                                         \
	X(stream, type, streamId, 36, 4)

#define UNIFIED_MEMORY_FIELDS(X, type)                                                             \
	X(unified_memory_kind, type, counterKind, 4, 4)                                            \
	X(bytes, type, value, 8, 8)                                                                \
	X(start, type, start, 16, 8)                                                               \
	X(end, type, end, 24, 8)                                                                   \
	X(source_device, type, srcId, 40, 4)                                                       \
	X(destination_device, type, dstId, 44, 4)                                                  \
	X(stream, type, streamId, 48, 4)                                                           \
	X(process, type, processId, 52, 4)                                                         \
	X(migration_cause, type, flags, 56, 4)

#define OVERHEAD_FIELDS(X, type)                                                                   \
	X(overhead_kind, type, overheadKind, 4, 4)                                                 \
	X(start, type, start, 24, 8)                                                               \
	X(end, type, end, 32, 8)

#define API_FIELDS(X, type)                                                                        \
	X(callback, type, cbid, 4, 4)                                                              \
	X(start, type, start, 8, 8)                                                                \
	X(end, type, end, 16, 8)                                                                   \
	X(process, type, processId, 24, 4)                                                         \
	X(thread, type, threadId, 28, 4)                                                           \
	X(correlation, type, correlationId, 32, 4)                                                 \
	X(result, type, returnValue, 36, 4)

/* R(kind, structure in the headers, its members) */
#define RECORDS(R)                                                                                 \
	R(KERNEL, CUpti_ActivityKernel9, KERNEL_FIELDS)                                            \
	R(MEMCPY, CUpti_ActivityMemcpy5, MEMCPY_FIELDS)                                            \
	R(MEMCPY_PEER, CUpti_ActivityMemcpyPtoP4, MEMCPY_PEER_FIELDS)                              \
	R(MEMSET, CUpti_ActivityMemset4, MEMSET_FIELDS)                                            \
	R(GRAPH, CUpti_ActivityGraphTrace, GRAPH_FIELDS)                                           \
	R(UNIFIED_MEMORY, CUpti_ActivityUnifiedMemoryCounter2, UNIFIED_MEMORY_FIELDS)              \
	R(OVERHEAD, CUpti_ActivityOverhead, OVERHEAD_FIELDS)                                       \
	R(RUNTIME_API, CUpti_ActivityAPI, API_FIELDS)                                              \
	R(DRIVER_API, CUpti_ActivityAPI, API_FIELDS)

#define MEMBER_SIZE(type, member) sizeof(((type *)0)->member)

#define CHECK_FIELD(to, type, from, offset, size)                                                  \
	_Static_assert(offsetof(type, from) == (offset) && MEMBER_SIZE(type, from) == (size),      \
		       #type "." #from " is not where it was");
#define CHECK_RECORD(kind, type, fields) fields(CHECK_FIELD, type)
RECORDS(CHECK_RECORD)
#if CUPTI_API_VERSION >= 130000
#define CHECK_SAME(old, new, member)                                                               \
	_Static_assert(offsetof(old, member) == offsetof(new, member), #new "." #member " moved")
CHECK_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, name);
CHECK_SAME(CUpti_ActivityKernel9, CUpti_ActivityKernel10, graphId);
CHECK_SAME(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, graphId);
CHECK_SAME(CUpti_ActivityGraphTrace, CUpti_ActivityGraphTrace2, streamId);
CHECK_SAME(CUpti_ActivityUnifiedMemoryCounter2, CUpti_ActivityUnifiedMemoryCounter3, flags);
CHECK_SAME(CUpti_ActivityOverhead, CUpti_ActivityOverhead3, end);
#endif

/* ktime's enums have CUPTI's numbers, so they are copied without conversion. */
#define CHECK_NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs " changed")
CHECK_NUMBER(COPY_HTOD, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
CHECK_NUMBER(COPY_DTOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
CHECK_NUMBER(COPY_PTOP, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
CHECK_NUMBER(MEMORY_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
CHECK_NUMBER(MEMORY_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED);
CHECK_NUMBER(UNIFIED_MEMORY_HTOD, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD);
CHECK_NUMBER(UNIFIED_MEMORY_DTOD, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD);
CHECK_NUMBER(MIGRATION_ACCESS_COUNTERS,
	     CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS);

static enum activity_kind kind_of(uint32_t cupti_kind)
{
	static const uint8_t kinds[] = {
		[CUPTI_ACTIVITY_KIND_KERNEL] = ACTIVITY_KERNEL,
		[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = ACTIVITY_KERNEL,
		[CUPTI_ACTIVITY_KIND_MEMCPY] = ACTIVITY_MEMCPY,
		[CUPTI_ACTIVITY_KIND_MEMCPY2] = ACTIVITY_MEMCPY_PEER,
		[CUPTI_ACTIVITY_KIND_MEMSET] = ACTIVITY_MEMSET,
		[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] = ACTIVITY_GRAPH,
		[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER] = ACTIVITY_UNIFIED_MEMORY,
		[CUPTI_ACTIVITY_KIND_OVERHEAD] = ACTIVITY_OVERHEAD,
		[CUPTI_ACTIVITY_KIND_RUNTIME] = ACTIVITY_RUNTIME_API,
		[CUPTI_ACTIVITY_KIND_DRIVER] = ACTIVITY_DRIVER_API,
	};

	return cupti_kind < sizeof(kinds) ? kinds[cupti_kind] : ACTIVITY_UNKNOWN;
}

static uint8_t memory_kind_of(uint8_t cupti_kind)
{
	switch (cupti_kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
		return MEMORY_DEVICE;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
		return MEMORY_MANAGED;
	default:
		return cupti_kind < MEMORY_KINDS ? cupti_kind : MEMORY_UNKNOWN;
	}
}

/* Copies all members of a kind in straight-line code: a program can make a million records a
 * second. */
static void copy_fields(const uint8_t *record, struct activity *activity)
{
#define COPY_FIELD(to, type, from, offset, size)                                                   \
	{                                                                                          \
		__typeof__(((type *)0)->from) value;                                               \
                                                                                                   \
		memcpy(&value, record + (offset), sizeof(value));                                  \
		activity->to = value;                                                              \
	}
#define COPY_RECORD(kind, type, fields)                                                            \
	case ACTIVITY_##kind:                                                                      \
		fields(COPY_FIELD, type);                                                          \
		break;
	switch (activity->kind) {
		RECORDS(COPY_RECORD)
	default:
		break;
	}
#undef COPY_RECORD
#undef COPY_FIELD
}

/* The members value, flags and end mean something else for each counter. */
static void decode_unified_memory(struct activity *activity)
{
	bool migration = false;

	switch (activity->unified_memory_kind) {
	case UNIFIED_MEMORY_HTOD:
	case UNIFIED_MEMORY_DTOH:
		migration = true;
		break;
	case UNIFIED_MEMORY_CPU_PAGE_FAULT:
		/* value is the program counter; there is no end. */
		activity->bytes = 0;
		activity->count = 1;
		activity->end = activity->start;
		break;
	case UNIFIED_MEMORY_GPU_PAGE_FAULT:
		activity->count = activity->bytes;
		activity->bytes = 0;
		break;
	case UNIFIED_MEMORY_THRASHING:
	case UNIFIED_MEMORY_REMOTE_MAP:
		activity->end = activity->start;
		break;
	default:
		break;
	}
	if (!migration || activity->migration_cause > MIGRATION_ACCESS_COUNTERS)
		activity->migration_cause = MIGRATION_UNKNOWN;
}

void decode_activity(const void *record, struct activity *activity)
{
	uint32_t cupti_kind;

	memcpy(&cupti_kind, record, sizeof(cupti_kind));
	memset(activity, 0, sizeof(*activity));
	activity->cupti_kind = cupti_kind;
	activity->kind = kind_of(cupti_kind);
	if (activity->kind == ACTIVITY_UNKNOWN)
		return;

	copy_fields(record, activity);
	if (activity->copy_kind >= COPY_KINDS)
		activity->copy_kind = COPY_UNKNOWN;
	activity->source_kind = memory_kind_of(activity->source_kind);
	activity->destination_kind = memory_kind_of(activity->destination_kind);
	if (activity->kind == ACTIVITY_UNIFIED_MEMORY)
		decode_unified_memory(activity);
	/* CUPTI reckons by the process's CLOCK_REALTIME. Where a library like libfaketime has that
	 * stand still all times are one; no kernel takes no time. */
	activity->valid = activity->start != 0 &&
			  (activity->kind == ACTIVITY_KERNEL ? activity->end > activity->start
							     : activity->end >= activity->start);
}

const char *overhead_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		"other",
		"CUPTI activity buffer flush",
		"CUPTI instrumentation",
		"CUPTI resources",
		"module loading by the runtime",
		"lazy function loading",
		"command buffer full",
		"CUPTI activity buffer request",
		"unified memory activity initialization",
	};
	uint32_t index = kind >> 16; /* CUpti_ActivityOverheadKind counts in the upper half */

	if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER)
		return "driver compiler";
	return index < sizeof(names) / sizeof(names[0]) ? names[index] : names[0];
}

/* Callback ids with cached names: in CUDA 13.0 the runtime has 523 ids, the driver 800. */
#define CALLBACKS 2048

/* Copies without the version and default-stream suffix that CUPTI's names have. */
static char *names[2][CALLBACKS];

const char *api_call_name(const struct activity *activity)
{
	static const char unknown[] = "unknown call";
	const struct cupti_functions *cupti = library_functions();
	bool driver = activity->kind == ACTIVITY_DRIVER_API;
	uint32_t callback = activity->callback;
	const char *name;

	if (callback >= CALLBACKS || !cupti || !cupti->cuptiGetCallbackName)
		return unknown;
	if (names[driver][callback])
		return names[driver][callback];
	if (cupti->cuptiGetCallbackName(driver ? CUPTI_CB_DOMAIN_DRIVER_API
					       : CUPTI_CB_DOMAIN_RUNTIME_API,
					callback, &name) ||
	    !name)
		return unknown;
	names[driver][callback] = strndup(name, call_base_length(name));
	return names[driver][callback] ? names[driver][callback] : unknown;
}
