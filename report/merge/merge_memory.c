/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_memory.h"

#include <errno.h>

#include "report/session/figure_tables.h"
#include "report/session/memory_use.h"
#include "report/session/session_internal.h"

/* A damaged file may hold any. */
static bool is_valid(const struct memory_use *use)
{
	return use->kind < ALLOCATION_KIND_COUNT && use->device >= -1 &&
	       use->device < SESSION_DEVICES;
}

/* That of a kind on a device; a new one where there is none. */
static struct memory_use *find_use(struct session *merged, const struct memory_use *wanted)
{
	const struct memory_use *use;

	session_for_each_memory_use(
		merged, use) if (use->kind == wanted->kind &&
				 use->device == wanted->device) return (struct memory_use *)use;
	return session_add_memory_use(merged, wanted);
}

int merge_memory(struct session *merged, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		struct memory_use *to;

		if (!is_valid(use))
			continue;
		to = find_use(merged, use);
		if (!to)
			return -ENOMEM;
		if (use->peak > to->peak) {
			to->peak = use->peak;
			to->peak_time = use->peak_time;
		}
		figures_merge(figures_of(SCOPE_MEMORY), to, use);
	}
	return 0;
}

void process_memory(struct job_process *process, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		if (use->kind != ALLOCATION_TOTAL)
			continue;
		if (use->peak > process->memory_peak)
			process->memory_peak = use->peak;
		process->memory_held += use->held;
	}
}
