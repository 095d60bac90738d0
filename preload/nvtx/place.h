/* SPDX-License-Identifier: MIT */
/* In which NVTX ranges a call was made. */
#ifndef KTIME_PRELOAD_NVTX_PLACE_H
#define KTIME_PRELOAD_NVTX_PLACE_H

#include <stdint.h>

struct range_place {
	uint32_t range; /* the thread's innermost push/pop range, as range_rows.h numbers it */
	uint32_t started : 31; /* start/end ranges that were open: bits, as in started.h */
	uint32_t included : 1; /* --nvtx-include leaves calls made here in */
};
_Static_assert(sizeof(struct range_place) == 8, "each operation in flight has one");

#endif
