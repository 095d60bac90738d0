/* SPDX-License-Identifier: MIT */
/* The rows of tables: what they are of, whether they are whole, and which part they belong to. */
#include "report/import/text_import.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/nsys_names.h"

static bool is_wanted(const struct text_import *import)
{
	unsigned wanted = import->wanted ? import->wanted : 1;

	return import->part_count <= 1 ? wanted == 1 || import->part_count == 0
				       : import->part_count == wanted;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

void rows_say_passed(struct text_import *import)
{
	if (import->passed && is_wanted(import))
		profile_say(import->profile, "%s: %zu row%s passed over after line %zu: %s",
			    import->path, import->passed, plural(import->passed),
			    import->passed_line - 1, import->passed_what);
	import->passed = 0;
}

static void pass_over(struct text_import *import, size_t count, size_t line, const char *what)
{
	if (import->passed && strcmp(import->passed_what, what) != 0)
		rows_say_passed(import);
	if (!import->passed) {
		import->passed_what = what;
		import->passed_line = line;
	}
	import->passed += count;
	if (!import->first_passed)
		import->first_passed = what;
}

void rows_pass_damaged(struct text_import *import, const char *why)
{
	if (!*import->bad)
		snprintf(import->bad, sizeof(import->bad), "line %zu: %s", import->lines.number,
			 why);
	pass_over(import, 1, import->lines.number, why);
	if (is_wanted(import))
		import->profile->damaged = true;
}

/* Whether the shares of the table's rows make a whole. */
static void check_shares(struct text_import *import)
{
	for (int class = 0; class < CLASS_OTHER; class ++) {
		const struct shares *shares = &import->shares[class];

		if (shares_are_whole(shares) || !is_wanted(import))
			continue;
		profile_say(import->profile,
			    "%s: the shares of the table in line %zu add up to %.4g %%: %s",
			    import->path, import->header_line, shares->sum,
			    shares->sum < 100 ? "rows are missing" : "it holds rows twice");
		import->profile->damaged = true;
	}
}

void rows_end_table(struct text_import *import)
{
	if (import->header.report)
		check_shares(import);
	memset(import->shares, 0, sizeof(import->shares));
	import->header.report = NULL;
	import->strays = 0;
	import->group = NULL;
}

static void begin_part(struct text_import *import)
{
	rows_say_passed(import);
	if (import->part_count < PARTS_MOST) {
		struct part *part = &import->parts[import->part_count];
		const char *label = import->source;

		for (size_t i = 0; i < COMMANDS_MOST; i++)
			if (*import->commands[i].text &&
			    strcmp(import->commands[i].process, import->process) == 0)
				label = import->commands[i].text;
		part->line = import->header_line;
		if (*label)
			snprintf(part->label, sizeof(part->label), "%s", label);
		else if (*import->process)
			snprintf(part->label, sizeof(part->label), "process %s", import->process);
	}
	import->part_count++;
	import->seen_count = 0;
	snprintf(import->part_process, sizeof(import->part_process), "%s", import->process);
	snprintf(import->part_source, sizeof(import->part_source), "%s", import->source);
}

/* Gives the table, of which there is a row, to a part: a new one if the current one has this report
 * or is of another process or file. */
static void enter_table(struct text_import *import)
{
	struct seen table = {.report = import->header.report};
	bool again = import->part_count == 0;

	if (import->header.places[ROLE_GROUP] < 0)
		table.section = import->section;
	memcpy(table.device, import->device, sizeof(table.device));
	for (size_t i = 0; i < import->seen_count; i++)
		again |= import->seen[i].report->tool != table.report->tool ||
			 (import->seen[i].report == table.report &&
			  import->seen[i].section == table.section &&
			  strcmp(import->seen[i].device, table.device) == 0);
	again |= *import->process && *import->part_process &&
		 strcmp(import->process, import->part_process) != 0;
	again |= *import->source && *import->part_source &&
		 strcmp(import->source, import->part_source) != 0;
	if (again)
		begin_part(import);
	if (import->seen_count < TABLES_MOST)
		import->seen[import->seen_count++] = table;
	import->entered = true;
	import->table++;
}

const char *text_cell(const struct text_import *import, const struct cells *cells, enum role role)
{
	int place = import->header.places[role];

	return place < 0 ? "" : cells->text[place];
}

/* The groups of rows, and what those are; nvprof's text has a colon behind them. */
static const struct group {
	const char *name;
	enum row_class class;
	const char *rows; /* what they are, where they are passed over */
} groups[] = {
	{"GPU activities", CLASS_GPU, ""},
	{"API calls", CLASS_CALL, ""},
	{"OpenACC (excl)", CLASS_OTHER, "OpenACC, which is the host's time"},
	{"OpenACC (incl)", CLASS_OTHER, "OpenACC, which is the host's time"},
	{"OpenMP (excl)", CLASS_OTHER, "OpenMP, which is the host's time"},
	{"OpenMP (incl)", CLASS_OTHER, "OpenMP, which is the host's time"},
	{"Range", CLASS_OTHER, "ranges and markers"},
	{"CUDA graphs", CLASS_OTHER, "whole launches of CUDA graphs"},
	{"CUDA_KERNEL", CLASS_GPU, ""},
	{"MEMORY_OPER", CLASS_GPU, ""},
	{"CUDA_API", CLASS_CALL, ""},
};

/* NULL: there is no such group. */
static const struct group *group_of(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		size_t length = strlen(groups[i].name);

		if (text_begins(name, groups[i].name) &&
		    (!name[length] || strcmp(name + length, ":") == 0))
			return &groups[i];
	}
	return NULL;
}

static enum row_class class_of(struct text_import *import, const struct cells *cells,
			       const char *name)
{
	const char *group = text_cell(import, cells, ROLE_GROUP);

	switch (import->header.report->kind) {
	case REPORT_GPU:
		return CLASS_GPU;
	case REPORT_CALLS:
		return name_begins_call(name) ? CLASS_CALL : CLASS_OTHER;
	case REPORT_TRACE:
		if (text_begins(name, "[Unified Memory"))
			return CLASS_OTHER;
		if (*text_cell(import, cells, ROLE_DEVICE) &&
		    *text_cell(import, cells, ROLE_DEVICE) != '-')
			return CLASS_GPU;
		return name_begins_call(name) ? CLASS_CALL : CLASS_OTHER;
	case REPORT_GROUPED:
		/* A table alone, without the lines around it. */
		if (import->header.places[ROLE_GROUP] < 0 && !import->sectioned && !import->entered)
			import->section = name_begins_call(name) ? CLASS_CALL : CLASS_GPU;
		if (import->header.places[ROLE_GROUP] < 0)
			return import->section;
		if (import->section == CLASS_OTHER)
			return CLASS_OTHER;
		if (*group)
			import->group = group_of(group);
		/* nvprof repeats below a range which rows are of it. */
		if (import->group && strcmp(import->group->name, "Range") == 0) {
			import->section = CLASS_OTHER;
			import->section_rows = BY_RANGE;
		}
		return import->group ? import->group->class : CLASS_OTHER;
	case REPORT_OTHER:
		break;
	}
	return CLASS_OTHER;
}

/* What the rows of the table are that are passed over. */
static const char *others_of(const struct text_import *import)
{
	const struct report *report = import->header.report;

	if (import->section == CLASS_OTHER && report->tool == TOOL_NVPROF)
		return import->section_rows;
	if (report->kind == REPORT_GROUPED && import->group)
		return import->group->rows;
	if (report->kind == REPORT_CALLS)
		report = report_of_others(report) ?: report;
	return *report->rows ? report->rows : "neither GPU activities nor CUDA API calls";
}

/* Reads the row's numbers; returns what is wrong, or NULL. */
static const char *read_figures(const struct text_import *import, const struct cells *cells,
				struct quantity figures[ROLE_COUNT])
{
	static const char *const wrong[ROLE_COUNT] = {
		[ROLE_SHARE] = "bad share",	      [ROLE_TOTAL] = "bad total time",
		[ROLE_CALLS] = "bad number of calls", [ROLE_MORE_CALLS] = "bad number of calls",
		[ROLE_AVERAGE] = "bad average",	      [ROLE_MEDIAN] = "bad median",
		[ROLE_MINIMUM] = "bad minimum",	      [ROLE_MAXIMUM] = "bad maximum",
		[ROLE_DEVIATION] = "bad deviation",   [ROLE_DURATION] = "bad duration",
		[ROLE_START] = "bad start",
	};
	int last = import->header.places[ROLE_NAME];
	char mark = decimal_mark(cells->text, last < 0 ? cells->count : (size_t)last);

	for (unsigned role = 0; role <= ROLE_START; role++) {
		struct quantity *figure = &figures[role];
		double unit = role_is_time(role) ? import->header.units[role] : 0;

		*figure = (struct quantity){0};
		if (import->header.places[role] < 0)
			continue;
		if (!read_quantity(text_cell(import, cells, role), mark, unit, figure))
			return wrong[role];
		if ((role == ROLE_CALLS || role == ROLE_MORE_CALLS) &&
		    figure->value != floor(figure->value))
			return wrong[role];
	}
	return NULL;
}

/* What kind of file it is, as the first row says it. */
static const char *source_of(const struct text_import *import)
{
	const bool nvprof = import->header.report->tool == TOOL_NVPROF;

	switch (import->separator) {
	case '\0':
		return nvprof ? "nvprof text" : "nsys text";
	case JSON_ROWS:
		return nvprof ? "nvprof JSON" : "nsys JSON";
	default:
		return nvprof ? "nvprof CSV" : "nsys CSV";
	}
}

/* The name without what nvprof's traces have behind it. */
static void cut_name(const struct text_import *import, enum row_class class, char *name)
{
	size_t length = strlen(name);
	char *open = strrchr(name, '[');

	while (length && name[length - 1] == ' ')
		name[--length] = '\0';
	if (import->header.report->tool != TOOL_NVPROF ||
	    import->header.report->kind != REPORT_TRACE)
		return;
	if (open && open > name + 1 && open[-1] == ' ' && length &&
	    open[1 + strspn(open + 1, "0123456789")] == ']' &&
	    open + 2 + strspn(open + 1, "0123456789") == name + length)
		open[-1] = '\0';
	open = class == CLASS_CALL ? strstr(name, " (") : NULL;
	if (open)
		*open = '\0';
}

static int add_row(struct text_import *import, enum row_class class, const char *name,
		   const struct quantity *figures, uint64_t calls, bool timed)
{
	const struct quantity *total = &figures[ROLE_TOTAL], *average = &figures[ROLE_AVERAGE];
	double variance;
	struct profile_row *row;

	name = nsys_row_name(name);
	row = profile_row(import->profile, class == CLASS_CALL, name, name);
	if (!row)
		return -ENOMEM;
	/* A row of two of nsys's reports is one row; nvprof has a table for each device. */
	if (row->part && row->part != import->table && import->header.report->tool != TOOL_NVPROF)
		return 0;
	/* Names that nsys has shortened may be the same, and there is one table with a row for each
	 * grid. */
	if (row->part == import->table && import->header.report->kind != REPORT_TRACE &&
	    !name_is_shortened(name, !import->separator) &&
	    !strstr(import->header.report->header, "GridXYZ")) {
		rows_pass_damaged(import, "a row that is there twice");
		return 0;
	}
	row->part = import->table;
	variance = figures[ROLE_DEVIATION].value * figures[ROLE_DEVIATION].value;
	if (!figures[ROLE_DEVIATION].given)
		variance = profile_variance_bound(average->value, figures[ROLE_MINIMUM].value,
						  figures[ROLE_MAXIMUM].value, calls);
	profile_add_group(row, calls, timed ? calls : 0, total->value, average->value, variance,
			  figures[ROLE_MINIMUM].value, figures[ROLE_MAXIMUM].value);
	return 0;
}

/* What does not fit together in a trace's row; NULL: nothing. */
static const char *check_record(struct text_import *import, const struct cells *cells,
				enum row_class class, const char *name,
				const struct quantity figures[ROLE_COUNT])
{
	const struct quantity *start = &figures[ROLE_START], *last = &import->last_start;
	const char *grid = text_cell(import, cells, ROLE_GRID);
	bool kernel = *grid && *grid != '-';

	if (!figures[ROLE_DURATION].given)
		return "bad duration";
	if (class == CLASS_GPU && import->header.places[ROLE_GRID] >= 0 && kernel == (*name == '['))
		return "copies have no grid, kernels have one";
	if (last->given && start->value + start->error < last->value - last->error &&
	    is_wanted(import) && !import->disordered) {
		profile_say(
			import->profile,
			"%s: line %zu: not in order of time: rows may be missing, or there twice",
			import->path, import->lines.number);
		import->disordered = import->profile->damaged = true;
	}
	import->last_start = *start;
	return NULL;
}

/* Whether it is a row of the table: if the cells are as many and begin as a row's do. */
bool rows_fits(const struct text_import *import, const struct cells *cells)
{
	/* Lines of text may have as many words. */
	if (!import->separator && import->header.places[ROLE_GROUP] != 0 &&
	    !isdigit((unsigned char)*cells->text[0]) && *cells->text[0] != '-')
		return false;
	return !cells->open && cells->count == import->header.count &&
	       (import->header.places[ROLE_NAME] < 0 || *text_cell(import, cells, ROLE_NAME));
}

/* Takes a row of the table; 0 or -errno. */
int rows_take(struct text_import *import, struct cells *cells)
{
	struct quantity figures[ROLE_COUNT];
	const struct quantity *total = &figures[ROLE_TOTAL];
	const char *wrong;
	enum row_class class;
	double calls;
	char *name;

	name = import->header.places[ROLE_NAME] < 0 ? NULL
						    : cells->text[import->header.places[ROLE_NAME]];
	class = name ? class_of(import, cells, name) : CLASS_OTHER;
	if (class == CLASS_OTHER) {
		if (import->header.places[ROLE_GROUP] >= 0 && import->section != CLASS_OTHER &&
		    !import->group)
			rows_pass_damaged(import, "no type of a row");
		else
			pass_over(import, 1, import->lines.number, others_of(import));
		return 0;
	}
	wrong = read_figures(import, cells, figures);
	if (!wrong && import->header.report->kind == REPORT_TRACE) {
		wrong = check_record(import, cells, class, name, figures);
		for (unsigned role = ROLE_AVERAGE; role <= ROLE_MAXIMUM; role++)
			figures[role] = figures[ROLE_DURATION];
		figures[ROLE_TOTAL] = figures[ROLE_DURATION];
		figures[ROLE_CALLS] = (struct quantity){.value = 1, .given = true};
	}
	/* nvprof cuts an average down to nanoseconds. */
	if (import->header.report->tool == TOOL_NVPROF)
		figures[ROLE_AVERAGE].error += 1;
	calls = figures[ROLE_CALLS].value + figures[ROLE_MORE_CALLS].value;
	/* ktime leaves the fields empty of what it did not time. */
	if (!wrong && calls == 0)
		wrong = "no calls";
	else if (!wrong && total->given)
		wrong = row_flaw(figures, calls);
	else if (!wrong && figures[ROLE_AVERAGE].given)
		wrong = "bad total time";
	cut_name(import, class, name);
	if (!wrong &&
	    !(class == CLASS_GPU ? name_is_whole(name, !import->separator) : name_is_call(name)))
		wrong = "a name that is cut";
	if (wrong) {
		rows_pass_damaged(import, wrong);
		return 0;
	}
	if (import->strays) {
		pass_over(import, import->strays, import->stray_line, "not part of the table");
		import->strays = 0;
	}
	if (!import->entered)
		enter_table(import);
	/* nsys has one whole of both classes where a column tells them apart. */
	shares_add(&import->shares[import->header.report->tool == TOOL_NSYS ? CLASS_GPU : class],
		   &figures[ROLE_SHARE]);
	/* Kernels may be called so; but in a file that was put together calls stand there. */
	if (class == CLASS_GPU && name_is_call(name) && is_wanted(import)) {
		profile_say(import->profile,
			    "%s: line %zu: %s stands among GPU activities: lines may be missing",
			    import->path, import->lines.number, name);
		import->profile->damaged = true;
	}
	if (!import->lines.ended && !cells->last_quoted && import->separator != JSON_ROWS &&
	    is_wanted(import)) {
		profile_say(import->profile,
			    "%s: line %zu has no newline: the name \"%s\" may be cut; if it is "
			    "not, end the line",
			    import->path, import->lines.number, name);
		import->profile->damaged = true;
	}
	import->seen_own = true;
	if (!import->profile->source)
		import->profile->source = source_of(import);
	return is_wanted(import)
		       ? add_row(import, class, name, figures, (uint64_t)calls, total->given)
		       : 0;
}
