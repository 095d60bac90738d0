/* SPDX-License-Identifier: MIT */
/* NVTX ranges as a tree. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"
#include "report/sheet/number.h"
#include "report/print/ranges.h"
#include "report/ranges/range_tree.h"

/* Bytes of the section. Chosen: a page stays under 1 MB. */
#define RANGES_BYTES 100000

static void write_range(struct html *html, const struct ranges *ranges,
			const struct range_node *node)
{
	const char *mark = node->all.estimated ? "~" : "";
	char *name = ranges_name(ranges, node->range);
	char operations[NUMBER_SIZE + 1];

	fprintf(html->file,
		"<tr data-depth=\"%u\"><th scope=\"row\" class=\"name\" style=\"--depth:%u\">",
		node->depth, node->depth);
	if (name)
		html_text(html, name);
	else
		html->error = -ENOMEM;
	free(name);
	fputs("</th>", html->file);
	html_share(html, ranges_share(ranges, node), true);
	html_time(html, node->all.time, true, mark);
	html_time(html, node->own.time, true, node->own.estimated ? "~" : "");
	snprintf(operations, sizeof(operations), "%s%.0f", mark, node->all.operations);
	html_number(html, node->all.operations, operations);
	html_time(html, node->total, node->calls > 0, "");
	html_count(html, node->calls);
	html_time(html, node->calls ? node->total / node->calls : 0, node->calls > 0, "");
	fputs("</tr>\n", html->file);
}

static int write_tree(struct html *html, const struct ranges *ranges)
{
	size_t *order = range_order(&ranges->tree), i;

	if (!order)
		return -ENOMEM;
	html_table_begin(html, "ranges-table", "tree",
			 "GPU time of what was launched in each range, with and without the ranges "
			 "inside of it; the range’s own time is the host’s",
			 "Range|#GPU(%)|#GPU time|#Own|#GPU ops|#Time|#Calls|#Avg");
	for (i = 0; i < ranges->tree.count && ftell(html->file) < RANGES_BYTES; i++)
		write_range(html, ranges, &ranges->tree.nodes[order[i]]);
	html_table_end(html);
	if (i < ranges->tree.count)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more ranges are not in this page: <code>ktime "
			"show --top %zu</code> prints them.</p>\n",
			ranges->tree.count - i, ranges->tree.count);
	free(order);
	return 0;
}

int ranges_section(struct page *page)
{
	struct ranges ranges;
	int error;

	if (!session_next_item(page->session, SEGMENT_RANGES, NULL))
		return 0;
	error = ranges_collect(&ranges, page->session, page->options, false);
	if (error)
		return error;
	error = write_tree(&page->html, &ranges);
	ranges_free(&ranges);
	return error;
}
