/* SPDX-License-Identifier: MIT */
/* The NVTX ranges as an icicle, a flame graph from above: as wide as their GPU time, those inside
 * of a range below it. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"
#include "report/print/report.h"

#define LEVEL_HEIGHT 22 /* pixels */
/* Levels that are drawn; what is deeper is in the table. Chosen. */
#define LEVELS_MOST  12
/* The least that is drawn, and that has room for a name, in percent of the width. Chosen. */
#define LEAST_DRAWN  0.1
#define LEAST_NAMED  4.0

static void write_block(struct html *html, const char *class, unsigned level, double at,
			double length, const char *name, const char *time)
{
	fprintf(html->file, "<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><title>", at,
		level * LEVEL_HEIGHT, length, LEVEL_HEIGHT);
	html_text(html, name);
	fprintf(html->file,
		": %.1f %% of the GPU time, %s</title><rect class=\"%s\" "
		"width=\"100%%\" height=\"%d\"/>",
		length, time, class, LEVEL_HEIGHT - 1);
	if (length >= LEAST_NAMED) {
		fputs("<text x=\"4\" y=\"15\">", html->file);
		html_text(html, name);
		fprintf(html->file, " %.1f %%</text>", length);
	}
	fputs("</svg>\n", html->file);
}

static void write_blocks(struct html *html, const struct ranges *ranges, double whole)
{
	double at[LEVELS_MOST + 1] = {0}; /* where the next one begins on a level */
	char time[NUMBER_SIZE], *name;

	for (size_t i = 0; i < ranges->tree.count; i++) {
		const struct range_node *node = &ranges->tree.nodes[ranges->order[i]];
		double length = 100 * (double)node->all.time / whole;

		if (node->depth >= LEVELS_MOST)
			continue;
		at[node->depth + 1] = at[node->depth];
		if (length >= LEAST_DRAWN) {
			name = range_full_name(ranges->filter, node->range);
			if (name)
				write_block(html, "block-range", node->depth, at[node->depth],
					    length, name,
					    number_about(time, (double)node->all.time, 3));
			else
				html->error = -ENOMEM;
			free(name);
		}
		at[node->depth] += length;
	}
	if (at[0] + LEAST_DRAWN <= 100)
		write_block(html, "outside", 0, at[0], 100 - at[0], "outside of ranges",
			    number_about(time, (100 - at[0]) / 100 * whole, 3));
}

void icicle_write(struct html *html, const struct ranges *ranges)
{
	double whole = (double)ranges->gpu_time, roots = 0;
	unsigned levels = 0;

	for (size_t i = 0; i < ranges->tree.count; i++) {
		const struct range_node *node = &ranges->tree.nodes[i];

		if (node->depth == 0)
			roots += (double)node->all.time;
		if (node->depth < LEVELS_MOST && node->depth >= levels && node->all.time)
			levels = node->depth + 1;
	}
	/* A range that was started and ended can lie in several others, and count more than once.
	 */
	whole = roots > whole ? roots : whole;
	if (!levels)
		return;
	fprintf(html->file,
		"<svg class=\"icicle\" role=\"img\" height=\"%u\" aria-label=\"Ranges, as wide as "
		"their GPU time, those inside of others below them; the table has the figures\">\n",
		levels * LEVEL_HEIGHT);
	write_blocks(html, ranges, whole);
	fputs("</svg>\n", html->file);
}
