/* SPDX-License-Identifier: MIT */
/*
 * --energy: a thread of its own reads energy and clocks of the devices that the program uses, every
 * 100 ms, and writes them to the profile. NVML opens the devices, takes memory and some 20 ms for
 * that, and a broken driver may never answer: neither the program's threads nor the collector may
 * wait for it.
 */
#ifndef KTIME_PRELOAD_REPORTER_ENERGY_READER_H
#define KTIME_PRELOAD_REPORTER_ENERGY_READER_H

#include <stdbool.h>
#include <stddef.h>

struct session;

/*
 * Starts the thread, for the first devices of the session; `missing` says that there is no NVML to
 * be asked. The session must stay. How many threads were started: 1 or 0.
 */
unsigned energy_reader_start(struct session *session, size_t devices, bool missing);
/*
 * Has the devices read for the last time, and ends the thread; waits for it, 400 ms at most. False
 * if it did not answer: then its figures are those of its last reading, and NVML is not to be asked
 * by anyone. Any thread; takes no lock.
 */
bool energy_reader_end(void);

#endif
