/* SPDX-License-Identifier: MIT */
/* The NVTX ranges as an icicle, a flame graph from above: as wide as their GPU time, those inside
 * of a range below it, and below them the kernels and copies that were launched in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"
#include "report/names/cut_name.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "report/session/memory.h"

#define LEVEL_HEIGHT 22 /* pixels */
/* Levels that are drawn; what is deeper is in the table. Chosen. */
#define LEVELS_MOST  16
/* The least that is drawn, and that has room for a name, in percent of the width. Chosen. */
#define LEAST_DRAWN  0.1
#define LEAST_NAMED  4.0
/* Blocks that are drawn, the narrowest left out, and letters of their names. Chosen: 150 KB, and a
 * page stays under 1 MB. */
#define BLOCKS_MOST  500
#define NAME_MOST    100

struct block {
	char *name;
	const char *class;
	unsigned level;
	double at, length; /* percent of the width */
	uint64_t time;
	bool estimated;
};

struct blocks {
	struct block *blocks;
	size_t count, room;
};

struct icicle {
	const struct ranges *ranges;
	double whole; /* ns that are the width */
	struct blocks blocks;
};

/* Takes the block's name over. */
static int add_block(struct blocks *blocks, const struct block *block)
{
	if (block->name && LIST_HAS_ROOM(blocks->blocks, blocks->count, blocks->room)) {
		blocks->blocks[blocks->count++] = *block;
		return 0;
	}
	free(block->name);
	return -ENOMEM;
}

static void free_blocks(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++)
		free(blocks->blocks[i].name);
	free(blocks->blocks);
}

static int compare_names(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return strcmp(a->class, b->class) ?: strcmp(a->name, b->name);
}

static int compare_times(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return IN_ORDER(b->time, a->time) ?: compare_names(left, right);
}

/* What was launched in a range itself: a block for each name, the one with most time first. */
static int collect_leaves(struct blocks *leaves, const struct ranges *ranges,
			  const struct range_node *node)
{
	const struct session *session = ranges->filter->session;
	size_t count = 0;
	int error = 0;

	for (size_t i = 0; i < node->part_count && !error; i++) {
		const struct nvtx_part *part = ranges->tree.parts[node->first_part + i];
		const struct row *row = session_row_at(session, part->row);
		struct range_sum sum =
			range_part_sum(session, part, row, row_average(session, row));

		if (row_is_gpu(row->kind) && sum.time &&
		    filter_shows(ranges->filter, row->kind, row->name, row->device))
			error = add_block(leaves,
					  &(struct block){table_row_name(ranges->filter, row),
							  kind_class(row->kind), .time = sum.time,
							  .estimated = sum.estimated});
	}
	if (error || !leaves->count)
		return error;
	qsort(leaves->blocks, leaves->count, sizeof(*leaves->blocks), compare_names);
	for (size_t i = 1; i < leaves->count; i++) {
		struct block *last = &leaves->blocks[count], *leaf = &leaves->blocks[i];

		if (compare_names(last, leaf) != 0) {
			leaves->blocks[++count] = *leaf;
			continue;
		}
		last->time += leaf->time;
		last->estimated |= leaf->estimated;
		free(leaf->name);
	}
	leaves->count = count + 1;
	qsort(leaves->blocks, leaves->count, sizeof(*leaves->blocks), compare_times);
	return 0;
}

/* Adds blocks side by side, from `at` on, and takes their names over. */
static int add_row(struct icicle *icicle, struct blocks *row, unsigned level, double at)
{
	int error = 0;

	for (size_t i = 0; i < row->count && !error && level < LEVELS_MOST; i++) {
		struct block block = row->blocks[i];

		block.level = level;
		block.at = at;
		block.length = 100 * (double)block.time / icicle->whole;
		at += block.length;
		row->blocks[i].name = NULL;
		error = add_block(&icicle->blocks, &block);
	}
	return error;
}

static int add_leaves(struct icicle *icicle, const struct range_node *node, double at)
{
	struct blocks leaves = {.blocks = NULL};
	int error = collect_leaves(&leaves, icicle->ranges, node);

	if (!error)
		error = add_row(icicle, &leaves, node->depth + 1, at);
	free_blocks(&leaves);
	return error;
}

static int collect_others(struct blocks *others, const struct ranges *ranges)
{
	struct table table;
	int error = ranges_outside(ranges, &table);

	for (size_t i = 0; i < table.count && !error; i++) {
		const struct table_row *row = &table.rows[i];

		if (row->total)
			error = add_block(others,
					  &(struct block){strdup(row->name), kind_class(row->kind),
							  .time = row->total,
							  .estimated = row->estimated});
	}
	table_free(&table);
	if (others->count)
		qsort(others->blocks, others->count, sizeof(*others->blocks), compare_times);
	return error;
}

static int add_outside(struct icicle *icicle, double at)
{
	struct block outside = {NULL, "outside", 0, at, 100 - at, .estimated = false};
	struct blocks others = {.blocks = NULL};
	int error;

	if (outside.length < LEAST_DRAWN)
		return 0;
	outside.name = strdup("outside of ranges");
	outside.time = to_unsigned(outside.length / 100 * icicle->whole);
	error = add_block(&icicle->blocks, &outside);
	if (!error)
		error = collect_others(&others, icicle->ranges);
	if (!error)
		error = add_row(icicle, &others, 1, at);
	free_blocks(&others);
	return error;
}

static int collect(struct icicle *icicle)
{
	const struct ranges *ranges = icicle->ranges;
	double at[LEVELS_MOST + 1] = {0}; /* where the next one begins on a level */
	int error = 0;

	for (size_t i = 0; i < ranges->tree.count && !error; i++) {
		const struct range_node *node = &ranges->tree.nodes[ranges->order[i]];
		unsigned level = node->depth < LEVELS_MOST ? node->depth : LEVELS_MOST;
		double length = 100 * (double)node->all.time / icicle->whole;
		double inside = length - 100 * (double)node->own.time / icicle->whole;

		if (level < LEVELS_MOST && node->all.time) {
			at[level + 1] = at[level];
			error = add_block(
				&icicle->blocks,
				&(struct block){range_full_name(ranges->filter, node->range),
						"block-range", level, at[level], length,
						node->all.time, node->all.estimated});
		}
		/* Behind the ranges that are inside. */
		if (!error)
			error = add_leaves(icicle, node, at[level] + inside);
		at[level] += length;
	}
	return error ? error : add_outside(icicle, at[0]);
}

static void write_block(struct html *html, const struct block *block)
{
	char time[NUMBER_SIZE];

	cut_middle(block->name, NAME_MOST);
	fprintf(html->file, "<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><title>",
		block->at, block->level * LEVEL_HEIGHT, block->length, LEVEL_HEIGHT);
	html_text(html, block->name);
	fprintf(html->file,
		": %.1f %% of the GPU time, %s%s</title><rect class=\"%s\" width=\"100%%\" "
		"height=\"%d\"/>",
		block->length, block->estimated ? "about " : "",
		number_about(time, (double)block->time, 3), block->class, LEVEL_HEIGHT - 1);
	if (block->length >= LEAST_NAMED) {
		fputs("<text x=\"4\" y=\"15\">", html->file);
		html_text(html, block->name);
		fprintf(html->file, " %.1f %%</text>", block->length);
	}
	fputs("</svg>\n", html->file);
}

/* The widest first; of equal ones those above, and to the left. */
static int compare_lengths(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return IN_ORDER(b->length, a->length) ?: IN_ORDER(a->level, b->level)
		       ?: IN_ORDER(a->at, b->at);
}

static int compare_places(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return IN_ORDER(a->level, b->level) ?: IN_ORDER(a->at, b->at);
}

static void write_blocks(struct html *html, const struct blocks *blocks)
{
	size_t count = 0;

	qsort(blocks->blocks, blocks->count, sizeof(*blocks->blocks), compare_lengths);
	while (count < blocks->count && count < BLOCKS_MOST &&
	       blocks->blocks[count].length >= LEAST_DRAWN)
		count++;
	if (!count)
		return;
	qsort(blocks->blocks, count, sizeof(*blocks->blocks), compare_places);
	fprintf(html->file,
		"<figure class=\"wide\">\n<svg class=\"icicle\" role=\"img\" height=\"%u\" "
		"aria-label=\"Ranges, as wide as their GPU time, what is inside of them below; the "
		"table has the figures\">\n",
		(blocks->blocks[count - 1].level + 1) * LEVEL_HEIGHT);
	for (size_t i = 0; i < count; i++)
		write_block(html, &blocks->blocks[i]);
	fputs("</svg>\n<figcaption>Ranges, as wide as their GPU time; below each what is inside of "
	      "it: ranges, kernels and copies</figcaption>\n</figure>\n",
	      html->file);
}

int icicle_write(struct html *html, const struct ranges *ranges)
{
	struct icicle icicle = {.ranges = ranges, .whole = (double)ranges->gpu_time};
	double roots = 0;
	int error;

	for (size_t i = 0; i < ranges->tree.count; i++)
		if (ranges->tree.nodes[i].depth == 0)
			roots += (double)ranges->tree.nodes[i].all.time;
	/* A range that was started and ended can lie in several others, and count more than once.
	 */
	RAISE(icicle.whole, roots);
	if (!(roots > 0))
		return 0;
	error = collect(&icicle);
	if (!error)
		write_blocks(html, &icicle.blocks);
	free_blocks(&icicle.blocks);
	return error;
}
