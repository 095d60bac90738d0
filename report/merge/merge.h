/* SPDX-License-Identifier: MIT */
/*
 * Several processes' profiles as one: rows are summed, and the processes' parts of a row are
 * compared. One profile is open at a time, and some 0.6 KB are kept for each process, so that a job
 * may have any number of processes. A profile that others were merged into may be merged again.
 *
 * Functions return 0 or -errno. One thread at a time.
 */
#ifndef KTIME_REPORT_MERGE_MERGE_H
#define KTIME_REPORT_MERGE_MERGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "report/session/session.h"

struct merge;

/* The most NVTX ranges that a merged profile has: names that differ in each process would otherwise
 * add up without end. Chosen. */
#define MERGED_RANGES_MOST 65536u

/*
 * Starts a merged profile, which replaces a file at `path`, or is in memory only if `path` is NULL.
 * It gets only those records of traces that are of collectives, from which waiting times follow;
 * with `whole_trace` it gets all.
 */
int merge_start(struct merge **merge, const char *path, bool whole_trace);
/*
 * Adds a profile, its trace too. -EXDEV with a message: the profile is of another job, or was added
 * before, and is left out. -ENOMEM: memory is out, or the disk is full.
 */
int merge_add(struct merge *merge, const struct session *session, char *message, size_t size);
/* The merged profile; it ends with merge_free(). Warnings may be added to it. */
struct session *merge_session(const struct merge *merge);
/* Makes the figures final. */
void merge_finish(struct merge *merge);
/* Frees it; the file stays. NULL is fine. */
void merge_free(struct merge *merge);

/*
 * Merges files into `output`, which appears only once it is whole; NULL: in memory only. Files that
 * cannot be merged are named on stderr and left out. A bar shows how far the work is, if stderr is
 * a terminal. 0, -ENODATA if no file could be merged, -ENOMEM, or what new_file_open() and
 * merge_start() return, each with a line on stderr.
 */
int merge_files(struct merge **merge, const char *output, bool overwrite, bool whole_trace,
		const char *const *paths, size_t count);

/*
 * Profiles in the order of their files, each opened by another thread while the one before is added
 * up: reading takes about as long as adding.
 */

struct read_profile {
	struct session *session; /* NULL: the file could not be opened */
	char message[512];	 /* why */
};

/* Reads profiles one after the other; while the caller adds one up, a thread opens the next. The
 * caller sets `paths` and `count` and keeps the paths until read_ahead_stop(); all other members
 * begin as zeros. */
struct read_ahead {
	const char *const *paths;
	size_t count, next; /* file that the caller asks for next */
	/* The profile that the caller adds up, and the one that is being opened. */
	struct read_profile profiles[2];
	pthread_t thread; /* opens the next file; if it cannot be started, the caller's does */
	bool has_thread;
};
/* The profile of the next file, valid until the next call; NULL: there is none. */
const struct read_profile *read_ahead_next(struct read_ahead *ahead);
/* Ends the thread and closes the open profiles, whether or not all files were read. */
void read_ahead_stop(struct read_ahead *ahead);

/* A bar on the terminal's last line that shows how far something is. The caller sets the first two
 * members; the rest begins as zeros. */
struct progress {
	const char *what; /* "Merging" */
	uint64_t least;	  /* fewer steps than this, or than 40, have no bar */
	uint64_t next;	  /* the step at which the bar changes */
	bool bar;	  /* the bar is on the line now */
};

/* Shows that `done` of `count` steps are done. Writes to standard error if that is a terminal. */
void progress_show(struct progress *progress, uint64_t done, uint64_t count);
/* Takes the bar away, before another line or the end. */
void progress_wipe(struct progress *progress);

#endif
