/* SPDX-License-Identifier: MIT */
/* The run of the functions that a program tests, in place of lifecycle's. One file of it includes
 * this; the others have preload/base/run.h. */
#ifndef KTIME_TESTS_UNIT_MADE_RUN_H
#define KTIME_TESTS_UNIT_MADE_RUN_H

#include "preload/base/run.h"

struct run run;

/* With a session in memory, and what `flags` of enum session_flags add to it. */
static inline int make_run(unsigned flags)
{
	int error = session_create(&run.session, NULL, flags);

	run.header = error ? NULL : session_header(run.session);
	return error;
}

#endif
