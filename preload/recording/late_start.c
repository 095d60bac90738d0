/* SPDX-License-Identifier: MIT */
#include "preload/recording/late_start.h"

#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/base/clock.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/handles/operation.h"

/* The part of the budget that CUPTI may cost where it does not record. Chosen: as much as event
 * pairs have without it. */
#define STANDING_SHARE 0.4
/* How long the launches must have fitted, pauses not counted: programs begin with loading, which
 * says little of what they do later. Chosen. */
#define FITTING_NS     2000000000u
/* What starting it takes of a program that launches all the time, 4 to 330 ms (H200, CUPTI 13.0):
 * to be had from half of the budget so far. */
#define START_NS       70000000.0

static struct session *session;
static struct cupti_settings wanted;
static cupti_starter start_cupti;
static double budget;
static uint64_t planned, fitting;
static bool is_planned, launched, too_much; /* too_much: at some time it did not fit */

void late_start_plan(struct session *the_session, const struct cupti_settings *settings,
		     cupti_starter start, double the_budget, uint64_t now)
{
	session = the_session;
	wanted = *settings;
	start_cupti = start;
	budget = the_budget;
	planned = now;
	fitting = 0;
	is_planned = true;
	launched = too_much = false;
}

bool late_start_is_planned(void)
{
	return is_planned;
}

static bool start_now(uint64_t now)
{
	struct session_header *header = session_header(session);
	char reason[256];

	is_planned = false;
	if (start_cupti(&wanted, reason, sizeof(reason))) {
		session_note(session, "%s", reason);
		return false;
	}
	/* The program's threads ask for the ids that records have of graphs. */
	operation_forget_kernels();
	header->cupti_active = 1;
	header->cupti_version = library_functions()->version;
	session_count(session, COUNTER_cupti_late_ns, now - planned);
	session_note(session,
		     "CUPTI was started %.1f s after the first GPU work, once its cost fitted into "
		     "the budget of %g %%: earlier operations are timed by events.",
		     (double)(now - planned) / 1e9, options_budget(&settings));
	return true;
}

bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t now)
{
	bool fits = costs->standing + costs->copies <= STANDING_SHARE * budget * (double)elapsed;

	/* A program that uses CUPTI itself keeps it to itself. */
	if (!is_planned || !costs->launches || kinds_program_ever())
		return false;
	/* With --start off nothing is to be recorded yet. */
	if (!mode_begun)
		return false;
	launched = true;
	too_much |= !fits;
	fitting = fits ? fitting + elapsed : 0;
	if (fitting < FITTING_NS || budget * (double)(now - planned) / 2 < START_NS)
		return false;
	return start_now(now);
}

void late_start_finish(void)
{
	if (!is_planned || !launched)
		return;
	session_note(session, "CUPTI was not started: %s (--budget %g).",
		     too_much ? "it would have cost more than fits into the budget"
			      : "the run was too short to pay for that",
		     options_budget(&settings));
}
