/* SPDX-License-Identifier: MIT */
/* NVTX ranges around kernels, copies and memsets of known length: inside of each other, in a
 * domain, on two threads, and a start/end range over both. */
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "check.cuh"

__global__ void spin(unsigned long long nanoseconds)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - begin < nanoseconds);
}

static void launch(int times, unsigned long long microseconds, cudaStream_t stream)
{
	for (int i = 0; i < times; i++)
		spin<<<1, 32, 0, stream>>>(microseconds * 1000);
	CHECK(cudaGetLastError());
}

static void push_in(nvtxDomainHandle_t domain, const char *name)
{
	nvtxEventAttributes_t attributes = {};

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = nvtxDomainRegisterStringA(domain, name);
	nvtxDomainRangePushEx(domain, &attributes);
}

static void step(cudaStream_t stream, void *device, void *host)
{
	static nvtxDomainHandle_t library = nvtxDomainCreateA("library");

	nvtxRangePushA("step");
	CHECK(cudaMemcpyAsync(device, host, 16 << 20, cudaMemcpyHostToDevice, stream));
	nvtxRangePushA("forward");
	launch(20, 100, stream);
	push_in(library, "solve");
	launch(10, 50, stream);
	nvtxDomainRangePop(library);
	nvtxRangePop();
	nvtxRangePushA("backward");
	launch(40, 100, stream);
	nvtxRangePop();
	CHECK(cudaMemsetAsync(device, 0, 16 << 20, stream));
	nvtxRangePop();
}

static void worker(int steps)
{
	cudaStream_t stream;
	void *device, *host;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, 16 << 20));
	CHECK(cudaMallocHost(&host, 16 << 20));
	nvtxRangePushA("worker");
	for (int i = 0; i < steps; i++)
		step(stream, device, host);
	nvtxRangePop();
	CHECK(cudaStreamSynchronize(stream));
}

int main()
{
	nvtxRangeId_t request = nvtxRangeStartA("request");

	nvtxRangePushA("main");
	launch(5, 200, 0);
	CHECK(cudaDeviceSynchronize());
	std::thread first(worker, 10), second(worker, 5);
	first.join();
	second.join();
	nvtxRangeEnd(request);
	launch(5, 200, 0);
	CHECK(cudaDeviceSynchronize());
	nvtxRangePop();
	return 0;
}
