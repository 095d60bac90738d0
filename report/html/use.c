/* SPDX-License-Identifier: MIT */
/* What matters first: how busy the devices were, and why they were idle; of a merged profile those
 * of each process, side by side, and the rows that are uneven over them. */
#include <string.h>

#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/print/report.h"

const char *const stack_cause_classes[IDLE_CAUSE_COUNT] = {
	[IDLE_PROGRAM] = "idle-program",
	[IDLE_AFTER_WAIT] = "idle-after-waiting",
	[IDLE_CALL] = "idle-call",
	[IDLE_FIRST_LAUNCH] = "idle-first-launch",
	[IDLE_LATENCY] = "idle-latency",
	[IDLE_DEPENDENCY] = "idle-dependency",
	[IDLE_GRAPH] = "idle-graph",
	[IDLE_SHORT] = "idle-short",
	[IDLE_UNRESOLVED] = "idle-unresolved",
};

void stack_swatch(struct html *html, const char *class)
{
	fprintf(html->file,
		"<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"%s\" width=\"100%%\" "
		"height=\"100%%\"/></svg> ",
		class);
}

const char *kind_class(enum row_kind kind)
{
	return row_is_api(kind)	     ? "block-call"
	       : row_is_memory(kind) ? "busy-copies"
				     : "busy-kernels";
}

/* A part of a bar: where it begins and how long it is, in percent of the bar. Returns its end. */
static double stack_part(struct html *html, const char *class, const char *text, double at,
			 double length)
{
	fprintf(html->file,
		"<rect class=\"%s\" x=\"%.3f%%\" width=\"%.3f%%\" height=\"100%%\"><title>", class,
		at, length);
	html_text(html, text);
	fprintf(html->file, ": %.1f %%</title></rect>\n", length);
	return at + length;
}

/* Colours of bars: of busy time, then of idle time by cause. */
struct colour {
	const char *class, *text;
};
enum { BUSY_KERNELS, BUSY_BOTH, BUSY_COPIES, BUSY_COLOURS };
#define COLOURS (BUSY_COLOURS + IDLE_CAUSE_COUNT)
static const struct colour busy_colours[BUSY_COLOURS] = {
	[BUSY_KERNELS] = {"busy-kernels", "kernels"},
	[BUSY_BOTH] = {"busy-both", "kernels and copies at once"},
	[BUSY_COPIES] = {"busy-copies", "copies"}};

static struct colour colour_at(unsigned i)
{
	if (i < BUSY_COLOURS)
		return busy_colours[i];
	i -= BUSY_COLOURS;
	return (struct colour){stack_cause_classes[i], idle_cause_texts[i]};
}

/* The least part of the time that the legend names, in percent. Chosen: what the bar shows. */
#define LEAST_PERCENT 0.25

/* Of a device's time: two ways to be busy with one engine, both at once, and the causes of idle
 * time. */
struct device_time {
	struct idle_table table; /* the sheet's argument */
	struct page *page;
	struct idle_sum sums[IDLE_SUMS + 4];
	unsigned count;
	uint64_t whole, idle;
};

/* Adds a part of a colour of colour_at(). */
static void add(struct device_time *time, int device, unsigned number, uint64_t length)
{
	const struct colour colour = colour_at(number);

	if (length)
		time->sums[time->count++] = (struct idle_sum){.cause = IDLE_CAUSE_COUNT,
							      .text = colour.text,
							      .function = "",
							      .class = colour.class,
							      .device = device,
							      .total = length};
}

/* What no gap accounts for, as records were lost or came late, is of an unknown cause too. */
static void add_unresolved(struct device_time *time, int device, uint64_t length)
{
	for (unsigned i = 0; i < time->count; i++)
		if (time->sums[i].cause == IDLE_UNRESOLVED) {
			time->sums[i].total += length;
			return;
		}
	add(time, device, BUSY_COLOURS + IDLE_UNRESOLVED, length);
}

static void split(struct device_time *time, struct page *page, int device)
{
	const struct device_use *use = &session_header(page->session)->uses[device];
	uint64_t both = busy_with_both(use), left;
	unsigned causes;

	*time = (struct device_time){.table = {page->session, time->sums}, .page = page};
	time->idle = left = idle_time(use, &time->whole);
	add(time, device, BUSY_KERNELS, use->kernels > both ? use->kernels - both : 0);
	add(time, device, BUSY_BOTH, both);
	add(time, device, BUSY_COPIES, use->copies > both ? use->copies - both : 0);
	causes = idle_sums(page->session, device, 0, &time->sums[time->count]);
	for (; causes > 0; causes--) {
		struct idle_sum *sum = &time->sums[time->count++];

		sum->class = stack_cause_classes[sum->cause];
		left -= sum->total < left ? sum->total : left;
	}
	add_unresolved(time, device, left);
}

static void write_device_bar(struct html *html, const struct device_time *time, int device)
{
	double at = 0;

	fprintf(html->file,
		"<svg class=\"stack\" role=\"img\" aria-labelledby=\"gpu%d-bar\">"
		"<title id=\"gpu%d-bar\">GPU %d: busy %.1f %%, idle %.1f %% of its time; the "
		"table below has the parts</title>\n",
		device, device, device, time_percent(time->whole - time->idle, time->whole),
		time_percent(time->idle, time->whole));
	for (unsigned i = 0; i < time->count; i++)
		at = stack_part(html, time->sums[i].class, time->sums[i].text, at,
				time_percent(time->sums[i].total, time->whole));
	fputs("</svg>\n", html->file);
}

static void fill_part(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct device_time *time = sheet->argument;
	const struct idle_sum *sum = &time->sums[index];
	struct html_markup what;

	idle_fill_row(sheet, index, cells);
	if (html_cell_begin(&what)) {
		stack_swatch(&what.inside, sum->class);
		fputs(strncmp(sum->class, "busy", 4) == 0 ? "busy: " : "idle: ", what.inside.file);
		html_text(&what.inside, sum->text);
	}
	html_cell_end(&time->page->html, &what, &cells[0]);
}

/* The bar's colours in words; parts that are too narrow to be seen are in the table alone. */
static void write_device_legend(struct html *html, const struct device_time *time)
{
	double left = 0;

	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n", html->file);
	for (unsigned i = 0; i < time->count; i++) {
		double share = time_percent(time->sums[i].total, time->whole);

		if (share < LEAST_PERCENT) {
			left += share;
			continue;
		}
		fputs("<li>", html->file);
		stack_swatch(html, time->sums[i].class);
		html_text(html, time->sums[i].text);
		fprintf(html->file, " %.1f %%</li>\n", share);
	}
	if (left >= LEAST_PERCENT / 10)
		fprintf(html->file, "<li>others, in the table, %.1f %%</li>\n", left);
	fputs("</ul>\n", html->file);
}

/* The part of a device's time from which on it is said what an unknown cause is, in percent. */
#define UNKNOWN_PERCENT 1

static bool has_unresolved(const struct device_time *time)
{
	for (unsigned i = 0; i < time->count; i++)
		if (time->sums[i].class == stack_cause_classes[IDLE_UNRESOLVED])
			return time_percent(time->sums[i].total, time->whole) >= UNKNOWN_PERCENT;
	return false;
}

/* From how many devices on all but their bars is folded: the bars are near each other. Chosen. */
#define MANY_DEVICES 4

/* What the devices of a page have in common. */
struct devices {
	bool many, unresolved;
	bool used[COLOURS]; /* in their bars */
};

static void note_colours(struct devices *devices, const struct device_time *time)
{
	for (unsigned i = 0; i < time->count; i++)
		for (unsigned j = 0; j < COLOURS; j++)
			devices->used[j] |= strcmp(colour_at(j).class, time->sums[i].class) == 0;
}

/* One for all bars, whose own ones are folded away. */
static void write_shared_legend(struct html *html, const struct devices *devices)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n", html->file);
	for (unsigned i = 0; i < COLOURS; i++) {
		if (!devices->used[i])
			continue;
		fputs("<li>", html->file);
		stack_swatch(html, colour_at(i).class);
		fprintf(html->file, "%s</li>\n", colour_at(i).text);
	}
	fputs("</ul>\n", html->file);
}

static void write_table(struct html *html, struct device_time *time, int device)
{
	struct sheet sheet;
	char id[32], caption[128];

	snprintf(id, sizeof(id), "gpu%d-use", device);
	snprintf(caption, sizeof(caption), "Time of GPU %d, from its first operation to its last",
		 device);
	idle_sheet(&sheet, &time->table, time->count);
	sheet.row = fill_part;
	html_sheet(html, &sheet, id, "sortable", caption);
}

static int write_device(struct page *page, int device, struct devices *devices)
{
	static struct device_time time; /* too large for a small stack */
	struct html *html = &page->html;
	struct html_lines lines;
	int error;

	split(&time, page, device);
	fprintf(html->file, "<h3>GPU %d: ", device);
	html_text(html, session_header(page->session)->devices[device].name);
	if (devices->many)
		fprintf(html->file, ", busy %.1f %%",
			time_percent(time.whole - time.idle, time.whole));
	fputs("</h3>\n", html->file);
	write_device_bar(html, &time, device);
	if (devices->many)
		fprintf(html->file, "<details><summary>GPU %d: busy and idle time</summary>\n",
			device);
	write_device_legend(html, &time);
	if (html_lines_begin(&lines))
		busy_write(page->session, device, "", lines.file);
	error = html_lines_end(html, &lines, "ul");
	devices->unresolved |= has_unresolved(&time);
	note_colours(devices, &time);
	if (!devices->many)
		fprintf(html->file,
			"<details><summary>GPU %d: busy and idle time in a table</summary>\n",
			device);
	write_table(html, &time, device);
	fputs("</details>\n", html->file);
	return error;
}

/* Why it is not known. */
static int write_unknown(struct page *page)
{
	struct options options = *page->options;
	struct report report = {.session = page->session, .options = &options, .prefix = ""};
	struct html_lines lines;

	options.findings = false;
	report.file = html_lines_begin(&lines);
	if (report.file)
		use_write(&report);
	return html_lines_end(&page->html, &lines, "ul");
}

int use_section(struct page *page)
{
	const struct session *session = page->session;
	const uint64_t shown = session_knows_use(session) ? page->options->devices : 0;
	struct devices devices = {.unresolved = false};
	const struct device_use *use;
	unsigned count = 0;
	int error = 0;

	/* Of a merged profile each process has its own line. */
	if (session_header(session)->processes)
		return 0;
	session_for_each_use (session, shown, device, use)
		count++;
	devices.many = count >= MANY_DEVICES;
	session_for_each_use (session, shown, device, use)
		error = error ?: write_device(page, device, &devices);
	if (devices.many)
		write_shared_legend(&page->html, &devices);
	if (devices.unresolved)
		fputs("<p class=\"remark\">Cause unknown: the call that started the next operation "
		      "is "
		      "not known, records are missing, or the clocks of GPU and host cannot be "
		      "compared.</p>\n",
		      page->html.file);
	/* The summary says why it is not known, in place of findings. */
	if (count || error || (page->options->findings && idle_unknown(session)))
		return error;
	return write_unknown(page);
}

/* Bytes of the section's tables. Chosen: a page stays under 1 MB. */
#define PROCESSES_BYTES 100000
#define BALANCE_BYTES	100000

struct side_by_side {
	struct job job; /* the sheet's argument */
	struct page *page;
	uint64_t longest; /* time of a process's devices */
};

/* Idle time of a cause; what no cause accounts for is of an unknown one. */
static uint64_t process_cause(const struct job_process *process, unsigned cause)
{
	uint64_t left = job_idle(process);

	if (cause != IDLE_UNRESOLVED)
		return process->causes[cause];
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (i != IDLE_UNRESOLVED)
			left -= process->causes[i] < left ? process->causes[i] : left;
	return left;
}

/* Busy and idle time, each process's bar as long as its devices' time is beside the longest. */
static void write_process_bar(struct html *html, const struct job_process *process, double scale)
{
	double at;

	fputs("<svg class=\"stack process\" aria-hidden=\"true\">\n", html->file);
	at = stack_part(html, "busy-kernels", "busy", 0, (double)process->busy * scale);
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		uint64_t part = process_cause(process, i);

		if (part)
			at = stack_part(html, stack_cause_classes[i], idle_cause_texts[i], at,
					(double)part * scale);
	}
	fputs("</svg>", html->file);
}

static void fill_process(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct side_by_side *sides = sheet->argument;
	struct html_markup bar;

	job_fill_process(sheet, index, cells);
	if (html_cell_begin(&bar))
		write_process_bar(&bar.inside, sides->job.processes[index],
				  sides->longest ? 100.0 / (double)sides->longest : 0);
	html_cell_end(&sides->page->html, &bar, &cells[0]);
}

static void write_process_legend(const struct job *job, struct html *html)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n<li>", html->file);
	stack_swatch(html, "busy-kernels");
	fputs("busy</li>\n", html->file);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
		size_t i = 0;

		while (i < job->count && !process_cause(job->processes[i], cause))
			i++;
		if (i == job->count)
			continue;
		fputs("<li>", html->file);
		stack_swatch(html, stack_cause_classes[cause]);
		fprintf(html->file, "%s</li>\n", idle_cause_texts[cause]);
	}
	fputs("</ul>\n", html->file);
}

static void write_processes(const struct side_by_side *sides)
{
	struct html *html = &sides->page->html;
	struct sheet sheet;
	char caption[256];

	write_process_legend(&sides->job, html);
	job_processes_sheet(&sheet, &sides->job);
	sheet.row = fill_process;
	sheet.room = PROCESSES_BYTES;
	snprintf(caption, sizeof(caption),
		 "Processes, the one with most GPU time%s first; of operations that overlap GPU "
		 "time counts each, busy time once; bars are the time of their devices",
		 job_without_collectives(sides->job.session));
	html_sheet(html, &sheet, "processes-table", "sortable", caption);
	if (sheet.shown < sheet.rows)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more processes are not in this page: "
			"<code>ktime show --slowest %zu</code> prints them.</p>\n",
			sheet.rows - sheet.shown, sheet.rows);
}

int processes_section(struct page *page)
{
	struct side_by_side sides = {.page = page};
	struct job *job = &sides.job;
	struct html_lines lines;
	int error = 0, ended;

	if (!session_header(page->session)->processes)
		return 0;
	if (html_lines_begin(&lines))
		error = job_lines_write(page->session, "", lines.file);
	ended = html_lines_end(&page->html, &lines, "ul");
	if (error || ended)
		return error ? error : ended;
	error = job_init(job, page->session);
	for (size_t i = 0; i < job->count && !error; i++)
		RAISE(sides.longest, job->processes[i]->device_time);
	if (!error)
		error = ranks_write(&page->html, job);
	if (!error)
		write_processes(&sides);
	job_free(job);
	return error;
}

int balance_section(struct page *page)
{
	struct job job;
	struct job_rows rows;
	struct sheet sheet;
	int error;

	if (!session_header(page->session)->processes)
		return 0;
	error = job_init(&job, page->session);
	if (error)
		goto out;
	error = job_rows_init(&rows, &job, page->options, false);
	if (error)
		goto out;
	job_rows_sheet(&sheet, &rows);
	sheet.room = BALANCE_BYTES;
	if (sheet.rows)
		html_sheet(
			&page->html, &sheet, "balance-table", "sortable filterable",
			"What the processes have of each row; imbalance is the most that one has "
			"over the mean, calls are a process's on average");
	job_rows_free(&rows);
out:
	job_free(&job);
	return error;
}
