/* SPDX-License-Identifier: MIT */
/*
 * A session's GPU time as folded stacks, for flame graphs: "range;range;kernel 1200", in
 * nanoseconds. Source: the input of flamegraph.pl, Brendan Gregg's FlameGraph.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/export.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"

/* A line; several rows, as of two devices, can be one. */
struct stack {
	struct text_entry entry; /* by the path */
	uint64_t time;
};

struct folded {
	struct filter *filter;
	struct ranges ranges;
	char **paths; /* of the ranges' nodes */
	struct text_entry *stacks;
};

/* A name as a part of a path, in a string that the caller frees. */
static char *part_of_path(const char *name)
{
	char *part = visible_text(name);

	for (char *at = part; at && (at = strchr(at, ';')); at++)
		*at = ',';
	return part;
}

/* Adds time to the line of a name within a path; NULL: outside of ranges. */
static int add_time(struct folded *folded, const char *path, const char *name, uint64_t time)
{
	char *part = part_of_path(name), *whole = NULL;
	struct stack *stack = NULL;

	if (part && asprintf(&whole, "%s%s%s", path ? path : "", path ? ";" : "", part) >= 0)
		stack = text_entry_of(&folded->stacks, whole, sizeof(*stack));
	if (stack)
		stack->time += time;
	free(part);
	free(whole);
	return stack ? 0 : -ENOMEM;
}

/* What was launched in a range itself. */
static int add_part(struct folded *folded, size_t node, const struct nvtx_part *part)
{
	const struct session *session = folded->filter->session;
	const struct row *row = session_row_at(session, part->row);
	uint64_t time = range_part_sum(session, part, row, row_average(session, row)).time;
	char *name;
	int error;

	if (!row_is_gpu(row->kind) || !time)
		return 0;
	name = table_row_name(folded->filter, row);
	error = name ? add_time(folded, folded->paths[node], name, time) : -ENOMEM;
	free(name);
	return error;
}

/* Makes the path of a node, after that of its parent. */
static int make_path(struct folded *folded, size_t node)
{
	const struct range_node *range = &folded->ranges.tree.nodes[node];
	char *name = range_full_name(folded->filter, range->range);
	char *part = name ? part_of_path(name) : NULL;
	int length = -1;

	if (part && range->parent != RANGE_NO_PARENT)
		length =
			asprintf(&folded->paths[node], "%s;%s", folded->paths[range->parent], part);
	else if (part)
		length = asprintf(&folded->paths[node], "%s", part);
	if (length < 0)
		folded->paths[node] = NULL;
	free(name);
	free(part);
	return length < 0 ? -ENOMEM : 0;
}

static int add_ranges(struct folded *folded)
{
	const struct range_tree *tree = &folded->ranges.tree;
	int error = 0;

	folded->paths = calloc(tree->count + 1, sizeof(*folded->paths));
	if (!folded->paths)
		return -ENOMEM;
	for (size_t i = 0; i < tree->count && !error; i++)
		error = make_path(folded, i);
	for (size_t i = 0; i < tree->count && !error; i++) {
		const struct range_node *node = &tree->nodes[folded->ranges.order[i]];

		for (size_t j = 0; j < node->part_count && !error; j++)
			error = add_part(folded, folded->ranges.order[i],
					 tree->parts[node->first_part + j]);
	}
	return error;
}

static int add_others(struct folded *folded)
{
	struct table table;
	int error = ranges_outside(&folded->ranges, &table);

	for (size_t i = 0; i < table.count && !error; i++)
		if (table.rows[i].total)
			error = add_time(folded, NULL, table.rows[i].name, table.rows[i].total);
	table_free(&table);
	return error;
}

static int write_stacks(const struct folded *folded, FILE *file, char *message, size_t size)
{
	if (!folded->stacks) {
		snprintf(message, size, "the profile has no time of GPU operations");
		return -ENODATA;
	}
	entries_for_each (const struct stack, folded->stacks, stack)
		fprintf(file, "%s %" PRIu64 "\n", stack->entry.text, stack->time);
	return 0;
}

int export_folded(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size)
{
	struct folded folded = {.paths = NULL};
	struct filter filter;
	int error = filter_init(&filter, session, options);

	if (error)
		goto out;
	folded.filter = &filter;
	error = ranges_collect(&folded.ranges, &filter, false);
	if (!error) {
		error = add_ranges(&folded);
		if (!error)
			error = add_others(&folded);
		if (!error)
			error = write_stacks(&folded, file, message, size);
		for (size_t i = 0; folded.paths && i < folded.ranges.tree.count; i++)
			free(folded.paths[i]);
		free(folded.paths);
		ranges_free(&folded.ranges);
	}
	text_entries_free(&folded.stacks);
	filter_free(&filter);
out:
	if (error && error != -ENODATA)
		snprintf(message, size, "%s", strerror(-error));
	return error;
}
