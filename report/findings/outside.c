/* SPDX-License-Identifier: MIT */
#include "report/findings/outside.h"

#include "report/findings/functions.h"

/* From which part of the time on a call that can be elsewhere is named. Chosen. */
#define POSSIBLE_PART 0.5

/* From the first operation of several devices to the last one of any. */
struct worked {
	uint64_t first, last, idle_in_program;
	unsigned devices;
};

static uint64_t idle_in_program(const struct session *session, int device)
{
	const struct idle_row *row;
	uint64_t time = 0;

	session_for_each_idle (session, row)
		if (session_knows_cause(session, row) && row->device == device &&
		    (row->cause == IDLE_PROGRAM || row->cause == IDLE_AFTER_WAIT))
			time += row->total;
	return time;
}

static struct worked worked_of(const struct session *session, uint64_t devices)
{
	struct worked worked = {.first = UINT64_MAX};

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(session, device);

		if (!use || !(devices >> device & 1))
			continue;
		worked.first = use->first < worked.first ? use->first : worked.first;
		worked.last = use->last > worked.last ? use->last : worked.last;
		worked.idle_in_program += idle_in_program(session, device);
		worked.devices++;
	}
	/* While one waits for the program, the host may be in a call for another. */
	if (worked.devices > 1)
		worked.idle_in_program = 0;
	return worked;
}

/* The function with the longest call; NULL: no call was timed. */
static const struct row *longest_call(const struct session *session)
{
	const struct row *row, *longest = NULL;

	session_for_each_row (session, row)
		if (row_is_api(row->kind) && row->cupti.count &&
		    (!longest || row->cupti.maximum > longest->cupti.maximum))
			longest = row;
	return longest;
}

/* The function that ends something and took most time, of a run whose first call, `known`, is
 * elsewhere. */
static const struct row *ending_call(const struct session *session, const struct row *known,
				     uint64_t *time)
{
	const struct row *row, *longest = NULL;

	*time = 0;
	session_for_each_row (session, row) {
		uint64_t total = row->cupti.total - (row == known ? row->cupti.maximum : 0);

		if (!row_is_api(row->kind) || !row->cupti.count || total <= *time ||
		    !function_is(FUNCTION_END, session_string(session, row->name)))
			continue;
		longest = row;
		*time = total;
	}
	return longest;
}

/* The most that the host can have been in calls before the first operation. */
static uint64_t calls_before(const struct session *session)
{
	const struct row *row;
	uint64_t time = 0;

	session_for_each_row (session, row)
		time += row_is_api(row->kind) ? row->cupti.total : 0;
	return time;
}

/* The same after the last one: without those that gave the GPU work or waited for it, and the one
 * that is too long for it, unless it may have waited for the GPU first, as cudaFree does. `known`:
 * the function whose longest call was before; NULL: none is known. */
static uint64_t calls_after(const struct session *session, uint64_t after, const struct row *known)
{
	const struct row *row;
	uint64_t time = 0;

	session_for_each_row (session, row) {
		const char *name = session_string(session, row->name);

		if (!row_is_api(row->kind) || function_is(FUNCTION_WORK, name))
			continue;
		time += row->cupti.total;
		if (row == known ||
		    (row->cupti.maximum > after && !function_is(FUNCTION_END, name)))
			time -= row->cupti.maximum;
	}
	return time;
}

static bool calls_are_timed(const struct session *session)
{
	const struct row *row;
	bool timed = false;

	session_for_each_row (session, row) {
		if (!row_is_api(row->kind))
			continue;
		if (!row->cupti.count)
			return false;
		timed = true;
	}
	return timed;
}

static void find_calls(const struct session *session, const struct worked *worked,
		       struct outside *before, struct outside *after)
{
	const struct row *first = longest_call(session);
	uint64_t longest = first ? first->cupti.maximum : 0, ending, calls;
	uint64_t later = after->time + worked->last - worked->first - worked->idle_in_program;

	if (first && longest <= before->time) {
		/* Longer than all that may have been calls later, unless another thread called
		 * meanwhile. */
		before->certain =
			longest > later && session_header(session)->counters[COUNTER_threads] <= 1;
		if (before->certain || (double)longest >= POSSIBLE_PART * (double)before->time) {
			before->call = first;
			before->in_call = longest;
		}
	}
	first = before->certain ? before->call : NULL;
	after->call = ending_call(session, first, &ending);
	after->in_call = ending < after->time ? ending : after->time;
	if ((double)after->in_call < POSSIBLE_PART * (double)after->time)
		after->call = NULL;
	if (!calls_are_timed(session))
		return;
	calls = calls_before(session);
	before->no_call = before->time > calls ? before->time - calls : 0;
	calls = calls_after(session, after->time, first);
	after->no_call = after->time > calls ? after->time - calls : 0;
}

bool outside_find(const struct session *session, uint64_t devices, struct outside *before,
		  struct outside *after)
{
	const struct session_header *header = session_header(session);
	const struct worked worked = worked_of(session, devices);
	uint64_t start = header->start_realtime, end = start + header->counters[COUNTER_wall_ns];

	*before = *after = (struct outside){.time = 0};
	/* When what was only counted ran nobody knows. The clock may have been set meanwhile. */
	if (!worked.devices || header->processes || header->counters[COUNTER_operations_outside] ||
	    worked.last < worked.first || worked.first < start || worked.last > end)
		return false;
	before->time = worked.first - start;
	after->time = end - worked.last;
	find_calls(session, &worked, before, after);
	return true;
}
