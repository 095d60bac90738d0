/* SPDX-License-Identifier: MIT */
/* Programs that run: their profiles read and steered by other commands. */
#ifndef KTIME_REPORT_LIVE_LIVE_H
#define KTIME_REPORT_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/print/table.h"
#include "report/session/folder.h"
#include "report/session/session.h"

/* Said where rows_include_overhead(). */
#define OVERHEAD_INCLUDED                                                                          \
	"Times by events include the event-pair overhead, which is not measured yet: it is when "  \
	"the program ends."

/* Which programs a command is for: the processes whose numbers are given, else that of --profile,
 * else all programs that run now. */
struct programs {
	const struct options *options;
	const char *const *numbers;
	size_t count;
};

/*
 * Finds the profiles of these programs. A process's profile is found by the files that the process
 * has mapped, so wherever it lies, in a container too; a process without one, such as ktime
 * itself, stands for those that it started. 0, or -errno with a one-line message:
 * `profiles` has those that were found even then. Free them with left_profiles_free().
 */
int processes_find(struct left_profiles *profiles, const struct programs *programs, char *message,
		   size_t size);
/* The name of a program by its command line, without folders and arguments: up to `size` bytes. */
void processes_program(const char *command, char *name, size_t size);
/* A user's name, or his number where he has none. */
const char *processes_user(uid_t user, char *number, size_t size);

/*
 * A running program's profile, read again and again: what happened since the last reading, beside
 * the whole run. Each reading is a copy of the file, so the program never waits for a reader, and a
 * reader that dies leaves nothing behind.
 */

struct reading {
	struct left_profile profile;
	struct session *before, *now; /* NULL: not read yet */
};

struct readings {
	const struct programs *programs;
	struct reading *of; /* a program each, the oldest first */
	size_t count;
};

/* The row of one name, over all devices. Times are nanoseconds. */
struct reading_row {
	const struct table_row *run; /* in the whole run */
	uint64_t calls, total;	     /* since the last reading */
};

struct reading_rows {
	struct table run;
	struct reading_row *rows; /* by --sort; after --top */
	size_t count;
	uint64_t calls, run_calls; /* sums, of the rows that --top leaves out too */
	uint64_t total, run_total;
	double busy, run_busy; /* mean of the devices, of 1; below 0: not known */
};

/* A device's time: shares of 1; below 0: not known. */
struct reading_use {
	double busy, run_busy;
	/* The largest cause of idle time since the last reading, and its share; NULL: none. */
	const char *cause;
	double cause_share;
};

/*
 * Reads the profiles of the programs that run by now once more. Those that have ended are gone
 * afterwards. 0, or -errno with a one-line message; it is no error that there are none.
 */
int readings_take(struct readings *readings, char *message, size_t size);
void readings_free(struct readings *readings);
/* By how much a figure has grown since an earlier reading; 0 if it has shrunk, as an estimate may.
 */
static inline uint64_t added_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* How long the last reading's interval was, and the run, by the program's own clock, seconds. */
double reading_seconds(const struct reading *reading);
double reading_run_seconds(const struct reading *reading);
/* The GPU's rows, or the API's. 0, -ENOMEM, or -EINVAL for a bad --kernels. Free the rows. */
int reading_rows(const struct reading *reading, const struct options *options, bool api,
		 struct reading_rows *rows);
void reading_rows_free(struct reading_rows *rows);
/* False if the device did nothing that was recorded. */
bool reading_use(const struct reading *reading, int device, struct reading_use *use);

/* The time of day, "12:34:56"; 16 bytes. */
const char *top_clock(char *text);
/* "63.1", or "-" if it is not known; NUMBER_SIZE bytes. */
const char *top_percent(char *text, double share);

/* The screen (screen.c): returns the process's exit status once the user ends it. */
int screen_run(struct readings *readings, const struct options *options);

/*
 * Subtracts an earlier copy of a profile from it, so that an interval is left. Smallest and largest
 * times come from the histograms, to 3 %; those of bytes, the slowest and fastest calls, the
 * longest gaps and the notes stay the run's. -EINVAL: the earlier one is not of the same process,
 * or not earlier.
 */
int interval_subtract(struct session *session, const struct session *earlier);
/* Writes a profile that session_open() gave as one that nobody writes to any more, of a part of its
 * run. 0 or -errno. */
int interval_write(struct session *session, enum run_part part, FILE *file);

#endif
