/* SPDX-License-Identifier: MIT */
/* The profile of a running program, for the tests of what reads one again and again. */
#ifndef KTIME_TESTS_UNIT_RUNNING_PROFILE_H
#define KTIME_TESTS_UNIT_RUNNING_PROFILE_H

#include <unistd.h>

#include "report/options/options.h"
#include "report/session/session.h"
#include "tests/unit/test.h"

#define MS 1000000ull

static char folder[32], path[64];
static struct session *session;
static struct options options;

static inline int start_profile(void)
{
	struct session_header *header;

	strcpy(folder, "/tmp/ktime-running-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/profile", folder);
	if (session_create(&session, path, SESSION_KEPT))
		return -1;
	header = session_header(session);
	header->pid = 4321;
	header->cupti_active = 1;
	header->command = session_intern(session, "/opt/bin/train --epochs 3");
	options_defaults(&options);
	options.profile = path;
	options.names = NAMES_SHORT;
	return 0;
}

static inline int stop_profile(void)
{
	session_close(session);
	options_free(&options);
	unlink(path);
	rmdir(folder);
	return 0;
}

static inline void call(enum row_kind kind, const char *name, int device, unsigned calls,
			uint64_t took)
{
	struct row *row = session_row(session, kind, name, device);

	assert_non_null(row);
	for (unsigned i = 0; i < calls; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, took);
	}
}

#endif
