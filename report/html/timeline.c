/* SPDX-License-Identifier: MIT */
/*
 * The trace as a timeline: a table with a picture of each track, which reads without scripts, and
 * the same tracks as data, which a script draws at any scale in the pictures' place.
 */
#include "report/html/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/export/export.h"
#include "report/html/section.h"
#include "report/sheet/number.h"

/* Records that are read: 48 bytes each, 200 MB. Chosen: above it the page says what is missing. */
#define ITEMS_MOST  4000000
/* Blocks that the page has: some 20 bytes each. Chosen: the page opens at once, and stays below
 * 2 MB. */
#define BLOCKS_MOST 20000
/* Tracks of a page. Chosen. */
#define TRACKS_MOST 256
/* Levels of nested ranges that have a track of their own; what is deeper is left out. Chosen. */
#define LEVELS_MOST 6

int items_add(struct timeline *timeline, const struct item *item)
{
	if (timeline->count == timeline->room) {
		size_t room = timeline->room ? 2 * timeline->room : 1024;
		struct item *grown = realloc(timeline->items, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		timeline->items = grown;
		timeline->room = room;
	}
	timeline->items[timeline->count++] = *item;
	return 0;
}

static bool is_same_track(const struct track *a, const struct track *b)
{
	return a->owner == b->owner && a->kind == b->kind && a->device == b->device &&
	       a->context == b->context && a->number == b->number && a->level == b->level;
}

long items_track(struct timeline *timeline, const struct track *like)
{
	/* Most records are of a track that came lately. */
	for (size_t i = timeline->track_count; i-- > 0;)
		if (is_same_track(&timeline->tracks[i], like))
			return (long)i;
	if (timeline->track_count == TRACKS_MOST)
		return -ENOSPC;
	if (timeline->track_count == timeline->track_room) {
		size_t room = timeline->track_room ? 2 * timeline->track_room : 16;
		struct track *grown = realloc(timeline->tracks, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		timeline->tracks = grown;
		timeline->track_room = room;
	}
	timeline->tracks[timeline->track_count] = *like;
	return (long)timeline->track_count++;
}

static int add_record(struct timeline *timeline, const struct trace_record *record,
		      unsigned *processes)
{
	struct track track = {.owner = session_trace_process(timeline->session, record),
			      .device = -1};
	struct item item = {.start = record->start,
			    .end = record->end,
			    .name = record->name,
			    .kind = (uint16_t)record->kind,
			    .correlation = record->correlation,
			    .graph = record->graph};
	bool host = row_is_api(record->kind) || record->kind == ROW_RANGE;
	long place;

	if (record->kind >= ROW_KINDS || record->kind == ROW_OVERHEAD ||
	    record->end < record->start ||
	    !filter_shows(timeline->filter, record->kind, record->name, record->device))
		return 0;
	if (timeline->count == ITEMS_MOST) {
		timeline->left_out++;
		return 0;
	}
	track.kind = row_is_api(record->kind)	 ? TRACK_CALLS
		     : record->kind == ROW_RANGE ? TRACK_RANGES
						 : TRACK_STREAM;
	track.number = host ? record->thread : record->stream;
	if (!host) {
		track.device = record->device;
		track.context = record->context;
	}
	/* A profile's records come together. */
	if (timeline->track_count == 0 ||
	    timeline->tracks[timeline->track_count - 1].owner != track.owner)
		++*processes;
	track.process = *processes;
	place = items_track(timeline, &track);
	if (place == -ENOSPC) {
		timeline->left_out++;
		return 0;
	}
	item.track = (uint32_t)place;
	return place < 0 ? (int)place : items_add(timeline, &item);
}

static int by_number(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_tracks(const struct track *a, const struct track *b)
{
	int order = by_number(a->process, b->process);

	if (!order)
		order = by_number(a->kind > TRACK_STREAM, b->kind > TRACK_STREAM);
	if (!order && a->device != b->device)
		order = a->device < b->device ? -1 : 1;
	/* A thread's ranges stand above its calls, a device's idle time above its streams. */
	if (!order && a->kind <= TRACK_STREAM)
		order = by_number(a->kind, b->kind);
	if (!order)
		order = by_number(a->context, b->context);
	if (!order)
		order = by_number(a->number, b->number);
	if (!order)
		order = by_number(a->kind, b->kind);
	return order ? order : by_number(a->level, b->level);
}

static int compare_places(const void *left, const void *right, void *argument)
{
	const struct timeline *timeline = argument;

	return compare_tracks(&timeline->tracks[*(const uint32_t *)left],
			      &timeline->tracks[*(const uint32_t *)right]);
}

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = by_number(a->track, b->track);

	if (!order)
		order = by_number(a->start, b->start);
	/* The outer one first. */
	return order ? order : by_number(b->end, a->end);
}

void items_sort(struct timeline *timeline)
{
	uint32_t order[TRACKS_MOST], place[TRACKS_MOST];
	struct track sorted[TRACKS_MOST];

	for (uint32_t i = 0; i < timeline->track_count; i++)
		order[i] = i;
	if (timeline->track_count)
		qsort_r(order, timeline->track_count, sizeof(*order), compare_places, timeline);
	for (uint32_t i = 0; i < timeline->track_count; i++) {
		sorted[i] = timeline->tracks[order[i]];
		sorted[i].first = sorted[i].count = 0;
		place[order[i]] = i;
	}
	if (timeline->track_count)
		memcpy(timeline->tracks, sorted, timeline->track_count * sizeof(*sorted));
	for (size_t i = 0; i < timeline->count; i++)
		timeline->items[i].track = place[timeline->items[i].track];
	if (timeline->count)
		qsort(timeline->items, timeline->count, sizeof(*timeline->items), compare_items);
	for (size_t i = timeline->count; i-- > 0;) {
		struct track *track = &timeline->tracks[timeline->items[i].track];

		track->first = i;
		track->count++;
	}
}

/* Gives ranges inside of others a track of their own, below. */
static int split_levels(struct timeline *timeline)
{
	size_t tracks = timeline->track_count;

	for (size_t i = 0; i < tracks; i++) {
		struct track track = timeline->tracks[i];
		uint64_t ends[LEVELS_MOST];
		unsigned open = 0;

		for (size_t j = 0; j < track.count && track.kind == TRACK_RANGES; j++) {
			struct item *item = &timeline->items[track.first + j];
			long place;

			while (open > 0 && ends[open - 1] <= item->start)
				open--;
			track.level = open < LEVELS_MOST ? open : LEVELS_MOST - 1;
			if (open < LEVELS_MOST)
				ends[open++] = item->end;
			place = track.level ? items_track(timeline, &track) : (long)i;
			if (place == -ENOMEM)
				return -ENOMEM;
			if (place >= 0)
				item->track = (uint32_t)place;
		}
	}
	return 0;
}

static void begin_at_zero(struct timeline *timeline)
{
	uint64_t zero = UINT64_MAX;

	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->items[i].start < zero)
			zero = timeline->items[i].start;
	for (size_t i = 0; i < timeline->count; i++) {
		timeline->items[i].start -= zero;
		timeline->items[i].end -= zero;
		if (timeline->items[i].end > timeline->end)
			timeline->end = timeline->items[i].end;
	}
}

int items_read(struct timeline *timeline, const struct session *session, struct filter *filter)
{
	const struct trace_record *record;
	unsigned processes = 0;
	int error = 0;

	*timeline = (struct timeline){.session = session, .filter = filter};
	session_for_each_trace (session, record)
		if (!error)
			error = add_record(timeline, record, &processes);
	if (error)
		return error;
	begin_at_zero(timeline);
	items_sort(timeline);
	error = split_levels(timeline);
	items_sort(timeline);
	return error;
}

bool items_block(const struct timeline *timeline, const struct track *track, size_t *next,
		 struct block *block)
{
	const struct item *items = timeline->items + track->first, *item;
	uint64_t step = timeline->step;

	if (*next == track->count)
		return false;
	item = &items[(*next)++];
	*block = (struct block){item->start, item->end, item, 1, item->end - item->start};
	while (step && item->end - item->start < step && *next < track->count) {
		const struct item *other = &items[*next];

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
	free(timeline->tracks);
	free(timeline->items);
	timeline->tracks = NULL;
	timeline->items = NULL;
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

struct gaps {
	struct timeline *timeline;
	uint32_t *calls; /* places of calls with a correlation id, by process and id */
	size_t call_count;
	uint32_t *operations; /* of one device, by their start */
};

static const struct item *item_at(const struct gaps *gaps, uint32_t place)
{
	return &gaps->timeline->items[place];
}

static const struct track *track_of(const struct gaps *gaps, const struct item *item)
{
	return &gaps->timeline->tracks[item->track];
}

static int compare_ids(const struct gaps *gaps, const struct item *a, const struct item *b)
{
	unsigned left = track_of(gaps, a)->process, right = track_of(gaps, b)->process;

	if (left != right)
		return left < right ? -1 : 1;
	return a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static int compare_calls(const void *left, const void *right, void *argument)
{
	const uint32_t *a = left, *b = right;
	int order = compare_ids(argument, item_at(argument, *a), item_at(argument, *b));

	return order ? order : *a < *b ? -1 : *a > *b;
}

static int compare_starts(const void *left, const void *right, void *argument)
{
	const uint32_t *a = left, *b = right;
	uint64_t one = item_at(argument, *a)->start, other = item_at(argument, *b)->start;

	return one != other ? (one < other ? -1 : 1) : *a < *b ? -1 : *a > *b;
}

/* The call that started an operation; NULL: the trace does not have it. */
static const struct item *find_call(const struct gaps *gaps, const struct item *operation)
{
	size_t low = 0, high = gaps->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(gaps, item_at(gaps, gaps->calls[middle]), operation) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == gaps->call_count)
		return NULL;
	return compare_ids(gaps, item_at(gaps, gaps->calls[low]), operation) == 0
		       ? item_at(gaps, gaps->calls[low])
		       : NULL;
}

/* A thread's call before another one; NULL: none. */
static const struct item *call_before(const struct gaps *gaps, const struct item *call)
{
	const struct track *track = track_of(gaps, call);

	return call > &gaps->timeline->items[track->first] ? call - 1 : NULL;
}

static bool waited_last(const struct gaps *gaps, const struct item *call)
{
	for (unsigned i = 0; call && i < CALLS_SEARCHED; i++) {
		const char *name = session_string(gaps->timeline->session, call->name);

		if (strstr(name, "Synchronize"))
			return true;
		if (strstr(name, "Launch") || strstr(name, "Memcpy") || strstr(name, "Memset"))
			return !strstr(name, "Launch") && !strstr(name, "Async");
		call = call_before(gaps, call);
	}
	return false;
}

static int add_part(struct gaps *gaps, uint32_t track, enum idle_cause cause,
		    const struct item *call, uint64_t start, uint64_t end)
{
	struct item item = {.start = start,
			    .end = end,
			    .track = track,
			    .kind = call ? call->kind : ROW_KINDS,
			    .cause = (uint16_t)cause,
			    .name = call ? call->name : 0};

	return end > start ? items_add(gaps->timeline, &item) : 0;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* What is before the operation's call: the thread's earlier calls, and its own code between them.
 */
static int split_before(struct gaps *gaps, uint32_t track, const struct item *call, uint64_t begin,
			uint64_t until)
{
	int error = 0;

	while (until > begin && !error) {
		const struct item *previous = call_before(gaps, call);
		uint64_t from = previous ? smaller(until, larger(begin, previous->end)) : begin;
		enum idle_cause cause =
			waited_last(gaps, previous) ? IDLE_AFTER_WAIT : IDLE_PROGRAM;

		/* Adding an item may move them all. */
		size_t place = previous ? (size_t)(previous - gaps->timeline->items) : 0;

		error = add_part(gaps, track, cause, NULL, from, until);
		if (!previous || error)
			return error;
		call = item_at(gaps, (uint32_t)place);
		until = smaller(from, larger(begin, call->start));
		if (from > until) {
			struct item copy = *call;

			error = add_part(gaps, track, IDLE_CALL, &copy, until, from);
			call = item_at(gaps, (uint32_t)place);
		}
	}
	return error;
}

static int split(struct gaps *gaps, uint32_t track, const struct item *before,
		 const struct item *after, uint64_t begin)
{
	const struct item *found = find_call(gaps, after);
	struct item call = found ? *found : (struct item){0};
	size_t place = found ? (size_t)(found - gaps->timeline->items) : 0;
	uint64_t end = after->start, latency;
	int error;

	if (after->graph && after->graph == before->graph &&
	    after->correlation == before->correlation)
		return add_part(gaps, track, IDLE_GRAPH, NULL, begin, end);
	if (!found)
		return add_part(gaps, track, IDLE_UNRESOLVED, NULL, begin, end);
	if (end - begin < CLOCKS_APART_NS)
		return add_part(gaps, track,
				call.end + CLOCKS_APART_NS <= begin ? IDLE_DEPENDENCY : IDLE_SHORT,
				NULL, begin, end);
	if (call.end <= begin)
		return add_part(gaps, track, IDLE_DEPENDENCY, NULL, begin, end);
	latency = smaller(end, larger(begin, call.start));
	error = add_part(gaps, track, IDLE_LATENCY, NULL, latency, end);
	return error ? error
		     : split_before(gaps, track, item_at(gaps, (uint32_t)place), begin, latency);
}

/* The gaps between the operations of a device, of which there are `count`. */
static int add_device(struct gaps *gaps, const struct track *device, size_t count)
{
	struct track idle = {.owner = device->owner,
			     .process = device->process,
			     .kind = TRACK_IDLE,
			     .device = device->device};
	struct item before, after;
	long track = items_track(gaps->timeline, &idle);
	uint64_t until;
	int error = 0;

	if (track < 0)
		return track == -ENOSPC ? 0 : (int)track;
	qsort_r(gaps->operations, count, sizeof(*gaps->operations), compare_starts, gaps);
	before = *item_at(gaps, gaps->operations[0]);
	until = before.end;
	for (size_t i = 1; i < count && !error; i++) {
		after = *item_at(gaps, gaps->operations[i]);
		if (after.start > until)
			error = split(gaps, (uint32_t)track, &before, &after, until);
		if (after.end >= until) {
			until = after.end;
			before = after;
		}
	}
	return error;
}

static bool is_stream_of(const struct track *track, const struct track *device)
{
	return track->kind == TRACK_STREAM && track->process == device->process &&
	       track->device == device->device;
}

static int add_devices(struct gaps *gaps)
{
	size_t tracks = gaps->timeline->track_count;
	int error = 0;

	/* A device's streams follow each other. */
	for (size_t i = 0; i < tracks && !error; i++) {
		struct track device = gaps->timeline->tracks[i];
		size_t count = 0, j;

		if (device.kind != TRACK_STREAM)
			continue;
		for (j = i; j < tracks && is_stream_of(&gaps->timeline->tracks[j], &device); j++)
			for (size_t k = 0; k < gaps->timeline->tracks[j].count; k++)
				gaps->operations[count++] =
					(uint32_t)(gaps->timeline->tracks[j].first + k);
		i = j - 1;
		error = add_device(gaps, &device, count);
	}
	return error;
}

int items_add_gaps(struct timeline *timeline)
{
	struct gaps gaps = {.timeline = timeline};
	int error = -ENOMEM;

	gaps.calls = calloc(timeline->count + 1, sizeof(*gaps.calls));
	gaps.operations = calloc(timeline->count + 1, sizeof(*gaps.operations));
	if (!gaps.calls || !gaps.operations)
		goto out;
	for (size_t i = 0; i < timeline->count; i++)
		if (track_of(&gaps, &timeline->items[i])->kind == TRACK_CALLS &&
		    timeline->items[i].correlation)
			gaps.calls[gaps.call_count++] = (uint32_t)i;
	if (gaps.call_count)
		qsort_r(gaps.calls, gaps.call_count, sizeof(*gaps.calls), compare_calls, &gaps);
	error = add_devices(&gaps);
	items_sort(timeline);
out:
	free(gaps.calls);
	free(gaps.operations);
	return error;
}

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
struct time_column {
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
