/* SPDX-License-Identifier: MIT */
/*
 * Calls each entry of entries.h once, as it is found by dlsym, by cuGetProcAddress_v2, or linked,
 * and prints: symbol, what it does, bytes, result. With SYMBOL: that one alone.
 *
 * usage: entries dlsym|procedure|linked [SYMBOL]
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <dlfcn.h>
#include <string.h>

#include "tests/sim/programs/check.h"
#include "tests/sim/programs/entries.h"

static struct {
	CUcontext context;
	CUfunction kernel;
	CUdeviceptr device, second, managed;
	CUstream stream;
	CUmemoryPool pool;
} made;

static const struct {
	const char *entry;
	int version;
	int flags;
	const char *symbol;
} versions[] = {
#define ENTRY(entry, version, per_thread, symbol) {#entry, version, per_thread ? 2 : 0, #symbol},
#include "sim_versions.h"
#undef ENTRY
};

static const char *way;

static void *procedure(const char *symbol)
{
	void *pointer = NULL;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (!strcmp(versions[i].symbol, symbol))
			CHECK(cuGetProcAddress_v2(versions[i].entry, &pointer, versions[i].version,
						  versions[i].flags, NULL));
	}
	return pointer;
}

static void *find(const char *symbol, void *linked)
{
	static void *library;
	void *pointer = linked;

	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!strcmp(way, "dlsym"))
		pointer = dlsym(library, symbol);
	else if (!strcmp(way, "procedure"))
		pointer = procedure(symbol);
	if (!pointer) {
		fprintf(stderr, "entries: %s is not found\n", symbol);
		exit(1);
	}
	return pointer;
}

static void CUDA_CB host_function(void *argument)
{
	(void)argument;
}

static void CUDA_CB host_callback(CUstream stream, CUresult status, void *argument)
{
	(void)stream;
	(void)status;
	(void)argument;
}

static CUgraphExec make_graph(CUfunction kernel)
{
	CUDA_KERNEL_NODE_PARAMS_v2 parameters = {.func = kernel, CHECK_ONE_THREAD};
	CUgraph graph;
	CUgraphNode node;
	CUgraphExec exec;

	CHECK(cuGraphCreate(&graph, 0));
	CHECK(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &parameters));
	CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cuGraphDestroy(graph));
	return exec;
}

static CUarray make_array(void)
{
	CUDA_ARRAY_DESCRIPTOR_v2 description = {
		.Width = 64, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
	CUarray array;

	CHECK(cuArrayCreate_v2(&array, &description));
	return array;
}

static CUexternalSemaphore make_semaphore(void)
{
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description = {0};
	CUexternalSemaphore semaphore;

	CHECK(cuImportExternalSemaphore(&semaphore, &description));
	return semaphore;
}

/* Rows of 100 bytes, in pitches and heights of their own. */
#define REGION(rows, ...)                                                                          \
	{                                                                                          \
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcPitch = 128,             \
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device, .dstPitch = 512,       \
		.WidthInBytes = 100, .Height = rows, __VA_ARGS__                                   \
	}

static void make_all(void)
{
	made.context = check_context();
	made.kernel = check_kernel("first");
	CHECK(cuMemAlloc_v2(&made.device, 1 << 20));
	CHECK(cuMemAlloc_v2(&made.second, 1 << 20));
	CHECK(cuMemAllocManaged(&made.managed, 4096, CU_MEM_ATTACH_GLOBAL));
	CHECK(cuStreamCreate(&made.stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuDeviceGetDefaultMemPool(&made.pool, 0));
}

static void call_all(const char *only)
{
	static char host[4096];
	CUcontext context = made.context;
	CUfunction kernel = made.kernel;
	CUdeviceptr device = made.device, second = made.second, managed = made.managed, allocated;
	CUstream stream = made.stream;
	CUmemoryPool pool = made.pool;
	CUarray array = make_array(), other_array = make_array();
	CUgraphExec graph = make_graph(kernel);
	CUexternalSemaphore semaphore = make_semaphore();
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_parameters = {0};
	CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_parameters = {0};
	CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
	CUmemDecompressParams decompress = {.dstNumBytes = 256};
	CUlaunchConfig config = {CHECK_ONE_THREAD, .hStream = stream};
	CUDA_LAUNCH_PARAMS multi = {.function = kernel, CHECK_ONE_THREAD, .hStream = stream};
	size_t index_list[] = {0}, size_list[] = {100}, managed_sizes[] = {4096}, failed;
	CUdeviceptr to_list[] = {device}, from_list[] = {(CUdeviceptr)host};
	CUdeviceptr managed_list[] = {managed};
	CUDA_MEMCPY2D_v1 copy_2d_v1 = REGION(2);
	CUDA_MEMCPY2D_v2 copy_2d = REGION(2);
	CUDA_MEMCPY3D_v1 copy_3d_v1 = REGION(2, .Depth = 3);
	CUDA_MEMCPY3D_v2 copy_3d = REGION(2, .Depth = 3);
	CUDA_MEMCPY3D_PEER copy_peer =
		REGION(2, .Depth = 3, .srcContext = context, .dstContext = context);
	CUDA_MEMCPY3D_BATCH_OP batch_copy = {
		.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = (CUdeviceptr)host},
		.dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = device},
		.extent = {60, 2, 1},
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
	};
	CUstreamBatchMemOpParams memory_operation = {
		.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
			       .address = device,
			       .value = 1},
	};

	copy_peer.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy_peer.srcDevice = second;
#define CALL(symbol, kind, bytes, arguments)                                                       \
	if (!only || !strcmp(only, #symbol))                                                       \
		printf("%s %s %d %d\n", #symbol, kind, (int)(bytes),                               \
		       ((__typeof__(symbol) *)find(#symbol, (void *)symbol))arguments);
	ALL_ENTRIES(CALL)
#undef CALL
	CHECK(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s dlsym|procedure|linked [SYMBOL]\n", argv[0]);
		return 2;
	}
	way = argv[1];
	make_all();
	call_all(argc > 2 ? argv[2] : NULL);
	return 0;
}
