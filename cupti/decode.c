/* SPDX-License-Identifier: MIT */
#include "decode.h"

#include <stddef.h>
#include <string.h>

#include <cupti.h>

/*
 * Where the members lie. CUPTI names a new structure whenever it appends one
 * (CUpti_ActivityKernel4 to 10, CUpti_ActivityMemcpy to 6 …), and never moves what was there
 * before: a prefix and the version that each member came with describe every layout.
 *
 * X(kind, member of struct activity, structure in the headers, its member, offset, bytes,
 *   first version of CUPTI that has it)
 */
#define DEVICE_FIELDS(X, kind, type)                                                               \
	X(kind, bytes, type, bytes, 8, 8, 0)                                                       \
	X(kind, start, type, start, 16, 8, 0)                                                      \
	X(kind, end, type, end, 24, 8, 0)                                                          \
	X(kind, device, type, deviceId, 32, 4, 0)                                                  \
	X(kind, context, type, contextId, 36, 4, 0)                                                \
	X(kind, stream, type, streamId, 40, 4, 0)

#define COPY_FIELDS(X, kind, type)                                                                 \
	X(kind, copy_kind, type, copyKind, 4, 1, 0)                                                \
	X(kind, source_kind, type, srcKind, 5, 1, 0)                                               \
	X(kind, destination_kind, type, dstKind, 6, 1, 0)                                          \
	DEVICE_FIELDS(X, kind, type)

#define API_FIELDS(X, kind)                                                                        \
	X(kind, callback, CUpti_ActivityAPI, cbid, 4, 4, 0)                                        \
	X(kind, start, CUpti_ActivityAPI, start, 8, 8, 0)                                          \
	X(kind, end, CUpti_ActivityAPI, end, 16, 8, 0)                                             \
	X(kind, process, CUpti_ActivityAPI, processId, 24, 4, 0)                                   \
	X(kind, thread, CUpti_ActivityAPI, threadId, 28, 4, 0)                                     \
	X(kind, correlation, CUpti_ActivityAPI, correlationId, 32, 4, 0)                           \
	X(kind, result, CUpti_ActivityAPI, returnValue, 36, 4, 0)

#define RECORD_FIELDS(X)                                                                           \
	X(KERNEL, registers, CUpti_ActivityKernel9, registersPerThread, 6, 2, 0)                   \
	X(KERNEL, start, CUpti_ActivityKernel9, start, 16, 8, 0)                                   \
	X(KERNEL, end, CUpti_ActivityKernel9, end, 24, 8, 0)                                       \
	X(KERNEL, device, CUpti_ActivityKernel9, deviceId, 40, 4, 0)                               \
	X(KERNEL, context, CUpti_ActivityKernel9, contextId, 44, 4, 0)                             \
	X(KERNEL, stream, CUpti_ActivityKernel9, streamId, 48, 4, 0)                               \
	X(KERNEL, grid[0], CUpti_ActivityKernel9, gridX, 52, 4, 0)                                 \
	X(KERNEL, grid[1], CUpti_ActivityKernel9, gridY, 56, 4, 0)                                 \
	X(KERNEL, grid[2], CUpti_ActivityKernel9, gridZ, 60, 4, 0)                                 \
	X(KERNEL, block[0], CUpti_ActivityKernel9, blockX, 64, 4, 0)                               \
	X(KERNEL, block[1], CUpti_ActivityKernel9, blockY, 68, 4, 0)                               \
	X(KERNEL, block[2], CUpti_ActivityKernel9, blockZ, 72, 4, 0)                               \
	X(KERNEL, static_shared, CUpti_ActivityKernel9, staticSharedMemory, 76, 4, 0)              \
	X(KERNEL, dynamic_shared, CUpti_ActivityKernel9, dynamicSharedMemory, 80, 4, 0)            \
	X(KERNEL, correlation, CUpti_ActivityKernel9, correlationId, 92, 4, 0)                     \
	X(KERNEL, name, CUpti_ActivityKernel9, name, 104, 8, 0)                                    \
	X(KERNEL, graph_node, CUpti_ActivityKernel9, graphNodeId, 144, 8, 13)                      \
	X(KERNEL, graph, CUpti_ActivityKernel9, graphId, 156, 4, 13)                               \
	COPY_FIELDS(X, MEMCPY, CUpti_ActivityMemcpy5)                                              \
	X(MEMCPY, correlation, CUpti_ActivityMemcpy5, correlationId, 44, 4, 0)                     \
	X(MEMCPY, graph_node, CUpti_ActivityMemcpy5, graphNodeId, 64, 8, 13)                       \
	X(MEMCPY, graph, CUpti_ActivityMemcpy5, graphId, 72, 4, 14)                                \
	COPY_FIELDS(X, MEMCPY_PEER, CUpti_ActivityMemcpyPtoP4)                                     \
	X(MEMCPY_PEER, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId, 44, 4, 0)            \
	X(MEMCPY_PEER, destination_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId, 52, 4, 0)       \
	X(MEMCPY_PEER, correlation, CUpti_ActivityMemcpyPtoP4, correlationId, 60, 4, 0)            \
	X(MEMCPY_PEER, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId, 72, 8, 13)              \
	X(MEMCPY_PEER, graph, CUpti_ActivityMemcpyPtoP4, graphId, 80, 4, 14)                       \
	DEVICE_FIELDS(X, MEMSET, CUpti_ActivityMemset4)                                            \
	X(MEMSET, correlation, CUpti_ActivityMemset4, correlationId, 44, 4, 0)                     \
	X(MEMSET, destination_kind, CUpti_ActivityMemset4, memoryKind, 50, 2, 0)                   \
	X(MEMSET, graph_node, CUpti_ActivityMemset4, graphNodeId, 64, 8, 13)                       \
	X(MEMSET, graph, CUpti_ActivityMemset4, graphId, 72, 4, 14)                                \
	X(GRAPH, correlation, CUpti_ActivityGraphTrace, correlationId, 4, 4, 0)                    \
	X(GRAPH, start, CUpti_ActivityGraphTrace, start, 8, 8, 0)                                  \
	X(GRAPH, end, CUpti_ActivityGraphTrace, end, 16, 8, 0)                                     \
	X(GRAPH, device, CUpti_ActivityGraphTrace, deviceId, 24, 4, 0)                             \
	X(GRAPH, graph, CUpti_ActivityGraphTrace, graphId, 28, 4, 0)                               \
	X(GRAPH, context, CUpti_ActivityGraphTrace, contextId, 32, 4, 0)                           \
	X(GRAPH, stream, CUpti_ActivityGraphTrace, streamId, 36, 4, 0)                             \
	X(UNIFIED_MEMORY, unified_memory_kind, CUpti_ActivityUnifiedMemoryCounter2, counterKind,   \
	  4, 4, 0)                                                                                 \
	X(UNIFIED_MEMORY, bytes, CUpti_ActivityUnifiedMemoryCounter2, value, 8, 8, 0)              \
	X(UNIFIED_MEMORY, start, CUpti_ActivityUnifiedMemoryCounter2, start, 16, 8, 0)             \
	X(UNIFIED_MEMORY, end, CUpti_ActivityUnifiedMemoryCounter2, end, 24, 8, 0)                 \
	X(UNIFIED_MEMORY, source_device, CUpti_ActivityUnifiedMemoryCounter2, srcId, 40, 4, 0)     \
	X(UNIFIED_MEMORY, destination_device, CUpti_ActivityUnifiedMemoryCounter2, dstId, 44, 4,   \
	  0)                                                                                       \
	X(UNIFIED_MEMORY, stream, CUpti_ActivityUnifiedMemoryCounter2, streamId, 48, 4, 0)         \
	X(UNIFIED_MEMORY, process, CUpti_ActivityUnifiedMemoryCounter2, processId, 52, 4, 0)       \
	X(UNIFIED_MEMORY, migration_cause, CUpti_ActivityUnifiedMemoryCounter2, flags, 56, 4, 0)   \
	X(OVERHEAD, overhead_kind, CUpti_ActivityOverhead, overheadKind, 4, 4, 0)                  \
	X(OVERHEAD, start, CUpti_ActivityOverhead, start, 24, 8, 0)                                \
	X(OVERHEAD, end, CUpti_ActivityOverhead, end, 32, 8, 0)                                    \
	API_FIELDS(X, RUNTIME_API)                                                                 \
	API_FIELDS(X, DRIVER_API)

#define MEMBER_SIZE(type, member) sizeof(((type *)0)->member)

#define CHECK_FIELD(kind, to, type, from, offset, size, since)                                     \
	_Static_assert(offsetof(type, from) == (offset) && MEMBER_SIZE(type, from) == (size),      \
		       #type "." #from " is not where it was");
RECORD_FIELDS(CHECK_FIELD)
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

struct field {
	uint16_t to, to_size;	  /* in struct activity */
	uint16_t from, from_size; /* in the record */
	uint32_t since;
	enum activity_kind kind;
};

static const struct field fields[] = {
#define FIELD(kind, to, type, from, offset, size, since)                                           \
	{offsetof(struct activity, to),                                                            \
	 MEMBER_SIZE(struct activity, to),                                                         \
	 offset,                                                                                   \
	 size,                                                                                     \
	 since,                                                                                    \
	 ACTIVITY_##kind},
	RECORD_FIELDS(FIELD)
#undef FIELD
};
#define FIELD_COUNT		   (sizeof(fields) / sizeof(fields[0]))

/* The records' numbers are ours: both clocks' figures and the report use them as they come. */
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
	switch (cupti_kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return ACTIVITY_KERNEL;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return ACTIVITY_MEMCPY;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return ACTIVITY_MEMCPY_PEER;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return ACTIVITY_MEMSET;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return ACTIVITY_GRAPH;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		return ACTIVITY_UNIFIED_MEMORY;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return ACTIVITY_OVERHEAD;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
		return ACTIVITY_RUNTIME_API;
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return ACTIVITY_DRIVER_API;
	default:
		return ACTIVITY_UNKNOWN;
	}
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

static void copy_field(const struct field *field, const uint8_t *record, struct activity *activity)
{
	uint64_t value = 0;

	/* Widening a little-endian number: every machine that CUPTI runs on is one. */
	memcpy(&value, record + field->from, field->from_size);
	memcpy((uint8_t *)activity + field->to, &value, field->to_size);
}

/* `value`, `flags` and `end` mean something else for each counter. */
static void decode_unified_memory(struct activity *activity)
{
	bool migration = false;

	switch (activity->unified_memory_kind) {
	case UNIFIED_MEMORY_HTOD:
	case UNIFIED_MEMORY_DTOH:
		migration = true;
		break;
	case UNIFIED_MEMORY_CPU_PAGE_FAULT:
		/* The value is the program counter; there is no end. */
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

void decode_activity(const void *record, uint32_t version, struct activity *activity)
{
	uint32_t cupti_kind;
	unsigned i;

	memcpy(&cupti_kind, record, sizeof(cupti_kind));
	memset(activity, 0, sizeof(*activity));
	activity->cupti_kind = cupti_kind;
	activity->kind = kind_of(cupti_kind);
	if (activity->kind == ACTIVITY_UNKNOWN)
		return;

	for (i = 0; i < FIELD_COUNT; i++)
		if (fields[i].kind == activity->kind && version >= fields[i].since)
			copy_field(&fields[i], record, activity);

	if (activity->copy_kind >= COPY_KINDS)
		activity->copy_kind = COPY_UNKNOWN;
	activity->source_kind = memory_kind_of(activity->source_kind);
	activity->destination_kind = memory_kind_of(activity->destination_kind);
	if (activity->kind == ACTIVITY_UNIFIED_MEMORY)
		decode_unified_memory(activity);
	activity->valid = activity->start != 0 && activity->end >= activity->start;
}

const char *copy_kind_name(unsigned kind)
{
	static const char *const names[COPY_KINDS] = {
		[COPY_UNKNOWN] = "",  [COPY_HTOD] = "HtoD", [COPY_DTOH] = "DtoH",
		[COPY_HTOA] = "HtoA", [COPY_ATOH] = "AtoH", [COPY_ATOA] = "AtoA",
		[COPY_ATOD] = "AtoD", [COPY_DTOA] = "DtoA", [COPY_DTOD] = "DtoD",
		[COPY_HTOH] = "HtoH", [COPY_PTOP] = "PtoP",
	};

	return kind < COPY_KINDS ? names[kind] : "";
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
	uint32_t index = kind >> 16;

	if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER)
		return "driver compiler";
	return index < sizeof(names) / sizeof(names[0]) ? names[index] : names[0];
}
