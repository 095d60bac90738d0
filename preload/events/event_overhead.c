/* SPDX-License-Identifier: MIT */
#include "preload/events/event_overhead.h"

#include <string.h>

#include "preload/base/mode.h"

static struct session *session;
static int measured_on = -1;

void event_overhead_start(struct session *the_session)
{
	session = the_session;
}

static struct event_overhead overhead_of(double nanoseconds, double standard_error, unsigned pairs)
{
	return (struct event_overhead){
		.ns = (uint64_t)(nanoseconds + 0.5),
		.pairs = pairs,
		.standard_error = (uint64_t)(standard_error + 0.5),
	};
}

void event_overhead_set(enum overhead_kind kind, double nanoseconds, double standard_error,
			unsigned pairs)
{
	session_header(session)->overheads[kind] = overhead_of(nanoseconds, standard_error, pairs);
}

void event_overhead_set_queued(double nanoseconds, double standard_error, unsigned pairs)
{
	session_header(session)->queued = overhead_of(nanoseconds, standard_error, pairs);
}

void event_overhead_measured_on(int device)
{
	measured_on = device;
}

void event_overhead_note(void)
{
	const struct device_info *devices = session_header(session)->devices;

	if (measured_on < 0 || measured_on >= SESSION_DEVICES || mode_is_cupti())
		return;
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (devices[i].used && strcmp(devices[i].name, devices[measured_on].name) != 0)
			session_note(session,
				     "Event-pair overhead was measured on device %d alone, a %s; "
				     "on device %u, a %s, it may differ.",
				     measured_on, devices[measured_on].name, i, devices[i].name);
}
