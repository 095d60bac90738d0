/* SPDX-License-Identifier: MIT */
/*
 * Watches for the end of the main thread. If it ends with pthread_exit(), the process goes on until
 * its other threads end: ktime's threads must not keep it alive.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H
#define KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/cupti.h"

/* Adds to the number of ktime's own threads, which begins with the collector and the reporter. To
 * be called before collector_begin(). */
void main_thread_add_own(unsigned threads);
/*
 * Start CUPTI, as cupti_start(), and count the threads that it starts as ktime's. The first
 * function is for the thread that starts ktime. The second is for the collector, while the program
 * may start and end threads: it counts the new threads that have the spare thread's name, as a
 * thread inherits its creator's name. If there is none, because CUPTI names its threads, all new
 * threads are counted: if too few are, a process whose main thread has ended would never end.
 */
int main_thread_start_cupti(const struct cupti_settings *settings, char *reason, size_t size);
int main_thread_start_cupti_later(const struct cupti_settings *settings, char *reason, size_t size);

/*
 * Whether the main thread has ended and only ktime's threads are left. Once it has ended that is
 * checked once a second, by reading a file of /proc. `now` is CLOCK_MONOTONIC in nanoseconds. For
 * the collector thread only.
 */
bool main_thread_was_last(uint64_t now);

#endif
