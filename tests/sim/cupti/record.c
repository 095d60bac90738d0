/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/counters.h"
#include "tests/sim/cupti/device_record.h"
#include "tests/sim/cupti/driver.h"
#include "tests/sim/cupti/record.h"
#include "tests/sim/cupti/state.h"

enum {
	EXTERNAL_MAX = 16,
};

static void add_record(const void *record, size_t size);

extern struct sim_cupti sim_cupti;
__attribute__((visibility("default"))) struct sim_cupti sim_cupti = {.record = add_record};

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
#define DRIVER(number, name)  {false, #name, number},
#define RUNTIME(number, name) {true, #name, number},
#include <call_names.def>
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

static void add_record(const void *record, size_t size)
{
	if (sim_cupti.kinds[((const CUpti_Activity *)record)->kind])
		buffer_add(record, size, 0);
}

static _Atomic uint32_t last_graph; /* correlation id of the last graph launch that was recorded */

static bool traces_nodes(void)
{
	return (sim_cupti.kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] ||
		sim_cupti.kinds[CUPTI_ACTIVITY_KIND_KERNEL]) &&
	       !sim_cupti.kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE];
}

static uint64_t node_cost(void)
{
	return traces_nodes() ? sim_setting("SIM_CUPTI_NODE_NS", 0) : 0;
}

/*
 * SIM_CUPTI_MISS: once kernels were off and are on again, every second launch has no records.
 * `nodes`: those of graphs, else those launched by themselves.
 */
static bool is_missed(const struct sim_activity *activity)
{
	const char *what = getenv("SIM_CUPTI_MISS");
	static uint32_t launch, launches;
	bool graph = activity->graph != 0;

	if (!what || sim_cupti.kernels_enabled < 2 || strcmp(what, graph ? "nodes" : "launches"))
		return false;
	launches += activity->correlation != launch;
	launch = activity->correlation;
	return launches % 2;
}

static void on_activity(const struct sim_activity *activity)
{
	if (activity->graph)
		last_graph = activity->correlation;
	counters_take(activity);
	device_record_add(activity, sim_cupti.kinds, is_missed(activity));
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

	if (!sim_cupti.kinds[record.kind])
		return;
	record.cbid = cbid_of(call->runtime, call->name);
	if (record.cbid >= CALLS_MAX || sim_cupti.calls_off[call->runtime][record.cbid])
		return;
	if (sim_cupti.kinds[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION])
		add_external(call->correlation);
	buffer_add(&record, sizeof(record), 0);
}

void record_disable_all(void)
{
	for (unsigned kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		sim_cupti.kinds[kind] = false;
}

static _Atomic bool kernels_were_off;

bool record_kernels_were_off(void)
{
	return kernels_were_off;
}

/* SIM_CUPTI_DIES: of what CUPTI dies in some version. */
static void die_of(CUpti_ActivityKind kind, bool enabled)
{
	bool copies = kind == CUPTI_ACTIVITY_KIND_MEMCPY || kind == CUPTI_ACTIVITY_KIND_MEMCPY2 ||
		      kind == CUPTI_ACTIVITY_KIND_MEMSET;
	bool graphs = kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && last_graph;

	bool kernels =
		kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	bool amid = kernels_were_off && cupti_driver()->sim_activity_memsets() > 0;

	kernels_were_off |= !enabled && kernels;
	if (sim_setting("SIM_CUPTI_DIES", 0) &&
	    (graphs || (copies && !enabled) || (kernels && amid)))
		abort();
}

CUptiResult record_enable(CUpti_ActivityKind kind, bool enabled)
{
	static const struct sim_activity_hooks hooks = {on_activity, on_api_call, node_cost};
	static bool forks_watched;
	const struct cupti_driver *driver = cupti_driver();

	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if (kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT ||
	    (enabled && kind == sim_cupti.refused_kind))
		return CUPTI_ERROR_INVALID_KIND;
	if (enabled && ((kind == CUPTI_ACTIVITY_KIND_KERNEL &&
			 sim_cupti.kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]) ||
			(kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
			 sim_cupti.kinds[CUPTI_ACTIVITY_KIND_KERNEL])))
		return CUPTI_ERROR_NOT_COMPATIBLE;
	die_of(kind, enabled);
	if (!forks_watched)
		/* The parent's records are not the child's, whose CUDA does not work. */
		pthread_atfork(NULL, NULL, record_disable_all);
	forks_watched = true;
	if (!enabled && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && sim_cupti.kinds[kind] &&
	    last_graph && sim_setting("SIM_CUPTI_LOSE_ENDS", 0))
		buffer_lose_ends(last_graph);
	sim_cupti.kinds[kind] = enabled;
	sim_cupti.kernels_enabled += enabled && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	/* The kind overrides what was set call by call before. */
	if (enabled && (kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER))
		for (int i = 0; i < CALLS_MAX; i++)
			sim_cupti.calls_off[kind == CUPTI_ACTIVITY_KIND_RUNTIME][i] = false;
	if (kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
		buffer_want_overhead(enabled);
	driver->sim_activity_set_hooks(&hooks);
	return CUPTI_SUCCESS;
}

CUptiResult record_enable_call(CUpti_ActivityKind kind, CUpti_CallbackId cbid, bool enabled)
{
	if (!cbid || cbid >= CALLS_MAX)
		return CUPTI_ERROR_INVALID_PARAMETER;
	sim_cupti.calls_off[kind == CUPTI_ACTIVITY_KIND_RUNTIME][cbid] = !enabled;
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
