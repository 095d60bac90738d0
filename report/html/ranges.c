/* SPDX-License-Identifier: MIT */
/* NVTX ranges as a tree. */
#include "report/html/section.h"
#include "report/print/ranges.h"

/* Bytes of the section. Chosen: a page stays under 1 MB. */
#define RANGES_BYTES 100000

int ranges_section(struct page *page)
{
	struct ranges ranges;
	struct sheet sheet;
	int error;

	if (!session_next_item(page->session, SEGMENT_RANGES, NULL))
		return 0;
	error = ranges_collect(&ranges, page->session, page->options, false);
	if (error)
		return error;
	ranges_sheet(&sheet, &ranges);
	sheet.room = RANGES_BYTES;
	html_sheet(&page->html, &sheet, "ranges-table", "tree",
		   "GPU time of what was launched in each range, with and without the ranges "
		   "inside of it; the range’s own time is the host’s");
	if (sheet.shown < sheet.rows)
		fprintf(page->html.file,
			"<p class=\"left-out\">%zu more ranges are not in this page: <code>ktime "
			"show --top %zu</code> prints them.</p>\n",
			sheet.rows - sheet.shown, sheet.rows);
	ranges_free(&ranges);
	return error;
}
