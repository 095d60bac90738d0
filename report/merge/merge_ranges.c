/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_ranges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/session/figure_tables.h"
#include "report/session/session_internal.h"

/* Of a path's text, so that it stays a name. Chosen. */
#define PATH_LENGTH_MOST 4000

struct range_key {
	uint64_t parent, name, domain; /* offsets in the merged profile */
	uint64_t style;
};

struct merged_range {
	struct range_key key;
	struct nvtx_range *range;
	uint64_t path; /* offset of a string: "outer/domain@inner" */
	UT_hash_handle hh;
};

struct part_key {
	uint64_t range, row;
};

struct merged_part {
	struct part_key key;
	struct nvtx_part *part;
	UT_hash_handle hh;
};

static bool every_row(const struct row *row, double *average, void *source)
{
	*average = row_average(source, row);
	return true;
}

static uint64_t intern_path(const struct merge_ranges *ranges, const struct session *from,
			    const struct nvtx_range *range, const struct merged_range *parent)
{
	struct session *session = ranges->rows->session;
	const char *before = parent ? session_string(session, parent->path) : "";
	const char *domain = session_string(from, range->domain);
	const char *name = session_string(from, range->name);
	char text[PATH_LENGTH_MOST];

	snprintf(text, sizeof(text), "%s%s%s%s%s", before, parent ? "/" : "", domain,
		 *domain ? "@" : "", *name ? name : "<unnamed>");
	return session_intern(session, text);
}

/* Without parents in the profile: what they are in is left out. */
static struct merged_range *add_range(struct merge_ranges *ranges, const struct range_key *key,
				      const struct nvtx_range *from)
{
	struct session *session = ranges->rows->session;
	const struct nvtx_range empty = {.style = from->style,
					 .parent = key->parent,
					 .name = key->name,
					 .domain = key->domain};
	struct merged_range *merged = calloc(1, sizeof(*merged));

	if (!merged)
		return NULL;
	merged->key = *key;
	merged->range = session_add_nvtx_range(session, &empty);
	if (merged->range)
		HASH_ADD(hh, ranges->ranges, key, sizeof(merged->key), merged);
	if (merged->range && merged->hh.tbl) {
		ranges->count++;
		return merged;
	}
	free(merged);
	return NULL;
}

/* NULL with *error 0: there are more than fit. */
static struct merged_range *find_range(struct merge_ranges *ranges, const struct session *from,
				       const struct nvtx_range *range,
				       const struct merged_range *parent, int *error)
{
	struct session *session = ranges->rows->session;
	const char *domain = session_string(from, range->domain);
	const char *name = session_string(from, range->name);
	const struct range_key key = {
		.parent = parent ? session_offset(session, parent->range) : 0,
		.name = *name ? session_intern(session, name) : 0,
		.domain = *domain ? session_intern(session, domain) : 0,
		.style = range->style,
	};
	struct merged_range *merged;

	HASH_FIND(hh, ranges->ranges, &key, sizeof(key), merged);
	if (merged || ranges->count == MERGED_RANGES_MOST)
		return merged;
	merged = add_range(ranges, &key, range);
	if (merged)
		merged->path = intern_path(ranges, from, range, parent);
	else
		*error = -ENOMEM;
	return merged;
}

static void add_times(struct nvtx_range *to, const struct range_node *from)
{
	to->calls += from->calls;
	to->open += (uint32_t)from->open;
	to->total += from->total;
	if (from->minimum < to->minimum)
		to->minimum = from->minimum;
	if (from->maximum > to->maximum)
		to->maximum = from->maximum;
}

static struct nvtx_part *find_part(struct merge_ranges *ranges, const struct nvtx_range *range,
				   const struct row *row)
{
	struct session *session = ranges->rows->session;
	const struct part_key key = {session_offset(session, range), session_offset(session, row)};
	struct merged_part *merged;

	HASH_FIND(hh, ranges->parts, &key, sizeof(key), merged);
	if (merged)
		return merged->part;
	merged = calloc(1, sizeof(*merged));
	if (!merged)
		return NULL;
	merged->key = key;
	merged->part = session_add_nvtx_part(session, range, row);
	if (merged->part)
		HASH_ADD(hh, ranges->parts, key, sizeof(key), merged);
	if (merged->part && merged->hh.tbl)
		return merged->part;
	free(merged);
	return NULL;
}

/* The events' overhead was taken off when the profile was opened. */
static int add_part(struct merge_ranges *ranges, const struct session *source,
		    const struct nvtx_range *range, const struct nvtx_part *from)
{
	const struct row *row =
		merge_rows_sum(ranges->rows, source, session_row_at(source, from->row));
	struct nvtx_part *to = row ? find_part(ranges, range, row) : NULL;

	if (!to)
		return -ENOMEM;
	figures_merge(figures_of(SCOPE_PART), to, from);
	return 0;
}

static void say_more(struct merge_ranges *ranges)
{
	if (!ranges->said)
		session_note(ranges->rows->session,
			     "NVTX ranges: there are more than %u of different paths; those beyond "
			     "are left out.",
			     MERGED_RANGES_MOST);
	ranges->said = true;
}

static int add_node(struct merge_ranges *ranges, const struct session *from,
		    const struct range_tree *tree, size_t index, struct merged_range **merged,
		    bool spread)
{
	const struct range_node *node = &tree->nodes[index];
	bool is_inner = node->parent != RANGE_NO_PARENT;
	int error = 0;

	/* What it is in was left out. */
	if (is_inner && !merged[node->parent])
		return 0;
	merged[index] = find_range(ranges, from, node->range,
				   is_inner ? merged[node->parent] : NULL, &error);
	if (!merged[index]) {
		say_more(ranges);
		return error;
	}
	add_times(merged[index]->range, node);
	for (size_t i = 0; i < node->part_count && !error; i++)
		error = add_part(ranges, from, merged[index]->range,
				 tree->parts[node->first_part + i]);
	if (!error && spread && node->all.operations > 0)
		error = merge_rows_spread(ranges->rows, ROW_RANGE, merged[index]->path, node->calls,
					  (double)node->all.time);
	return error;
}

int merge_ranges_add(struct merge_ranges *ranges, const struct session *from,
		     struct job_process *process)
{
	struct merged_range **merged = NULL;
	struct range_tree tree;
	int error = range_tree_build(&tree, from, false, every_row, (void *)from);

	if (!error && tree.count > 0) {
		merged = calloc(tree.count, sizeof(*merged));
		error = merged ? 0 : -ENOMEM;
	}
	/* Parents come first. */
	for (size_t i = 0; i < tree.count && !error; i++)
		error = add_node(ranges, from, &tree, i, merged, process != NULL);
	free(merged);
	range_tree_free(&tree);
	return error;
}

void merge_ranges_free(struct merge_ranges *ranges)
{
	struct merged_range *range, *next_range;
	struct merged_part *part, *next_part;

	HASH_ITER (hh, ranges->ranges, range, next_range) {
		HASH_DEL(ranges->ranges, range);
		free(range);
	}
	HASH_ITER (hh, ranges->parts, part, next_part) {
		HASH_DEL(ranges->parts, part);
		free(part);
	}
}
