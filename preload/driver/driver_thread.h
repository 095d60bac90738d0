/* SPDX-License-Identifier: MIT */
/* Threads that the driver makes: on one of them it calls host functions. */
#ifndef KTIME_PRELOAD_DRIVER_DRIVER_THREAD_H
#define KTIME_PRELOAD_DRIVER_DRIVER_THREAD_H

#include <stdbool.h>

/* Finds what driver_thread_is_calling() needs of the driver's and libc's. Once, after
 * driver_load(); takes the loader's lock. */
void driver_thread_start(void);
/*
 * Whether the driver made the calling thread. The program's code runs there as a host function, a
 * stream's callback, a host node of a graph, or a destructor of a user object, and the driver waits
 * for its return. Also in signal handlers.
 */
bool driver_thread_is_calling(void);

#endif
