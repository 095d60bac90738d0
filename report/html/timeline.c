/* SPDX-License-Identifier: MIT */
/*
 * The trace as a timeline: a table with a picture of each track, which reads without scripts, and
 * the same tracks as data, which a script draws at any scale in the pictures' place.
 */
#include <math.h>
#include <string.h>

#include "report/html/gaps.h"
#include "report/html/pack.h"

/* The width of a track's picture. */
#define COLUMNS	       500
/* Bytes of all pictures: those of further tracks are left to the script. Chosen. */
#define PICTURES_BYTES 600000

/* Bytes of all records; in base64 it is a third more. Chosen: 18 MB, so that the page is below 20
 * MB and opens in a few seconds. */
#define PACK_MOST      13500000

struct picture {
	struct page *page;
	struct timeline timeline;
	struct pack pack;
};

/* Of a column of time. */
struct time_column {
	double parts[CLASSES];
};

/* Adds an item's part of each column that it is in, in columns. */
static void add_to_columns(struct time_column *columns, const struct item *item, uint64_t begin,
			   double scale)
{
	double from = (double)(item->start - begin) * scale;
	double to = (double)(item->end - begin) * scale;

	for (unsigned i = (unsigned)from; i < COLUMNS && i < to; i++) {
		double end = to < i + 1 ? to : i + 1;

		columns[i].parts[item->class] += end - (from > i ? from : i);
	}
}

/* The class with most of a column, and how high it is filled, from 0 to 10. */
static unsigned fill_column(const struct time_column *column, unsigned *class)
{
	double sum = 0;

	*class = 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		sum += column->parts[i];
		*class = column->parts[i] > column->parts[*class] ? i : *class;
	}
	/* Rounded up: what is there is seen. */
	return sum < 1 ? (unsigned)ceil(10 * sum) : 10;
}

/* How much of each column of time a track has something in, as one path for each run of a colour.
 */
static void write_picture(struct picture *picture, const struct track *track)
{
	static struct time_column columns[COLUMNS]; /* too large for a small stack */
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;
	double scale = timeline->end > timeline->begin
			       ? COLUMNS / (double)(timeline->end - timeline->begin)
			       : 0;
	unsigned open = CLASSES;

	memset(columns, 0, sizeof(columns));
	for (size_t i = 0; i < track->count; i++)
		add_to_columns(columns, &track->items[i], timeline->begin, scale);
	fprintf(html->file,
		"<svg class=\"track-picture\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		COLUMNS);
	for (unsigned i = 0, length; i < COLUMNS; i += length) {
		unsigned class, height = fill_column(&columns[i], &class), other = class;

		for (length = 1; i + length < COLUMNS; length++)
			if (fill_column(&columns[i + length], &other) != height || other != class)
				break;
		if (!height)
			continue;
		if (class != open)
			fprintf(html->file, "%s<path class=\"%s\" d=\"",
				open < CLASSES ? "\"/>" : "", class_name(class));
		open = class;
		fprintf(html->file, "M%u %uh%uV10h-%uz", i, 10 - height, length, length);
	}
	fputs(open < CLASSES ? "\"/></svg>" : "</svg>", html->file);
}

static void write_table(struct picture *picture)
{
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;
	char text[NUMBER_SIZE], caption[160], label[TRACK_LABEL_SIZE];

	snprintf(caption, sizeof(caption),
		 "The trace from its first record, calls and ranges too, %s",
		 number_about(text, (double)(timeline->end - timeline->begin), 3));
	html_table_begin(html, "timeline-table", "timeline tree", caption, NULL);
	fputs("<thead><tr><th scope=\"col\">Track</th><th scope=\"col\" class=\"number\">"
	      "Records</th><th scope=\"col\" class=\"track-heading\">Time</th></tr></thead>\n"
	      "<tbody>\n",
	      html->file);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		fprintf(html->file, "<tr data-depth=\"%u\"><th scope=\"row\">",
			track_depth(timeline, i));
		html_text(html, track_label(timeline, track, label));
		fputs("</th>", html->file);
		if (track->kind == TRACK_IDLE)
			fputs("<td class=\"number\">-</td>", html->file);
		else
			fprintf(html->file, "<td class=\"number\">%s</td>",
				number_count(text, track->count));
		fputs("<td class=\"track\">", html->file);
		if (ftell(html->file) < PICTURES_BYTES)
			write_picture(picture, track);
		fputs("</td></tr>\n", html->file);
	}
	html_table_end(html);
}

/* What is said of a device's idle time if the timeline has other causes than the table, from this
 * part of it on. Chosen: what changes a reader's mind. */
#define OTHER_CAUSES_PERCENT 5

static void write_other_causes(const struct timeline *timeline, int device, FILE *file)
{
	uint64_t table[IDLE_CAUSE_COUNT], here[IDLE_CAUSE_COUNT] = {0}, idle = 0;
	unsigned more = 0, less = 0;
	char text[NUMBER_SIZE];

	if (!session_use(timeline->session, device))
		return;
	idle_totals(timeline->session, device, table);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		for (size_t j = 0; j < track->count; j++)
			if (track->kind == TRACK_IDLE && track->device == device)
				here[track->items[j].class - CLASS_IDLE] +=
					track->items[j].end - track->items[j].start;
	}
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		idle += table[i];
		more = (int64_t)(here[i] - table[i]) > (int64_t)(here[more] - table[more]) ? i
											   : more;
		less = (int64_t)(here[i] - table[i]) < (int64_t)(here[less] - table[less]) ? i
											   : less;
	}
	if (here[more] <= table[more] || table[less] <= here[less] ||
	    100 * (here[more] - table[more]) < OTHER_CAUSES_PERCENT * idle)
		return;
	fprintf(file,
		"<p class=\"remark\">GPU %d: the timeline has %s of idle time more under “%s”, "
		"which the bar above has mostly under “%s”, as the bar knows calls that the trace "
		"lacks.</p>\n",
		device, number_time(text, here[more] - table[more]), idle_cause_texts[more],
		idle_cause_texts[less]);
}

static void write_remarks(const struct picture *picture)
{
	const struct timeline *timeline = &picture->timeline;
	FILE *file = picture->page->html.file;
	char text[NUMBER_SIZE], time[NUMBER_SIZE];

	if (picture->pack.left_out)
		fprintf(file,
			"<p class=\"left-out\">The pictures are of the whole trace. What the page "
			"can zoom into ends after %s: it has no room for the %s records behind. "
			"<code>ktime export</code> writes all of them, or with <code>--from</code> "
			"and <code>--to</code> a part.</p>\n",
			number_about(time, (double)picture->pack.until, 3),
			number_count(text, picture->pack.left_out));
	if (timeline->left_out)
		fprintf(file,
			"<p class=\"left-out\">%s records are not in this timeline, which has room "
			"for four million of 256 tracks.</p>\n",
			number_count(text, timeline->left_out));
	if (session_header(timeline->session)->processes ||
	    session_header(timeline->session)->counters[COUNTER_trace_lost])
		fputs("<p class=\"remark\">Idle time has the causes that the records tell: those "
		      "in "
		      "the bars above are of all calls of the whole run.</p>\n",
		      file);
	else
		for (int device = 0; device < SESSION_DEVICES; device++)
			write_other_causes(timeline, device, file);
}

/* Of the classes that the trace has. */
static void write_legend(const struct timeline *timeline, struct html *html)
{
	bool used[CLASSES] = {false};

	for (size_t i = 0; i < timeline->track_count; i++)
		for (size_t j = 0; j < timeline->tracks[i].count; j++)
			used[timeline->tracks[i].items[j].class] = true;
	fputs("<ul class=\"legend\">\n", html->file);
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!used[i])
			continue;
		fputs("<li>", html->file);
		stack_swatch(html, class_name(i));
		fprintf(html->file, "%s%s</li>\n", i < CLASS_IDLE ? "" : "idle: ", class_text(i));
	}
	fputs("</ul>\n", html->file);
}

static void write_data(const struct picture *picture)
{
	FILE *file = picture->page->html.file;

	fputs("<script type=\"application/octet-stream\" id=\"timeline-data\">", file);
	pack_write(&picture->pack, file);
	fputs("</script>\n", file);
}

int timeline_section(struct page *page)
{
	static struct picture picture; /* too large for a small stack */
	struct timeline *timeline = &picture.timeline;
	int error;

	if (!session_next_trace(page->session, NULL))
		return 0;
	picture = (struct picture){.page = page};
	error = tracks_read(timeline, page->session, &page->filter);
	if (error || !timeline->count)
		goto out;
	error = gaps_add(timeline);
	error = error ?: pack_make(&picture.pack, timeline, PACK_MOST);
	if (error)
		goto out;
	write_legend(timeline, &page->html);
	write_table(&picture);
	write_remarks(&picture);
	write_data(&picture);
	html_timeline_script(&page->html);
out:
	pack_free(&picture.pack);
	tracks_free(timeline);
	return error;
}
