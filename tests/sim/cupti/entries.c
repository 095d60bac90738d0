/* SPDX-License-Identifier: MIT */
/*
 * The entries of libcupti. SIM_FAULT makes single calls fail, as it does the driver's.
 * SIM_CUPTI_REFUSE=RESULT makes those that start tracing fail, as under
 * another tool; SIM_CUPTI_VERSION=N is what cuptiGetVersion says.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/device_record.h"
#include "tests/sim/cupti/driver.h"
#include "tests/sim/cupti/record.h"
#include "tests/sim/cupti/state.h"
#include "tests/sim/cupti/subscriber.h"

#define CUPTI_EXPORT __attribute__((visibility("default")))

static CUptiResult fault_of(const char *entry)
{
	const struct cupti_driver *driver = cupti_driver();

	return driver && driver->sim_activity_fault ? (CUptiResult)driver->sim_activity_fault(entry)
						    : CUPTI_SUCCESS;
}

/* For the entries of counters.c. */
CUptiResult counters_fault(const char *entry);
CUptiResult counters_fault(const char *entry)
{
	return fault_of(entry);
}

#define MAY_FAIL                                                                                   \
	do {                                                                                       \
		CUptiResult fault = fault_of(__func__);                                            \
                                                                                                   \
		if (fault)                                                                         \
			return fault;                                                              \
	} while (0)

static CUptiResult refusal(void)
{
	return (CUptiResult)sim_setting("SIM_CUPTI_REFUSE", sim_cupti.answer);
}

CUptiResult sim_fault(const char *entry)
{
	return refusal() ? refusal() : fault_of(entry);
}

/* Of the older interface. */
static CUptiResult refusal_v1(void)
{
	return subscriber_records() ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : refusal();
}

uint64_t sim_setting(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : fallback;
}

CUPTI_EXPORT CUptiResult cuptiGetVersion(uint32_t *version)
{
	MAY_FAIL;
	if (!version)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*version = sim_setting("SIM_CUPTI_VERSION", CUPTI_API_VERSION);
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	static const struct {
		CUptiResult result;
		const char *text;
	} texts[] = {
		{CUPTI_SUCCESS, "CUPTI_SUCCESS"},
		{CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
		{CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
		{CUPTI_ERROR_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
		{CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
		{CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
		{CUPTI_ERROR_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
		{CUPTI_ERROR_INVALID_METRIC_NAME, "CUPTI_ERROR_INVALID_METRIC_NAME"},
		{CUPTI_ERROR_HARDWARE_BUSY, "CUPTI_ERROR_HARDWARE_BUSY"},
		{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
		{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
		 "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
	};

	MAY_FAIL;
	if (!text)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*text = NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].result == result)
			*text = texts[i].text;
	}
	return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
	const struct cupti_driver *driver = cupti_driver();

	MAY_FAIL;
	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	*timestamp = driver->sim_activity_host_ns();
	return CUPTI_SUCCESS;
}

/* Activity. */

CUPTI_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
							CUpti_BuffersCallbackCompleteFunc complete)
{
	MAY_FAIL;
	if (refusal_v1())
		return refusal_v1();
	if (!request || !complete)
		return CUPTI_ERROR_INVALID_PARAMETER;
	buffer_set_callbacks(request, complete);
	return CUPTI_SUCCESS;
}

/* The longest that is waited for work. */
#define AMID_S 10

/* SIM_CUPTI_AMID: the program's other threads go on meanwhile. */
static void wait_for_work(void)
{
	const struct cupti_driver *driver = cupti_driver();
	uint64_t wanted = sim_setting("SIM_CUPTI_AMID", 0), first;
	struct timespec now;
	time_t end;

	if (!wanted || !driver || !driver->sim_activity_count)
		return;
	first = driver->sim_activity_count();
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + AMID_S;
	/* By the clock: the program may wait until ktime has read it. */
	while (driver->sim_activity_count() - first < wanted && now.tv_sec < end) {
		usleep(100);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
}

CUPTI_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	CUptiResult result;

	MAY_FAIL;
	if (sim_cupti.enabling)
		sim_cupti.enabling();
	wait_for_work();
	result = refusal_v1() ? refusal_v1() : record_enable(kind, true);
	wait_for_work();
	return result;
}

CUPTI_EXPORT CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
	MAY_FAIL;
	return cuptiActivityEnable(kind);
}

CUPTI_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	MAY_FAIL;
	if (subscriber_records())
		return refusal_v1();
	return record_enable(kind, false);
}

CUPTI_EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
	MAY_FAIL;
	return context ? cuptiActivityEnable(kind) : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
	MAY_FAIL;
	return context ? cuptiActivityDisable(kind) : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_EXPORT CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable)
{
	return record_enable_call(CUPTI_ACTIVITY_KIND_DRIVER, cbid, enable);
}

CUPTI_EXPORT CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable)
{
	MAY_FAIL;
	return record_enable_call(CUPTI_ACTIVITY_KIND_RUNTIME, cbid, enable);
}

CUPTI_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	MAY_FAIL;
	sim_cupti.flushes++;
	sim_cupti.forced_flushes += flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
	if (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED && sim_setting("SIM_CUPTI_DIES", 0) &&
	    record_kernels_were_off())
		abort();
	if (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)
		device_record_release_late();
	buffer_flush(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t milliseconds)
{
	buffer_flush_every(milliseconds);
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t size,
						    CUpti_Activity **record)
{
	MAY_FAIL;
	return buffer_next_record(buffer, size, record);
}

CUPTI_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
							   size_t *count)
{
	MAY_FAIL;
	(void)context;
	(void)stream;
	if (!count)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*count = buffer_dropped();
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
								uint64_t id)
{
	record_push_external(kind, id);
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
							       uint64_t *id)
{
	return record_pop_external(kind, id);
}

CUPTI_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
	MAY_FAIL;
	if (!clock)
		return CUPTI_ERROR_INVALID_PARAMETER;
	sim_cupti.clock = clock;
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
						   void *value)
{
	MAY_FAIL;
	if (sim_cupti.attribute_answer)
		return sim_cupti.attribute_answer;
	if ((int)attribute != ATTRIBUTE_PER_THREAD || *size != 1)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*(uint8_t *)value = buffer_by_thread();
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
						   void *value)
{
	MAY_FAIL;
	if (sim_cupti.attribute_answer)
		return sim_cupti.attribute_answer;
	if ((int)attribute == ATTRIBUTE_ZEROED && *size == sizeof(sim_cupti.zeroed))
		memcpy(&sim_cupti.zeroed, value, *size);
	return CUPTI_SUCCESS;
}

CUPTI_EXPORT CUptiResult cuptiFinalize(void)
{
	MAY_FAIL;
	if (refusal())
		return refusal();
	if (sim_setting("SIM_CUPTI_DIES", 0))
		abort();
	if (sim_cupti.finalizing)
		sim_cupti.finalizing();
	sim_cupti.finalized++;
	subscriber_end();
	record_disable_all();
	return CUPTI_SUCCESS;
}

/* Options are taken, and change nothing here. */
#define ACCEPTED(symbol, parameters)                                                               \
	CUPTI_EXPORT CUptiResult symbol parameters                                                 \
	{                                                                                          \
		MAY_FAIL;                                                                          \
		return CUPTI_SUCCESS;                                                              \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
ACCEPTED(cuptiActivityEnableLatencyTimestamps, (uint8_t enable))
ACCEPTED(cuptiActivityEnableLaunchAttributes, (uint8_t enable))
ACCEPTED(cuptiActivityEnableDeviceGraph, (uint8_t enable))
ACCEPTED(cuptiActivityEnableAllocationSource, (uint8_t enable))
ACCEPTED(cuptiActivityConfigureUnifiedMemoryCounter,
	 (CUpti_ActivityUnifiedMemoryCounterConfig * config, uint32_t count))
ACCEPTED(cuptiSetThreadIdType, (CUpti_ActivityThreadIdType type))
ACCEPTED(cuptiEnableCallback, (uint32_t enable, CUpti_SubscriberHandle handle,
			       CUpti_CallbackDomain domain, CUpti_CallbackId cbid))
ACCEPTED(cuptiEnableDomain,
	 (uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain))

/* Numbers. */

CUPTI_EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread,
					    uint32_t *id)
{
	const struct cupti_driver *driver = cupti_driver();

	MAY_FAIL;
	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	return driver->sim_activity_stream(context, stream, per_thread, id)
		       ? CUPTI_SUCCESS
		       : CUPTI_ERROR_INVALID_STREAM;
}

CUPTI_EXPORT CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *id)
{
	return cuptiGetStreamIdEx(context, stream, 0, id);
}

static CUptiResult context_numbers(CUcontext context, uint32_t *id, uint32_t *device)
{
	const struct cupti_driver *driver = cupti_driver();

	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	return driver->sim_activity_context(context, id, device) ? CUPTI_SUCCESS
								 : CUPTI_ERROR_INVALID_CONTEXT;
}

CUPTI_EXPORT CUptiResult cuptiGetContextId(CUcontext context, uint32_t *id)
{
	uint32_t device;

	MAY_FAIL;
	return context_numbers(context, id, &device);
}

CUPTI_EXPORT CUptiResult cuptiGetGraphExecId(CUgraphExec graph, uint32_t *id)
{
	const struct cupti_driver *driver = cupti_driver();

	MAY_FAIL;
	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	return driver->sim_activity_graph(graph, id) ? CUPTI_SUCCESS
						     : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
	const struct cupti_driver *driver = cupti_driver();

	MAY_FAIL;
	if (!driver)
		return CUPTI_ERROR_NOT_INITIALIZED;
	return driver->sim_activity_graph_node(node, id) ? CUPTI_SUCCESS
							 : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
	uint32_t id;

	return context_numbers(context, &id, device);
}

CUPTI_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
					      const char **name)
{
	MAY_FAIL;
	if (!name)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*name = record_call_name(domain == CUPTI_CB_DOMAIN_RUNTIME_API, cbid);
	return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
