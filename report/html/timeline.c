/* SPDX-License-Identifier: MIT */
/*
 * The trace as a timeline: a table with a picture of each track, which reads without scripts, and
 * the same tracks as data, which a script draws at any scale in the pictures' place.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/export.h"
#include "report/html/section.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* Records that are read: 48 bytes each, 200 MB. Chosen: above it the page says what is missing. */
#define ITEMS_MOST  4000000
/* Blocks that the page has: some 20 bytes each. Chosen: the page opens at once, and stays below
 * 2 MB. */
#define BLOCKS_MOST 20000

/* What the page's style has a colour for. An item's class is its place in this list, which the data
 * has too. */
static const char *const classes[] = {
	"busy-kernels",	      "busy-copies", "block-call",	  "block-range",
	"idle-program",	      "idle-call",   "idle-latency",	  "idle-dependency",
	"idle-after-waiting", "idle-graph",  "idle-first-launch", "idle-short",
	"idle-unresolved",
};
enum { CLASS_KERNELS, CLASS_COPIES, CLASS_CALL, CLASS_RANGE, CLASS_IDLE };

#define CLASSES (sizeof(classes) / sizeof(*classes))

static uint16_t class_of_cause(enum idle_cause cause)
{
	uint16_t class = CLASS_IDLE;

	while (strcmp(classes[class], stack_cause_classes[cause]) != 0)
		class ++;
	return class;
}

static int add_item(struct track *track, const struct item *item)
{
	if (!LIST_HAS_ROOM(track->items, track->count, track->room))
		return -ENOMEM;
	track->items[track->count++] = *item;
	return 0;
}

static bool is_same_track(const struct track *a, const struct track *b)
{
	return a->owner == b->owner && a->kind == b->kind && a->device == b->device &&
	       a->context == b->context && a->number == b->number && a->level == b->level;
}

/* The track like this one, which has no items; NULL: it is one too many. */
static struct track *track_like(struct timeline *timeline, const struct track *like)
{
	/* Most records are of a track that came lately. */
	for (size_t i = timeline->track_count; i-- > 0;)
		if (is_same_track(&timeline->tracks[i], like))
			return &timeline->tracks[i];
	if (timeline->track_count == TRACKS_MOST)
		return NULL;
	timeline->tracks[timeline->track_count] = *like;
	return &timeline->tracks[timeline->track_count++];
}

/* Ranges inside of others have a track of their own, below; where there is none, the first one. */
static struct track *track_of_range(struct timeline *timeline, struct track *first,
				    const struct trace_record *record)
{
	struct track like = {.owner = first->owner,
			     .process = first->process,
			     .kind = TRACK_RANGES,
			     .device = first->device,
			     .number = first->number};

	while (first->open > 0 && first->ends[first->open - 1] <= record->start)
		first->open--;
	like.level = first->open < LEVELS_MOST ? first->open : LEVELS_MOST - 1;
	if (first->open < LEVELS_MOST)
		first->ends[first->open++] = record->end;
	return track_like(timeline, &like) ?: first;
}

static int add_record(struct timeline *timeline, const struct trace_order *order,
		      const struct trace_record *record)
{
	bool call = row_is_api(record->kind), host = call || record->kind == ROW_RANGE;
	bool copy = row_is_memory(record->kind);
	struct track *track, like = {.owner = order->owner,
				     .process = order->process,
				     .kind = call   ? TRACK_CALLS
					     : host ? TRACK_RANGES
						    : TRACK_STREAM,
				     .number = host ? record->thread : record->stream,
				     .device = host ? -1 : record->device,
				     .context = host ? 0 : record->context};
	const struct item item = {.start = record->start,
				  .end = record->end,
				  .name = record->name,
				  .kind = (uint16_t)record->kind,
				  .class = call	  ? CLASS_CALL
					   : host ? CLASS_RANGE
					   : copy ? CLASS_COPIES
						  : CLASS_KERNELS,
				  .correlation = record->correlation,
				  .graph = record->graph};

	if (record->kind >= ROW_KINDS || record->kind == ROW_OVERHEAD ||
	    record->end < record->start ||
	    !filter_shows(timeline->filter, record->kind, record->name, record->device))
		return 0;
	track = timeline->count < ITEMS_MOST ? track_like(timeline, &like) : NULL;
	if (!track) {
		timeline->left_out++;
		return 0;
	}
	if (track->kind == TRACK_RANGES)
		track = track_of_range(timeline, track, record);
	timeline->count++;
	return add_item(track, &item);
}

static int compare_tracks(const void *left, const void *right)
{
	const struct track *a = left, *b = right;

	return IN_ORDER(a->process, b->process)
		       ?: IN_ORDER(a->kind > TRACK_STREAM, b->kind > TRACK_STREAM)
		       ?: IN_ORDER(a->device, b->device)
		       /* A device's idle time stands above its streams, a thread's ranges above its
			* calls. */
		       ?: IN_ORDER(a->kind == TRACK_STREAM, b->kind == TRACK_STREAM)
		       ?: IN_ORDER(a->context, b->context)
		       ?: IN_ORDER(a->number, b->number)
		       ?: IN_ORDER(a->kind, b->kind)
		       ?: IN_ORDER(a->level, b->level);
}

/* By their start, the outer one first. */
static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return IN_ORDER(a->start, b->start) ?: IN_ORDER(b->end, a->end);
}

static void sort_tracks(struct timeline *timeline)
{
	qsort(timeline->tracks, timeline->track_count, sizeof(*timeline->tracks), compare_tracks);
}

static void begin_at_zero(struct timeline *timeline)
{
	uint64_t zero = UINT64_MAX;

	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].items[0].start < zero)
			zero = timeline->tracks[i].items[0].start;
	for (size_t i = 0; i < timeline->track_count; i++)
		for (size_t j = 0; j < timeline->tracks[i].count; j++) {
			struct item *item = &timeline->tracks[i].items[j];

			item->start -= zero;
			item->end -= zero;
			if (item->end > timeline->end)
				timeline->end = item->end;
		}
}

bool items_block(const struct timeline *timeline, const struct track *track, size_t *next,
		 struct block *block)
{
	uint64_t step = timeline->step;
	const struct item *item;

	if (*next == track->count)
		return false;
	item = &track->items[(*next)++];
	*block = (struct block){item->start, item->end, item, 1, item->end - item->start};
	while (step && item->end - item->start < step && *next < track->count) {
		const struct item *other = &track->items[*next];

		if (other->start / step != block->start / step || other->end - other->start >= step)
			break;
		if (other->end > block->end)
			block->end = other->end;
		if (other->end - other->start > block->longest->end - block->longest->start)
			block->longest = other;
		block->items++;
		block->time += other->end - other->start;
		++*next;
	}
	return true;
}

static size_t count_blocks(const struct timeline *timeline)
{
	size_t count = 0;

	for (size_t i = 0; i < timeline->track_count; i++) {
		struct block block;
		size_t next = 0;

		while (items_block(timeline, &timeline->tracks[i], &next, &block))
			count++;
	}
	return count;
}

void items_choose_step(struct timeline *timeline)
{
	timeline->step = 0;
	while (count_blocks(timeline) > BLOCKS_MOST && timeline->step <= timeline->end / 2)
		timeline->step = timeline->step ? 2 * timeline->step : 16;
}

void items_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++)
		free(timeline->tracks[i].items);
	timeline->track_count = 0;
}

/*
 * The causes are those of the table of idle time, found by the same rules. They are found again
 * here as a profile keeps only their sums; and only as far as the trace goes: it does not say which
 * launch was a kernel's first, nor has it calls that CUPTI does not record.
 */

/* How far the records' clock and the host's may be apart: in shorter gaps they do not tell the
 * host's time from launch latency. */
#define CLOCKS_APART_NS 5000u
/* Calls before a gap that are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED	64

struct call {
	const struct track *track;
	const struct item *item;
};

struct gaps {
	struct timeline *timeline;
	struct call *calls; /* with a correlation id, by process and id */
	size_t call_count;
	const struct item **operations; /* of one device, by their start */
	struct track *idle;		/* its idle time */
};

static int compare_ids(const struct call *call, unsigned process, uint32_t correlation)
{
	return IN_ORDER(call->track->process, process)
		       ?: IN_ORDER(call->item->correlation, correlation);
}

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return compare_ids(a, b->track->process, b->item->correlation)
		       ?: IN_ORDER(a->track, b->track) ?: IN_ORDER(a->item, b->item);
}

static int compare_starts(const void *left, const void *right)
{
	const struct item *a = *(const struct item *const *)left;
	const struct item *b = *(const struct item *const *)right;

	return IN_ORDER(a->start, b->start) ?: IN_ORDER(a->correlation, b->correlation);
}

/* The call that started an operation; NULL: the trace does not have it. */
static const struct call *find_call(const struct gaps *gaps, const struct item *operation)
{
	unsigned process = gaps->idle->process;
	size_t low = 0, high = gaps->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(&gaps->calls[middle], process, operation->correlation) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < gaps->call_count &&
			       !compare_ids(&gaps->calls[low], process, operation->correlation)
		       ? &gaps->calls[low]
		       : NULL;
}

/* Whether the last of a thread's first calls that launched or waited waited. */
static bool waited_last(const struct session *session, const struct track *track, size_t calls)
{
	for (size_t i = calls; i > 0 && i + CALLS_SEARCHED > calls; i--) {
		const char *name = session_string(session, track->items[i - 1].name);

		if (strstr(name, "Synchronize"))
			return true;
		if (strstr(name, "Launch") || strstr(name, "Memcpy") || strstr(name, "Memset"))
			return !strstr(name, "Launch") && !strstr(name, "Async");
	}
	return false;
}

static int add_part(struct gaps *gaps, enum idle_cause cause, const struct item *call,
		    uint64_t start, uint64_t end)
{
	const struct item item = {.start = start,
				  .end = end,
				  .kind = call ? call->kind : ROW_KINDS,
				  .name = call ? call->name : cause,
				  .class = class_of_cause(cause)};

	return end > start ? add_item(gaps->idle, &item) : 0;
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* What is before an operation's call, which comes after `calls` others of its thread: those, and
 * the program's own code between them. */
static int split_before(struct gaps *gaps, const struct track *track, size_t calls, uint64_t begin,
			uint64_t until)
{
	int error = 0;

	for (; until > begin && !error; calls--) {
		const struct item *call = calls ? &track->items[calls - 1] : NULL;
		uint64_t from = call ? between(begin, call->end, until) : begin;
		bool waited = waited_last(gaps->timeline->session, track, calls);

		error = add_part(gaps, waited ? IDLE_AFTER_WAIT : IDLE_PROGRAM, NULL, from, until);
		if (!call || error)
			break;
		until = between(begin, call->start, from);
		error = add_part(gaps, IDLE_CALL, call, until, from);
	}
	return error;
}

static int split(struct gaps *gaps, const struct item *before, const struct item *after,
		 uint64_t begin)
{
	const struct call *call = find_call(gaps, after);
	uint64_t end = after->start, latency;
	enum idle_cause cause = IDLE_LATENCY;
	int error;

	if (after->graph && after->graph == before->graph &&
	    after->correlation == before->correlation)
		cause = IDLE_GRAPH;
	else if (!call)
		cause = IDLE_UNRESOLVED;
	else if (end - begin < CLOCKS_APART_NS)
		cause = call->item->end + CLOCKS_APART_NS <= begin ? IDLE_DEPENDENCY : IDLE_SHORT;
	else if (call->item->end <= begin)
		cause = IDLE_DEPENDENCY;
	if (cause != IDLE_LATENCY)
		return add_part(gaps, cause, NULL, begin, end);
	latency = between(begin, call->item->start, end);
	error = split_before(gaps, call->track, (size_t)(call->item - call->track->items), begin,
			     latency);
	return error ? error : add_part(gaps, IDLE_LATENCY, NULL, latency, end);
}

/* The gaps between the operations of a device, of which there are `count`. */
static int add_device(struct gaps *gaps, size_t count)
{
	const struct item *before;
	uint64_t until;
	int error = 0;

	qsort(gaps->operations, count, sizeof(*gaps->operations), compare_starts);
	before = gaps->operations[0];
	until = before->end;
	for (size_t i = 1; i < count && !error; i++) {
		const struct item *after = gaps->operations[i];

		if (after->start > until)
			error = split(gaps, before, after, until);
		if (after->end >= until) {
			until = after->end;
			before = after;
		}
	}
	if (gaps->idle->count)
		qsort(gaps->idle->items, gaps->idle->count, sizeof(struct item), compare_items);
	return error;
}

static bool is_stream_of(const struct track *track, const struct track *device)
{
	return track->kind == TRACK_STREAM && track->process == device->process &&
	       track->device == device->device;
}

static int add_devices(struct gaps *gaps)
{
	struct track *tracks = gaps->timeline->tracks;
	size_t track_count = gaps->timeline->track_count, next;
	int error = 0;

	/* A device's streams follow each other. */
	for (size_t i = 0; i < track_count && !error; i = next) {
		const struct track *device = &tracks[i];
		const struct track like = {.owner = device->owner,
					   .process = device->process,
					   .kind = TRACK_IDLE,
					   .device = device->device};
		size_t count = 0;

		for (next = i; next < track_count && is_stream_of(&tracks[next], device); next++)
			for (size_t j = 0; j < tracks[next].count; j++)
				gaps->operations[count++] = &tracks[next].items[j];
		gaps->idle = count ? track_like(gaps->timeline, &like) : NULL;
		if (gaps->idle)
			error = add_device(gaps, count);
		next += !count;
	}
	return error;
}

/* Adds a track of idle time for each device, above its streams. */
static int add_gaps(struct timeline *timeline)
{
	struct gaps gaps = {.timeline = timeline};
	int error = -ENOMEM;

	gaps.calls = calloc(timeline->count + 1, sizeof(*gaps.calls));
	gaps.operations = calloc(timeline->count + 1, sizeof(*gaps.operations));
	if (!gaps.calls || !gaps.operations)
		goto out;
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		for (size_t j = 0; j < track->count && track->kind == TRACK_CALLS; j++)
			if (track->items[j].correlation)
				gaps.calls[gaps.call_count++] =
					(struct call){track, &track->items[j]};
	}
	qsort(gaps.calls, gaps.call_count, sizeof(*gaps.calls), compare_calls);
	error = add_devices(&gaps);
out:
	free(gaps.calls);
	free(gaps.operations);
	return error;
}

int items_read(struct timeline *timeline, const struct session *session, struct filter *filter)
{
	const struct trace_record *record;
	struct trace_order order;
	int error;

	*timeline = (struct timeline){.session = session, .filter = filter};
	error = trace_order_open(&order, session, 0, UINT64_MAX);
	do {
		if (!error)
			error = trace_order_next(&order, &record);
		if (!error && record)
			error = add_record(timeline, &order, record);
	} while (!error && record);
	trace_order_close(&order);
	if (error)
		return error;
	begin_at_zero(timeline);
	sort_tracks(timeline);
	error = add_gaps(timeline);
	sort_tracks(timeline);
	return error;
}

/* The width of a track's picture. */
#define COLUMNS	       500
/* Bytes of all pictures: those of further tracks are left to the script. Chosen: as above. */
#define PICTURES_BYTES 600000

struct name {
	struct entry entry; /* by the offset and the kind of what it is of */
	size_t number;	    /* from 1 */
};

struct picture {
	struct page *page;
	struct timeline timeline;
	struct entry *names;
};

/* Of a column of time. */
struct time_column {
	double parts[CLASSES];
};

#define LABEL_SIZE 256
static const char *label_of(const struct timeline *timeline, const struct track *track,
			    char label[LABEL_SIZE])
{
	char owner[160];
	bool contexts = false;

	for (size_t i = 0; i < timeline->track_count; i++)
		contexts |= is_stream_of(&timeline->tracks[i], track) &&
			    timeline->tracks[i].context != track->context;
	trace_owner_name(timeline->session, track->owner, owner, sizeof(owner));
	if (track->kind == TRACK_IDLE)
		snprintf(label, LABEL_SIZE, "%sGPU %d idle", owner, track->device);
	else if (track->kind == TRACK_STREAM && contexts)
		snprintf(label, LABEL_SIZE, "%sGPU %d context %u stream %u", owner, track->device,
			 track->context, track->number);
	else if (track->kind == TRACK_STREAM)
		snprintf(label, LABEL_SIZE, "%sGPU %d stream %u", owner, track->device,
			 track->number);
	else if (track->level)
		snprintf(label, LABEL_SIZE, "%sthread %u ranges, level %u", owner, track->number,
			 track->level + 1);
	else
		snprintf(label, LABEL_SIZE, "%sthread %u %s", owner, track->number,
			 track->kind == TRACK_RANGES ? "ranges" : "calls");
	return label;
}

/* Adds an item's part of each column that it is in, in columns. */
static void add_to_columns(struct time_column *columns, const struct item *item, unsigned class,
			   double scale)
{
	double from = (double)item->start * scale, to = (double)item->end * scale;

	for (unsigned i = (unsigned)from; i < COLUMNS && i < to; i++) {
		double end = to < i + 1 ? to : i + 1;

		columns[i].parts[class] += end - (from > i ? from : i);
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
	double scale = timeline->end ? COLUMNS / (double)timeline->end : 0;
	unsigned open = CLASSES;

	memset(columns, 0, sizeof(columns));
	for (size_t i = 0; i < track->count; i++) {
		const struct item *item = &track->items[i];

		add_to_columns(columns, item, item->class, scale);
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
	char text[NUMBER_SIZE], caption[160], label[LABEL_SIZE];

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
		html_text(html, label_of(timeline, track, label));
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

/* The number of a name among those of the data, from 1; 0 if memory is out. */
static size_t name_number(struct picture *picture, const struct item *item)
{
	const uint64_t key[ENTRY_NUMBERS] = {item->name, item->kind};
	struct name *name = entry_of(&picture->names, key, sizeof(*name));

	if (name && !name->number)
		name->number = HASH_COUNT(picture->names);
	return name ? name->number : 0;
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
		size_t name = name_number(picture, block.longest);

		if (!name)
			html->error = -ENOMEM;
		fprintf(html->file, "%s%llu,%llu,%zu,%u,%llu,%u", separator,
			(unsigned long long)(block.start - before),
			(unsigned long long)(block.end - block.start), name - 1,
			block.longest->class, (unsigned long long)block.items, percent(&block));
		separator = ",";
		before = block.start;
	}
}

static void write_names(struct picture *picture)
{
	struct html *html = &picture->page->html;

	for (const struct entry *name = picture->names; name; name = name->hh.next) {
		const char *text = name->key[1] == ROW_KINDS
					   ? idle_cause_texts[name->key[0]]
					   : filter_name(&picture->page->filter,
							 (enum row_kind)name->key[1], name->key[0]);

		if (name != picture->names)
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
	char label[LABEL_SIZE];

	fprintf(html->file,
		"<script type=\"application/json\" id=\"timeline-data\">\n{\"end\":%llu",
		(unsigned long long)timeline->end);
	fputs(",\"classes\":[", html->file);
	for (size_t i = 0; i < CLASSES; i++)
		fprintf(html->file, "%s\"%s\"", i ? "," : "", classes[i]);
	fputs("],\n\"tracks\":[", html->file);
	for (size_t i = 0; i < timeline->track_count; i++) {
		fputs(i ? ",\n{\"label\":" : "\n{\"label\":", html->file);
		html_json_text(html, label_of(timeline, &timeline->tracks[i], label));
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
		stack_swatch(html, stack_cause_classes[i]);
		fprintf(html->file, "idle: %s</li>\n", idle_cause_texts[i]);
	}
	fputs("</ul>\n", html->file);
}

int timeline_section(struct page *page)
{
	static struct picture picture; /* too large for a small stack */
	int error;

	if (!session_next_trace(page->session, NULL))
		return 0;
	picture = (struct picture){.page = page};
	error = items_read(&picture.timeline, page->session, &page->filter);
	if (!error && picture.timeline.count) {
		items_choose_step(&picture.timeline);
		write_legend(&page->html);
		write_table(&picture);
		write_remarks(&picture);
		write_data(&picture);
		html_timeline_script(&page->html);
	}
	entries_free(&picture.names);
	items_free(&picture.timeline);
	return error;
}
