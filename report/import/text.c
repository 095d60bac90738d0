/* SPDX-License-Identifier: MIT */
/* The tables of a text file: those of GPU activities and CUDA's calls are read, what else it holds
 * is passed over, counted and said. */
#include "report/import/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/import/encoding.h"
#include "report/import/json_rows.h"
#include "report/import/quantity.h"
#include "report/import/record.h"
#include "report/import/report.h"
#include "report/names/nsys_names.h"

/* Parts that are listed, and reports that one can hold. */
#define PARTS_MOST	 8
#define LABEL_SIZE	 48
#define TABLES_MOST	 64
/* The least length that nsys shortens names to. */
#define SHORTENED_LENGTH 100
/* The separator of a table whose rows are objects in JSON. */
#define JSON_ROWS	 '{'

/* What a row is. */
enum row_class { CLASS_GPU, CLASS_CALL, CLASS_OTHER, CLASS_COUNT };

struct group;

/* A run or a process, of which a file may hold several. */
struct part {
	size_t line;
	char label[LABEL_SIZE];
};

/* A table of a part. */
struct seen {
	const struct report *report;
	enum row_class section;
	char device[LABEL_SIZE];
};

/* How the shares of a class of rows add up. */
struct shares {
	double sum, rounded; /* the latter: what the sum may lack or exceed by rounding */
	size_t count;
};

struct text_import {
	struct profile *profile;
	const char *path;
	unsigned wanted; /* 0: the file must have one part */
	char *message;	 /* why the file is refused */
	size_t size;
	struct lines lines;

	size_t line_begin; /* of the line, in the text */
	char *copy;	   /* of the line, to be split */
	size_t room;

	/* The table. */
	struct header header; /* report: NULL outside of one */
	struct rule rule;
	char separator;	    /* 0: a text table; or JSON_ROWS */
	bool units_follow;  /* the row of units may be next */
	bool entered;	    /* whether it was given to a part */
	unsigned table;	    /* its number */
	size_t header_line; /* from 1 */
	/* Of the rows, where a text table has it in the first alone; NULL: none that is known. */
	const struct group *group;
	struct shares shares[CLASS_COUNT];
	/* Lines since the last row that are none, and the first of them; they are the program's own
	 * if another row follows. */
	size_t strays, stray_line;

	/* What was said before the table. */
	const struct report *announced;
	enum row_class section; /* of nvprof's tables without a column of types */
	bool sectioned;
	const char *section_rows; /* what those of a section are that are passed over */
	char process[16], device[LABEL_SIZE], source[LABEL_SIZE], command[LABEL_SIZE];

	/* What the part has. */
	struct seen seen[TABLES_MOST];
	size_t seen_count;
	char part_process[16], part_source[LABEL_SIZE];
	struct part parts[PARTS_MOST];
	size_t part_count;
	bool seen_own; /* whether a row was read */

	/* Rows that were passed over and not said yet. */
	const char *passed_what;
	size_t passed, passed_line;
	char first_passed[80]; /* what the first were, for a file that has no others */
	/* The first row that was bad. */
	char bad[64];
};

static bool is_wanted(const struct text_import *import)
{
	unsigned wanted = import->wanted ? import->wanted : 1;

	return import->part_count <= 1 ? wanted == 1 || import->part_count == 0
				       : import->part_count == wanted;
}

__attribute__((format(printf, 2, 3))) static int refuse(struct text_import *import,
							const char *format, ...)
{
	va_list arguments;
	int length = snprintf(import->message, import->size, "%s: ", import->path);

	va_start(arguments, format);
	if (length > 0 && (size_t)length < import->size)
		vsnprintf(import->message + length, import->size - (size_t)length, format,
			  arguments);
	va_end(arguments);
	return -EINVAL;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Says what was passed over so far. */
static void say_passed(struct text_import *import)
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
		say_passed(import);
	if (!import->passed) {
		import->passed_what = what;
		import->passed_line = line;
	}
	import->passed += count;
	if (!*import->first_passed)
		snprintf(import->first_passed, sizeof(import->first_passed), "%s", what);
}

/* A row that is none of the profiler's any more. */
static void pass_damaged(struct text_import *import, const char *why)
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
		double rounded = shares->rounded + 0.02;

		if (!shares->count || fabs(shares->sum - 100) <= rounded || !is_wanted(import))
			continue;
		profile_say(import->profile,
			    "%s: the shares of the table in line %zu add up to %.4g %%: %s",
			    import->path, import->header_line, shares->sum,
			    shares->sum < 100 ? "rows are missing" : "it holds rows twice");
		import->profile->damaged = true;
	}
}

static void end_table(struct text_import *import)
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
	struct part *part = &import->parts[import->part_count];

	say_passed(import);
	if (import->part_count < PARTS_MOST) {
		const char *label = *import->command ? import->command : import->source;

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

/* cuda… and cu…, as cuLaunchKernel: a call of CUDA's interfaces. */
static bool is_call(const char *name)
{
	size_t prefix = strncmp(name, "cuda", 4) == 0 ? 4 : 2;

	return strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[prefix]);
}

static const char *cell_of(const struct text_import *import, const struct cells *cells,
			   enum role role)
{
	int place = import->header.places[role];

	return place < 0 ? "" : cells->text[place];
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
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

		if (begins(name, groups[i].name) &&
		    (!name[length] || strcmp(name + length, ":") == 0))
			return &groups[i];
	}
	return NULL;
}

static enum row_class class_of(struct text_import *import, const struct cells *cells,
			       const char *name)
{
	const char *group = cell_of(import, cells, ROLE_GROUP);

	switch (import->header.report->kind) {
	case REPORT_GPU:
		return CLASS_GPU;
	case REPORT_CALLS:
		return is_call(name) ? CLASS_CALL : CLASS_OTHER;
	case REPORT_TRACE:
		if (begins(name, "[Unified Memory"))
			return CLASS_OTHER;
		if (*cell_of(import, cells, ROLE_DEVICE) &&
		    *cell_of(import, cells, ROLE_DEVICE) != '-')
			return CLASS_GPU;
		return is_call(name) ? CLASS_CALL : CLASS_OTHER;
	case REPORT_GROUPED:
		/* A table alone, without the lines around it. */
		if (import->header.places[ROLE_GROUP] < 0 && !import->sectioned && !import->entered)
			import->section = is_call(name) ? CLASS_CALL : CLASS_GPU;
		if (import->header.places[ROLE_GROUP] < 0)
			return import->section;
		if (import->section == CLASS_OTHER)
			return CLASS_OTHER;
		if (*group)
			import->group = group_of(group);
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
	return *report->rows ? report->rows : "neither GPU activities nor calls of CUDA's";
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
	};
	int last = import->header.places[ROLE_NAME];
	char mark = decimal_mark(cells->text, last < 0 ? cells->count : (size_t)last);

	for (unsigned role = 0; role <= ROLE_DURATION; role++) {
		struct quantity *figure = &figures[role];
		double unit = role_is_time(role) ? import->header.units[role] : 0;

		*figure = (struct quantity){0};
		if (import->header.places[role] < 0)
			continue;
		if (!read_quantity(cell_of(import, cells, role), mark, unit, figure))
			return wrong[role];
		if ((role == ROLE_CALLS || role == ROLE_MORE_CALLS) &&
		    figure->value != floor(figure->value))
			return wrong[role];
	}
	return NULL;
}

/* Whether a <= b within what is lost by rounding. */
static bool at_most(const struct quantity *a, const struct quantity *b)
{
	return !a->given || !b->given ||
	       a->value <= b->value + a->error + b->error + 1 + 1e-6 * b->value;
}

/* What does not fit together in a row; NULL: nothing. A row of which a part is lost, or that was
 * made of two, mostly shows by that. */
static const char *check_figures(const struct quantity *figures, double calls)
{
	const struct quantity *total = &figures[ROLE_TOTAL], *average = &figures[ROLE_AVERAGE];
	const struct quantity *least = &figures[ROLE_MINIMUM], *most = &figures[ROLE_MAXIMUM];
	const struct quantity *deviation = &figures[ROLE_DEVIATION];
	double range = most->value - least->value, slack;

	slack = total->error + calls * average->error + 1e-6 * total->value;
	if (fabs(total->value - average->value * calls) > slack)
		return "total, calls and average do not fit together";
	if (!at_most(least, average) || !at_most(average, most) ||
	    !at_most(least, &figures[ROLE_MEDIAN]) || !at_most(&figures[ROLE_MEDIAN], most))
		return "least, average and most do not fit together";
	/* Calls that are no shorter than the least and no longer than the most make that total. */
	slack = 0.02 * total->value + calls * (least->error + most->error + 1);
	if (least->given && most->given &&
	    (most->value + (calls - 1) * least->value > total->value + slack ||
	     least->value + (calls - 1) * most->value < total->value - slack))
		return "least, most and total do not fit together";
	/* Two values that far apart alone make more than half of that deviation. */
	if (deviation->given && deviation->value > 0 && calls > 1 &&
	    deviation->value + deviation->error < range / sqrt(2 * (calls - 1)) / 2)
		return "range and deviation do not fit together";
	return figures[ROLE_SHARE].value > 100.1 ? "bad share" : NULL;
}

/* Whether all of a name is that of a call. */
static bool is_call_name(const char *name)
{
	const char *at = name;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return is_call(name) && !*at;
}

/* nsys shortens names in text: it ends them with an ellipsis now, and cut them off until 2020. */
static bool is_shortened(const struct text_import *import, const char *name)
{
	size_t length = strlen(name);

	if (!import->separator && length >= SHORTENED_LENGTH)
		return true;
	return length >= 3 && strcmp(name + length - 3, "\xe2\x80\xa6") == 0;
}

/* Whether a name is whole, as far as its brackets and quotes tell. */
static bool is_whole_name(const struct text_import *import, enum row_class class, const char *name)
{
	static const char *const pairs[] = {"()", "[]", "{}"};
	size_t quotes = 0;

	/* Columns are that far apart; and no name of a kernel or call begins with a digit. */
	if (strstr(name, "  ") || isdigit((unsigned char)*name))
		return false;
	/* [CUDA memcpy HtoD] */
	if (*name == '[')
		return strcspn(name + 1, "[]") + 2 == strlen(name) && name[strlen(name) - 1] == ']';
	if (is_shortened(import, name))
		return true;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		long depth = 0;

		for (const char *at = name; *at && depth >= 0; at++)
			depth += (*at == pairs[i][0]) - (*at == pairs[i][1]);
		if (depth != 0)
			return false;
	}
	for (const char *at = name; *at; at++)
		quotes += *at == '"';
	return quotes % 2 == 0 && (class == CLASS_GPU || is_call_name(name));
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

static void add_share(struct text_import *import, enum row_class class,
		      const struct quantity *share)
{
	/* nsys has one whole of both classes where a column tells them apart. */
	struct shares *shares =
		import->header.report->tool == TOOL_NSYS ? import->shares : &import->shares[class];
	double errors = 3 * share->error;

	if (!share->given || class == CLASS_OTHER)
		return;
	shares->sum += share->value;
	shares->count++;
	/* Many that are not zero differ by chance from what they are; those of zero are all more.
	 */
	shares->rounded =
		share->value > 0 ? hypot(shares->rounded, errors) : shares->rounded + share->error;
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
	    !is_shortened(import, name) && !strstr(import->header.report->header, "GridXYZ")) {
		pass_damaged(import, "a row that is there twice");
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

/* Whether it is a row of the table: if the cells are as many and begin as a row's do. */
static bool is_row(const struct text_import *import, const struct cells *cells)
{
	/* Lines of text may have as many words. */
	if (!import->separator && import->header.places[ROLE_GROUP] != 0 &&
	    !isdigit((unsigned char)*cells->text[0]) && *cells->text[0] != '-')
		return false;
	return !cells->open && cells->count == import->header.count &&
	       (import->header.places[ROLE_NAME] < 0 || *cell_of(import, cells, ROLE_NAME));
}

/* Takes a row of the table; 0 or -errno. */
static int take_row(struct text_import *import, struct cells *cells)
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
			pass_damaged(import, "no type of a row");
		else
			pass_over(import, 1, import->lines.number, others_of(import));
		return 0;
	}
	wrong = read_figures(import, cells, figures);
	if (!wrong && import->header.report->kind == REPORT_TRACE) {
		if (!figures[ROLE_DURATION].given)
			wrong = "bad duration";
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
		wrong = check_figures(figures, calls);
	else if (!wrong && figures[ROLE_AVERAGE].given)
		wrong = "bad total time";
	cut_name(import, class, name);
	if (!wrong && !is_whole_name(import, class, name))
		wrong = "a name that is cut";
	if (wrong) {
		pass_damaged(import, wrong);
		return 0;
	}
	if (import->strays) {
		pass_over(import, import->strays, import->stray_line, "no row of the table");
		import->strays = 0;
	}
	if (!import->entered)
		enter_table(import);
	add_share(import, class, &figures[ROLE_SHARE]);
	/* Kernels may be called so; but in a file that was put together calls stand there. */
	if (class == CLASS_GPU && is_call_name(name) && is_wanted(import)) {
		profile_say(import->profile,
			    "%s: line %zu: is %s a GPU activity, or are lines missing?",
			    import->path, import->lines.number, name);
		import->profile->damaged = true;
	}
	if (!import->lines.ended && !cells->last_quoted && import->separator != JSON_ROWS &&
	    is_wanted(import)) {
		profile_say(import->profile,
			    "%s: line %zu has no end: if \"%s\" is a whole name, end it",
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

static int begin_table(struct text_import *import, const struct header *header, char separator)
{
	if (header->bad_unit)
		return refuse(import, "line %zu: unknown unit \"%.*s\"", import->lines.number,
			      (int)strcspn(header->bad_unit, ")"), header->bad_unit);
	end_table(import);
	import->header = *header;
	import->separator = separator;
	import->rule.count = 0;
	import->units_follow =
		header->report->tool == TOOL_NVPROF && header->report->kind != REPORT_OTHER;
	/* nvprof has no units in its header: they are in a row of their own, or in the cells. */
	for (int role = 0; role < ROLE_COUNT && import->units_follow; role++)
		if (role_is_time((enum role)role))
			import->header.units[role] = -1;
	import->entered = false;
	import->header_line = import->lines.number;
	import->announced = NULL;
	return 0;
}

/* Takes the line as a header, whatever stands between its titles: 1, or 0: it is none; -errno. */
static int take_header(struct text_import *import, const char *line)
{
	static const char separators[] = ",;\t|";
	struct header header;
	struct cells cells;
	char *copy;
	int error = 0;

	if (header_read_line(&header, line, import->announced))
		return begin_table(import, &header, 0) ?: 1;
	copy = strdup(line);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < sizeof(separators) && !error; i++) {
		if (!strchr(line, separators[i]))
			continue;
		strcpy(copy, line);
		split_values(&cells, copy, separators[i]);
		if (cells.open || cells.count > COLUMNS_MOST)
			continue;
		if (header_read(&header, cells.text, cells.count, import->announced)) {
			error = begin_table(import, &header, separators[i]) ?: 1;
		} else if (titles_are_known(cells.text, cells.count)) {
			header = (struct header){.report = &report_unknown, .count = cells.count};
			memset(header.places, -1, sizeof(header.places));
			error = begin_table(import, &header, separators[i]) ?: 1;
			import->units_follow = false;
		}
	}
	free(copy);
	return error;
}

/* A copy of the line, which may be split; NULL: memory is out. */
static char *copy_line(struct text_import *import)
{
	size_t size = strlen(import->lines.line) + 1;

	if (size > import->room) {
		char *copy = realloc(import->copy, size);

		if (!copy)
			return NULL;
		import->copy = copy;
		import->room = size;
	}
	return memcpy(import->copy, import->lines.line, size);
}

/* The cells of a row of units in a text table: words, each above a column of times or of shares,
 * with nothing in between. False: it is no such row. */
static bool split_units(const struct text_import *import, struct cells *cells, char *line)
{
	static char none[1];

	*cells = (struct cells){0};
	for (size_t place = 0; place < import->header.count; place++) {
		enum role role = import->header.roles[place];
		size_t length;

		cells->text[cells->count++] = none;
		if (!role_is_time(role) && role != ROLE_SHARE)
			continue;
		line += strspn(line, " ");
		length = strcspn(line, " ");
		if (role_is_time(role) ? time_unit(line, length) == 0 : strncmp(line, "% ", 2) != 0)
			return false;
		cells->text[place] = line;
		line += length;
		if (*line)
			*line++ = '\0';
	}
	return line[strspn(line, " ")] == '\0';
}

/* nvprof's units, in a row below the header: 1, or 0: it is no such row; -errno. */
static int take_units(struct text_import *import, char *line)
{
	struct header *header = &import->header;
	struct cells cells;

	if (!import->separator) {
		if (!split_units(import, &cells, line))
			return 0;
	} else {
		split_values(&cells, line, import->separator);
		if (cells.open || cells.count != header->count ||
		    *cell_of(import, &cells, ROLE_NAME))
			return 0;
	}
	for (size_t i = 0; i < cells.count; i++) {
		enum role role = header->roles[i];
		const char *word = cells.text[i];

		if (!role_is_time(role))
			continue;
		header->units[role] = time_unit(word, strlen(word));
		if (header->units[role] == 0)
			return refuse(import, "line %zu: unknown unit \"%s\"", import->lines.number,
				      word);
	}
	return 1;
}

/* A line of nvprof's own: "==71== Profiling result:". NULL: it is none; else what it says. */
static const char *banner_of(const char *line, char process[16])
{
	const char *digits = line + strspn(line, "=");
	size_t first = (size_t)(digits - line), length = strspn(digits, "0123456789");
	size_t second = strspn(digits + length, "=");
	const char *text = digits + length + second;

	if (first < 2 || (length && second < 2) || length > 15 || *text != ' ')
		return NULL;
	memcpy(process, digits, length);
	process[length] = '\0';
	return text + 1;
}

static void take_banner(struct text_import *import, const char *said, const char *process)
{
	static const struct {
		const char *start;
		enum row_class section;
		const char *rows; /* what they are, where they are passed over */
	} sections[] = {
		{"Profiling result", CLASS_GPU, NULL},
		{"API calls", CLASS_CALL, NULL},
		{"OpenACC", CLASS_OTHER, "OpenACC, which is the host's time"},
		{"OpenMP", CLASS_OTHER, "OpenMP, which is the host's time"},
		{"NVTX result", CLASS_OTHER, "ranges, with rows that stand above too"},
		{"CPU profiling", CLASS_OTHER, "samples of the host"},
		{"Unified Memory", CLASS_OTHER, "page faults and migrations"},
		{"Event result", CLASS_OTHER, "counters"},
		{"Metric result", CLASS_OTHER, "counters"},
		{"Dependency", CLASS_OTHER, "dependencies"},
	};
	static const char *const within[] = {"NVPROF is", "Profiling application", "Warning",
					     "Error", "Generated"};
	const char *command = strstr(said, "command: ");

	if (begins(said, "Profiling application: "))
		snprintf(import->command, sizeof(import->command), "%s", said + 23);
	else if (begins(said, "NVPROF is") && command)
		snprintf(import->command, sizeof(import->command), "%s", command + 9);
	/* These may be another process's, within a table of this one. */
	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (begins(said, within[i]))
			return;
	end_table(import);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (!begins(said, sections[i].start))
			continue;
		import->section = sections[i].section;
		import->section_rows = sections[i].rows;
		import->sectioned = true;
		strcpy(import->process, process);
		*import->device = '\0';
	}
	if (begins(said, "Device \""))
		snprintf(import->device, sizeof(import->device), "%s", said);
}

/* "Processing [a.sqlite] with [cuda_api_sum.py]...": the file. */
static void take_announcement(struct text_import *import, const char *line,
			      const struct report *report)
{
	const char *file = strstr(line, "Processing [");

	end_table(import);
	import->announced = report;
	if (file)
		snprintf(import->source, sizeof(import->source), "%.*s",
			 (int)strcspn(file + 12, "]"), file + 12);
}

static char *trim(char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == ' ')
		text[--length] = '\0';
	return text + strspn(text, " ");
}

/* Splits the line as the table's rows are; false: it is none. */
static bool split(struct text_import *import, struct cells *cells, char *line)
{
	if (!import->separator)
		return split_text(cells, line, &import->header, &import->rule) &&
		       is_row(import, cells);
	split_values(cells, line, import->separator);
	for (size_t i = 0; import->separator == '|' && i < cells->count && i <= COLUMNS_MOST; i++)
		cells->text[i] = trim(cells->text[i]);
	/* A name may have a newline. */
	if (cells->open && lines_read_quoted(&import->lines)) {
		line = copy_line(import);
		if (line)
			split_values(cells, line, import->separator);
	}
	return is_row(import, cells);
}

/* Whether a line that is no row looks like what is left of one. */
static bool is_like_row(const struct text_import *import, const char *line)
{
	const size_t enough = import->header.count < 8 ? 2 : 3;
	size_t numbers = 0;
	bool begins_so = false;

	for (const char *at = line; *at;) {
		at += import->separator ? 0 : strspn(at, " ");
		at += *at == '"';
		begins_so |= at <= line + strspn(line, " \"") && isdigit((unsigned char)*at);
		numbers += isdigit((unsigned char)*at) != 0;
		at += import->separator ? strcspn(at, (char[]){import->separator, '\0'})
					: strcspn(at, " ");
		at += *at && *at == import->separator;
	}
	return numbers >= enough && (begins_so || import->header.places[ROLE_GROUP] == 0);
}

/* Takes the line as one of the table: 1, or 0: it is none; -errno. */
static int take_line_of_table(struct text_import *import)
{
	struct cells cells;
	char *line = copy_line(import);
	int taken = 0;

	if (!line)
		return -ENOMEM;
	if (!import->separator && rule_read(&import->rule, line))
		return 1;
	if (import->units_follow) {
		import->units_follow = false;
		taken = take_units(import, line);
		line = copy_line(import);
		if (taken || !line)
			return taken ?: -ENOMEM;
	}
	if (split(import, &cells, line))
		return take_row(import, &cells) ?: 1;
	if (import->header.report->kind == REPORT_OTHER || !is_like_row(import, import->lines.line))
		return 0;
	pass_damaged(import,
		     import->lines.ended ? "not a whole row" : "the file ends in the middle of it");
	return 1;
}

/* A row of an object in JSON. */
static int take_object(void *with, struct cells *titles, struct cells *values)
{
	struct text_import *import = with;
	struct header header;
	bool same = import->header.report && import->separator == JSON_ROWS &&
		    import->header.count == titles->count;

	if (titles->count > COLUMNS_MOST)
		return 0;
	if (!header_read(&header, titles->text, titles->count, import->announced)) {
		header = (struct header){.report = &report_unknown, .count = titles->count};
		memset(header.places, -1, sizeof(header.places));
	}
	if (!same || header.report != import->header.report) {
		const struct report *announced = import->announced;
		int error = begin_table(import, &header, JSON_ROWS);

		import->announced = announced;
		if (error)
			return error;
		/* Here numbers have no unit but that of their title. */
		import->units_follow = false;
	}
	return is_row(import, values) ? take_row(import, values) : 0;
}

/* Reads the array that the line begins. */
static int take_array(struct text_import *import)
{
	struct lines *lines = &import->lines;
	const char *text = lines->text, *begin = strchr(text + import->line_begin, '[');
	size_t length, end;
	char *array;
	bool cut;
	int error;

	length = json_array_length(begin, lines->length - (size_t)(begin - text), &cut);
	array = malloc(length + 2);
	if (!array)
		return -ENOMEM;
	memcpy(array, begin, length);
	strcpy(array + length, cut ? "]" : "");
	end_table(import);
	error = json_rows_read(array, length + cut, take_object, import);
	free(array);
	if (error == -EINVAL && !*import->message)
		pass_damaged(import, "no JSON");
	else if (error)
		return error;
	else if (cut)
		pass_damaged(import, "the file ends in the middle of it");
	end_table(import);
	import->announced = NULL;
	/* Goes on behind the array's last line. */
	end = (size_t)(begin - text) + length;
	while (!cut && lines->next <= end && lines_read(lines) > 0)
		;
	if (cut)
		lines->next = lines->length;
	return 1;
}

/* Takes away what is around the line of a table with borders: nsys's "table" and Markdown's. */
static void cut_borders(char *line)
{
	size_t begin = strspn(line, " "), length = strlen(line);

	if (line[begin] != '|')
		return;
	while (length && line[length - 1] == ' ')
		length--;
	length -= length > begin + 1 && line[length - 1] == '|';
	line[length] = '\0';
	memmove(line, line + begin + 1, length - begin);
}

static int take_line(struct text_import *import)
{
	const struct report *report;
	const char *line = import->lines.line, *said, *first;
	char process[16];
	int taken = 0;

	cut_borders(import->lines.line);
	first = line + strspn(line, " \t");
	/* Nothing, or a line between rows. */
	if (!first[strspn(first, "+-=|: ")] && (!*first || import->separator == '|'))
		return 0;
	said = banner_of(line, process);
	if (said) {
		take_banner(import, said, process);
		return 0;
	}
	if (*first == '[' && (first[1 + strspn(first + 1, " ")] == '{' || !first[1]))
		return take_array(import);
	/* A header may have as many cells as the rows of the table above it. */
	first += *first == '"';
	if (!isdigit((unsigned char)*first)) {
		report = report_announced(line);
		if (report)
			take_announcement(import, line, report);
		taken = report ? 1 : take_header(import, line);
	}
	if (!taken && import->header.report)
		taken = take_line_of_table(import);
	if (taken || !import->header.report)
		return taken;
	if (!import->strays++)
		import->stray_line = import->lines.number;
	return 0;
}

static int refuse_parts(struct text_import *import)
{
	char list[384] = "";
	size_t length = 0;

	for (size_t i = 0; i < import->part_count && i < PARTS_MOST && length + 2 < sizeof(list);
	     i++)
		length += (size_t)snprintf(
			list + length, sizeof(list) - length, "%s--part %zu: line %zu%s%s",
			i ? "; " : "", i + 1, import->parts[i].line,
			*import->parts[i].label ? ", " : "", import->parts[i].label);
	return refuse(import, "%zu runs or processes in one file: take one by %s%s",
		      import->part_count, list, import->part_count > PARTS_MOST ? "; ..." : "");
}

/* Why a text has nothing to compare. */
static int refuse_empty(struct text_import *import)
{
	if (*import->bad)
		return refuse(import, "%s", import->bad);
	if (*import->first_passed)
		return refuse(import, "no GPU activities or calls of CUDA's in it, but %s",
			      import->first_passed);
	return refuse(import, "no profile, database of nsys, or table of nvprof, nsys or ktime");
}

static int read_lines(struct text_import *import)
{
	int error = 1;

	while (error > 0) {
		import->line_begin = import->lines.next;
		error = lines_read(&import->lines);
		if (error > 0) {
			error = take_line(import);
			error = error < 0 ? error : 1;
		}
	}
	return error;
}

static int import_part(struct profile *profile, const char *text, size_t length, unsigned part,
		       const char *path, char *message, size_t size, size_t *part_count)
{
	struct text_import import = {.profile = profile,
				     .path = path,
				     .wanted = part,
				     .message = message,
				     .size = size,
				     .lines = {.text = text, .length = length}};
	int error;

	*message = '\0';
	error = read_lines(&import);
	if (!error) {
		end_table(&import);
		say_passed(&import);
	}
	if (error && !*message)
		snprintf(message, size, "%s: %s", path, strerror(-error));
	else if (!error && !import.seen_own)
		error = refuse_empty(&import);
	else if (!error && import.part_count > 1 && (part == 0 || part > import.part_count))
		error = refuse_parts(&import);
	*part_count = import.part_count;
	free(import.lines.line);
	free(import.copy);
	return error;
}

int import_text(struct profile *profile, const char *bytes, size_t size, unsigned part,
		const char *path, char *message, size_t message_size)
{
	size_t length, part_count;
	char *text = text_as_utf8(bytes, size, &length);
	int error;

	if (!text) {
		snprintf(message, message_size, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	error = import_part(profile, text, length, part, path, message, message_size, &part_count);
	/* Which part is wanted matters only where there are several. */
	if (!error && part > 1 && part_count == 1) {
		profile_free(profile);
		*profile = (struct profile){0};
		error = import_part(profile, text, length, 1, path, message, message_size,
				    &part_count);
	}
	free(text);
	return error;
}
