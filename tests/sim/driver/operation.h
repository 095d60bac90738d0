/* SPDX-License-Identifier: MIT */
/*
 * A piece of work as a stream takes it and as a graph's node keeps it: a kernel, a copy, a memset,
 * or something of no duration.
 */
#ifndef SIM_DRIVER_OPERATION_H
#define SIM_DRIVER_OPERATION_H

#include "tests/sim/driver/sim.h"

struct kernel;
struct graph_exec;

enum operation_kind {
	OPERATION_EMPTY,
	OPERATION_KERNEL,
	OPERATION_COPY,
	OPERATION_MEMSET,
	OPERATION_MOVEMENT, /* prefetch, discard and the like */
	OPERATION_HOST,
	OPERATION_STREAM_MEMORY, /* waits and writes of the stream's front end */
	OPERATION_GRAPH,
};

enum memory_kind {
	MEMORY_PAGEABLE,
	MEMORY_PINNED,
	MEMORY_DEVICE,
	MEMORY_MANAGED,
	MEMORY_ARRAY,
};

/* One side of a copy: rows of row_bytes, rows of a slice height apart. */
struct copy_side {
	char *address;
	size_t pitch;
	size_t height;
	enum memory_kind kind;
	CUdevice device;
};

struct operation {
	enum operation_kind kind;
	size_t bytes;
	bool asynchronous; /* by its entry */
	union {
		struct {
			const struct kernel *kernel;
			CUfunction function; /* as the program named it */
			unsigned int grid[3];
			unsigned int block[3];
			unsigned int shared_bytes;
			bool cooperative;
			void **parameters;
		} launch;
		struct {
			struct copy_side from, to;
			size_t row_bytes, rows, slices;
			bool peers;  /* between two devices */
			bool staged; /* through the host: peer access is off */
		} copy;
		struct {
			char *address;
			size_t pitch, width, rows; /* width in elements */
			unsigned int element;	   /* bytes: 1, 2 or 4 */
			unsigned int value;
			enum memory_kind memory;
		} memset;
		struct {
			void (*function)(void *);
			void *argument;
		} host;
		struct {
			bool transfers; /* bytes over the bus */
		} movement;
		struct {
			bool waits; /* for what is there already */
		} stream_memory;
		struct graph_exec *graph;
	} u;
};

/* A copy with kernel parameters of its own; false without memory. */
bool operation_copy(struct operation *to, const struct operation *from);
void operation_release(struct operation *operation);

/* Does the work on the CPU. */
void operation_execute(const struct operation *operation);

/* Nanoseconds on the device, as CUPTI would see them. */
uint64_t operation_duration_ns(const struct operation *operation);

/* A kernel, a graph of kernels, or what the device does by one: no copy engine has to. */
bool operation_runs_as_kernel(const struct operation *operation);

/* What a pair of events around the operation measures on top of that. */
uint64_t operation_bias_ns(const struct operation *operation);

/* The time between two back-to-back events. */
uint64_t operation_event_ns(void);

/* Where the operation is ktime's self-timing kernel: writes what it read from the device's clock.
 */
void operation_read_clock(const struct operation *operation, uint64_t start_ns, uint64_t end_ns);

#endif
