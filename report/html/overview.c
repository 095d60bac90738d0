/* SPDX-License-Identifier: MIT */
/* What matters first: how busy the devices were, and why they were idle. */
#include <string.h>

#include "report/html/section.h"
#include "report/print/report.h"

/* The least part of the time that the legend names, in percent: what is shown as 0.1 %. */
#define LEAST_PERCENT 0.05

/* Of a device's time: two ways to be busy with one engine, both at once, the causes of idle time,
 * and what has no cause. */
struct device_time {
	struct idle_table table; /* the sheet's argument */
	struct page *page;
	struct idle_sum sums[IDLE_SUMS + 4];
	unsigned count;
	uint64_t whole, idle;
};

static void add(struct device_time *time, int device, const char *class, const char *text,
		uint64_t length)
{
	if (length)
		time->sums[time->count++] = (struct idle_sum){.cause = IDLE_CAUSE_COUNT,
							      .text = text,
							      .function = "",
							      .class = class,
							      .device = device,
							      .total = length};
}

static void split(struct device_time *time, struct page *page, int device)
{
	const struct device_use *use = &session_header(page->session)->uses[device];
	uint64_t both = busy_with_both(use), left;
	unsigned causes;

	*time = (struct device_time){.table = {page->session, time->sums}, .page = page};
	time->idle = left = idle_time(use, &time->whole);
	add(time, device, "busy-kernels", "kernels", use->kernels > both ? use->kernels - both : 0);
	add(time, device, "busy-both", "kernels and copies at once", both);
	add(time, device, "busy-copies", "copies", use->copies > both ? use->copies - both : 0);
	causes = idle_sums(page->session, device, 0, &time->sums[time->count]);
	for (; causes > 0; causes--) {
		struct idle_sum *sum = &time->sums[time->count++];

		sum->class = stack_cause_class(sum->cause);
		left -= sum->total < left ? sum->total : left;
	}
	add(time, device, "idle-unresolved", "no cause known", left);
}

static void write_bar(struct html *html, const struct device_time *time, int device)
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

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
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

/* The bar's colours in words. */
static void write_legend(struct html *html, const struct device_time *time)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n", html->file);
	for (unsigned i = 0; i < time->count; i++) {
		double share = time_percent(time->sums[i].total, time->whole);

		if (share < LEAST_PERCENT)
			continue;
		fprintf(html->file, "<li>");
		stack_swatch(html, time->sums[i].class);
		html_text(html, time->sums[i].text);
		fprintf(html->file, " %.1f %%</li>\n", share);
	}
	fputs("</ul>\n", html->file);
}

static int write_device(struct page *page, int device)
{
	static struct device_time time; /* too large for a small stack */
	struct html *html = &page->html;
	struct html_lines lines;
	struct sheet sheet;
	char id[32], caption[128], name[sizeof(((struct device_info *)0)->name)];
	int error;

	split(&time, page, device);
	fprintf(html->file, "<h3>GPU %d: ", device);
	/* A damaged file may have a name without an end. */
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1,
		 session_header(page->session)->devices[device].name);
	html_text(html, name);
	fputs("</h3>\n", html->file);
	write_bar(html, &time, device);
	write_legend(html, &time);
	if (html_lines_begin(&lines))
		busy_write(page->session, device, "", lines.file);
	error = html_lines_end(html, &lines, "ul");
	fprintf(html->file, "<details><summary>GPU %d: busy and idle time in a table</summary>\n",
		device);
	snprintf(id, sizeof(id), "gpu%d-use", device);
	snprintf(caption, sizeof(caption), "Time of GPU %d, from its first operation to its last",
		 device);
	idle_sheet(&sheet, &time.table, time.count);
	sheet.row = fill_row;
	html_sheet(html, &sheet, id, "sortable", caption);
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
	bool known = session_knows_use(session), any = false;
	int error = 0;

	/* Of a merged profile each process has its own line. */
	if (session_header(session)->processes)
		return 0;
	for (int device = 0; device < SESSION_DEVICES && known && !error; device++)
		if (idle_shows(session, page->options, device)) {
			error = write_device(page, device);
			any = true;
		}
	return any || error ? error : write_unknown(page);
}

int findings_section(struct page *page)
{
	struct finding findings[FINDING_COUNT];
	struct html_lines lines;
	unsigned count = 0;

	if (page->options->findings && !session_header(page->session)->processes)
		count = findings_of(page->session, page->options->devices, findings);
	html_lines_begin(&lines);
	for (unsigned i = 0; i < count && lines.file; i++) {
		finding_write(&findings[i], devices_used(page->session) > 1, lines.file);
		fputc('\n', lines.file);
	}
	return html_lines_end(&page->html, &lines, "ol");
}
