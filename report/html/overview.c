/* SPDX-License-Identifier: MIT */
/* What matters first: how busy the devices were, and why they were idle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"
#include "report/print/idle.h"
#include "report/print/report.h"

/* The least part of the time that the legend names, in percent: what is shown as 0.1 %. */
#define LEAST_PERCENT 0.05

/* Of a device's time. */
struct stretch {
	const char *class; /* of the page's style, which has a colour for it */
	const char *text;
	const struct idle_sum *cause; /* NULL: the device was busy */
	uint64_t time;
};

/* Two ways to be busy with one engine, both at once, the causes, and what has no cause. */
#define STRETCHES (IDLE_SUMS + 4)

struct device_time {
	struct idle_sum sums[IDLE_SUMS];
	struct stretch stretches[STRETCHES];
	unsigned count;
	uint64_t whole, idle;
};

static void add(struct device_time *time, const char *class, const char *text, uint64_t length,
		const struct idle_sum *cause)
{
	if (length)
		time->stretches[time->count++] = (struct stretch){class, text, cause, length};
}

static void split(struct device_time *time, const struct session *session, int device)
{
	const struct device_use *use = &session_header(session)->uses[device];
	uint64_t both = busy_with_both(use), left;
	unsigned causes = idle_sums(session, device, 0, time->sums);

	time->count = 0;
	time->idle = left = idle_time(use, &time->whole);
	add(time, "busy-kernels", "kernels", use->kernels > both ? use->kernels - both : 0, NULL);
	add(time, "busy-both", "kernels and copies at once", both, NULL);
	add(time, "busy-copies", "copies", use->copies > both ? use->copies - both : 0, NULL);
	for (unsigned i = 0; i < causes; i++) {
		add(time, stack_cause_class(time->sums[i].cause), idle_sum_text(&time->sums[i]),
		    time->sums[i].total, &time->sums[i]);
		left -= time->sums[i].total < left ? time->sums[i].total : left;
	}
	add(time, "idle-unresolved", "no cause known", left, NULL);
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
	for (unsigned i = 0; i < time->count; i++) {
		const struct stretch *stretch = &time->stretches[i];
		double width = time_percent(stretch->time, time->whole);

		stack_part(html, stretch->class, stretch->text, at, width);
		at += width;
	}
	fputs("</svg>\n", html->file);
}

static void write_around(struct page *page, const struct idle_sum *cause)
{
	char *before = idle_plain_name(session_string(page->session, cause->before));
	char *after = idle_plain_name(session_string(page->session, cause->after));

	if (before && after && *before && *after) {
		html_text(&page->html, before);
		fputs(" to ", page->html.file);
		html_text(&page->html, after);
	}
	free(before);
	free(after);
}

static void write_stretch(struct page *page, const struct device_time *time,
			  const struct stretch *stretch)
{
	const struct idle_sum *cause = stretch->cause;
	struct html *html = &page->html;

	fputs("<tr><th scope=\"row\">", html->file);
	stack_swatch(html, stretch->class);
	fputs(strncmp(stretch->class, "busy", 4) == 0 ? "busy: " : "idle: ", html->file);
	html_text(html, stretch->text);
	fputs("</th>", html->file);
	html_share(html, time_percent(stretch->time, time->whole), true);
	html_time(html, stretch->time, true, "");
	if (cause)
		html_count(html, cause->gaps);
	else
		html_unknown(html);
	html_time(html, cause && cause->gaps ? cause->total / cause->gaps : 0, cause, "");
	html_time(html, cause ? cause->longest : 0, cause, "");
	fputs("<td class=\"name\">", html->file);
	if (cause)
		write_around(page, cause);
	fputs("</td></tr>\n", html->file);
}

/* The bar's colours in words. */
static void write_legend(struct html *html, const struct device_time *time)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n", html->file);
	for (unsigned i = 0; i < time->count; i++) {
		double share = time_percent(time->stretches[i].time, time->whole);

		if (share < LEAST_PERCENT)
			continue;
		fprintf(html->file, "<li>");
		stack_swatch(html, time->stretches[i].class);
		html_text(html, time->stretches[i].text);
		fprintf(html->file, " %.1f %%</li>\n", share);
	}
	fputs("</ul>\n", html->file);
}

struct busy_lines {
	const struct session *session;
	int device;
};

static int write_busy(FILE *file, void *argument)
{
	const struct busy_lines *lines = argument;

	busy_write(lines->session, lines->device, "", file);
	return 0;
}

static int write_device(struct page *page, int device)
{
	static struct device_time time; /* too large for a small stack */
	struct html *html = &page->html;
	char id[32], caption[128], name[sizeof(((struct device_info *)0)->name)];
	int error;

	split(&time, page->session, device);
	fprintf(html->file, "<h3>GPU %d: ", device);
	/* A damaged file may have a name without an end. */
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1,
		 session_header(page->session)->devices[device].name);
	html_text(html, name);
	fputs("</h3>\n", html->file);
	write_bar(html, &time, device);
	write_legend(html, &time);
	error = html_lines(html, write_busy, &(struct busy_lines){page->session, device});
	fprintf(html->file, "<details><summary>GPU %d: busy and idle time in a table</summary>\n",
		device);
	snprintf(id, sizeof(id), "gpu%d-use", device);
	snprintf(caption, sizeof(caption), "Time of GPU %d, from its first operation to its last",
		 device);
	html_table_begin(html, id, "sortable", caption,
			 "What|#Share|#Time|#Gaps|#Avg|#Longest|Longest gap between");
	for (unsigned i = 0; i < time.count; i++)
		write_stretch(page, &time, &time.stretches[i]);
	html_table_end(html);
	fputs("</details>\n", html->file);
	return error;
}

/* Why it is not known. */
static int write_unknown(FILE *file, void *argument)
{
	const struct page *page = argument;
	struct options lines = *page->options;

	lines.findings = false;
	use_write(page->session, &lines, "", file);
	return 0;
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
	return any || error ? error : html_lines(&page->html, write_unknown, page);
}

static void write_finding(struct page *page, const struct finding *finding)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file) {
		page->html.error = -ENOMEM;
		return;
	}
	finding_write(finding, devices_used(page->session) > 1, file);
	if (fclose(file))
		page->html.error = -ENOMEM;
	fputs("<li>", page->html.file);
	html_text(&page->html, text ? text : "");
	fputs("</li>\n", page->html.file);
	free(text);
}

int findings_section(struct page *page)
{
	struct finding findings[FINDING_COUNT];
	unsigned count = 0;

	if (page->options->findings && !session_header(page->session)->processes)
		count = findings_of(page->session, page->options->devices, findings);
	if (!count)
		return 0;
	fputs("<ol class=\"findings\">\n", page->html.file);
	for (unsigned i = 0; i < count; i++)
		write_finding(page, &findings[i]);
	fputs("</ol>\n", page->html.file);
	return 0;
}
