/* SPDX-License-Identifier: MIT */
/* Which calls --nvtx-include leaves in. For the collector thread only. */
#ifndef KTIME_PRELOAD_NVTX_INCLUDE_H
#define KTIME_PRELOAD_NVTX_INCLUDE_H

#include <stdbool.h>
#include <stdint.h>

/* To be called first, with the settings read. */
void include_start(void);
/* Whether the user asked for some ranges only. */
bool include_is_on(void);
/* Whether a call is reported that was made in this path, and in the start/end ranges of these bits
 * (started.h). */
bool include_call(uint16_t path, uint32_t started);

#endif
