/* SPDX-License-Identifier: MIT */
/* The session of a test, with records of a trace. */
#ifndef KTIME_TESTS_UNIT_ONE_TRACE_H
#define KTIME_TESTS_UNIT_ONE_TRACE_H

#include "tests/unit/one_session.h"

static inline void record(enum row_kind kind, const char *name, uint64_t start, uint64_t end,
			  struct trace_record rest)
{
	rest.kind = kind;
	rest.name = session_intern(session, name);
	rest.start = start;
	rest.end = end;
	assert_int_equal(session_trace(session, &rest), 0);
}

#endif
