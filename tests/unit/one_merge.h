/* SPDX-License-Identifier: MIT */
/* Each test adds up the profiles of a job's processes. */
#ifndef KTIME_TESTS_UNIT_ONE_MERGE_H
#define KTIME_TESTS_UNIT_ONE_MERGE_H

#include "report/merge/merge.h"
#include "report/session/session.h"
#include "tests/unit/test.h"

static struct merge *merge;
static struct session *merged;

BEFORE_EACH
{
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	merged = merge_session(merge);
}

AFTER_EACH
{
	merge_free(merge);
}

/* The profile of a rank, of which two run on the first node and the others on the second. */
static inline struct session *process_of(int rank, int ranks)
{
	struct session *session;
	struct session_header *header;

	assert_int_equal(session_create(&session, NULL, SESSION_TRACE), 0);
	header = session_header(session);
	header->pid = 100 + rank;
	header->cupti_active = 1;
	header->finished = 1;
	header->rank = (struct process_rank){rank, rank, ranks, .launcher = "PMI", .job = "one"};
	header->hostname = session_intern(session, rank < 2 ? "first" : "second");
	return session;
}

/* Adds a process, and closes its profile. */
static inline void add_to(struct merge *sum, struct session *session)
{
	char message[128];

	assert_int_equal(merge_add(sum, session, message, sizeof(message)), 0);
	session_close(session);
}

static inline void add(struct session *session)
{
	add_to(merge, session);
}

#endif
