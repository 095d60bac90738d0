/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs are made while CUPTI's kernel kind is off. A graph of 100 empty kernels that
 * was made while it was on takes 69.6 us a launch once it is off, one made while it was off 52.3
 * (H200, CUPTI 13.0; 51.1 without CUPTI). The collector turns the kind off and on; the program's
 * thread waits for that, for a bounded time.
 */
#ifndef KTIME_PRELOAD_HANDLES_INSTANTIATION_H
#define KTIME_PRELOAD_HANDLES_INSTANTIATION_H

#include <stdatomic.h>
#include <stdbool.h>

/* To be called before and after the driver's call that makes or updates an executable graph, on the
 * program's thread. Before instantiation_watch() they only set instantiation_ever. */
void instantiation_begin(void);
void instantiation_end(void);
/* Before the driver's call that updates a graph, which some programs do before every launch: an
 * open window stays open. */
void instantiation_update_begin(void);

/* From now on the collector turns the kind off while graphs are made; `wake` wakes the collector.
 */
void instantiation_watch(void (*wake)(void));
/* Whether the program has made any executable graph, and how many calls that make one are in
 * progress. For the collector. */
extern _Atomic bool instantiation_ever;
extern _Atomic unsigned instantiation_count;
/* Tells the program's threads whether the kernel kind is off, and whether the collector records in
 * windows. If not in windows, the collector turns the kind on again as soon as the graph is made,
 * and the program's thread waits for that too, so that every launch is recorded. For the collector.
 */
void instantiation_tell(bool off, bool windows);
/* Tells the program's threads not to wait: the kernel kind stays on while they make graphs, as a
 * trace is taken or the program records kernels itself. Holds until the next instantiation_tell().
 * For the collector. */
void instantiation_stays_on(void);

#endif
