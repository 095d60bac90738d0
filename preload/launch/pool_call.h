/* SPDX-License-Identifier: MIT */
/* The calls of entries.def that allocate and free memory in the order of a stream, on their thread:
 * before and after the real call. Not on the launch path. */
#ifndef KTIME_PRELOAD_LAUNCH_POOL_CALL_H
#define KTIME_PRELOAD_LAUNCH_POOL_CALL_H

#include <stdint.h>

#include "preload/base/launch_section.h"
#include "preload/driver/driver.h"

enum pool_call {
	POOL_CALL_NONE,
	POOL_CALL_ALLOCATES, /* `address` is where the address goes */
	POOL_CALL_FREES,     /* `address` is freed */
	POOL_CALL_FREEING,   /* and was noted before the real call */
};

/* What a call does from now on. */
uint8_t pool_call_begin(uint8_t pool, const void *address) LAUNCH_COLD;
struct operation;
void pool_call_end(uint8_t pool, const void *address, uint64_t bytes, CUstream stream,
		   CUresult result, const struct operation *before) LAUNCH_COLD;

#endif
