/* SPDX-License-Identifier: MIT */
/* The memory that a trace says was held on each device, over time. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/plot.h"
#include "report/html/section.h"
#include "report/session/memory.h"

/* The width of a line in steps. Chosen: two pixels on a wide page. */
#define COLUMNS	     600
/* Changes that are read; a trace with more has no picture. Chosen: 64 MB. */
#define CHANGES_MOST 4000000

struct change {
	uint64_t time, bytes;
};

struct held {
	struct change *changes; /* of one device, by their time */
	size_t count, room;
	uint64_t begin, end; /* of the trace */
	uint64_t start;	     /* of the program: times are after it */
	uint64_t peak, peak_time;
};

static int compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return IN_ORDER(a->time, b->time);
}

static int add(struct held *held, const struct trace_record *record, int device)
{
	if (record->kind != TRACE_HELD && record->kind >= ROW_KINDS)
		return 0;
	LOWER(held->begin, record->start);
	RAISE(held->end, record->end);
	if (record->kind != TRACE_HELD || record->device != device || held->count == CHANGES_MOST)
		return 0;
	if (!LIST_HAS_ROOM(held->changes, held->count, held->room))
		return -ENOMEM;
	held->changes[held->count++] = (struct change){record->start, record->bytes};
	if (record->bytes > held->peak) {
		held->peak = record->bytes;
		held->peak_time = record->start;
	}
	return 0;
}

static int read_changes(struct held *held, const struct session *session, int device)
{
	struct trace_part part = {.records = NULL};
	int error = 0;

	while (session_next_trace_part(session, &part)) {
		for (size_t i = 0; i < part.count && !error; i++)
			error = add(held, &part.records[i], device);
		session_release_trace_part(session, &part);
	}
	if (held->count)
		qsort(held->changes, held->count, sizeof(*held->changes), compare_changes);
	return error;
}

/* The area below the most that was held in each step of time. */
static void write_area(struct html *html, const struct held *held, const struct axis *x,
		       const struct axis *y)
{
	uint64_t now = 0;
	size_t next = 0;

	fprintf(html->file,
		"<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\"><path class=\"area\" d=\"M0 %d",
		PLOT_HEIGHT, COLUMNS, PLOT_HEIGHT, PLOT_HEIGHT);
	for (unsigned i = 0, last = PLOT_HEIGHT; i < COLUMNS; i++) {
		uint64_t most = now;
		unsigned height;

		for (; next < held->count &&
		       axis_percent(x, (double)(held->changes[next].time - held->start)) * COLUMNS <
			       100.0 * (i + 1);
		     next++) {
			now = held->changes[next].bytes;
			RAISE(most, now);
		}
		height = (unsigned)axis_pixel(y, (double)most);
		if (height != last)
			fprintf(html->file, "H%uV%u", i, height);
		last = height;
	}
	fprintf(html->file, "H%dV%dz\"/></svg>", COLUMNS, PLOT_HEIGHT);
}

static void write_peak(struct html *html, const struct held *held, const struct axis *x,
		       const struct axis *y)
{
	double at = axis_percent(x, (double)(held->peak_time - held->start));
	double height = axis_pixel(y, (double)held->peak);
	char bytes[NUMBER_SIZE], time[NUMBER_SIZE];

	fprintf(html->file,
		"<circle class=\"peak\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"4\"/><text x=\"%.2f%%\" "
		"dx=\"%d\" y=\"%.1f\"%s>peak %s at %s</text>",
		at, height, at,
		at > 60	 ? -8
		: at < 8 ? 72
			 : 8,
		height + 4, at > 60 ? " text-anchor=\"end\"" : "",
		number_bytes_about(bytes, held->peak),
		plot_time_text(time, (double)(held->peak_time - held->start)));
}

static int write_device(struct page *page, int device)
{
	struct held held = {.begin = UINT64_MAX};
	struct html *html = &page->html;
	int error = read_changes(&held, page->session, device);
	struct axis x = {.text = plot_time_text},
		    y = {.bytes = true, .pixels = PLOT_HEIGHT, .text = plot_bytes_text};
	char label[96], bytes[NUMBER_SIZE];

	if (!error && held.peak && held.end > held.begin && held.count < CHANGES_MOST) {
		held.start = session_header(page->session)->start_realtime;
		LOWER(held.start, held.begin);
		x.low = (double)(held.begin - held.start);
		x.high = (double)(held.end - held.start);
		y.high = 1.15 * (double)held.peak;
		snprintf(label, sizeof(label), "Memory held on GPU %d over time, at most %s",
			 device, number_bytes_about(bytes, held.peak));
		fputs("<figure class=\"wide\">\n", html->file);
		plot_begin(html, &x, &y, label);
		write_area(html, &held, &x, &y);
		write_peak(html, &held, &x, &y);
		plot_end(html, &y);
		/* All allocations are recorded. */
		fprintf(html->file,
			"<figcaption>Memory held on GPU %d%s; times are after the start of "
			"%s</figcaption>\n</figure>\n",
			device,
			session_header(page->session)->counters[COUNTER_operations_outside]
				? ", outside of the profiling window too"
				: " during the trace",
			session_header(page->session)->finished == RUN_BETWEEN ? "the window"
									       : "CUDA");
	}
	free(held.changes);
	return error;
}

int held_write(struct page *page)
{
	int error = 0;

	/* The processes of a job hold memory each by itself. */
	if (session_header(page->session)->processes)
		return 0;
	for (int device = 0; device < SESSION_DEVICES && !error; device++)
		if (session_header(page->session)->devices[device].used &&
		    page->options->devices >> device & 1)
			error = write_device(page, device);
	return error;
}
