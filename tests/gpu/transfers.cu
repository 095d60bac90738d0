/* SPDX-License-Identifier: MIT */
/*
 * transfers KIND MEMORY MIB COUNT: as many copies or memsets of one kind, and one before, each but
 * that between two events of its own, and their GB/s by these events: all bytes over all of the
 * time, the slowest and the fastest. KIND: HtoD, DtoH, DtoD, memset; MEMORY: pinned or pageable.
 */
#include "check.cuh"

#include <cstring>
#include <vector>

int main(int argc, char **argv)
{
	const char *kind = argc == 5 ? argv[1] : "";
	bool pinned = argc == 5 && strcmp(argv[2], "pinned") == 0;
	size_t bytes = argc == 5 ? strtoul(argv[3], NULL, 10) << 20 : 0;
	int count = argc == 5 ? atoi(argv[4]) : 0;
	char *host, *device, *other;
	double total = 0, slowest = 0, fastest = 0;

	if (bytes == 0 || count <= 0) {
		fprintf(stderr, "usage: %s KIND MEMORY MIB COUNT\n", argv[0]);
		return 2;
	}
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMalloc(&other, bytes));
	if (pinned)
		CHECK(cudaMallocHost(&host, bytes));
	else
		host = (char *)malloc(bytes);
	memset(host, 1, bytes);
	std::vector<cudaEvent_t> events(2 * count);
	for (cudaEvent_t &event : events)
		CHECK(cudaEventCreate(&event));
	/* The first one, which may load a module, is not timed. */
	for (int i = -1; i < count; i++) {
		if (i >= 0)
			CHECK(cudaEventRecord(events[2 * i]));
		if (strcmp(kind, "HtoD") == 0)
			CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
		else if (strcmp(kind, "DtoH") == 0)
			CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
		else if (strcmp(kind, "DtoD") == 0)
			CHECK(cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice));
		else
			CHECK(cudaMemsetAsync(device, i, bytes));
		if (i >= 0)
			CHECK(cudaEventRecord(events[2 * i + 1]));
		else
			CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < count; i++) {
		float ms;

		CHECK(cudaEventElapsedTime(&ms, events[2 * i], events[2 * i + 1]));
		double rate = (double)bytes / ms / 1e6;
		total += ms;
		slowest = i == 0 || rate < slowest ? rate : slowest;
		fastest = rate > fastest ? rate : fastest;
	}
	printf("%.3f %.3f %.3f\n", (double)bytes * count / total / 1e6, slowest, fastest);
	return 0;
}
