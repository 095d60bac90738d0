/* SPDX-License-Identifier: MIT */
#include "preload/recording/cheap_calls.h"

#include <stdio.h>

#include "cupti/cupti.h"

/*
 * Recording a runtime call that does next to nothing doubles its time, and programs make thousands
 * of them between two launches (PyTorch: cudaGetDevice). After this many calls of less than
 * CHEAP_NS on average CUPTI stops recording the function, unless a trace wants all calls; for at
 * most CHEAP_ROWS functions. Chosen.
 */
#define MOST_CHEAP_CALLS 2000
#define CHEAP_NS	 2000
#define CHEAP_ROWS	 32

static const struct row *cheap_rows[CHEAP_ROWS];
static unsigned cheap_count;

void cheap_calls_note(struct row *row, uint32_t callback)
{
	if (row->calls != MOST_CHEAP_CALLS || cheap_count == CHEAP_ROWS ||
	    row->cupti.total / row->cupti.count >= CHEAP_NS)
		return;
	cupti_skip_call(callback);
	row->more_calls = 1;
	cheap_rows[cheap_count++] = row;
}

void cheap_calls_warn(struct session *session)
{
	char list[1024] = "";
	size_t length = 0;

	for (unsigned i = 0; i < cheap_count && length < sizeof(list); i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
					   i ? ", " : "",
					   session_string(session, cheap_rows[i]->name));
	if (cheap_count)
		session_note(
			session,
			"Only the first %u calls are counted, as recording one takes as long as "
			"the call (--print-api-trace records all): %s.",
			MOST_CHEAP_CALLS, list);
}
