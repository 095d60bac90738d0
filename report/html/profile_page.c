/* SPDX-License-Identifier: MIT */
/* `ktime show --html`: a profile as one page. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "report/export/export.h"
#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/session/text.h"

/* The sections in the order of a reader's questions, why, where, when and how much: an id for links
 * and tests, a title, a short one for the navigation, and who writes it. */
static const struct section {
	const char *id, *title, *short_title;
	int (*write)(struct page *page);
} sections[] = {
	{"summary", "In short", "In short", summary_section},
	{"use", "Busy and idle", "Busy and idle", use_section},
	{"processes", "Processes side by side", "Processes", processes_section},
	{"gpu", "Where the GPU’s time went", "GPU time", gpu_section},
	{"timeline", "Timeline", "Timeline", timeline_section},
	{"balance", "Each row over the processes", "Imbalance", balance_section},
	{"graphs", "CUDA graphs", "Graphs", graphs_section},
	{"ranges", "NVTX ranges", "Ranges", ranges_section},
	{"rates", "Kernels beside the device’s peaks", "Roofline", rates_section},
	{"api", "API calls", "API calls", api_section},
	{"copies", "Copies and memsets", "Copies", copies_section},
	{"memory", "Memory", "Memory", memory_section},
	{"energy", "Energy and clocks", "Energy", energy_section},
	{"cost", "What was timed, and what ktime cost", "What was timed", cost_section},
	{"environment", "Program and devices", "Program", environment_section},
};
#define SECTIONS       (sizeof(sections) / sizeof(*sections))

/* Bytes of all sections but the timeline, and what the GPU's activities have of them at least.
 * Chosen: with style and scripts under 1 MB. */
#define SECTIONS_BYTES 920000
#define GPU_BYTES      350000

/* Letters of a name, the middle of which is cut out. Chosen: two lines in the table of the GPU's
 * time in a window of 1440 pixels. */
#define NAME_MOST      80

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
	return text_close(page->html.file, &part->text) ?: error ?: page->html.error;
}

/* Takes a word off a command, with its quotes; false at its end. */
static bool next_word(const char **command, char *word, size_t size)
{
	size_t length = 0;
	bool quoted = false;

	*command += strspn(*command, " ");
	for (; (*command)[length] && (quoted || (*command)[length] != ' '); length++) {
		if ((*command)[length] == '\'')
			quoted = !quoted;
		else if (!quoted && strncmp(*command + length, "\\'", 2) == 0)
			length++;
	}
	snprintf(word, size, "%.*s", (int)length, *command);
	*command += length;
	return length > 0;
}

/* The name of what runs: of an interpreter of Python its script or module. */
static void write_program(const struct session *session, char *name, size_t size)
{
	const char *command = session_string(session, session_header(session)->command);
	char word[256];
	bool module = false;

	trace_process_name(session, name, size);
	if (strncmp(name, "python", 6) != 0)
		return;
	next_word(&command, word, sizeof(word));
	while (next_word(&command, word, sizeof(word)) && strcmp(word, "-c") != 0) {
		if (*word != '-' || module) {
			program_name(word, name, size);
			return;
		}
		module = strcmp(word, "-m") == 0;
		if (strcmp(word, "-X") == 0 || strcmp(word, "-W") == 0)
			next_word(&command, word, sizeof(word));
	}
}

/* "train.py, 4 ranks", "train.py, 3 of 4 ranks", "make, 7 processes" */
static void write_job_title(const struct session *session, const char *name, char *title,
			    size_t size)
{
	const struct session_header *header = session_header(session);
	unsigned processes = header->processes;

	if (header->rank.world_size > 0 && processes < (unsigned)header->rank.world_size)
		snprintf(title, size, "%s, %u of %d ranks", name, processes,
			 header->rank.world_size);
	else
		snprintf(title, size, "%s, %u %s%s", name, processes,
			 *header->rank.launcher ? "rank" : "process",
			 processes == 1		  ? ""
			 : *header->rank.launcher ? "s"
						  : "es");
}

static void write_title(const struct session *session, char *title, size_t size)
{
	const struct session_header *header = session_header(session);
	char name[128];

	write_program(session, name, sizeof(name));
	if (header->processes)
		write_job_title(session, name, title, size);
	else if (header->rank.rank >= 0)
		snprintf(title, size, "%s, rank %d", name, header->rank.rank);
	else
		snprintf(title, size, "%s", name);
}

#define FROM_START "From the start of CUDA, its first call after cuInit, to "

/* The command, when it ran and for how long: what tells this page from another. */
static void write_header(struct html *html, const struct session *session, const char *title)
{
	const struct session_header *header = session_header(session);
	time_t start = (time_t)(header->start_realtime / 1000000000);
	char wall[JOB_WALL_SIZE], date[64] = "";
	struct tm parts;

	fputs("<header>\n<h1>", html->file);
	html_text(html, title);
	fputs("</h1>\n<p class=\"command\"><code>", html->file);
	html_text(html, session_string(session, header->command));
	fputs("</code></p>\n<p>", html->file);
	if (header->start_realtime && gmtime_r(&start, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &parts);
	if (*date)
		fprintf(html->file, "Started %s.", date);
	if (header->counters[COUNTER_wall_ns])
		fprintf(html->file, "%s%s: %s.", *date ? " " : "",
			header->finished == RUN_BETWEEN ? "A window of the run"
			: header->finished == RUN_UNTIL ? FROM_START "a moment of the run"
							: FROM_START "the end",
			header->processes
				? job_wall_text(session, wall)
				: number_about(wall, (double)header->counters[COUNTER_wall_ns], 3));
	fputs("</p>\n</header>\n", html->file);
}

static void write_page(struct html *html, const struct session *session, const struct part *parts)
{
	struct html_link links[SECTIONS];
	char title[256];

	write_title(session, title, sizeof(title));
	html_begin(html, title);
	write_header(html, session, title);
	for (size_t i = 0; i < SECTIONS; i++)
		links[i] = (struct html_link){parts[i].size ? sections[i].id : NULL,
					      sections[i].short_title};
	html_navigation(html, links, SECTIONS);
	fputs("<main id=\"main\">\n", html->file);
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
	RAISE(page->room, GPU_BYTES);
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
	if (shown.names == NAMES_AUTO) {
		shown.names = NAMES_DISTINCT;
		shown.name_most = NAME_MOST;
	}
	shown.csv = shown.colour = false;
	page->options = &shown;
	full = shown;
	full.names = NAMES_FULL;
	full.name_most = 0;
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
