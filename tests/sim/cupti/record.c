/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/driver.h"
#include "tests/sim/cupti/record.h"
#include "tests/sim/driver/kernel.h"

enum {
	CALLS_MAX = 1024,
	EXTERNAL_MAX = 16,
	RECORD_MAX = 256,
	LATE_MAX = 64,
};

struct late {
	size_t size;
	uint64_t end_ns;
	uint64_t record[RECORD_MAX / sizeof(uint64_t)];
};

static bool kinds[CUPTI_ACTIVITY_KIND_COUNT];
static bool calls_off[2][CALLS_MAX]; /* of the driver, of the runtime */
static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late late[LATE_MAX];
static size_t late_count;
static uint64_t device_records;
static __thread struct {
	CUpti_ExternalCorrelationKind kind;
	uint64_t id;
} external[EXTERNAL_MAX];
static __thread unsigned int external_depth;

static const struct {
	bool runtime;
	const char *name;
	CUpti_CallbackId cbid;
} calls[] = {
#define DRIVER			   false
#define RUNTIME			   true
#define CBID(domain, name, number) {domain, #name, number},
#include "sim_cbids.h"
#undef CBID
#undef DRIVER
#undef RUNTIME
};

const char *record_call_name(bool runtime, CUpti_CallbackId cbid)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].runtime == runtime && calls[i].cbid == cbid)
			return calls[i].name;
	}
	return NULL;
}

/* The runtime's names end in the version of their form, which the last in the list is newest in. */
static CUpti_CallbackId cbid_of(bool runtime, const char *name)
{
	size_t length = strlen(name);
	CUpti_CallbackId found = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *rest = calls[i].name + length;

		if (calls[i].runtime != runtime || strncmp(calls[i].name, name, length))
			continue;
		if (!*rest || (runtime && rest[0] == '_' && rest[1] == 'v'))
			found = calls[i].cbid;
	}
	return found;
}

/* Kernel names are good for the process's life, whatever happens to the module. */
static const char *lasting(const char *name)
{
	static struct lasting_name {
		struct lasting_name *next;
		char text[];
	} * names;
	struct lasting_name *known;

	for (known = names; known; known = known->next) {
		if (!strcmp(known->text, name))
			return known->text;
	}
	known = malloc(sizeof(*known) + strlen(name) + 1);
	if (!known)
		return NULL;
	strcpy(known->text, name);
	known->next = names;
	names = known;
	return known->text;
}

void record_release_late(void)
{
	pthread_mutex_lock(&late_lock);
	for (size_t i = 0; i < late_count; i++)
		buffer_add(late[i].record, late[i].size, late[i].end_ns);
	late_count = 0;
	pthread_mutex_unlock(&late_lock);
}

/*
 * A record of device work, but for what tests ask for: SIM_CUPTI_DROP=N loses every Nth, and
 * SIM_CUPTI_LATE=N holds N back behind those that follow.
 */
static void add_device_record(const void *record, size_t size, uint64_t end_ns)
{
	uint64_t drop = sim_setting("SIM_CUPTI_DROP", 0), hold = sim_setting("SIM_CUPTI_LATE", 0);

	if (drop && ++device_records % drop == 0) {
		buffer_drop();
		return;
	}
	if (!hold || hold > LATE_MAX) {
		buffer_add(record, size, end_ns);
		return;
	}
	pthread_mutex_lock(&late_lock);
	if (late_count == hold) {
		buffer_add(late[0].record, late[0].size, late[0].end_ns);
		memmove(&late[0], &late[1], --late_count * sizeof(late[0]));
	}
	late[late_count].size = size;
	late[late_count].end_ns = end_ns;
	memcpy(late[late_count++].record, record, size);
	pthread_mutex_unlock(&late_lock);
}

static void add_kernel(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	static int64_t grids;
	CUpti_ActivityKernel10 record = {
		.kind = kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]
				? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
				: CUPTI_ACTIVITY_KIND_KERNEL,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.deviceId = activity->device,
		.contextId = activity->context,
		.streamId = activity->stream,
		.correlationId = activity->correlation,
		.graphId = activity->graph,
		.graphNodeId = activity->graph_node,
		.gridX = operation->u.launch.grid[0],
		.gridY = operation->u.launch.grid[1],
		.gridZ = operation->u.launch.grid[2],
		.blockX = operation->u.launch.block[0],
		.blockY = operation->u.launch.block[1],
		.blockZ = operation->u.launch.block[2],
		.dynamicSharedMemory = operation->u.launch.shared_bytes,
		.gridId = ++grids,
		.name = lasting(operation->u.launch.kernel->name),
	};

	add_device_record(&record, sizeof(record), record.end);
}

static uint8_t memory_kind(const struct copy_side *side)
{
	static const uint8_t numbers[] = {
		[MEMORY_PAGEABLE] = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
		[MEMORY_PINNED] = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
		[MEMORY_DEVICE] = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		[MEMORY_MANAGED] = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
		[MEMORY_ARRAY] = CUPTI_ACTIVITY_MEMORY_KIND_ARRAY,
	};

	return numbers[side->kind];
}

static uint8_t copy_kind(const struct copy_side *from, const struct copy_side *to)
{
	enum {
		HOST,
		DEVICE,
		ARRAY,
	};
	static const uint8_t places[] = {
		[MEMORY_PAGEABLE] = HOST,  [MEMORY_PINNED] = HOST, [MEMORY_DEVICE] = DEVICE,
		[MEMORY_MANAGED] = DEVICE, [MEMORY_ARRAY] = ARRAY,
	};
	static const uint8_t numbers[3][3] = {
		[HOST] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
			  CUPTI_ACTIVITY_MEMCPY_KIND_HTOA},
		[DEVICE] = {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD,
			    CUPTI_ACTIVITY_MEMCPY_KIND_DTOA},
		[ARRAY] = {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, CUPTI_ACTIVITY_MEMCPY_KIND_ATOD,
			   CUPTI_ACTIVITY_MEMCPY_KIND_ATOA},
	};

	return numbers[places[from->kind]][places[to->kind]];
}

static void add_copy(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	const struct copy_side *from = &operation->u.copy.from, *to = &operation->u.copy.to;
	CUpti_ActivityMemcpy6 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.copyKind = copy_kind(from, to),
		.srcKind = memory_kind(from),
		.dstKind = memory_kind(to),
		.flags = operation->asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC
						 : CUPTI_ACTIVITY_FLAG_NONE,
		.bytes = operation->bytes,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.deviceId = activity->device,
		.contextId = activity->context,
		.streamId = activity->stream,
		.correlationId = activity->correlation,
		.graphId = activity->graph,
		.graphNodeId = activity->graph_node,
		.copyCount = 1,
	};

	add_device_record(&record, sizeof(record), record.end);
}

static void add_peer_copy(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	CUpti_ActivityMemcpyPtoP4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
		.srcKind = memory_kind(&operation->u.copy.from),
		.dstKind = memory_kind(&operation->u.copy.to),
		.flags = operation->asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC
						 : CUPTI_ACTIVITY_FLAG_NONE,
		.bytes = operation->bytes,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.deviceId = activity->device,
		.contextId = activity->context,
		.streamId = activity->stream,
		.srcDeviceId = operation->u.copy.from.device,
		.dstDeviceId = operation->u.copy.to.device,
		.correlationId = activity->correlation,
		.graphId = activity->graph,
		.graphNodeId = activity->graph_node,
	};

	add_device_record(&record, sizeof(record), record.end);
}

static void add_memset(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	CUpti_ActivityMemset4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMSET,
		.value = operation->u.memset.value,
		.bytes = operation->bytes,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.deviceId = activity->device,
		.contextId = activity->context,
		.streamId = activity->stream,
		.correlationId = activity->correlation,
		.graphId = activity->graph,
		.graphNodeId = activity->graph_node,
		.flags = operation->asynchronous ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC
						 : CUPTI_ACTIVITY_FLAG_NONE,
		.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
	};

	add_device_record(&record, sizeof(record), record.end);
}

static void add_graph(const struct sim_activity *activity)
{
	CUpti_ActivityGraphTrace2 record = {
		.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
		.correlationId = activity->correlation,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.deviceId = activity->device,
		.graphId = activity->graph,
		.contextId = activity->context,
		.streamId = activity->stream,
		.endDeviceId = activity->device,
		.endContextId = activity->context,
	};

	add_device_record(&record, sizeof(record), record.end);
}

/* Pages that come to the device, as one counter of bytes. */
static void add_movement(const struct sim_activity *activity)
{
	CUpti_ActivityUnifiedMemoryCounter3 record = {
		.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
		.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		.value = activity->operation->bytes,
		.start = activity->start_ns,
		.end = activity->end_ns,
		.dstId = activity->device,
		.streamId = activity->stream,
		.processId = getpid(),
	};

	add_device_record(&record, sizeof(record), record.end);
}

static void on_activity(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	/* On an H200 a peer copy within one device had an ordinary copy's record. */
	bool peer = operation->kind == OPERATION_COPY && operation->u.copy.peer &&
		    operation->u.copy.from.device != operation->u.copy.to.device;
	bool kernel =
		kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] || kinds[CUPTI_ACTIVITY_KIND_KERNEL];

	/* With traces of whole graphs there are no records of their nodes. */
	if (activity->graph && kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] &&
	    operation->kind != OPERATION_GRAPH)
		return;
	if (operation->kind == OPERATION_KERNEL && kernel)
		add_kernel(activity);
	else if (peer && kinds[CUPTI_ACTIVITY_KIND_MEMCPY2])
		add_peer_copy(activity);
	else if (operation->kind == OPERATION_COPY && !peer && kinds[CUPTI_ACTIVITY_KIND_MEMCPY])
		add_copy(activity);
	else if (operation->kind == OPERATION_MEMSET && kinds[CUPTI_ACTIVITY_KIND_MEMSET])
		add_memset(activity);
	else if (operation->kind == OPERATION_GRAPH && kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE])
		add_graph(activity);
	else if (operation->kind == OPERATION_MOVEMENT && operation->u.movement.transfers &&
		 kinds[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER])
		add_movement(activity);
}

static void add_external(uint32_t correlation)
{
	for (unsigned int i = 0; i < external_depth; i++) {
		CUpti_ActivityExternalCorrelation record = {
			.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
			.externalKind = external[i].kind,
			.externalId = external[i].id,
			.correlationId = correlation,
		};

		buffer_add(&record, sizeof(record), 0);
	}
}

static void on_api_call(const struct sim_api_call *call)
{
	CUpti_ActivityAPI record = {
		.kind = call->runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER,
		.start = call->start_ns,
		.end = call->end_ns,
		.processId = getpid(),
		.threadId = pthread_self(),
		.correlationId = call->correlation,
		.returnValue = call->result,
	};

	if (!kinds[record.kind])
		return;
	record.cbid = cbid_of(call->runtime, call->name);
	if (record.cbid >= CALLS_MAX || calls_off[call->runtime][record.cbid])
		return;
	if (kinds[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION])
		add_external(call->correlation);
	buffer_add(&record, sizeof(record), 0);
}

/* The parent's records are not the child's, whose CUDA does not work. */
static void in_child(void)
{
	memset(kinds, 0, sizeof(kinds));
}

CUptiResult record_enable(CUpti_ActivityKind kind, bool enabled)
{
	static const struct sim_activity_hooks hooks = {on_activity, on_api_call};
	static bool forks_watched;
	const struct cupti_driver *driver = cupti_driver();

	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT)
		return CUPTI_ERROR_INVALID_KIND;
	if (!forks_watched)
		pthread_atfork(NULL, NULL, in_child);
	forks_watched = true;
	kinds[kind] = enabled;
	if (kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
		buffer_want_overhead(enabled);
	driver->sim_activity_set_hooks(&hooks);
	return CUPTI_SUCCESS;
}

CUptiResult record_enable_call(CUpti_ActivityKind kind, CUpti_CallbackId cbid, bool enabled)
{
	if (!cbid || cbid >= CALLS_MAX)
		return CUPTI_ERROR_INVALID_PARAMETER;
	calls_off[kind == CUPTI_ACTIVITY_KIND_RUNTIME][cbid] = !enabled;
	return CUPTI_SUCCESS;
}

void record_push_external(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
	if (external_depth == EXTERNAL_MAX)
		return;
	external[external_depth].kind = kind;
	external[external_depth++].id = id;
}

CUptiResult record_pop_external(CUpti_ExternalCorrelationKind kind, uint64_t *id)
{
	if (!external_depth || external[external_depth - 1].kind != kind)
		return CUPTI_ERROR_QUEUE_EMPTY;
	external_depth--;
	if (id)
		*id = external[external_depth].id;
	return CUPTI_SUCCESS;
}
