/* SPDX-License-Identifier: MIT */
/*
 * Profiles in the order of their files, each opened by a thread of its own while the one before is
 * added up: reading takes about as long as adding.
 */
#ifndef KTIME_REPORT_MERGE_READ_AHEAD_H
#define KTIME_REPORT_MERGE_READ_AHEAD_H

#include <stddef.h>

#include "report/session/session.h"

struct read_ahead;

struct read_profile {
	struct session *session; /* NULL: the file could not be opened */
	char message[512];	 /* why */
};

/*
 * `paths` stay the caller's, until read_ahead_stop(). -ENOMEM. Where no thread can be started, the
 * caller's opens the files.
 */
int read_ahead_start(struct read_ahead **ahead, const char *const *paths, size_t count);
/* The profile of the next file, valid until the next call; NULL: there is none. */
const struct read_profile *read_ahead_next(struct read_ahead *ahead);
/* Ends the thread, closes what is open; with files left or none. NULL is allowed. */
void read_ahead_stop(struct read_ahead *ahead);

#endif
