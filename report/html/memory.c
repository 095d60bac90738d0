/* SPDX-License-Identifier: MIT */
/* Memory that the program held, by its allocation calls: by device and kind, and where it came
 * from. */
#include "report/html/section.h"
#include "report/print/report.h"
#include "report/session/memory_use.h"
#include "report/sheet/sheet.h"

/* Bytes of the table of allocations. Chosen: a page stays under 1 MB. */
#define SITES_BYTES 60000

/* At most how much, what was not freed, and how many allocations a second. */
static int write_line(FILE *file, void *argument)
{
	const struct page *page = argument;

	memory_line_write(page->session, "", file);
	return 0;
}

int memory_section(struct page *page)
{
	struct html *html = &page->html;
	struct memory_tables tables;
	struct sheet use, sites;
	int error;

	if (!session_next_item(page->session, SEGMENT_MEMORY, NULL))
		return 0;
	error = html_lines(html, write_line, page);
	if (!error)
		error = memory_collect(&tables, page->session);
	if (error)
		return error;
	memory_use_sheet(&use, &tables);
	memory_sites_sheet(&sites, &tables);
	sites.room = SITES_BYTES;
	html_sheet(
		html, &use, "memory-table", "sortable",
		session_header(page->session)->processes
			? "Bytes that the programs asked for: the most that one process held at "
			  "once, and what all held in the end; what the driver takes itself is "
			  "not among them"
			: "Bytes that the program asked for: the most at once, and what was held "
			  "in the end; what the driver takes itself is not among them");
	if (sites.rows)
		html_sheet(
			html, &sites, "memory-sites-table", "sortable",
			"Where the memory was allocated: those with most of it at the peak first");
	if (sites.shown < sites.rows)
		fprintf(html->file, "<p class=\"left-out\">%zu more are not in this page.</p>\n",
			sites.rows - sites.shown);
	memory_free(&tables);
	return 0;
}
