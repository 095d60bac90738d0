/* SPDX-License-Identifier: MIT */
/* The device's side of a gate (see gate.h): a stream waits at it. */
#ifndef KTIME_PRELOAD_EVENTS_GATE_WAIT_H
#define KTIME_PRELOAD_EVENTS_GATE_WAIT_H

#include "preload/base/gate.h"
#include "preload/driver/driver.h"

/*
 * Has the stream write that it has arrived at the gate, then wait until it is open. Both in one
 * call, which takes the host no longer than the wait alone (H200: 1.0 us). `words`: the device's
 * address of the context's words. Any thread, with the context current.
 */
static inline CUresult gate_wait(CUstream stream, CUdeviceptr words, const struct gate *gate,
				 uint32_t value)
{
	CUdeviceptr of = words + gate_offset(gate);
	CUstreamBatchMemOpParams operations[] = {
		{.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
				.address = of + offsetof(struct gate_word, arrived) +
					   value % GATE_ARRIVALS * sizeof(uint32_t),
				.value = value}},
		{.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			       .address = of + offsetof(struct gate_word, word),
			       .value = value,
			       .flags = CU_STREAM_WAIT_VALUE_GEQ}},
	};

	return driver.cuStreamBatchMemOp_v2(stream, 2, operations, 0);
}

#endif
