/* SPDX-License-Identifier: MIT */
/* ktime's other threads: they do what could block for long, for which the collector must not wait.
 */
#ifndef KTIME_PRELOAD_REPORTER_REPORTER_H
#define KTIME_PRELOAD_REPORTER_REPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/options/log_file.h"

/*
 * ktime's second thread. It sleeps until a signal ends the program; then it has the collector make
 * the report, makes a shorter one itself if the collector cannot, and ends the process as the
 * signal would have. It never calls the driver, CUPTI, the loader, malloc or stdio, and takes no
 * lock: the thread that the signal interrupted may hold any of these for good.
 */

struct reporter_output {
	const struct log_file *log;
	const char *kept;  /* the profile's file; NULL or "": the profile is in memory alone */
	const char *entry; /* its entry, to be removed (see folder_enter()); NULL or "": none */
	bool remove_kept;  /* the user did not ask for the file: remove it after the report */
};

/* Starts the thread; 0 or -errno. What `output` points to stays as it is until the process ends. */
int reporter_start(const struct reporter_output *output);

/*
 * Asks for the end by a signal that has come to the calling thread. False if an end was asked for
 * before; *milliseconds is then how long ago. For signal handlers.
 */
bool reporter_ask(int signal, unsigned *milliseconds);
/* Waits for the report, at most so long: for the handler of a fault, which cannot return before. */
void reporter_wait(unsigned milliseconds);

/*
 * Prints the report from the profile, in the calling thread, for an end that no signal brought: the
 * collector does not come back from the driver. A second at most; if it cannot be printed one line
 * names the profile.
 */
void reporter_print(void);

/*
 * Whether the caller is the one that prints the report, the first to ask. The collector asks before
 * it prints, the reporter before it prints in the collector's place.
 */
bool reporter_claim(void);

/*
 * The report that the reporter makes when the collector cannot: the table from the mapped profile,
 * without histograms, notes or options, and how many operations are missing in it. It uses memory
 * of its own and system calls alone. The reporter's thread, once.
 */

/* Writes as much of the report as is possible until `end` (CLOCK_MONOTONIC, ns). */
void last_report_write(const struct reporter_output *output, uint64_t end);
/* Whether all of it was written. */
bool last_report_is_written(void);

/*
 * The file of --prometheus, which a thread of its own writes: the file system may keep it waiting,
 * and the collector may not wait. It reads the profile as another process would.
 */

/*
 * Starts the thread if --prometheus was given; `profile` is the file that it reads, and stays. 0,
 * or -errno with a one-line message.
 */
int prometheus_file_start(const char *profile, char *message, size_t size);
/* Removes the file, and ends the thread; waits for it, 100 ms at most. Any thread; takes no
 * lock. */
void prometheus_file_end(void);

/*
 * --energy: a thread of its own reads energy and clocks of the devices that the program uses, every
 * 100 ms, and writes them to the profile. NVML opens the devices, takes memory and some 20 ms for
 * that, and a broken driver may never answer: neither the program's threads nor the collector may
 * wait for it.
 */

/*
 * Starts the thread, for the first devices of the session; `missing` says that there is no NVML to
 * be asked. How many threads were started: 1 or 0.
 */
unsigned energy_reader_start(size_t devices, bool missing);
/*
 * Has the devices read for the last time, and ends the thread; waits for it, 400 ms at most. False
 * if it did not answer: then its figures are those of its last reading, and NVML is not to be asked
 * by anyone. Any thread; takes no lock.
 */
bool energy_reader_end(void);

#endif
