/* SPDX-License-Identifier: MIT */
/* Which calls return before their work is done, and what timers show that do not mind. */
#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/workload.cuh"

static const char usage[] =
	"[--milliseconds M]\n"
	"Four demonstrations with a kernel that lasts M milliseconds (default 5):\n"
	"  the first launch against later ones, which find the kernel loaded\n"
	"  which calls return while the device is still busy with what came before them\n"
	"  what a timer of the host shows without synchronisation, and what events show that are "
	"in\n"
	"  another stream than the kernel, or in one of several that share the device\n"
	"  the resolution of events\n";

/* Each block lasts as many cycles of its multiprocessor's clock. */
__global__ void spin(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

__global__ void first_used(int *word)
{
	*word = 1;
}

static double microseconds(int64_t since_ns)
{
	return (workload_now_ns() - since_ns) / 1e3;
}

struct state {
	long long cycles;
	char *device, *other, *pinned, *pageable;
	cudaStream_t streams[2];
	cudaEvent_t busy; /* behind the kernel */
};

enum {
	SMALL = 64 << 10,
	LARGE = 4 << 20,
};

/* A call behind a busy kernel. */
struct call {
	const char *name;
	cudaError_t (*make)(const state &state);
	bool at_once; /* by the programming guide of 2012 */
};

static cudaError_t another_launch(const state &)
{
	spin<<<1, 1>>>(1);
	return cudaGetLastError();
}

static const call calls[] = {
	{"kernel launch", another_launch, true},
	{"cudaMemcpy DtoD, 4 MB",
	 [](const state &s) {
		 return cudaMemcpy(s.other, s.device, LARGE, cudaMemcpyDeviceToDevice);
	 },
	 true},
	{"cudaMemcpy HtoD, 64 KB, pageable",
	 [](const state &s) {
		 return cudaMemcpy(s.device, s.pageable, SMALL, cudaMemcpyHostToDevice);
	 },
	 true},
	{"cudaMemcpy HtoD, 4 MB, pageable",
	 [](const state &s) {
		 return cudaMemcpy(s.device, s.pageable, LARGE, cudaMemcpyHostToDevice);
	 },
	 false},
	{"cudaMemcpy HtoD, 64 KB, pinned",
	 [](const state &s) {
		 return cudaMemcpy(s.device, s.pinned, SMALL, cudaMemcpyHostToDevice);
	 },
	 true},
	{"cudaMemcpy DtoH, 64 KB, pageable",
	 [](const state &s) {
		 return cudaMemcpy(s.pageable, s.device, SMALL, cudaMemcpyDeviceToHost);
	 },
	 false},
	{"cudaMemcpyAsync HtoD, 4 MB, pinned",
	 [](const state &s) {
		 return cudaMemcpyAsync(s.device, s.pinned, LARGE, cudaMemcpyHostToDevice);
	 },
	 true},
	{"cudaMemcpyAsync DtoH, 4 MB, pinned",
	 [](const state &s) {
		 return cudaMemcpyAsync(s.pinned, s.device, LARGE, cudaMemcpyDeviceToHost);
	 },
	 true},
	{"cudaMemcpyAsync HtoD, 4 MB, pageable",
	 [](const state &s) {
		 return cudaMemcpyAsync(s.device, s.pageable, LARGE, cudaMemcpyHostToDevice);
	 },
	 true},
	{"cudaMemcpyAsync DtoH, 4 MB, pageable",
	 [](const state &s) {
		 return cudaMemcpyAsync(s.pageable, s.device, LARGE, cudaMemcpyDeviceToHost);
	 },
	 true},
	{"cudaMemset, 4 MB", [](const state &s) { return cudaMemset(s.device, 0, LARGE); }, true},
	{"cudaMemsetAsync, 4 MB",
	 [](const state &s) { return cudaMemsetAsync(s.device, 0, LARGE); }, true},
	{"cudaDeviceSynchronize", [](const state &) { return cudaDeviceSynchronize(); }, false},
};

static void first_launch(const state &state)
{
	int64_t start;

	std::printf("Launch and synchronisation, by the host (us):\n");
	for (int i = 0; i < 4; i++) {
		start = workload_now_ns();
		first_used<<<1, 1>>>((int *)state.device);
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
		std::printf("  launch %d  %12.1f\n", i + 1, microseconds(start));
	}
}

/* The kernel ahead of the call says whether the call has waited: it runs on or is done. */
static void which_return(const state &state)
{
	std::printf("\nCalls behind a busy kernel:\n  %-37s  %12s  %-8s  %s\n", "call", "host (us)",
		    "at once", "2012 guide");
	for (const call &call : calls) {
		CHECK(cudaDeviceSynchronize());
		spin<<<1, 1>>>(state.cycles);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(state.busy));

		int64_t start = workload_now_ns();
		CHECK(call.make(state));
		double us = microseconds(start);
		cudaError_t busy = cudaEventQuery(state.busy);

		if (busy != cudaErrorNotReady)
			CHECK(busy);
		std::printf("  %-37s  %12.1f  %-8s  %s\n", call.name, us,
			    busy == cudaErrorNotReady ? "yes" : "no", call.at_once ? "yes" : "no");
	}
	CHECK(cudaDeviceSynchronize());
	/* A query that was answered "not ready" is remembered as the last error. */
	cudaGetLastError();
}

static void print_time(const char *what, double seconds)
{
	std::printf("  %-66s  %10.3f\n", what, seconds * 1e3);
}

/* Blocks of 1024 threads that fill the device, so that a second such kernel waits for the first. */
static int filling_blocks()
{
	return workload_attribute(cudaDevAttrMultiProcessorCount) *
	       (workload_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 1024);
}

static void misleading_timers(const state &state)
{
	int filling = filling_blocks();
	event_pair right, other, device, second;
	int64_t start;

	std::printf("\nA kernel of the same time, timed in several ways (ms):\n");
	CHECK(cudaDeviceSynchronize());
	start = workload_now_ns();
	spin<<<1, 1>>>(state.cycles);
	CHECK(cudaGetLastError());
	print_time("host timer, no synchronisation", microseconds(start) / 1e6);
	CHECK(cudaDeviceSynchronize());
	print_time("host timer, then synchronisation", microseconds(start) / 1e6);

	right.start(state.streams[0]);
	other.start(state.streams[1]);
	spin<<<1, 1, 0, state.streams[0]>>>(state.cycles);
	CHECK(cudaGetLastError());
	other.stop(state.streams[1]);
	right.stop(state.streams[0]);
	print_time("events in the kernel's stream", right.seconds());
	print_time("events in another stream, which has no kernel", other.seconds());

	device.start(state.streams[0]);
	spin<<<filling, 1024, 0, state.streams[0]>>>(state.cycles);
	CHECK(cudaGetLastError());
	second.start(state.streams[1]);
	spin<<<filling, 1024, 0, state.streams[1]>>>(state.cycles);
	CHECK(cudaGetLastError());
	second.stop(state.streams[1]);
	device.stop(state.streams[0]);
	print_time("events around a kernel that waits for one in another stream", second.seconds());
	CHECK(cudaDeviceSynchronize());

	device.start();
	for (cudaStream_t stream : state.streams) {
		spin<<<1, 1, 0, stream>>>(state.cycles);
		CHECK(cudaGetLastError());
	}
	device.stop();
	print_time("events in the default stream around two kernels side by side",
		   device.seconds());
}

/* Times from one event to the next: the smallest step between two of these is the resolution. */
static void resolution()
{
	enum { EVENTS = 512 };
	std::vector<cudaEvent_t> events(EVENTS);
	std::vector<long> ns;
	long step = 0;
	float ms;

	for (cudaEvent_t &event : events)
		CHECK(cudaEventCreate(&event));
	for (cudaEvent_t event : events)
		CHECK(cudaEventRecord(event));
	CHECK(cudaDeviceSynchronize());
	for (int i = 1; i < EVENTS; i++) {
		CHECK(cudaEventElapsedTime(&ms, events[i - 1], events[i]));
		ns.push_back(std::lround(ms * 1e6));
	}
	std::sort(ns.begin(), ns.end());
	for (size_t i = 1; i < ns.size(); i++) {
		if (ns[i] > ns[i - 1] && (!step || ns[i] - ns[i - 1] < step))
			step = ns[i] - ns[i - 1];
	}
	std::printf("\n%d times between one event and the next (ns): from %ld to %ld, in steps "
		    "of %ld\n",
		    EVENTS - 1, ns.front(), ns.back(), step);
	for (cudaEvent_t event : events)
		CHECK(cudaEventDestroy(event));
}

int main(int argc, char **argv)
{
	int milliseconds = 5;
	const struct workload_option options[] = {
		WORKLOAD_COUNT("milliseconds", &milliseconds, 1000),
		WORKLOAD_END,
	};
	std::vector<char> pageable(LARGE);
	state state;

	workload_parse(usage, options, argc, argv);
	state.cycles = (long long)milliseconds * workload_attribute(cudaDevAttrClockRate);
	state.pageable = pageable.data();
	CHECK(cudaMalloc(&state.device, LARGE));
	CHECK(cudaMalloc(&state.other, LARGE));
	CHECK(cudaMallocHost(&state.pinned, LARGE));
	CHECK(cudaEventCreateWithFlags(&state.busy, cudaEventDisableTiming));
	for (cudaStream_t &stream : state.streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
	first_launch(state);
	/* Each once, so that none is loaded or finds its memory new while it is timed. */
	spin<<<1, 1>>>(1);
	CHECK(cudaGetLastError());
	for (const call &call : calls)
		CHECK(call.make(state));
	which_return(state);
	misleading_timers(state);
	resolution();
	for (cudaStream_t stream : state.streams)
		CHECK(cudaStreamDestroy(stream));
	CHECK(cudaEventDestroy(state.busy));
	CHECK(cudaFreeHost(state.pinned));
	CHECK(cudaFree(state.other));
	CHECK(cudaFree(state.device));
	return 0;
}
