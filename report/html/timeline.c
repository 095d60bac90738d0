/* SPDX-License-Identifier: MIT */
/*
 * The trace as a timeline: a table with a picture of each track, which reads without scripts, and
 * the same tracks as data, which a script draws at any scale in the pictures' place.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/export/export_trace.h"
#include "report/html/section.h"
#include "report/html/timeline_items.h"
#include "report/sheet/number.h"

/* The width of a track's picture. */
#define COLUMNS	       500
/* Bytes of all pictures: those of further tracks are left to the script. Chosen: as above. */
#define PICTURES_BYTES 600000

struct name {
	struct {
		uint64_t offset;
		uint64_t kind;
	} key;
	unsigned number;
	UT_hash_handle hh;
};

struct picture {
	struct page *page;
	struct timeline timeline;
	struct filter filter;
	struct name *names;
};

/* The class of a block is its place in this list, which the data has too. */
static const char *const classes[] = {
	"busy-kernels",	      "busy-copies", "block-call",	  "block-range",
	"idle-program",	      "idle-call",   "idle-latency",	  "idle-dependency",
	"idle-after-waiting", "idle-graph",  "idle-first-launch", "idle-short",
	"idle-unresolved",
};

#define CLASSES (sizeof(classes) / sizeof(*classes))

/* Of a column of time. */
struct column {
	double parts[CLASSES];
};

static unsigned class_number(const char *class)
{
	unsigned i = 0;

	while (i < CLASSES - 1 && strcmp(classes[i], class) != 0)
		i++;
	return i;
}

/* What the page's style has a colour for. */
static const char *item_class(const struct track *track, const struct item *item)
{
	switch (track->kind) {
	case TRACK_IDLE:
		return stack_cause_class(item->cause);
	case TRACK_CALLS:
		return "block-call";
	case TRACK_RANGES:
		return "block-range";
	case TRACK_STREAM:
		break;
	}
	return item->kind == ROW_MEMCPY || item->kind == ROW_MEMSET || item->kind == ROW_MOVEMENT
		       ? "busy-copies"
		       : "busy-kernels";
}

static void write_label(struct picture *picture, const struct track *track, bool json)
{
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;
	char label[256], owner[160];
	bool contexts = false;

	for (size_t i = 0; i < timeline->track_count; i++)
		contexts |= timeline->tracks[i].kind == TRACK_STREAM &&
			    track->kind == TRACK_STREAM &&
			    timeline->tracks[i].process == track->process &&
			    timeline->tracks[i].device == track->device &&
			    timeline->tracks[i].context != track->context;
	trace_owner_name(timeline->session, track->owner, owner, sizeof(owner));
	if (track->kind == TRACK_IDLE)
		snprintf(label, sizeof(label), "%sGPU %d idle", owner, track->device);
	else if (track->kind == TRACK_STREAM && contexts)
		snprintf(label, sizeof(label), "%sGPU %d context %u stream %u", owner,
			 track->device, track->context, track->number);
	else if (track->kind == TRACK_STREAM)
		snprintf(label, sizeof(label), "%sGPU %d stream %u", owner, track->device,
			 track->number);
	else if (track->level)
		snprintf(label, sizeof(label), "%sthread %u ranges, level %u", owner, track->number,
			 track->level + 1);
	else
		snprintf(label, sizeof(label), "%sthread %u %s", owner, track->number,
			 track->kind == TRACK_RANGES ? "ranges" : "calls");
	if (json)
		html_json_text(html, label);
	else
		html_text(html, label);
}

/* Adds an item's part of each column that it is in, in columns. */
static void add_to_columns(struct column *columns, const struct item *item, unsigned class,
			   double scale)
{
	double from = (double)item->start * scale, to = (double)item->end * scale;

	for (unsigned i = (unsigned)from; i < COLUMNS && i < to; i++) {
		double end = to < i + 1 ? to : i + 1;

		columns[i].parts[class] += end - (from > i ? from : i);
	}
}

/* The class with most of a column, and how high it is filled, from 0 to 10. */
static unsigned fill_column(const struct column *column, unsigned *class)
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
	static struct column columns[COLUMNS]; /* too large for a small stack */
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;
	double scale = timeline->end ? COLUMNS / (double)timeline->end : 0;
	unsigned open = CLASSES;

	memset(columns, 0, sizeof(columns));
	for (size_t i = 0; i < track->count; i++) {
		const struct item *item = &timeline->items[track->first + i];

		add_to_columns(columns, item, class_number(item_class(track, item)), scale);
	}
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
				open < CLASSES ? "\"/>" : "", classes[class]);
		open = class;
		fprintf(html->file, "M%u %uh%uV10h-%uz", i, 10 - height, length, length);
	}
	fputs(open < CLASSES ? "\"/></svg>" : "</svg>", html->file);
}

static void write_table(struct picture *picture)
{
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;
	char text[NUMBER_SIZE], caption[160];

	snprintf(caption, sizeof(caption), "The trace from its first record, %s",
		 number_about(text, (double)timeline->end, 3));
	html_table_begin(html, "timeline-table", "timeline", caption, NULL);
	fputs("<thead><tr><th scope=\"col\">Track</th><th scope=\"col\" class=\"number\">"
	      "Records</th><th scope=\"col\" class=\"track-heading\">Time</th></tr></thead>\n"
	      "<tbody>\n",
	      html->file);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		fputs("<tr><th scope=\"row\">", html->file);
		write_label(picture, track, false);
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

/* The number of a name among those of the data; -1 if memory is out. */
static long name_number(struct picture *picture, const struct track *track, const struct item *item)
{
	bool cause = track->kind == TRACK_IDLE && item->cause != IDLE_CALL;
	struct name *name, wanted = {.key = {cause ? item->cause : item->name,
					     cause ? ROW_KINDS : item->kind}};

	HASH_FIND(hh, picture->names, &wanted.key, sizeof(wanted.key), name);
	if (name)
		return name->number;
	name = calloc(1, sizeof(*name));
	if (!name)
		return -1;
	name->key = wanted.key;
	name->number = HASH_COUNT(picture->names);
	HASH_ADD(hh, picture->names, key, sizeof(name->key), name);
	if (name->hh.tbl)
		return name->number;
	free(name);
	return -1;
}

static unsigned percent(const struct block *block)
{
	uint64_t length = block->end - block->start;

	return block->time < length ? (unsigned)(100 * (double)block->time / (double)length + 0.5)
				    : 100;
}

/* Six numbers a block: its start after the one before it, its length, name, class, how many records
 * it is, and how much of it they have, in percent. */
static void write_blocks(struct picture *picture, const struct track *track)
{
	struct html *html = &picture->page->html;
	const char *separator = "";
	uint64_t before = 0;
	struct block block;
	size_t next = 0;

	while (items_block(&picture->timeline, track, &next, &block)) {
		long name = name_number(picture, track, block.longest);

		if (name < 0)
			html->error = -ENOMEM;
		fprintf(html->file, "%s%llu,%llu,%ld,%u,%llu,%u", separator,
			(unsigned long long)(block.start - before),
			(unsigned long long)(block.end - block.start), name,
			class_number(item_class(track, block.longest)),
			(unsigned long long)block.items, percent(&block));
		separator = ",";
		before = block.start;
	}
}

static void write_names(struct picture *picture)
{
	struct html *html = &picture->page->html;

	for (struct name *name = picture->names; name; name = name->hh.next) {
		const char *text =
			name->key.kind == ROW_KINDS
				? idle_cause_texts[name->key.offset]
				: filter_name(&picture->filter, (enum row_kind)name->key.kind,
					      name->key.offset);

		if (name->number)
			fputc(',', html->file);
		html_json_text(html, text && *text ? text : "other CUDA calls");
		if (!text)
			html->error = -ENOMEM;
	}
}

static void write_data(struct picture *picture)
{
	const struct timeline *timeline = &picture->timeline;
	struct html *html = &picture->page->html;

	fprintf(html->file,
		"<script type=\"application/json\" id=\"timeline-data\">\n{\"end\":%llu",
		(unsigned long long)timeline->end);
	fputs(",\"classes\":[", html->file);
	for (size_t i = 0; i < CLASSES; i++)
		fprintf(html->file, "%s\"%s\"", i ? "," : "", classes[i]);
	fputs("],\n\"tracks\":[", html->file);
	for (size_t i = 0; i < timeline->track_count; i++) {
		fputs(i ? ",\n{\"label\":" : "\n{\"label\":", html->file);
		write_label(picture, &timeline->tracks[i], true);
		fputs(",\"blocks\":[", html->file);
		write_blocks(picture, &timeline->tracks[i]);
		fputs("]}", html->file);
	}
	fputs("],\n\"names\":[", html->file);
	write_names(picture);
	fputs("]}\n</script>\n", html->file);
}

static void write_remarks(const struct picture *picture)
{
	const struct timeline *timeline = &picture->timeline;
	FILE *file = picture->page->html.file;
	char text[NUMBER_SIZE];

	if (timeline->step)
		fprintf(file,
			"<p class=\"remark\">Records shorter than %s that begin within as much of "
			"each other are one block here; exports of the trace have all of "
			"them.</p>\n",
			number_time(text, timeline->step));
	if (timeline->left_out)
		fprintf(file,
			"<p class=\"left-out\">%s records are not in this timeline, which has room "
			"for four million of 256 tracks.</p>\n",
			number_count(text, timeline->left_out));
	fputs("<p class=\"remark\">Idle time is coloured by what the trace’s calls say of it: what "
	      "they lack, such as which launch was a kernel’s first, is in the table of idle time "
	      "alone.</p>\n",
	      file);
}

static void write_legend(struct html *html)
{
	static const struct {
		const char *class, *text;
	} busy[] = {{"busy-kernels", "kernels"},
		    {"busy-copies", "copies and memsets"},
		    {"block-call", "API calls"},
		    {"block-range", "NVTX ranges"}};

	fputs("<ul class=\"legend\">\n", html->file);
	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++) {
		fputs("<li>", html->file);
		stack_swatch(html, busy[i].class);
		fprintf(html->file, "%s</li>\n", busy[i].text);
	}
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		fputs("<li>", html->file);
		stack_swatch(html, stack_cause_class(i));
		fprintf(html->file, "idle: %s</li>\n", idle_cause_texts[i]);
	}
	fputs("</ul>\n", html->file);
}

int timeline_section(struct page *page)
{
	struct picture picture = {.page = page};
	struct name *name, *next;
	int error;

	if (!session_next_trace(page->session, NULL))
		return 0;
	error = filter_init(&picture.filter, page->session, page->options);
	if (error)
		return error;
	error = items_read(&picture.timeline, page->session, &picture.filter);
	if (!error)
		error = items_add_gaps(&picture.timeline);
	if (!error && picture.timeline.count) {
		items_choose_step(&picture.timeline);
		write_legend(&page->html);
		write_table(&picture);
		write_remarks(&picture);
		write_data(&picture);
		html_timeline_script(&page->html);
	}
	HASH_ITER (hh, picture.names, name, next) {
		HASH_DEL(picture.names, name);
		free(name);
	}
	items_free(&picture.timeline);
	filter_free(&picture.filter);
	return error;
}
