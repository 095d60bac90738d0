/* SPDX-License-Identifier: MIT */
/* Graphs built by hand: nested, with memory, copy, memset and conditional nodes; updated. */
#include "check.cuh"

#define N 256

__global__ void add_kernel(int *data, int value)
{
	data[threadIdx.x] += value;
}

static int *data;
static cudaStream_t stream;

static cudaGraphNode_t add_kernel_node(cudaGraph_t graph, cudaGraphNode_t after, int value)
{
	cudaKernelNodeParams parameters = {};
	void *arguments[] = {&data, &value};
	cudaGraphNode_t node;

	parameters.func = (void *)add_kernel;
	parameters.gridDim = dim3(1);
	parameters.blockDim = dim3(N);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0,
				     &parameters));
	return node;
}

static void launch(const char *title, cudaGraph_t graph, int launches)
{
	cudaGraphExec_t executable;
	int host[N];

	CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), stream));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	for (int i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%s: %d\n", title, host[N / 2]);
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
}

static void nested(void)
{
	cudaGraph_t inner, middle, outer;
	cudaGraphNode_t node, first;

	CHECK(cudaGraphCreate(&inner, 0));
	add_kernel_node(inner, add_kernel_node(inner, nullptr, 1), 2);
	CHECK(cudaGraphCreate(&middle, 0));
	CHECK(cudaGraphAddChildGraphNode(&node, middle, nullptr, 0, inner));
	add_kernel_node(middle, node, 10);
	CHECK(cudaGraphCreate(&outer, 0));
	CHECK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, middle));
	CHECK(cudaGraphAddChildGraphNode(&node, outer, &first, 1, inner));
	CHECK(cudaGraphDestroy(inner));
	CHECK(cudaGraphDestroy(middle));
	launch("nested", outer, 4);
}

static void memory_nodes(void)
{
	cudaMemAllocNodeParams allocation = {};
	cudaGraphNode_t allocate, set, copy, free_node, kernel;
	cudaMemsetParams memset_parameters = {};
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	allocation.poolProps.allocType = cudaMemAllocationTypePinned;
	allocation.poolProps.location.type = cudaMemLocationTypeDevice;
	allocation.bytesize = N * sizeof(int);
	CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &allocation));
	memset_parameters.dst = allocation.dptr;
	memset_parameters.value = 3;
	memset_parameters.elementSize = 4;
	memset_parameters.width = N;
	memset_parameters.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, &allocate, 1, &memset_parameters));
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, data, allocation.dptr,
				       N * sizeof(int), cudaMemcpyDeviceToDevice));
	kernel = add_kernel_node(graph, copy, 4);
	CHECK(cudaGraphAddMemFreeNode(&free_node, graph, &kernel, 1, allocation.dptr));
	launch("memory nodes", graph, 2);
}

static void updated(void)
{
	cudaGraphExecUpdateResultInfo information;
	cudaGraphExec_t executable;
	cudaGraph_t graph, other;
	int host[N];

	CHECK(cudaGraphCreate(&graph, 0));
	add_kernel_node(graph, nullptr, 5);
	CHECK(cudaGraphCreate(&other, 0));
	add_kernel_node(other, nullptr, 50);
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), stream));
	CHECK(cudaGraphUpload(executable, stream));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaGraphExecUpdate(executable, other, &information));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("updated: %d\n", host[0]);
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(other));
}

#if CUDART_VERSION >= 12040
__global__ void count_down(cudaGraphConditionalHandle handle, int *data)
{
	data[0]++;
	cudaGraphSetConditional(handle, data[0] < 5);
}

static void conditional(void)
{
	cudaGraphNodeParams while_parameters = {}, kernel_parameters = {};
	cudaGraphConditionalHandle handle;
	cudaGraphNode_t while_node, node;
	void *arguments[] = {&handle, &data};
	cudaGraph_t graph, body;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	while_parameters.type = cudaGraphNodeTypeConditional;
	while_parameters.conditional.handle = handle;
	while_parameters.conditional.type = cudaGraphCondTypeWhile;
	while_parameters.conditional.size = 1;
#if CUDART_VERSION >= 13000
	CHECK(cudaGraphAddNode(&while_node, graph, nullptr, nullptr, 0, &while_parameters));
#else
	CHECK(cudaGraphAddNode(&while_node, graph, nullptr, 0, &while_parameters));
#endif
	body = while_parameters.conditional.phGraph_out[0];
	kernel_parameters.type = cudaGraphNodeTypeKernel;
	kernel_parameters.kernel.func = (void *)count_down;
	kernel_parameters.kernel.gridDim = dim3(1);
	kernel_parameters.kernel.blockDim = dim3(1);
	kernel_parameters.kernel.kernelParams = arguments;
#if CUDART_VERSION >= 13000
	CHECK(cudaGraphAddNode(&node, body, nullptr, nullptr, 0, &kernel_parameters));
#else
	CHECK(cudaGraphAddNode(&node, body, nullptr, 0, &kernel_parameters));
#endif
	add_kernel_node(graph, while_node, 1000);
	launch("conditional", graph, 1);
}
#else
static void conditional(void)
{
}
#endif

int main()
{
	CHECK(cudaMalloc(&data, N * sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	nested();
	memory_nodes();
	updated();
	conditional();
	return 0;
}
