/* SPDX-License-Identifier: MIT */
/* How long a run would be without what its findings name, as far as that adds up. */
#include <stdio.h>

#include "report/findings/outside.h"
#include "report/print/report.h"
#include "report/sheet/number.h"

/* The one device whose idle time a run is about, and its figures are exact; NULL: there is none. */
static const struct device_use *only_use(const struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct device_use *use;

	if (devices_used(session) != 1 || header->processes || !session_knows_use(session))
		return NULL;
	session_for_each_use (session, UINT64_MAX, device, use)
		if (!use->error && !use_is_incomplete(header, use))
			return use;
	return NULL;
}

/* Causes of idle time are apart from each other, and from what is before the GPU's work and after
 * it. */
static void add_findings(struct savings *savings, const struct finding *findings, unsigned count,
			 uint64_t idle)
{
	uint64_t gap = 0, waiting = 0;

	for (unsigned i = 0; i < count; i++) {
		const uint64_t time = findings[i].time;

		switch (findings[i].kind) {
		case FINDING_LOW_USE:
			savings->idle = idle;
			break;
		case FINDING_WAITING:
			waiting = time;
			break;
		case FINDING_GAP:
			gap = time;
			break;
		case FINDING_LAUNCH_BOUND:
		case FINDING_MEMORY:
		case FINDING_LOADING:
			savings->idle += time;
			break;
		case FINDING_BEFORE:
			savings->start = time;
			break;
		case FINDING_AFTER:
			savings->end = time;
			break;
		case FINDING_HOST_MEMORY: /* a part of start and end */
			break;
		default:
			savings->others = true;
			break;
		}
	}
	/* The long gap may be one of those after a wait. */
	savings->idle += waiting > gap ? waiting : gap;
	savings->all_idle = savings->idle >= idle;
	if (savings->all_idle)
		savings->idle = idle;
}

bool savings_find(const struct session *session, const struct finding *findings, unsigned count,
		  struct savings *savings)
{
	const struct device_use *use = only_use(session);
	struct outside before, after;
	uint64_t idle;

	*savings = (struct savings){.whole = 0};
	if (!use)
		return false;
	idle = idle_time(use, &savings->whole);
	add_findings(savings, findings, count, idle);
	/* What is outside of the GPU's work is a finding only where that of the run is known. */
	savings->of_run = session_header(session)->finished != RUN_BETWEEN &&
			  outside_find(session, UINT64_MAX, &before, &after);
	/* A window is as long as it was asked for. */
	if (!savings->of_run)
		savings->start = savings->end = 0;
	if (savings->of_run)
		savings->whole = session_header(session)->counters[COUNTER_wall_ns];
	return savings->idle || savings->end || savings->start;
}

/* "the idle time named above (71.1 ms) and the end (50.6 ms)" */
static void write_parts(const struct savings *savings, bool start, FILE *file)
{
	const struct {
		const char *what;
		uint64_t time;
	} parts[] = {{savings->all_idle ? "idle time" : "the idle time named above", savings->idle},
		     {"the end", savings->end},
		     {"the start", start ? savings->start : 0}};
	const char *separator = "";
	char time[NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].time)
			continue;
		fprintf(file, "%s%s (%s)", separator, parts[i].what,
			number_about(time, (double)parts[i].time, 3));
		separator = " and ";
	}
}

/* What is left of a time, in figures that add up as they are printed: of the rounded times, and no
 * finer than these are. */
struct rest {
	uint64_t time, step; /* ns */
};

/* A time as number_about() prints it, and the step of its last digit. */
static uint64_t rounded(uint64_t time, uint64_t *step)
{
	*step = number_step(time);
	return (time + *step / 2) / *step * *step;
}

static void take_off(struct rest *rest, uint64_t part)
{
	uint64_t step, time = rounded(part, &step);

	rest->time -= time < rest->time ? time : rest->time;
	RAISE(rest->step, step);
}

static void write_rest(const struct rest *rest, FILE *file)
{
	char text[NUMBER_SIZE];

	fputs(number_steps(text, (rest->time + rest->step / 2) / rest->step, rest->step), file);
}

bool savings_write(const struct session *session, const struct finding *findings, unsigned count,
		   FILE *file)
{
	struct savings savings;
	char time[NUMBER_SIZE];
	struct rest rest;
	bool start; /* nothing else is named */

	if (!savings_find(session, findings, count, &savings))
		return false;
	start = !savings.idle && !savings.end;
	rest.time = rounded(savings.whole, &rest.step);
	take_off(&rest, savings.idle);
	take_off(&rest, savings.end);
	take_off(&rest, start ? savings.start : 0);
	fputs("Without ", file);
	write_parts(&savings, start, file);
	fprintf(file, " the %s's %s would be ", savings.of_run ? "run" : "GPU",
		number_about(time, (double)savings.whole, 3));
	write_rest(&rest, file);
	fputs(" at best", file);
	if (savings.start && !start) {
		fprintf(file, "; without the start (%s) too, ",
			number_about(time, (double)savings.start, 3));
		take_off(&rest, savings.start);
		write_rest(&rest, file);
	}
	fputs(savings.others ? ". What the other findings would save is not counted." : ".", file);
	return true;
}
