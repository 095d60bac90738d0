/* SPDX-License-Identifier: MIT */
#include "preload/events/event_overhead.h"

static struct session *session;

void event_overhead_start(struct session *the_session)
{
	session = the_session;
}

void event_overhead_set(enum overhead_kind kind, double nanoseconds, double standard_error,
			unsigned pairs)
{
	session_header(session)->overheads[kind] = (struct event_overhead){
		.ns = (uint64_t)(nanoseconds + 0.5),
		.pairs = pairs,
		.standard_error = (uint64_t)(standard_error + 0.5),
	};
}

uint64_t event_overhead_of(enum overhead_kind kind)
{
	return session_header(session)->overheads[kind].ns;
}
