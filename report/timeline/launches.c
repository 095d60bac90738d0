/* SPDX-License-Identifier: MIT */
#include "report/timeline/launches.h"

#include <errno.h>
#include <stdlib.h>

static struct launch *place_of(const struct launches *launches, uint32_t correlation)
{
	return launches->calls + (correlation & (LAUNCHES_KNOWN - 1));
}

int launches_note(struct launches *launches, const struct trace_record *record, uint32_t process)
{
	if (!record->correlation)
		return 0;
	if (!launches->calls)
		launches->calls = calloc(LAUNCHES_KNOWN, sizeof(*launches->calls));
	if (!launches->calls)
		return -ENOMEM;
	*place_of(launches, record->correlation) = (struct launch){
		.start = record->start,
		.process = process,
		.correlation = record->correlation,
		.thread = record->thread,
	};
	return 0;
}

struct launch *launches_find(const struct launches *launches, const struct trace_record *record,
			     uint32_t process)
{
	struct launch *launch;

	if (!record->correlation || !launches->calls)
		return NULL;
	launch = place_of(launches, record->correlation);
	return launch->correlation == record->correlation && launch->process == process &&
			       launch->start <= record->start
		       ? launch
		       : NULL;
}

void launches_free(struct launches *launches)
{
	free(launches->calls);
	launches->calls = NULL;
}
