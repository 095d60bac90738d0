/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/driver/host.h"
#include "tests/sim/driver/kernel.h"
#include "tests/sim/driver/operation.h"

/*
 * Copies: 1000 ns and the bytes at these rates, in bytes per 1000 ns. A pageable copy's pair holds
 * the host's staging as well.
 */
enum copy_path {
	PATH_HOST_TO_HOST,
	PATH_PAGEABLE,
	PATH_PINNED,
	PATH_ON_DEVICE,
	PATH_PEER,
};

static const struct {
	uint64_t bytes_per_us;
	uint64_t staging_bytes_per_us; /* 0: none */
} copy_paths[] = {
	[PATH_HOST_TO_HOST] = {10000, 0}, [PATH_PAGEABLE] = {20000, 20000},
	[PATH_PINNED] = {50000, 0},	  [PATH_ON_DEVICE] = {1000000, 0},
	[PATH_PEER] = {200000, 0},
};

enum {
	LATENCY_NS = 1000,
	MEMSET_BYTES_PER_US = 2000000,
	MOVEMENT_BYTES_PER_US = 20000,
	KERNEL_THREADS_PER_NS = 256,
	EVENT_NS = 1400,
	KERNEL_EVENT_NS = 1000,
	STREAM_MEMORY_NS = 500,
};

/* Parameters of unknown sizes cannot be kept: the kernel does nothing with them anyway. */
bool operation_copy(struct operation *to, const struct operation *from)
{
	const struct host_kernel *host;
	void **parameters;
	size_t bytes = 0;
	char *data;

	*to = *from;
	if (from->kind != OPERATION_KERNEL || !from->u.launch.parameters)
		return true;
	to->u.launch.parameters = NULL;
	host = from->u.launch.kernel->host;
	if (!host)
		return true;
	for (size_t i = 0; i < host->parameter_count; i++)
		bytes += sizeof(void *) + (host->parameter_sizes[i] + 15) / 16 * 16;
	parameters = malloc(bytes + 16);
	if (!parameters)
		return false;
	data = (char *)(parameters + host->parameter_count);
	for (size_t i = 0; i < host->parameter_count; i++) {
		memcpy(data, from->u.launch.parameters[i], host->parameter_sizes[i]);
		parameters[i] = data;
		data += (host->parameter_sizes[i] + 15) / 16 * 16;
	}
	to->u.launch.parameters = parameters;
	return true;
}

void operation_release(struct operation *operation)
{
	if (operation->kind == OPERATION_KERNEL)
		free(operation->u.launch.parameters);
}

static bool on_host(const struct copy_side *side)
{
	return side->kind == MEMORY_PAGEABLE || side->kind == MEMORY_PINNED;
}

static enum copy_path copy_path(const struct operation *operation)
{
	const struct copy_side *from = &operation->u.copy.from, *to = &operation->u.copy.to;

	if (on_host(from) && on_host(to))
		return PATH_HOST_TO_HOST;
	if (from->kind == MEMORY_PAGEABLE || to->kind == MEMORY_PAGEABLE)
		return PATH_PAGEABLE;
	if (on_host(from) || on_host(to))
		return PATH_PINNED;
	return from->device == to->device ? PATH_ON_DEVICE : PATH_PEER;
}

static void execute_copy(const struct operation *operation)
{
	const struct copy_side *from = &operation->u.copy.from, *to = &operation->u.copy.to;
	size_t row_bytes = operation->u.copy.row_bytes;

	for (size_t slice = 0; slice < operation->u.copy.slices; slice++) {
		for (size_t row = 0; row < operation->u.copy.rows; row++)
			memmove(to->address + (slice * to->height + row) * to->pitch,
				from->address + (slice * from->height + row) * from->pitch,
				row_bytes);
	}
}

static void execute_memset(const struct operation *operation)
{
	unsigned int element = operation->u.memset.element;

	for (size_t row = 0; row < operation->u.memset.rows; row++) {
		char *address = operation->u.memset.address + row * operation->u.memset.pitch;

		for (size_t i = 0; i < operation->u.memset.width; i++)
			memcpy(address + i * element, &operation->u.memset.value, element);
	}
}

void operation_execute(const struct operation *operation)
{
	switch (operation->kind) {
	case OPERATION_KERNEL:
		kernel_execute(operation);
		break;
	case OPERATION_COPY:
		execute_copy(operation);
		break;
	case OPERATION_MEMSET:
		execute_memset(operation);
		break;
	case OPERATION_HOST:
		host_enqueue(operation->u.host.function, operation->u.host.argument);
		break;
	default:
		break;
	}
}

static uint64_t at_rate(size_t bytes, uint64_t bytes_per_us)
{
	return LATENCY_NS + bytes * 1000 / bytes_per_us;
}

/* ktime's own kernel, which runs for as long as it is asked to by its clock. */
#define SELF_TIMING "ktime_self_timing"

/* SIM_KERNEL_NS="NAME=NS,…,*=NS" by mangled name; else from the number of threads. */
static uint64_t kernel_ns(const struct operation *operation)
{
	const char *name = operation->u.launch.kernel->name;
	const char *text = getenv("SIM_KERNEL_NS");
	uint64_t threads = 1;
	size_t length;

	if (!strcmp(name, SELF_TIMING) && operation->u.launch.parameters)
		return *(uint64_t *)operation->u.launch.parameters[1] +
		       sim_setting("SIM_READING_NS", KERNEL_EVENT_NS);
	while (text && *text) {
		length = strcspn(text, "=");
		if (!text[length])
			break;
		if ((length == 1 && *text == '*') ||
		    (length == strlen(name) && !strncmp(text, name, length)))
			return strtoull(text + length + 1, NULL, 10);
		text += strcspn(text, ",");
		text += *text == ',';
	}
	for (int i = 0; i < 3; i++)
		threads *= (uint64_t)operation->u.launch.grid[i] * operation->u.launch.block[i];
	return LATENCY_NS + (threads + KERNEL_THREADS_PER_NS - 1) / KERNEL_THREADS_PER_NS;
}

uint64_t operation_duration_ns(const struct operation *operation)
{
	switch (operation->kind) {
	case OPERATION_KERNEL:
		return kernel_ns(operation);
	case OPERATION_COPY:
		return at_rate(operation->bytes, copy_paths[copy_path(operation)].bytes_per_us);
	case OPERATION_MEMSET:
		return at_rate(operation->bytes, MEMSET_BYTES_PER_US);
	case OPERATION_MOVEMENT:
		return at_rate(operation->bytes, MOVEMENT_BYTES_PER_US);
	case OPERATION_STREAM_MEMORY:
		return STREAM_MEMORY_NS;
	default:
		return 0;
	}
}

uint64_t operation_event_ns(void)
{
	return sim_setting("SIM_EVENT_NS", EVENT_NS);
}

bool operation_runs_as_kernel(const struct operation *operation)
{
	switch (operation->kind) {
	case OPERATION_KERNEL:
	case OPERATION_MEMSET:
	case OPERATION_GRAPH:
		return true;
	case OPERATION_COPY:
		return copy_path(operation) == PATH_ON_DEVICE;
	default:
		return false;
	}
}

/* What a pair holds beside an operation, whatever it is. */
static uint64_t pair_ns(const struct operation *operation)
{
	return operation_event_ns() + (operation_runs_as_kernel(operation)
					       ? sim_setting("SIM_KERNEL_EVENT_NS", KERNEL_EVENT_NS)
					       : 0);
}

uint64_t operation_bias_ns(const struct operation *operation)
{
	uint64_t staging;

	switch (operation->kind) {
	case OPERATION_MEMSET:
		return pair_ns(operation) + sim_setting("SIM_MEMSET_EVENT_NS", 0);
	case OPERATION_KERNEL:
	case OPERATION_GRAPH:
	case OPERATION_MOVEMENT:
	case OPERATION_STREAM_MEMORY:
		return pair_ns(operation);
	case OPERATION_COPY:
		staging = copy_paths[copy_path(operation)].staging_bytes_per_us;
		return pair_ns(operation) + (staging ? at_rate(operation->bytes, staging) : 0);
	default:
		return 0;
	}
}

/* As the kernel that ktime measures event pairs with reads the device's clock: it has begun before
 * its first reading and ends after the last one. */
void operation_read_clock(const struct operation *operation, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t outside = sim_setting("SIM_READING_NS", KERNEL_EVENT_NS) / 2;
	uint64_t *result;

	if (operation->kind != OPERATION_KERNEL || !operation->u.launch.parameters ||
	    strcmp(operation->u.launch.kernel->name, SELF_TIMING))
		return;
	result = *(uint64_t **)operation->u.launch.parameters[0];
	result[0] = start_ns + outside;
	result[1] = end_ns - outside;
	result[2] = 1;
}
