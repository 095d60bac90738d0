/* SPDX-License-Identifier: MIT */
#include "fake_cupti.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static void add_record(const void *record, size_t size);
static void complete_buffer(void);

extern struct fake_cupti fake_cupti;
EXPORT struct fake_cupti fake_cupti = {
	.version = 130000,
	.now = 1000,
	.record = add_record,
	.complete = complete_buffer,
};

static size_t record_size(CUpti_ActivityKind kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel9);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy5);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	case CUPTI_ACTIVITY_KIND_MARKER:
		return sizeof(CUpti_ActivityMarker2);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		return sizeof(CUpti_ActivitySynchronization);
	default:
		return 0;
	}
}

static void complete_buffer(void)
{
	uint8_t *buffer = fake_cupti.buffer;

	fake_cupti.buffer = NULL;
	if (buffer)
		fake_cupti.completed(NULL, 0, buffer, fake_cupti.size, fake_cupti.used);
}

static void add_record(const void *record, size_t size)
{
	CUpti_ActivityKind kind = ((const CUpti_Activity *)record)->kind;
	size_t most_records = 0;

	if (!fake_cupti.kinds[kind])
		return;
	if (fake_cupti.buffer && fake_cupti.size - fake_cupti.used < size)
		complete_buffer();
	if (!fake_cupti.buffer) {
		fake_cupti.used = 0;
		fake_cupti.requested(&fake_cupti.buffer, &fake_cupti.size, &most_records);
		for (size_t i = 0; fake_cupti.buffer && i < fake_cupti.size; i++)
			if (fake_cupti.buffer[i]) {
				fake_cupti.dirty++;
				break;
			}
	}
	if (!fake_cupti.buffer) {
		fake_cupti.lost++;
		return;
	}
	memcpy(fake_cupti.buffer + fake_cupti.used, record, size);
	fake_cupti.used += size;
}

EXPORT CUptiResult cuptiGetVersion(uint32_t *version)
{
	const char *asked = getenv("FAKE_CUPTI_VERSION");

	*version = asked ? (uint32_t)atoi(asked) : fake_cupti.version;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	*text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
			? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
			: "CUPTI_ERROR_UNKNOWN";
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
	*timestamp = fake_cupti.now;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
					     void *value)
{
	if (fake_cupti.attribute_answer)
		return fake_cupti.attribute_answer;
	if ((int)attribute != FAKE_PER_THREAD || *size != sizeof(fake_cupti.per_thread))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(value, &fake_cupti.per_thread, *size);
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
					     void *value)
{
	if (fake_cupti.attribute_answer)
		return fake_cupti.attribute_answer;
	if ((int)attribute != FAKE_ZEROED || *size != sizeof(fake_cupti.zeroed))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&fake_cupti.zeroed, value, *size);
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
						  CUpti_BuffersCallbackCompleteFunc completed)
{
	if (fake_cupti.answer)
		return fake_cupti.answer;
	if (!requested || !completed)
		return CUPTI_ERROR_INVALID_PARAMETER;
	fake_cupti.requested = requested;
	fake_cupti.completed = completed;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
	if (!clock)
		return CUPTI_ERROR_INVALID_PARAMETER;
	fake_cupti.clock = clock;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	if (fake_cupti.enabling)
		fake_cupti.enabling();
	if (fake_cupti.answer)
		return fake_cupti.answer;
	if (kind >= FAKE_KINDS || kind == fake_cupti.refused_kind)
		return CUPTI_ERROR_INVALID_KIND;
	if ((kind == CUPTI_ACTIVITY_KIND_KERNEL &&
	     fake_cupti.kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]) ||
	    (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
	     fake_cupti.kinds[CUPTI_ACTIVITY_KIND_KERNEL]))
		return CUPTI_ERROR_NOT_COMPATIBLE;
	fake_cupti.kinds[kind] = true;
	/* The kind overrides what was set call by call before. */
	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME)
		memset(fake_cupti.call_off, 0, sizeof(fake_cupti.call_off));
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	if (kind >= FAKE_KINDS)
		return CUPTI_ERROR_INVALID_KIND;
	fake_cupti.kinds[kind] = false;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
	(void)context;
	return cuptiActivityEnable(kind);
}

EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
	(void)context;
	return cuptiActivityDisable(kind);
}

EXPORT CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
	return cuptiActivityEnable(kind);
}

EXPORT CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId callback, uint8_t enable)
{
	if (callback >= FAKE_CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	fake_cupti.call_off[callback] = !enable;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	fake_cupti.flushes++;
	fake_cupti.forced_flushes += flag;
	complete_buffer();
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + record_size((*record)->kind) : buffer;

	if (!buffer || next >= buffer + size)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	if (!record_size(((CUpti_Activity *)next)->kind))
		return CUPTI_ERROR_INVALID_KIND;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream_id,
						     size_t *dropped)
{
	(void)context;
	(void)stream_id;
	*dropped = fake_cupti.dropped;
	fake_cupti.dropped = 0;
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread,
				      uint32_t *stream_id)
{
	(void)context;
	if (!stream)
		*stream_id = per_thread ? 8 : 7;
	else
		*stream_id = (uint32_t)(uintptr_t)stream;
	return *stream_id == UINT32_MAX ? CUPTI_ERROR_INVALID_STREAM : CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t callback,
					const char **name)
{
	static const char *const runtime[] = {"INVALID", "cudaMalloc_v3020",
					      "cudaMemcpyAsync_ptsz_v7000",
					      "cudaStreamGetCaptureInfo_v2_ptsz_v11030"};
	static const char *const driver[] = {"INVALID", "cuMemAlloc_v2", "cuEventRecord_ptsz",
					     "cuD3D9Begin"};

	if (callback >= 4)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*name = domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver[callback] : runtime[callback];
	return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiFinalize(void)
{
	if (fake_cupti.answer)
		return fake_cupti.answer;
	if (fake_cupti.finalizing)
		fake_cupti.finalizing();
	fake_cupti.finalized++;
	memset(fake_cupti.kinds, 0, sizeof(fake_cupti.kinds));
	return CUPTI_SUCCESS;
}
