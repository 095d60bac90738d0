/* SPDX-License-Identifier: MIT */
#include "preload/recording/deferred_start.h"

#include <stdio.h>

#include "cupti/library.h"
#include "preload/base/clock.h"
#include "preload/base/instantiation.h"
#include "preload/base/mode.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"

static struct session *session;
static struct cupti_settings wanted;
static cupti_starter start_cupti;
static bool is_planned;

void deferred_start_plan(struct session *the_session, const struct cupti_settings *settings,
			 cupti_starter start)
{
	session = the_session;
	wanted = *settings;
	start_cupti = start;
	is_planned = true;
	/* CUPTI does not record yet: no graph waits for it. */
	instantiation_tell(true, true);
}

bool deferred_start_is_planned(void)
{
	return is_planned;
}

void deferred_start_now(void (*collect)(void))
{
	char reason[256] = "";
	bool started;

	if (!is_planned)
		return;
	is_planned = false;
	/* From now on CUPTI may make records of launches. */
	count_only_block(1);
	/* Traced whole from then on, a graph that was made before ended the program at its next
	 * launch (CUPTI 13.0, H200). */
	started = wanted.graph_nodes || !instantiation_ever();
	if (started)
		started = start_cupti(&wanted, reason, sizeof(reason)) == 0;
	else
		snprintf(reason, sizeof(reason),
			 "CUPTI was not started: the program had made graphs by then, and may end "
			 "when CUPTI traces whole graphs from then on.");
	if (reason[0])
		session_note(session, "%s", reason);
	mode_begin_cupti(started);
	if (!started) {
		count_only_block(-1);
		return;
	}
	session_header(session)->cupti_active = 1;
	session_header(session)->cupti_version = library_functions()->version;
	instantiation_tell(false, false);
	/* The program's threads ask for the ids that records have of streams, contexts and graphs.
	 */
	stream_forget_cached();
	operation_forget_kernels();
	mode_cupti_since = clock_ticks();
	collect();
}
