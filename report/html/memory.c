/* SPDX-License-Identifier: MIT */
/* Memory that the program held, by its allocation calls: by device and kind, and where it came
 * from. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"
#include "report/session/memory_use.h"
#include "report/print/idle.h"
#include "report/print/report.h"

/* Bytes of the table of allocations. Chosen: a page stays under 1 MB. */
#define SITES_BYTES 60000

static void write_place(struct html *html, uint32_t kind, int device)
{
	fprintf(html->file, "<tr><th scope=\"row\">%s</th>", allocation_text(kind));
	if (device >= 0)
		html_integer(html, device);
	else
		html_unknown(html);
}

static void write_use(struct html *html, const struct session_header *header,
		      const struct memory_use *use)
{
	bool on_device = use->device >= 0 && use->device < SESSION_DEVICES;
	uint64_t memory = on_device ? header->devices[use->device].memory : 0;
	bool timed = use->peak && use->peak_time >= header->start_realtime;

	write_place(html, use->kind, use->device);
	html_bytes(html, use->peak);
	html_share(html, memory ? 100 * (double)use->peak / (double)memory : 0, memory > 0);
	html_time(html, timed ? use->peak_time - header->start_realtime : 0, timed, "");
	html_bytes(html, use->held);
	html_count(html, use->held_count);
	html_count(html, use->allocations);
	html_bytes(html, use->allocated);
	html_count(html, use->frees);
	fputs("</tr>\n", html->file);
}

static void write_uses(struct page *page)
{
	struct html *html = &page->html;
	const struct memory_use *use;

	html_table_begin(html, "memory-table", "sortable",
			 session_header(page->session)->processes
				 ? "Bytes that the programs asked for: the most that one process "
				   "held at once, and what all held in the end; what the driver "
				   "takes itself is not among them"
				 : "Bytes that the program asked for: the most at once, and what "
				   "was held in the end; what the driver takes itself is not among "
				   "them",
			 "Memory|#GPU|#Peak|#Of the device|#Peak at|#Held in the end|#Not "
			 "freed|#Allocations|#Allocated|#Frees");
	session_for_each_memory_use(page->session, use)
		write_use(html, session_header(page->session), use);
	html_table_end(html);
}

static int compare_sites(const void *left, const void *right)
{
	const struct memory_site *a = *(const struct memory_site *const *)left;
	const struct memory_site *b = *(const struct memory_site *const *)right;

	if (a->at_peak != b->at_peak)
		return a->at_peak > b->at_peak ? -1 : 1;
	if (a->held != b->held)
		return a->held > b->held ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void write_site(struct page *page, const struct memory_site *site)
{
	char *operation = idle_plain_name(session_string(page->session, site->operation));
	struct html *html = &page->html;

	write_place(html, site->kind, site->device);
	html_bytes(html, site->at_peak);
	html_count(html, site->at_peak_count);
	html_bytes(html, site->size);
	html_bytes(html, site->held);
	html_count(html, site->held_count);
	html_count(html, site->allocations);
	fputs("<td class=\"name\">", html->file);
	html_text(html, operation ? operation : "");
	fputs("</td><td class=\"name\">", html->file);
	html_text(html, session_string(page->session, site->range));
	fputs("</td>", html->file);
	if (site->thread)
		html_integer(html, site->thread);
	else
		html_number(html, -1, "several");
	fputs("</tr>\n", html->file);
	if (!operation)
		html->error = -ENOMEM;
	free(operation);
}

static void write_sites(struct page *page, const struct memory_site *const *sites, size_t count)
{
	struct html *html = &page->html;
	long most = ftell(html->file) + SITES_BYTES;
	size_t i;

	html_table_begin(html, "memory-sites-table", "sortable",
			 "Where the memory was allocated: those with most of it at the peak first",
			 "Memory|#GPU|#At the peak|#Of them|#Size of each|#Held in the end|#Not "
			 "freed|#Allocations|Launched before|NVTX range|#Thread");
	for (i = 0; i < count && ftell(html->file) < most; i++)
		write_site(page, sites[i]);
	html_table_end(html);
	if (i < count)
		fprintf(html->file, "<p class=\"left-out\">%zu more are not in this page.</p>\n",
			count - i);
}

/* At most how much, what was not freed, and how many allocations a second. */
static int write_line(FILE *file, void *argument)
{
	const struct page *page = argument;

	memory_line_write(page->session, "", file);
	return 0;
}

int memory_section(struct page *page)
{
	const struct memory_site **sites, *site;
	size_t all = 0, count = 0;
	int error;

	if (!session_next_item(page->session, SEGMENT_MEMORY, NULL))
		return 0;
	error = html_lines(&page->html, write_line, page);
	if (error)
		return error;
	write_uses(page);
	session_for_each_memory_site(page->session, site) all++;
	sites = calloc(all + 1, sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	/* Some may come while they are read. */
	session_for_each_memory_site(page->session, site) if (count < all) sites[count++] = site;
	if (count) {
		qsort(sites, count, sizeof(*sites), compare_sites);
		write_sites(page, sites, count);
	}
	free(sites);
	return 0;
}
