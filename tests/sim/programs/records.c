/* SPDX-License-Identifier: MIT */
/*
 * A program that uses CUPTI itself: kernels, copies and a memset on two streams, its records
 * printed one a line, in the order they come.
 *
 * usage: records BUFFER_BYTES LAUNCHES
 */
#include <cupti.h>
#include <stdint.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static size_t buffer_bytes;

static void request(uint8_t **buffer, size_t *size, size_t *records_max)
{
	*buffer = malloc(buffer_bytes);
	*size = buffer_bytes;
	*records_max = 0;
}

static void print(const CUpti_Activity *record)
{
	const CUpti_ActivityKernel10 *kernel = (const void *)record;
	const CUpti_ActivityMemcpy6 *copy = (const void *)record;
	const CUpti_ActivityMemset4 *fill = (const void *)record;
	const CUpti_ActivityAPI *call = (const void *)record;
	const char *name;

	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		printf("kernel %s stream %u correlation %u: %ld\n", kernel->name, kernel->streamId,
		       kernel->correlationId, (long)(kernel->end - kernel->start));
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		printf("copy %u bytes %lu stream %u: %ld\n", copy->copyKind, copy->bytes,
		       copy->streamId, (long)(copy->end - copy->start));
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		printf("memset %lu: %ld\n", fill->bytes, (long)(fill->end - fill->start));
		break;
	case CUPTI_ACTIVITY_KIND_DRIVER:
		CHECK(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, call->cbid, &name));
		printf("call %s: %u\n", name, call->returnValue);
		break;
	default:
		printf("kind %d\n", record->kind);
	}
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;

	(void)size;
	printf("buffer\n");
	while (!cuptiActivityGetNextRecord(buffer, valid, &record))
		print(record);
	CHECK(cuptiActivityGetNumDroppedRecords(context, stream, &dropped));
	if (dropped)
		printf("dropped %zu\n", dropped);
	free(buffer);
}

int main(int argc, char **argv)
{
	static const CUpti_ActivityKind kinds[] = {
		CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_MEMCPY,
		CUPTI_ACTIVITY_KIND_MEMSET,
		CUPTI_ACTIVITY_KIND_DRIVER,
	};
	int launches = argc == 3 ? atoi(argv[2]) : 1;
	char host[1000];
	CUfunction kernel;
	CUdeviceptr device;
	CUstream stream;

	buffer_bytes = argc == 3 ? strtoul(argv[1], NULL, 10) : 1 << 20;
	check_context();
	kernel = check_kernel("first");
	CHECK(cuMemAlloc(&device, sizeof(host)));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuptiActivityRegisterCallbacks(request, complete));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK(cuptiActivityEnable(kinds[i]));
	memset(host, 1, sizeof(host));
	CHECK(cuMemcpyHtoD(device, host, sizeof(host)));
	CHECK(cuMemsetD8Async(device, 7, sizeof(host), stream));
	for (int i = 0; i < launches; i++)
		check_launch(kernel, i % 2 ? stream : NULL);
	printf("flush\n");
	CHECK(cuptiActivityFlushAll(0));
	printf("synchronize and flush\n");
	CHECK(cuCtxSynchronize());
	CHECK(cuptiActivityFlushAll(0));
	check_launch(kernel, NULL);
	printf("flush by force\n");
	CHECK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
	return 0;
}
