/* SPDX-License-Identifier: MIT */
/*
 * Subscribers: one at a time, who is told of no call. From CUPTI 13.2 on (SIM_CUPTI_VERSION) one of
 * the V2 interface has activity kinds and buffers of its own. It is refused while the process has
 * kinds on by the older interface, whose calls are refused while there is such a subscriber; and
 * more than one are refused, as by drivers before r610. From 13.3 on it is refused its callbacks
 * once the older interface was given some.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/driver.h"
#include "tests/sim/cupti/record.h"
#include "tests/sim/cupti/state.h"
#include "tests/sim/cupti/subscriber.h"

#define SUBSCRIBER_EXPORT __attribute__((visibility("default")))
#define VERSION_V2	  130200
#define VERSION_EXCLUDES  130300

/* What the headers of CUDA 13.2 have. */
struct parameters {
	size_t size;
	const char *name;
	char *other;
	size_t other_size;
	uint8_t several;
};

struct CUpti_Subscriber_st {
	bool records; /* has kinds of its own */
	void (*requested)(uint8_t **data, size_t *size, size_t *most_records, void *info);
	void (*completed)(uint8_t *data, size_t size, size_t valid, void *info);
	/* Those of the older interface, until it ends. */
	CUpti_BuffersCallbackRequestFunc requested_before;
	CUpti_BuffersCallbackCompleteFunc completed_before;
};

static CUpti_SubscriberHandle subscriber;

static long version(void)
{
	return sim_setting("SIM_CUPTI_VERSION", CUPTI_API_VERSION);
}

bool subscriber_records(void)
{
	return subscriber && subscriber->records;
}

static bool any_kind(void)
{
	for (unsigned kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		if (sim_cupti.kinds[kind])
			return true;
	return false;
}

static CUptiResult subscribe(CUpti_SubscriberHandle *handle, bool records)
{
	if (!handle)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (subscriber || (records && any_kind()))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	subscriber = calloc(1, sizeof(*subscriber));
	if (!subscriber)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	subscriber->records = records;
	*handle = subscriber;
	return CUPTI_SUCCESS;
}

SUBSCRIBER_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle,
					     CUpti_CallbackFunc callback, void *argument)
{
	CUptiResult result = sim_fault(__func__);

	(void)callback;
	(void)argument;
	return result ? result : subscribe(handle, false);
}

SUBSCRIBER_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle,
						CUpti_CallbackFunc callback, void *argument,
						CUpti_SubscriberParams *given)
{
	const struct parameters *parameters = (const void *)given;
	CUptiResult result = sim_fault(__func__);

	(void)callback;
	(void)argument;
	if (result)
		return result;
	if (parameters && !parameters->size)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (parameters && parameters->size > offsetof(struct parameters, several) &&
	    parameters->several)
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	return subscribe(handle, version() >= VERSION_V2);
}

void subscriber_end(void)
{
	if (subscriber_records()) {
		record_disable_all();
		buffer_flush(true);
		if (subscriber->requested)
			buffer_set_callbacks(subscriber->requested_before,
					     subscriber->completed_before);
	}
	free(subscriber);
	subscriber = NULL;
}

SUBSCRIBER_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
	if (!handle || handle != subscriber)
		return CUPTI_ERROR_INVALID_PARAMETER;
	subscriber_end();
	return CUPTI_SUCCESS;
}

static CUptiResult check(CUpti_SubscriberHandle handle)
{
	return subscriber_records() && handle == subscriber ? CUPTI_SUCCESS
							    : CUPTI_ERROR_INVALID_PARAMETER;
}

static void CUPTIAPI on_requested(uint8_t **data, size_t *size, size_t *most_records)
{
	subscriber->requested(data, size, most_records, NULL);
}

static void CUPTIAPI on_completed(CUcontext context, uint32_t stream, uint8_t *data, size_t size,
				  size_t valid)
{
	(void)context;
	(void)stream;
	subscriber->completed(data, size, valid, NULL);
}

/* These are not in the headers of CUDA 13.0. */
CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle handle,
					      void (*requested)(uint8_t **data, size_t *size,
								size_t *most_records, void *info),
					      void (*completed)(uint8_t *data, size_t size,
								size_t valid, void *info));
CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle handle, CUpti_ActivityKind kind,
				   void *configuration);
CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle handle, CUpti_ActivityKind kind,
				    void *configuration);
CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle handle, uint8_t *buffer,
					  size_t size, CUpti_Activity **record);
CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle handle, uint64_t *timestamp);

SUBSCRIBER_EXPORT CUptiResult cuptiActivityRegisterCallbacks_v2(
	CUpti_SubscriberHandle handle,
	void (*requested)(uint8_t **data, size_t *size, size_t *most_records, void *info),
	void (*completed)(uint8_t *data, size_t size, size_t valid, void *info))
{
	if (check(handle) || !requested || !completed)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (sim_cupti.requested && !subscriber->requested && version() >= VERSION_EXCLUDES)
		return CUPTI_ERROR_NOT_COMPATIBLE;
	if (!subscriber->requested) {
		/* The buffers of the older interface are its own. */
		buffer_flush(true);
		subscriber->requested_before = sim_cupti.requested;
		subscriber->completed_before = sim_cupti.completed;
	}
	subscriber->requested = requested;
	subscriber->completed = completed;
	buffer_set_callbacks(on_requested, on_completed);
	return CUPTI_SUCCESS;
}

SUBSCRIBER_EXPORT CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle handle,
						     CUpti_ActivityKind kind, void *configuration)
{
	(void)configuration;
	return check(handle) ? check(handle) : record_enable(kind, true);
}

SUBSCRIBER_EXPORT CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle handle,
						      CUpti_ActivityKind kind, void *configuration)
{
	(void)configuration;
	return check(handle) ? check(handle) : record_enable(kind, false);
}

SUBSCRIBER_EXPORT CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle handle,
							    uint8_t *buffer, size_t size,
							    CUpti_Activity **record)
{
	return check(handle) ? check(handle) : buffer_next_record(buffer, size, record);
}

SUBSCRIBER_EXPORT CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle handle,
						   uint64_t *timestamp)
{
	return check(handle) ? check(handle) : cuptiGetTimestamp(timestamp);
}
