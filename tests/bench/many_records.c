/* SPDX-License-Identifier: MIT */
/*
 * many_records PROFILE COUNT: a profile with a trace of COUNT records, in the order in which a
 * run has them: four threads that launch onto eight streams of two devices, an operation's record
 * some thousands of records after its call's, a range's after all that was called in it, and one
 * range around everything at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/session/session.h"
#include "report/session/items.h"

#define THREADS	    4
#define STREAMS	    8
#define NAMES	    1000
/* Calls whose operations' records come together, as of one buffer. */
#define BATCH	    5000
/* Calls in a range. */
#define RANGE_CALLS 1000
#define CALL_NS	    900
#define START	    1700000000000000000ULL

static struct session *session;
static uint64_t kernels[NAMES], launch, copy, copied, step, epoch;

static void add(const struct trace_record *record)
{
	if (session_trace(session, record)) {
		fputs("many_records: the trace did not fit\n", stderr);
		exit(1);
	}
}

static void add_call(uint64_t i)
{
	const bool is_copy = i % 16 == 0;

	add(&(struct trace_record){
		.kind = ROW_RUNTIME_API,
		.name = is_copy ? copy : launch,
		.kernel = is_copy ? 0 : kernels[i % NAMES],
		.start = START + i * CALL_NS,
		.end = START + i * CALL_NS + 600,
		.device = -1,
		.thread = 5000 + i % THREADS,
		.correlation = (uint32_t)i + 1,
	});
}

static void add_operation(uint64_t i)
{
	const uint64_t start = START + i * CALL_NS + 10000;
	struct trace_record record = {
		.kind = i % 16 == 0 ? ROW_MEMCPY : ROW_KERNEL,
		.name = i % 16 == 0 ? copied : kernels[i % NAMES],
		.start = start,
		.end = start + CALL_NS * (STREAMS - 1) + i % 700,
		.device = (int32_t)(i % STREAMS / (STREAMS / 2)),
		.context = 1 + (uint32_t)(i % STREAMS / (STREAMS / 2)),
		.stream = 7 + (uint32_t)(i % STREAMS),
		.correlation = (uint32_t)i + 1,
		.clock = CLOCK_CUPTI,
	};

	if (record.kind == ROW_MEMCPY) {
		record.bytes = 4096 * (1 + i % 100);
		record.source_kind = MEMORY_PINNED;
		record.destination_kind = MEMORY_DEVICE;
	} else {
		record.grid[0] = 1 + (uint32_t)(i % 4096);
		record.grid[1] = record.grid[2] = record.block[1] = record.block[2] = 1;
		record.block[0] = 256;
		record.registers = 32;
	}
	add(&record);
}

static void add_range(uint64_t name, uint64_t first, uint64_t last)
{
	add(&(struct trace_record){.kind = ROW_RANGE,
				   .name = name,
				   .start = START + first * CALL_NS - 10,
				   .end = START + last * CALL_NS + 700,
				   .device = -1,
				   .thread = 5000,
				   .result = RANGE_PUSH_POP});
}

int main(int argc, char **argv)
{
	const uint64_t calls = argc == 3 ? strtoull(argv[2], NULL, 10) / 2 : 0;
	char name[64];

	if (!calls) {
		fputs("usage: many_records PROFILE COUNT\n", stderr);
		return 2;
	}
	unlink(argv[1]);
	if (session_create(&session, argv[1], SESSION_TRACE | SESSION_KEPT)) {
		perror(argv[1]);
		return 1;
	}
	session_header(session)->trace_start = START;
	session_header(session)->finished = 1;
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "_Z22attention_forward_%04dPKfS0_Pfi", i);
		kernels[i] = session_intern(session, name);
	}
	launch = session_intern(session, "cudaLaunchKernel");
	copy = session_intern(session, "cudaMemcpyAsync");
	copied = session_intern(session, "[CUDA memcpy HtoD]");
	step = session_intern(session, "step");
	epoch = session_intern(session, "epoch");
	for (uint64_t i = 0; i < calls; i += BATCH) {
		const uint64_t end = i + BATCH < calls ? i + BATCH : calls;

		for (uint64_t j = i; j < end; j++) {
			add_call(j);
			if (j % RANGE_CALLS == RANGE_CALLS - 1)
				add_range(step, j + 1 - RANGE_CALLS, j);
		}
		for (uint64_t j = i; j < end; j++)
			add_operation(j);
	}
	add_range(epoch, 0, calls);
	session_close(session);
	return 0;
}
