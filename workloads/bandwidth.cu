/* SPDX-License-Identifier: MIT */
/* Bandwidth of copies by direction, kind of host memory and size. */
#include <cstring>
#include <vector>

#include "workloads/workload.cuh"

static const char usage[] =
	"[--bytes B | --range] [--copies C] [--memory both|pinned|pageable]\n"
	"Bandwidth of copies from host to device, from device to host and within the device, by "
	"events\n"
	"around C copies (default 10) of B bytes (default 33554432), or of sizes from 1 KB to 64 "
	"MB\n"
	"(--range). The host's memory is pinned, pageable or both in turn. A copy within the "
	"device\n"
	"reads and writes each byte: both are counted, as the CUDA samples' bandwidthTest counts "
	"them.\n";

enum memory {
	MEMORY_BOTH,
	MEMORY_PINNED,
	MEMORY_PAGEABLE,
};

struct options {
	int bytes = 32 << 20, copies = 10, memory = MEMORY_BOTH, range = 0;
};

struct buffers {
	char *host, *device, *other; /* other: on the device */
	bool pinned;
};

/* Of one copy. One that is not asynchronous waits for itself: the stream cannot be held. */
static double seconds_of(const options &options, void *to, const void *from, size_t bytes,
			 cudaMemcpyKind kind, bool asynchronous)
{
	CHECK(cudaMemcpy(to, from, bytes, kind));
	if (asynchronous)
		return workload_held_seconds([&] {
			       for (int i = 0; i < options.copies; i++)
				       CHECK(cudaMemcpyAsync(to, from, bytes, kind));
		       }) /
		       options.copies;

	event_pair events;

	events.start();
	for (int i = 0; i < options.copies; i++)
		CHECK(cudaMemcpy(to, from, bytes, kind));
	events.stop();
	return events.seconds() / options.copies;
}

static void print(const char *direction, const char *memory, size_t bytes, int times, double s)
{
	std::printf("%-16s  %-8s  %10zu  %12.3f  %10.3f\n", direction, memory, bytes, s * 1e6,
		    times * bytes / s / 1e9);
}

static char pattern(size_t i)
{
	return i % 251 + i / 251 % 2;
}

static size_t count_wrong(const char *data, size_t bytes)
{
	size_t wrong = 0;

	for (size_t i = 0; i < bytes; i++)
		wrong += data[i] != pattern(i);
	return wrong;
}

/* From the host, back to it, and from one place of the device to another: right if all arrives. */
static bool measure(const options &options, const buffers &buffers, size_t bytes)
{
	const char *memory = buffers.pinned ? "pinned" : "pageable";
	size_t wrong = 0;
	double seconds;

	for (size_t i = 0; i < bytes; i++)
		buffers.host[i] = pattern(i);
	seconds = seconds_of(options, buffers.device, buffers.host, bytes, cudaMemcpyHostToDevice,
			     buffers.pinned);
	print("host to device", memory, bytes, 1, seconds);
	std::memset(buffers.host, 0, bytes);
	seconds = seconds_of(options, buffers.host, buffers.device, bytes, cudaMemcpyDeviceToHost,
			     buffers.pinned);
	print("device to host", memory, bytes, 1, seconds);
	wrong += count_wrong(buffers.host, bytes);
	if (buffers.pinned || options.memory == MEMORY_PAGEABLE) {
		seconds = seconds_of(options, buffers.other, buffers.device, bytes,
				     cudaMemcpyDeviceToDevice, true);
		print("device to device", "-", bytes, 2, seconds);
		std::memset(buffers.host, 0, bytes);
		CHECK(cudaMemcpy(buffers.host, buffers.other, bytes, cudaMemcpyDeviceToHost));
		wrong += count_wrong(buffers.host, bytes);
	}
	return !wrong;
}

int main(int argc, char **argv)
{
	static const char *const memories[] = {"both", "pinned", "pageable", nullptr};
	options options;
	const struct workload_option table[] = {
		WORKLOAD_COUNT("bytes", &options.bytes, 0),
		WORKLOAD_FLAG("range", &options.range),
		WORKLOAD_COUNT("copies", &options.copies, WORKLOAD_HELD_LAUNCHES),
		WORKLOAD_CHOICE("memory", &options.memory, memories),
		WORKLOAD_END,
	};

	workload_parse(usage, table, argc, argv);

	size_t first = options.range ? 1 << 10 : options.bytes;
	size_t largest = options.range ? 64 << 20 : options.bytes;
	std::vector<char> pageable(largest);
	buffers buffers = {};
	bool right = true;
	char *pinned;

	CHECK(cudaMallocHost(&pinned, largest));
	CHECK(cudaMalloc(&buffers.device, largest));
	CHECK(cudaMalloc(&buffers.other, largest));
	std::printf("%-16s  %-8s  %10s  %12s  %10s\n", "direction", "memory", "bytes",
		    "a copy (us)", "GB/s");
	for (int memory = MEMORY_PINNED; memory <= MEMORY_PAGEABLE; memory++) {
		if (options.memory != MEMORY_BOTH && options.memory != memory)
			continue;
		buffers.pinned = memory == MEMORY_PINNED;
		buffers.host = buffers.pinned ? pinned : pageable.data();
		for (size_t bytes = first; bytes <= largest; bytes *= 4)
			right &= measure(options, buffers, bytes);
	}
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(buffers.device));
	CHECK(cudaFree(buffers.other));
	std::printf("Result: %s\n", right ? "PASS" : "FAIL");
	return right ? 0 : 1;
}
