/* SPDX-License-Identifier: MIT */
/* The profile of a running program, for the tests of what reads one again and again. */
#ifndef KTIME_TESTS_UNIT_RUNNING_PROFILE_H
#define KTIME_TESTS_UNIT_RUNNING_PROFILE_H

#include "report/options/options.h"
#include "report/session/session.h"
#include "tests/unit/one_folder.h"

#define MS 1000000ull

static struct session *session;
static struct options options;

BEFORE_EACH
{
	struct session_header *header;

	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	header = session_header(session);
	header->pid = 4321;
	header->cupti_active = 1;
	header->command = session_intern(session, "/opt/bin/train --epochs 3");
	options_defaults(&options);
	options.profile = path;
	options.names = NAMES_SHORT;
}

AFTER_EACH
{
	session_close(session);
	options_free(&options);
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

static inline void first_calls(void)
{
	call(ROW_KERNEL, "_Z5firstv", 0, 4, 100);
	call(ROW_KERNEL, "_Z6secondv", 0, 2, 1000);
	call(ROW_KERNEL, "_Z6secondv", 1, 1, 500);
	call(ROW_MEMCPY, "[CUDA memcpy HtoD]", 0, 1, 300);
	call(ROW_RUNTIME_API, "cudaLaunchKernel", -1, 7, 10);
}

#endif
