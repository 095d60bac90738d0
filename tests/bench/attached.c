/* SPDX-License-Identifier: MIT */
/*
 * attached STEP…: what CUPTI costs the launches of a graph while it is attached and records
 * nothing, step by step, each an argument:
 *
 *   cupti=PATH       loads this libcupti and registers the callbacks for its buffers
 *   on=KIND          enables an activity kind: kernel, copies, runtime, graph; work: kernel and
 * copies off=KIND         disables it finalize         flushes and detaches CUPTI launches=N
 * launches a kernel N times and waits for them graph=N          makes a graph of N kernels of 2.5
 * us, in place of the one before wait=MS          launches it for so long; after each launch the
 * host reads a word from the device queue=MS         launches it for so long without waiting
 *   windows=KIND,MS  as wait=MS, with KIND on in 4 ms of every 50; the launches outside are
 * reported wholes=MS        the same with the kind `graph` off in the windows
 *
 * wait, queue, windows and wholes print a line of NAME=VALUE: ns and median_ns of a launch until
 * the host goes on, call_ns, the median of the launch's call.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda.h>
#include <cupti.h>

#define BUFFER_SIZE   (1 << 20)
#define MOST_LAUNCHES (1 << 20)
#define WINDOW_NS     4000000u
#define PERIOD_NS     50000000u
/* At most this many launches are queued: the driver would wait for room in the call. */
#define QUEUED	      100

#define KERNEL(name)                                                                               \
	".visible .entry " name "()\n{\n"                                                          \
	"\t.reg .u64 %start, %now;\n\t.reg .pred %more;\n"                                         \
	"\tmov.u64 %start, %clock64;\n"                                                            \
	"again:\n"                                                                                 \
	"\tmov.u64 %now, %clock64;\n\tsub.u64 %now, %now, %start;\n"                               \
	"\tsetp.lt.u64 %more, %now, 4500;\n\t@%more bra again;\n\tret;\n}\n"
#define KERNELS 4
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n" KERNEL("spin_0")
	KERNEL("spin_1") KERNEL("spin_2") KERNEL("spin_3");

#define CUPTI_CALLS(X)                                                                             \
	X(cuptiActivityRegisterCallbacks)                                                          \
	X(cuptiActivityEnable)                                                                     \
	X(cuptiActivityDisable)                                                                    \
	X(cuptiActivityFlushAll)                                                                   \
	X(cuptiFinalize)
#define DECLARE(name) static __typeof__(&name) name##_pointer;
CUPTI_CALLS(DECLARE)
#undef DECLARE

static CUstream stream;
static CUfunction kernels[KERNELS];
static CUdeviceptr word;
static uint64_t *pinned;
static CUgraphExec executable;
static int nodes;
static uint32_t calls[MOST_LAUNCHES], wholes[MOST_LAUNCHES];

static void check(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "attached: %s answers %d\n", what, result);
	exit(1);
}
#define CHECK(call) check((int)(call), #call)

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = aligned_alloc(8, BUFFER_SIZE);
	*size = *buffer ? BUFFER_SIZE : 0;
	*max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t id, uint8_t *buffer, size_t size,
				      size_t valid)
{
	(void)context, (void)id, (void)size, (void)valid;
	free(buffer);
}

static void load_cupti(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "attached: %s\n", dlerror());
		exit(1);
	}
#define RESOLVE(name)                                                                              \
	name##_pointer = (__typeof__(name##_pointer))dlsym(handle, #name);                         \
	check(!name##_pointer, #name);
	CUPTI_CALLS(RESOLVE)
#undef RESOLVE
	CHECK(cuptiActivityRegisterCallbacks_pointer(buffer_requested, buffer_completed));
}

static void turn(CUpti_ActivityKind kind, bool on)
{
	CHECK(on ? cuptiActivityEnable_pointer(kind) : cuptiActivityDisable_pointer(kind));
}

static void turn_named(const char *name, bool on)
{
	bool work = strcmp(name, "work") == 0;

	if (work || strcmp(name, "copies") == 0) {
		turn(CUPTI_ACTIVITY_KIND_MEMCPY, on);
		turn(CUPTI_ACTIVITY_KIND_MEMSET, on);
	}
	if (work || strcmp(name, "kernel") == 0)
		turn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, on);
	else if (strcmp(name, "runtime") == 0)
		turn(CUPTI_ACTIVITY_KIND_RUNTIME, on);
	else if (strcmp(name, "graph") == 0)
		turn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, on);
	else if (strcmp(name, "overhead") == 0)
		turn(CUPTI_ACTIVITY_KIND_OVERHEAD, on);
	else if (strcmp(name, "copies") != 0)
		check(1, name);
}

static void start_cuda(void)
{
	CUcontext context;
	CUmodule module;
	CUdevice device;

	if (stream)
		return;
	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoadData(&module, ptx));
	for (int i = 0; i < KERNELS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "spin_%d", i);
		CHECK(cuModuleGetFunction(&kernels[i], module, name));
	}
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuMemAlloc(&word, sizeof(*pinned)));
	CHECK(cuMemAllocHost((void **)&pinned, sizeof(*pinned)));
}

static void launch_kernels(long count)
{
	for (long i = 0; i < count; i++)
		CHECK(cuLaunchKernel(kernels[i % KERNELS], 1, 1, 1, 1, 1, 1, 0, stream, NULL,
				     NULL));
	CHECK(cuStreamSynchronize(stream));
}

static CUgraphExec graph_of(CUstream in, int count)
{
	CUgraphExec made;
	CUgraph graph;

	CHECK(cuStreamBeginCapture(in, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	for (int i = 0; i < count; i++)
		CHECK(cuLaunchKernel(kernels[i % KERNELS], 1, 1, 1, 1, 1, 1, 0, in, NULL, NULL));
	CHECK(cuStreamEndCapture(in, &graph));
	CHECK(cuGraphInstantiate(&made, graph, 0));
	CHECK(cuGraphDestroy(graph));
	return made;
}

static void make_graph(int count)
{
	if (executable)
		CHECK(cuGraphExecDestroy(executable));
	executable = graph_of(stream, count);
	nodes = count;
	/* The first launch uploads it. */
	for (int i = 0; i < 3; i++)
		CHECK(cuGraphLaunch(executable, stream));
	CHECK(cuStreamSynchronize(stream));
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t median(uint32_t *values, long count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

static void print(const char *step, long count)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += wholes[i];
	printf("step=%s nodes=%d launches=%ld ns=%.0f median_ns=%u call_ns=%u\n", step, nodes,
	       count, count ? sum / (double)count : 0, median(wholes, count), median(calls, count));
}

/* A launch that the host waits for; its figures go to the place `at`. */
static void launch_and_read(long at)
{
	uint64_t start = now(), called;

	CHECK(cuGraphLaunch(executable, stream));
	called = now();
	CHECK(cuMemcpyDtoHAsync(pinned, word, sizeof(*pinned), stream));
	CHECK(cuStreamSynchronize(stream));
	calls[at] = (uint32_t)(called - start);
	wholes[at] = (uint32_t)(now() - start);
}

/* `kind`: is turned to `inside` in windows; NULL: there are none. */
static void wait_for_each(const char *step, uint64_t ns, const char *kind, bool inside)
{
	uint64_t begin = now(), next = begin + PERIOD_NS, closes = 0;
	long count = 0;

	while (now() - begin < ns && count < MOST_LAUNCHES) {
		launch_and_read(count);
		count += !closes; /* that of a window is written over */
		if (!kind)
			continue;
		if (!closes && now() >= next) {
			turn_named(kind, inside);
			closes = now() + WINDOW_NS;
		} else if (closes && now() >= closes) {
			turn_named(kind, !inside);
			next = closes + PERIOD_NS;
			closes = 0;
		}
	}
	print(step, count);
}

static void queue(uint64_t ns)
{
	uint64_t begin = now(), batch;
	long count = 0;

	while (now() - begin < ns && count + QUEUED <= MOST_LAUNCHES) {
		batch = now();
		for (int i = 0; i < QUEUED; i++) {
			uint64_t start = now();

			CHECK(cuGraphLaunch(executable, stream));
			calls[count + i] = (uint32_t)(now() - start);
		}
		CHECK(cuStreamSynchronize(stream));
		for (int i = 0; i < QUEUED; i++)
			wholes[count++] = (uint32_t)((now() - batch) / QUEUED);
	}
	print("queue", count);
}

static void finalize(void)
{
	CHECK(cuptiActivityFlushAll_pointer(1));
	CHECK(cuptiFinalize_pointer());
}

static _Atomic bool ending;

/* Launches until `ending`, and makes its graph anew once in a while. */
static void *launch_on(void *context)
{
	uint64_t value;
	CUstream own;

	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
	while (!ending) {
		CUgraphExec made = graph_of(own, 20);

		for (int i = 0; i < 50 && !ending; i++) {
			CHECK(cuGraphLaunch(made, own));
			CHECK(cuLaunchKernel(kernels[i % KERNELS], 1, 1, 1, 1, 1, 1, 0, own, NULL,
					     NULL));
			CHECK(cuMemcpyDtoHAsync(&value, word, sizeof(value), own));
			if (i % 5 == 0)
				CHECK(cuStreamSynchronize(own));
		}
		CHECK(cuStreamSynchronize(own));
		CHECK(cuGraphExecDestroy(made));
	}
	return NULL;
}

static void attach_again(int count, uint64_t ns)
{
	static const struct timespec rest = {.tv_nsec = 20000000};
	pthread_t threads[64];
	uint64_t begin = now();
	CUcontext context;
	long cycles = 0;

	CHECK(cuCtxGetCurrent(&context));
	check(count < 1 || count > 64, "1 to 64 threads");
	for (int i = 0; i < count; i++)
		CHECK(pthread_create(&threads[i], NULL, launch_on, context));
	for (; now() - begin < ns && cycles < MOST_LAUNCHES; cycles++) {
		uint64_t start = now();

		CHECK(cuptiActivityRegisterCallbacks_pointer(buffer_requested, buffer_completed));
		turn_named("work", true);
		calls[cycles] = (uint32_t)(now() - start);
		nanosleep(&rest, NULL);
		start = now();
		finalize();
		wholes[cycles] = (uint32_t)(now() - start);
		nanosleep(&rest, NULL);
	}
	ending = true;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("step=again threads=%d cycles=%ld attach_ns=%u detach_ns=%u\n", count, cycles,
	       median(calls, cycles), median(wholes, cycles));
}

static void take_timed(const char *name, const char *value)
{
	const char *comma = strchr(value, ',');
	uint64_t ns = strtoull(comma ? comma + 1 : value, NULL, 10) * 1000000u;
	char kind[16] = "graph";

	if (comma)
		snprintf(kind, sizeof(kind), "%.*s", (int)(comma - value), value);
	if (strcmp(name, "again") == 0) {
		start_cuda();
		attach_again(atoi(value), ns);
		return;
	}
	check(!executable, "no graph");
	if (strcmp(name, "wait") == 0)
		wait_for_each(name, ns, NULL, false);
	else if (strcmp(name, "queue") == 0)
		queue(ns);
	else
		wait_for_each(name, ns, kind, strcmp(name, "windows") == 0);
}

static void take(const char *step)
{
	const char *equal = strchr(step, '='), *value = equal ? equal + 1 : "";
	char name[16];

	snprintf(name, sizeof(name), "%.*s", equal ? (int)(equal - step) : (int)sizeof(name), step);
	if (strcmp(name, "cupti") == 0) {
		load_cupti(value);
	} else if (strcmp(name, "on") == 0 || strcmp(name, "off") == 0) {
		turn_named(value, name[1] == 'n');
	} else if (strcmp(name, "finalize") == 0) {
		finalize();
	} else if (strcmp(name, "launches") == 0) {
		start_cuda();
		launch_kernels(atol(value));
	} else if (strcmp(name, "graph") == 0) {
		start_cuda();
		make_graph(atoi(value));
	} else {
		take_timed(name, value);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		take(argv[i]);
	return 0;
}
