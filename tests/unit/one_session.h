/* SPDX-License-Identifier: MIT */
/* Each test has a session of its own, in memory, of a process 1 that has ended. */
#ifndef KTIME_TESTS_UNIT_ONE_SESSION_H
#define KTIME_TESTS_UNIT_ONE_SESSION_H

#include "report/session/session.h"
#include "tests/unit/test.h"

static struct session *session;
static struct session_header *header;

BEFORE_EACH
{
	assert_int_equal(session_create(&session, NULL, 0), 0);
	header = session_header(session);
	header->pid = 1;
	header->finished = 1;
}

AFTER_EACH
{
	session_close(session);
}

#endif
