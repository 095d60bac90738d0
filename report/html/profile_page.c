/* SPDX-License-Identifier: MIT */
/* `ktime show --html`: a profile as one page. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "report/export/export.h"
#include "report/html/section.h"

/* The sections in their order: an id for links and tests, a title, and who writes it. */
static const struct section {
	const char *id, *title;
	int (*write)(struct page *page);
} sections[] = {
	{"use", "Busy and idle", use_section},
	{"findings", "Findings", findings_section},
	{"processes", "Processes side by side", processes_section},
	{"first-rows", "Where the GPU’s time went", first_rows_section},
	{"gpu", "GPU activities", gpu_section},
	{"graphs", "CUDA graphs", graphs_section},
	{"api", "API calls", api_section},
	{"copies", "Copies and memsets", copies_section},
	{"memory", "Memory", memory_section},
	{"energy", "Energy and clocks", energy_section},
	{"ranges", "NVTX ranges", ranges_section},
	{"timeline", "Timeline", timeline_section},
	{"cost", "What was timed, and what ktime cost", cost_section},
	{"environment", "Program and devices", environment_section},
};
#define SECTIONS       (sizeof(sections) / sizeof(*sections))

/* Bytes of all sections but the timeline, and what the GPU's activities have of them at least.
 * Chosen: with style and scripts under 1 MB. */
#define SECTIONS_BYTES 920000
#define GPU_BYTES      350000

struct part {
	char *text;
	size_t size;
};

static int write_part(struct page *page, const struct section *section, struct part *part)
{
	int error;

	page->html = (struct html){.file = open_memstream(&part->text, &part->size)};
	if (!page->html.file)
		return -ENOMEM;
	error = section->write(page);
	/* Closing returns 0 where it had no memory for the text. */
	if ((fclose(page->html.file) || !part->text) && !error)
		error = -ENOMEM;
	return error ? error : page->html.error;
}

static void write_title(const struct session *session, char *title, size_t size)
{
	const struct session_header *header = session_header(session);
	char name[128];

	trace_process_name(session, name, sizeof(name));
	if (header->processes)
		snprintf(title, size, "%s, %u processes", name, header->processes);
	else if (header->rank.rank >= 0)
		snprintf(title, size, "%s, rank %d", name, header->rank.rank);
	else
		snprintf(title, size, "%s", name);
}

/* The command, when it ran and for how long: what tells this page from another. */
static void write_header(struct html *html, const struct session *session, const char *title)
{
	const struct session_header *header = session_header(session);
	time_t start = (time_t)(header->start_realtime / 1000000000);
	char text[NUMBER_SIZE], date[64] = "";
	struct tm parts;

	fputs("<header>\n<h1>", html->file);
	html_text(html, title);
	fputs("</h1>\n<p class=\"command\"><code>", html->file);
	html_text(html, session_string(session, header->command));
	fputs("</code></p>\n<p>", html->file);
	if (header->start_realtime && gmtime_r(&start, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &parts);
	if (*date)
		fprintf(html->file, "Started %s. ", date);
	if (header->counters[COUNTER_wall_ns])
		fprintf(html->file, "From the first GPU work to the end: %s. ",
			number_about(text, (double)header->counters[COUNTER_wall_ns], 3));
	fprintf(html->file, "%s GPU operation%s.</p>\n",
		number_count(text, header->counters[COUNTER_operations]),
		header->counters[COUNTER_operations] == 1 ? "" : "s");
	fputs("</header>\n", html->file);
}

static void write_page(struct html *html, const struct session *session, const struct part *parts)
{
	char title[256];

	write_title(session, title, sizeof(title));
	html_begin(html, title);
	write_header(html, session, title);
	fputs("<nav aria-label=\"Sections\">\n<ul>\n", html->file);
	for (size_t i = 0; i < SECTIONS; i++)
		if (parts[i].size)
			fprintf(html->file, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
				sections[i].title);
	fputs("</ul>\n</nav>\n<main id=\"main\">\n", html->file);
	for (size_t i = 0; i < SECTIONS; i++) {
		if (!parts[i].size)
			continue;
		fprintf(html->file,
			"<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s"
			"</h2>\n",
			sections[i].id, sections[i].id, sections[i].id, sections[i].title);
		fwrite(parts[i].text, 1, parts[i].size, html->file);
		fputs("</section>\n", html->file);
	}
	fputs("</main>\n", html->file);
	html_end(html);
}

static int write_parts(struct page *page, struct part parts[SECTIONS])
{
	size_t last = 0;
	int error = 0;

	page->room = SECTIONS_BYTES;
	for (size_t i = 0; i < SECTIONS && !error; i++) {
		if (sections[i].write == gpu_section) {
			last = i;
			continue;
		}
		error = write_part(page, &sections[i], &parts[i]);
		if (sections[i].write != timeline_section)
			page->room -= (long)parts[i].size;
	}
	if (page->room < GPU_BYTES)
		page->room = GPU_BYTES;
	return error ? error : write_part(page, &sections[last], &parts[last]);
}

static int write_profile(FILE *file, void *argument)
{
	struct page *page = argument;
	struct options shown = *page->options, full;
	struct html html = {.file = file};
	struct part parts[SECTIONS] = {{0}};
	int error;

	/* As short as tells the rows apart, unless a length was asked for. */
	if (shown.names == NAMES_AUTO)
		shown.names = NAMES_DISTINCT;
	shown.csv = shown.colour = false;
	page->options = &shown;
	full = shown;
	full.names = NAMES_FULL;
	error = filter_init(&page->full, page->session, &full);
	if (error)
		return error;
	error = filter_init(&page->filter, page->session, &shown);
	if (error)
		goto out;
	for (unsigned section = TABLE_GPU; section <= TABLE_API && !error; section++)
		error = table_collect(&page->tables[section], page->session, &shown, section,
				      TABLE_ALL_DEVICES, true);
	if (!error)
		error = write_parts(page, parts);
	if (!error)
		write_page(&html, page->session, parts);
	for (size_t i = 0; i < SECTIONS; i++)
		free(parts[i].text);
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		table_free(&page->tables[section]);
	filter_free(&page->filter);
out:
	filter_free(&page->full);
	return error ? error : html.error;
}

int profile_page_write(struct session *session, const struct options *options, const char *path,
		       char *message, size_t size)
{
	struct page page = {.session = session, .options = options};

	return html_file(path, options->force_overwrite, write_profile, &page, message, size);
}
