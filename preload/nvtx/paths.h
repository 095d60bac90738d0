/* SPDX-License-Identifier: MIT */
/*
 * The ways into ranges: a path is a range inside its path of enclosing ranges, and has a small
 * number. There are as many paths as places in the program, not as many as calls. Looking a path up
 * that is known takes no lock; adding one takes a lock. Any thread.
 */
#ifndef KTIME_PRELOAD_NVTX_PATHS_H
#define KTIME_PRELOAD_NVTX_PATHS_H

#include <stdint.h>

#include "report/session/session_nvtx.h"

#define PATHS_MOST    8192u
/* Not in any range, and not known in which. */
#define PATHS_OUTSIDE 0
#define PATHS_UNKNOWN UINT16_MAX

struct range_path {
	uint16_t parent; /* PATHS_OUTSIDE: none */
	uint16_t name;	 /* as names_range() numbers it */
	uint8_t style;	 /* enum range_style */
};

/* The path of a range inside another path; `parent` itself if there are too many paths. */
uint16_t paths_enter(uint16_t parent, uint16_t name, enum range_style style);
struct range_path paths_of(uint16_t path);
/* How often a path did not fit. */
uint64_t paths_lost(void);

#endif
