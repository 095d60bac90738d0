/* SPDX-License-Identifier: MIT */
/*
 * ktime's second thread. It sleeps until a signal ends the program; then it has the collector make
 * the report, makes a shorter one itself if the collector cannot, and ends the process as the
 * signal would have. It never calls the driver, CUPTI, the loader, malloc or stdio, and takes no
 * lock: the thread that the signal interrupted may hold any of these for good.
 */
#ifndef KTIME_PRELOAD_REPORTER_REPORTER_H
#define KTIME_PRELOAD_REPORTER_REPORTER_H

#include <stdbool.h>

#include "report/options/log_file.h"
#include "report/session/session.h"

struct reporter_output {
	struct session *session;
	const struct log_file *log;
	const char *kept; /* the profile's file; NULL or "": the profile is in memory alone */
	bool remove_kept; /* the user did not ask for the file: remove it after the report */
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

#endif
