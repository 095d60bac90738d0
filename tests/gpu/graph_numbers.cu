/* SPDX-License-Identifier: MIT */
/*
 * graph_numbers LIBCUPTI: the numbers that CUPTI's records have of graphs and their nodes. Prints
 * the numbers of a graph's nodes in the order in which they were added, and for each launch those
 * of the nodes recorded. The graph of a record is named only where it is not the executable
 * graph's number, by how much it is off. No figure depends on how many graphs there were before:
 * the lines are the same with two versions of CUPTI that number alike.
 */
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cupti.h>
#include <dlfcn.h>

#include "check.cuh"

#define CUPTI_CALLS(X)                                                                             \
	X(cuptiActivityRegisterCallbacks)                                                          \
	X(cuptiActivityEnable)                                                                     \
	X(cuptiActivityGetNextRecord)                                                              \
	X(cuptiActivityFlushAll)                                                                   \
	X(cuptiGetGraphNodeId)                                                                     \
	X(cuptiGetGraphExecId)

#define DECLARE(name) static __typeof__(&name) name##_pointer;
CUPTI_CALLS(DECLARE)
#undef DECLARE

#define BUFFER_SIZE (1 << 20)

struct record {
	std::string name;
	uint32_t graph;
	uint64_t node;
};

static std::vector<record> records;
static cudaStream_t stream;
static int *data;

extern "C" {
__global__ void a(int *)
{
}

__global__ void b(int *)
{
}

__global__ void c(int *)
{
}

__global__ void d(int *)
{
}

__global__ void thrice(int *data, cudaGraphConditionalHandle handle)
{
	cudaGraphSetConditional(handle, ++*data % 3 != 0);
}
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = (uint8_t *)aligned_alloc(8, BUFFER_SIZE);
	*size = BUFFER_SIZE;
	*most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
	CUpti_Activity *next = nullptr;

	while (cuptiActivityGetNextRecord_pointer(buffer, valid, &next) == CUPTI_SUCCESS) {
		if (next->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
			auto *kernel = (CUpti_ActivityKernel9 *)next;

			records.push_back({kernel->name, kernel->graphId, kernel->graphNodeId});
		} else if (next->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
			auto *memset = (CUpti_ActivityMemset4 *)next;

			records.push_back({"memset", memset->graphId, memset->graphNodeId});
		} else if (next->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
			auto *copy = (CUpti_ActivityMemcpy5 *)next;

			records.push_back({"copy", copy->graphId, copy->graphNodeId});
		}
	}
	free(buffer);
}

static bool open_cupti(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		fprintf(stderr, "graph_numbers: %s\n", dlerror());
		return false;
	}
#define LOOK_UP(name) name##_pointer = (__typeof__(&name))dlsym(library, #name);
	CUPTI_CALLS(LOOK_UP)
#undef LOOK_UP
	cuptiActivityRegisterCallbacks_pointer(give_buffer, take_buffer);
	cuptiActivityEnable_pointer(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	cuptiActivityEnable_pointer(CUPTI_ACTIVITY_KIND_MEMCPY);
	cuptiActivityEnable_pointer(CUPTI_ACTIVITY_KIND_MEMSET);
	return true;
}

static cudaGraphNode_t add(cudaGraph_t graph, void (*kernel)(int *))
{
	void *arguments[] = {&data};
	cudaKernelNodeParams parameters = {};
	cudaGraphNode_t nodes[32], node;
	size_t number = 32;

	/* After all that there are: one runs at a time. */
	CHECK(cudaGraphGetNodes(graph, nodes, &number));
	parameters.func = (void *)kernel;
	parameters.gridDim = parameters.blockDim = dim3(1);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, graph, nodes, number, &parameters));
	return node;
}

static cudaGraph_t make(std::vector<void (*)(int *)> kernels)
{
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	for (void (*kernel)(int *) : kernels)
		add(graph, kernel);
	return graph;
}

/* The numbers of a graph's nodes, in the driver's order. */
static std::string numbers(cudaGraph_t graph)
{
	cudaGraphNode_t nodes[32];
	size_t number = 32;
	std::string text;

	if (!cuptiGetGraphNodeId_pointer)
		return " not told";
	CHECK(cudaGraphGetNodes(graph, nodes, &number));
	for (size_t i = 0; i < number; i++) {
		uint64_t id = 0;
		CUptiResult result = cuptiGetGraphNodeId_pointer((CUgraphNode)nodes[i], &id);

		text += " " + (result ? "error " + std::to_string((int)result)
				      : std::to_string((uint32_t)id));
	}
	return text;
}

static std::string off(const char *what, uint64_t number, uint64_t own)
{
	return what + std::to_string((long)number - (long)own) + " off)";
}

static void launch(const char *title, cudaGraphExec_t executable)
{
	std::map<std::pair<uint64_t, std::string>, int> counted;
	uint32_t own = 0;

	CHECK(cudaStreamSynchronize(stream));
	cuptiActivityFlushAll_pointer(1);
	records.clear();
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	cuptiActivityFlushAll_pointer(1);
	if (cuptiGetGraphExecId_pointer)
		cuptiGetGraphExecId_pointer((CUgraphExec)executable, &own);
	printf("%s: records", title);
	for (const record &record : records) {
		std::string text = record.name + ":" + std::to_string((uint32_t)record.node);

		if (record.graph != own)
			text += off(" (graph ", record.graph, own);
		if (record.node >> 32 != record.graph)
			text += off(" (node of graph ", record.node >> 32, own);
		counted[{record.node, text}]++;
	}
	for (const auto &[key, times] : counted)
		printf(" %s%s", key.second.c_str(),
		       times > 1 ? (" x" + std::to_string(times)).c_str() : "");
	printf("\n");
}

static cudaGraphExec_t launch_graph(const char *title, cudaGraph_t graph)
{
	cudaGraphExec_t executable;

	printf("%s: nodes%s\n", title, numbers(graph).c_str());
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	launch(title, executable);
	return executable;
}

static void of_all_kinds(void)
{
	cudaGraph_t graph = make({a}), clone;
	cudaGraphNode_t memset, copy, empty;
	cudaMemsetParams parameters = {};
	cudaGraphExec_t executable;

	parameters.dst = data;
	parameters.elementSize = 4;
	parameters.width = parameters.height = 1;
	CHECK(cudaGraphAddMemsetNode(&memset, graph, nullptr, 0, &parameters));
	CHECK(cudaGraphAddEmptyNode(&empty, graph, &memset, 1));
	add(graph, b);
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, data + 1, data, sizeof(*data),
				       cudaMemcpyDeviceToDevice));
	add(graph, c);
	executable = launch_graph("of all kinds", graph);
	launch("launched again", executable);
	launch_graph("another instance", graph);
	CHECK(cudaGraphClone(&clone, graph));
	launch_graph("a clone", clone);
	CHECK(cudaGraphExecDestroy(executable));
	launch_graph("an instance after one was destroyed", graph);
}

static void removed(void)
{
	cudaGraph_t graph = make({a}), clone, whole = make({a, b, c, d});
	cudaGraphNode_t taken = add(graph, b);
	cudaGraphExecUpdateResultInfo information;
	cudaGraphExec_t executable;

	add(graph, c);
	CHECK(cudaGraphDestroyNode(taken));
	launch_graph("the second of three removed", graph);
	add(graph, d);
	add(graph, d);
	executable = launch_graph("two added after that", graph);
	CHECK(cudaGraphClone(&clone, graph));
	launch_graph("a clone of that", clone);
	CHECK(cudaGraphExecUpdate(executable, whole, &information));
	launch("updated by a graph without gaps", executable);
	executable = launch_graph("without gaps", whole);
	CHECK(cudaGraphExecUpdate(executable, graph, &information));
	launch("updated by a graph with a gap", executable);
}

static void updated(void)
{
	cudaGraph_t graph = make({a, b, c}), other = make({c, a, b});
	cudaGraphExec_t executable = launch_graph("three kernels", graph);
	cudaGraphExecUpdateResultInfo information;
	cudaKernelNodeParams parameters = {};
	void *arguments[] = {&data};
	cudaGraphNode_t nodes[3];
	size_t number = 3;

	CHECK(cudaGraphGetNodes(graph, nodes, &number));
	parameters.func = (void *)d;
	parameters.gridDim = parameters.blockDim = dim3(1);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[1], &parameters));
	launch("the second one set", executable);
	CHECK(cudaGraphNodeSetEnabled(executable, nodes[0], 0));
	launch("the first one disabled", executable);
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphExecUpdate(executable, other, &information));
	launch("updated by other kernels", executable);
}

static void children(void)
{
	cudaGraph_t inner = make({b, c}), middle = make({a}), outer = make({a});
	cudaGraphNode_t child, second;

	CHECK(cudaGraphAddChildGraphNode(&child, middle, nullptr, 0, inner));
	add(middle, d);
	CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, middle));
	add(outer, d);
	CHECK(cudaGraphAddChildGraphNode(&second, outer, &child, 1, inner));
	launch_graph("child graphs, one in another", outer);
}

static void captured(void)
{
	cudaEvent_t begin, end;
	cudaStream_t other;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&other));
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	a<<<1, 1, 0, stream>>>(data);
	CHECK(cudaEventRecord(begin, stream));
	CHECK(cudaStreamWaitEvent(other, begin, 0));
	b<<<1, 1, 0, other>>>(data);
	CHECK(cudaMemsetAsync(data + 2, 0, sizeof(*data), stream));
	c<<<1, 1, 0, stream>>>(data);
	CHECK(cudaEventRecord(end, other));
	CHECK(cudaStreamWaitEvent(stream, end, 0));
	d<<<1, 1, 0, stream>>>(data);
	CHECK(cudaStreamEndCapture(stream, &graph));
	launch_graph("captured from two streams", graph);
}

static cudaGraph_t add_conditional(cudaGraph_t graph, cudaGraphConditionalNodeType type,
				   cudaGraphConditionalHandle *handle)
{
	cudaGraphNodeParams parameters = {};
	cudaGraphNode_t node;

	CHECK(cudaGraphConditionalHandleCreate(handle, graph, 1, cudaGraphCondAssignDefault));
	parameters.type = cudaGraphNodeTypeConditional;
	parameters.conditional.handle = *handle;
	parameters.conditional.type = type;
	parameters.conditional.size = 1;
#if CUDART_VERSION >= 13000
	CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
#else
	CHECK(cudaGraphAddNode(&node, graph, nullptr, 0, &parameters));
#endif
	return parameters.conditional.phGraph_out[0];
}

static void conditional(void)
{
	cudaGraph_t graph = make({a}), clone, body;
	cudaKernelNodeParams parameters = {};
	cudaGraphConditionalHandle handle;
	void *arguments[] = {&data, &handle};
	cudaGraphNode_t node;

	body = add_conditional(graph, cudaGraphCondTypeIf, &handle);
	add(body, b);
	add(body, c);
	add(graph, d);
	printf("an if node's body: nodes%s\n", numbers(body).c_str());
	launch("an if node, launched again", launch_graph("an if node", graph));

	graph = make({a});
	body = add_conditional(graph, cudaGraphCondTypeWhile, &handle);
	parameters.func = (void *)thrice;
	parameters.gridDim = parameters.blockDim = dim3(1);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, body, nullptr, 0, &parameters));
	add(body, b);
	add(graph, d);
	CHECK(cudaMemset(data, 0, sizeof(*data)));
	launch_graph("a while node, three times", graph);
	if (cudaGraphClone(&clone, graph) == cudaSuccess)
		launch_graph("its clone", clone);
	else
		printf("its clone: refused\n");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, nullptr, _IOLBF, 0); /* what it said before CUPTI ends it counts */
	if (!open_cupti(argc > 1 ? argv[1] : "libcupti.so.13"))
		return 1;
	CHECK(cudaMalloc(&data, 64));
	CHECK(cudaMemset(data, 0, 64));
	CHECK(cudaStreamCreate(&stream));
	of_all_kinds();
	removed();
	updated();
	children();
	captured();
	conditional();
	return 0;
}
