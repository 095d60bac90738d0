/* SPDX-License-Identifier: MIT */
#include "report/findings/functions.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MOST 11

/* A function is of a group if its name has one of the parts. `returns`: those that return before
 * their work is done are left out. */
static const struct group {
	bool returns;
	const char *parts[PARTS_MOST];
} groups[] = {
	[FUNCTION_WAIT] = {false, {"Synchronize"}},
	[FUNCTION_COPY] = {true, {"Memcpy"}},
	[FUNCTION_SET] = {true, {"Memset"}},
	[FUNCTION_MEMORY] = {true,
			     {"Alloc", "Free", "Malloc", "HostRegister", "HostUnregister",
			      "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",
			      "cuMemSetAccess"}},
	[FUNCTION_LOAD] = {false, {"LibraryLoad", "ModuleLoad"}},
	[FUNCTION_END] = {true, {"Free", "Reset", "Destroy", "Unload", "Release", "Unregister"}},
	[FUNCTION_WORK] = {false, {"Launch", "Memcpy", "Memset", "Synchronize"}},
};

bool function_is(enum function_group group, const char *name)
{
	const char *const *parts = groups[group].parts;

	if (groups[group].returns && strstr(name, "Async"))
		return false;
	while (*parts && !strstr(name, *parts))
		parts++;
	return *parts;
}

void functions_add(struct functions *functions, const struct function_calls *calls)
{
	unsigned i = 0;

	functions->calls += calls->calls;
	functions->time += calls->time;
	functions->longest += calls->longest;
	while (i < functions->count && functions->of[i].name != calls->name)
		i++;
	if (i == FUNCTIONS_MOST)
		return;
	if (i == functions->count)
		functions->of[functions->count++] = (struct function_calls){.name = calls->name};
	functions->of[i].calls += calls->calls;
	functions->of[i].time += calls->time;
	if (calls->longest > functions->of[i].longest)
		functions->of[i].longest = calls->longest;
}

void functions_of(struct functions *functions, const struct session *session,
		  enum function_group group)
{
	const struct row *row;

	session_for_each_row (session, row)
		if (row_is_api(row->kind) && row->cupti.count &&
		    function_is(group, session_string(session, row->name)))
			functions_add(functions, &(struct function_calls){
							 row->name, row->cupti.count,
							 row->cupti.total, row->cupti.maximum});
}

static int compare(const void *left, const void *right)
{
	const struct function_calls *a = left, *b = right;

	return IN_ORDER(b->time, a->time) ?: IN_ORDER(a->name, b->name);
}

void functions_sort(struct functions *functions)
{
	qsort(functions->of, functions->count, sizeof(*functions->of), compare);
}
