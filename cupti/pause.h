/* SPDX-License-Identifier: MIT */
/* Turning the recording of kernels, and of copies between devices, off and on while the program
 * runs. */
#ifndef KTIME_CUPTI_PAUSE_H
#define KTIME_CUPTI_PAUSE_H

#include <stdbool.h>

#include "cupti/pause_reason.h"

/* Whether kernels can be turned off and on with this CUPTI while the program launches graphs
 * (versions.h). Call it once CUPTI is loaded. */
bool pause_is_safe(void);
/*
 * Stops recording kernels for ktime, or goes on; what the program has enabled goes on. False if
 * CUPTI does not record, or refused it. Any thread, without locks held.
 *
 * Copies and memsets must go on: with them off and on again some 50 times, PyTorch's ResNet-50 died
 * in 36 of 98 runs of a double free in CUPTI's own thread, and in 1 of 16 with graphs beside it;
 * with kernels alone off and on in none of 36 (H200, CUPTI 13.0).
 */
bool pause_kernels(enum pause_reason reason, bool paused);
/*
 * Records copies between devices from now on; without it ktime's CUPTI does not. To be called
 * before the program has the second device's context, as then none is missed. If CUPTI refuses,
 * the report says that a call of ktime's failed. Any thread.
 *
 * Once their kind (MEMCPY2) was enabled, each launch of a graph of 100 kernels takes the host 59 us
 * instead of 36, whatever is recorded (H200, CUPTI 13.0).
 */
void pause_ends_for_peer_copies(void);
/* Whether the program records kernels itself now: then a pause has no effect. Any thread. */
bool pause_is_refused(void);
/* Whether the program has recorded anything itself. Any thread. */
bool pause_was_shared(void);

#endif
