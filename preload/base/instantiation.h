/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs are made while CUPTI's kernel kind is off. A graph of 100 empty kernels that
 * was made while it was on takes 69.6 us a launch once it is off, one made while it was off 52.3
 * (H200, CUPTI 13.0; 51.1 without CUPTI). The collector turns the kind off and on; the program's
 * thread waits for that, for a bounded time.
 */
#ifndef KTIME_PRELOAD_BASE_INSTANTIATION_H
#define KTIME_PRELOAD_BASE_INSTANTIATION_H

#include <stdbool.h>

/* Before and after the driver's call that makes a graph, on the program's thread. Unless watched
 * it is only noted that there was one. */
void instantiation_begin(void);
void instantiation_end(void);
/* Before and after the driver's call that updates a graph, which some programs do before every
 * launch: an open window stays open. */
void instantiation_update_begin(void);

/* From now on the collector sees to it; `wake` wakes it. */
void instantiation_watch(void (*wake)(void));
/* Whether there has been any, and how many there are now. For the collector. */
bool instantiation_ever(void);
unsigned instantiation_count(void);
/* Tells the program's threads whether the kind is off, and whether the collector records in
 * windows. If it does not, the kind comes on again right after, and they wait for that too, so that
 * no launch is missed. For the collector. */
void instantiation_tell(bool off, bool windows);
/* Tells them that the kind is on and is not turned off for them: a trace is taken, or the program
 * records kernels itself. Until the next instantiation_tell(). For the collector. */
void instantiation_stays_on(void);

#endif
