/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/device_record.h"
#include "tests/sim/driver/kernel.h"

enum {
	RECORD_MAX = 256,
	LATE_MAX = 64,
	/* Of every kernel. */
	REGISTERS = 24,
	STATIC_SHARED = 3072,
};

struct late {
	size_t size;
	uint64_t end_ns;
	uint64_t record[RECORD_MAX / sizeof(uint64_t)];
};

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late late[LATE_MAX];
static size_t late_count;
static uint64_t device_records;

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

/* SIM_CUPTI_OLD_NAMES: the name of the first kernel that was launched at this address. */
static const char *name_of(const struct kernel *kernel)
{
	static struct first_kernel {
		struct first_kernel *next;
		const struct kernel *kernel;
		const char *name;
	} * first;
	struct first_kernel *known = first;

	if (!getenv("SIM_CUPTI_OLD_NAMES"))
		return lasting(kernel->name);
	while (known && known->kernel != kernel)
		known = known->next;
	if (known)
		return known->name;
	known = malloc(sizeof(*known));
	if (!known)
		return NULL;
	*known = (struct first_kernel){first, kernel, lasting(kernel->name)};
	first = known;
	return known->name;
}

void device_record_release_late(void)
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

static void add_kernel(const struct sim_activity *activity, CUpti_ActivityKind kind)
{
	const struct operation *operation = activity->operation;
	static int64_t grids;
	CUpti_ActivityKernel10 record = {
		.kind = kind,
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
		.registersPerThread = REGISTERS,
		.staticSharedMemory = STATIC_SHARED,
		.dynamicSharedMemory = operation->u.launch.shared_bytes,
		.gridId = ++grids,
		.name = name_of(operation->u.launch.kernel),
	};

	add_device_record(&record, sizeof(record), record.end);
}

static uint8_t memory_kind(enum memory_kind kind)
{
	static const uint8_t numbers[] = {
		[MEMORY_PAGEABLE] = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
		[MEMORY_PINNED] = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
		[MEMORY_DEVICE] = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		[MEMORY_MANAGED] = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
		[MEMORY_ARRAY] = CUPTI_ACTIVITY_MEMORY_KIND_ARRAY,
	};

	return numbers[kind];
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

static void add_copy(const struct sim_activity *activity, uint8_t kind)
{
	const struct operation *operation = activity->operation;
	const struct copy_side *from = &operation->u.copy.from, *to = &operation->u.copy.to;
	CUpti_ActivityMemcpy6 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.copyKind = kind,
		.srcKind = memory_kind(from->kind),
		.dstKind = memory_kind(to->kind),
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

/*
 * As on two H200s: a copy between two devices has a peer copy's record whichever call it was, and
 * without peer access those of its two halves; one within a device never has.
 */
static void add_copies(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;

	if (operation->u.copy.staged) {
		add_copy(activity, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
		add_copy(activity, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
	} else {
		add_copy(activity, copy_kind(&operation->u.copy.from, &operation->u.copy.to));
	}
}

static void add_peer_copy(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	CUpti_ActivityMemcpyPtoP4 record = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
		.srcKind = memory_kind(operation->u.copy.from.kind),
		.dstKind = memory_kind(operation->u.copy.to.kind),
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
		.memoryKind = memory_kind(operation->u.memset.memory),
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

void device_record_add(const struct sim_activity *activity, const _Atomic bool *kinds,
		       bool kernel_missed)
{
	const struct operation *operation = activity->operation;
	bool copy = operation->kind == OPERATION_COPY;
	CUpti_ActivityKind kernel = kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]
					    ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
					    : CUPTI_ACTIVITY_KIND_KERNEL;

	/* With traces of whole graphs there are no records of their nodes. */
	if (activity->graph && kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] &&
	    operation->kind != OPERATION_GRAPH)
		return;
	if (operation->kind == OPERATION_KERNEL && kinds[kernel] && !kernel_missed)
		add_kernel(activity, kernel);
	else if (copy && operation->u.copy.peers && !operation->u.copy.staged) {
		if (kinds[CUPTI_ACTIVITY_KIND_MEMCPY2])
			add_peer_copy(activity);
	} else if (copy && kinds[CUPTI_ACTIVITY_KIND_MEMCPY]) {
		add_copies(activity);
	} else if (operation->kind == OPERATION_MEMSET && kinds[CUPTI_ACTIVITY_KIND_MEMSET])
		add_memset(activity);
	else if (operation->kind == OPERATION_GRAPH && kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE])
		add_graph(activity);
	else if (operation->kind == OPERATION_MOVEMENT && operation->u.movement.transfers &&
		 kinds[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER])
		add_movement(activity);
}
