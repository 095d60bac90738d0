/* SPDX-License-Identifier: MIT */
/* Makes each of the CUPTI calls that libktime.so exports too, and prints what they answer. */
#include <cupti.h>
#include <dlfcn.h>
#include <stdint.h>

#include "tests/sim/programs/check.h"

/* One that ktime does not use: of its own it keeps on what the program turns off. */
#define OTHER_KIND CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION

static void *library;

#define CALL(name, ...)                                                                            \
	printf("%s: %d\n", #name, ((__typeof__(name) *)dlsym(library, #name))(__VA_ARGS__))

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
	*size = 1 << 16;
	*buffer = malloc(*size);
	*records = 0;
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	(void)valid;
	free(buffer);
}

static uint64_t now(void)
{
	static uint64_t calls;

	return ++calls;
}

int main(void)
{
	CUcontext context = check_context();
	CUpti_SubscriberHandle subscriber;
	uint64_t timestamp;
	size_t dropped = 0;

	library = dlopen("libcupti.so.13", RTLD_NOW);
	if (!library)
		return 1;
	/* Before the program has a clock of its own, which ktime asks for it then. */
	CALL(cuptiGetTimestamp, &timestamp);
	CALL(cuptiActivityRegisterCallbacks, request, complete);
	CALL(cuptiActivityRegisterTimestampCallback, now);
	CALL(cuptiActivityEnable, OTHER_KIND);
	CALL(cuptiActivityEnableAndDump, CUPTI_ACTIVITY_KIND_MEMCPY);
	CALL(cuptiActivityEnableContext, context, OTHER_KIND);
	check_launch(check_kernel("first"), NULL);
	CHECK(cuCtxSynchronize());
	CALL(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	CALL(cuptiActivityGetNumDroppedRecords, context, 0, &dropped);
	CALL(cuptiActivityDisableContext, context, OTHER_KIND);
	CALL(cuptiActivityDisable, OTHER_KIND);
	CALL(cuptiSubscribe_v2, &subscriber, NULL, NULL, NULL);
	CALL(cuptiFinalize);
	return 0;
}
