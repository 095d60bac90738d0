/* SPDX-License-Identifier: MIT */
/*
 * A running program's profile, read again and again: what happened since the last reading, beside
 * the whole run. Each reading is a copy of the file, so the program never waits for a reader, and a
 * reader that dies leaves nothing behind.
 */
#ifndef KTIME_REPORT_LIVE_READING_H
#define KTIME_REPORT_LIVE_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/options/options.h"
#include "report/session/folder.h"
#include "report/session/session.h"

struct reading {
	char *path, *command;
	pid_t pid;
	uid_t user;
	struct session *before, *now; /* NULL: not read yet */
	uint64_t number;	      /* of readings that succeeded */
	bool ended;		      /* the report was written, or the file is gone */
};

/* The programs whose profiles are read. */
struct readings {
	struct reading *of; /* a program each, the oldest first */
	size_t count;
};

/* Of one name, over all devices; `run` is the whole run. Times are nanoseconds. */
struct reading_row {
	char *name;
	enum row_kind kind;
	uint64_t calls, run_calls;
	uint64_t total, run_total;
	bool estimated; /* totals are estimates from a sample of the calls */
};

struct reading_rows {
	struct reading_row *rows; /* by --sort; after --top */
	size_t count;
	uint64_t calls, run_calls; /* sums, of the rows that --top leaves out too */
	uint64_t total, run_total;
};

/* A device's time: shares of 1; below 0: not known. */
struct reading_use {
	double busy, run_busy;
	/* The largest cause of idle time since the last reading, and its share; NULL: none. */
	const char *cause;
	double cause_share;
};

/*
 * Reads the profiles once more: of the processes whose numbers are given, of --profile, or of all
 * programs that run by now. Those that have ended are gone afterwards. 0, or -errno with a one-line
 * message; it is no error that there are none.
 */
int readings_take(struct readings *readings, const struct options *options,
		  const char *const *numbers, size_t number_count, char *message, size_t size);
void readings_free(struct readings *readings);
/* How long the last reading's interval was, and the run, by the program's own clock, seconds. */
double reading_seconds(const struct reading *reading);
double reading_run_seconds(const struct reading *reading);
/* The GPU's rows, or the API's. 0, -ENOMEM, or -EINVAL for a bad --kernels. Free the rows. */
int reading_rows(const struct reading *reading, const struct options *options, bool api,
		 struct reading_rows *rows);
void reading_rows_free(struct reading_rows *rows);
/* False if the device did nothing that was recorded. */
bool reading_use(const struct reading *reading, int device, struct reading_use *use);

#endif
