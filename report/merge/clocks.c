/* SPDX-License-Identifier: MIT */
#include "report/merge/clocks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/merge/job.h"
#include "report/print/number.h"

/* Compared byte by byte. Containers may have a monotonic clock of their own. */
struct clock_key {
	char boot[40];
	uint64_t pid_namespace;
};

struct node_clock {
	struct clock_key key;
	uint64_t offset;
	UT_hash_handle hh;
};

int node_clock_shift(struct node_clock **clocks, const struct session_owner *owner, uint64_t offset,
		     int64_t *shift)
{
	struct clock_key key = {.pid_namespace = owner->pid_namespace};
	struct node_clock *clock;

	*shift = 0;
	snprintf(key.boot, sizeof(key.boot), "%.39s", owner->boot);
	if (!offset || !*key.boot)
		return 0;
	HASH_FIND(hh, *clocks, &key, sizeof(key), clock);
	if (clock) {
		uint64_t apart =
			clock->offset > offset ? clock->offset - offset : offset - clock->offset;

		*shift = apart < CLOCK_SET_LEAST_NS ? 0 : (int64_t)(clock->offset - offset);
		return 0;
	}
	clock = calloc(1, sizeof(*clock));
	if (!clock)
		return -ENOMEM;
	clock->key = key;
	clock->offset = offset;
	HASH_ADD(hh, *clocks, key, sizeof(key), clock);
	if (clock->hh.tbl)
		return 0;
	free(clock);
	return -ENOMEM;
}

void node_clocks_free(struct node_clock *clocks)
{
	struct node_clock *clock, *next;

	HASH_ITER (hh, clocks, clock, next) {
		HASH_DEL(clocks, clock);
		free(clock);
	}
}

struct set_clocks {
	size_t moved;		       /* processes whose records were moved */
	uint64_t moved_most;	       /* ns */
	const struct job_process *set; /* while it ran; NULL: none */
};

static bool find_set(const struct session *session, struct set_clocks *found)
{
	const struct job_process *process;
	bool traced = false;

	session_for_each_process(session, process)
	{
		traced |= process->trace_records > 0;
		found->moved += process->records_moved > 0;
		if (process->records_moved > found->moved_most)
			found->moved_most = process->records_moved;
		if (process->clock_moved >= CLOCK_SET_LEAST_NS &&
		    (!found->set || process->clock_moved > found->set->clock_moved))
			found->set = process;
	}
	return traced;
}

void job_clocks_text(const struct session *session, const struct waits *waits,
		     char text[JOB_CLOCKS_SIZE])
{
	struct set_clocks found = {.set = NULL};
	size_t nodes = job_nodes(session), length;
	char number[2][NUMBER_SIZE];

	*text = '\0';
	if (!find_set(session, &found))
		return;
	if (waits->calls)
		snprintf(text, JOB_CLOCKS_SIZE,
			 "the ends of a collective on its processes lie %s apart, %s at most; "
			 "waiting times may be off by that",
			 number_about(number[0], (double)waits->ends_mean, 2),
			 number_about(number[1], (double)waits->ends_most, 2));
	else if (nodes > 1)
		snprintf(text, JOB_CLOCKS_SIZE,
			 "the wall clocks of %zu nodes; how far they are apart is not known, as no "
			 "collective is in all traces",
			 nodes);
	else
		snprintf(text, JOB_CLOCKS_SIZE, "the wall clock of one node");
	length = strlen(text);
	if (found.moved)
		snprintf(
			text + length, JOB_CLOCKS_SIZE - length,
			"; records of %zu process%s moved by up to %s, by which a node's clock was "
			"set between their starts",
			found.moved, found.moved == 1 ? "" : "es",
			number_about(number[0], (double)found.moved_most, 2));
	length = strlen(text);
	if (found.set)
		snprintf(text + length, JOB_CLOCKS_SIZE - length,
			 "; the clock of %.64s was set by %s during the run, by which its records "
			 "before and after are off",
			 session_string(session, found.set->hostname),
			 number_about(number[0], (double)found.set->clock_moved, 2));
}
