/* SPDX-License-Identifier: MIT */
#include "report/html/tracks.h"

#include <errno.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/session/idle_split.h"
#include "report/session/memory.h"

/* Records that are read: 40 bytes each, 160 MB. Chosen: above it the page says what is missing. */
#define ITEMS_MOST 4000000

static const struct {
	const char *name, *text;
} running[CLASS_IDLE] = {
	[CLASS_KERNELS] = {"busy-kernels", "kernels"},
	[CLASS_COPIES] = {"busy-copies", "copies and memsets"},
	[CLASS_CALL] = {"block-call", "API calls"},
	[CLASS_RANGE] = {"block-range", "NVTX ranges"},
};

const char *class_name(unsigned class)
{
	return class < CLASS_IDLE ? running[class].name : stack_cause_classes[class - CLASS_IDLE];
}

const char *class_text(unsigned class)
{
	return class < CLASS_IDLE ? running[class].text : idle_cause_texts[class - CLASS_IDLE];
}

int track_add(struct track *track, const struct item *item)
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

/* The track like this one, which is added if there is none; NULL: it is one too many. */
struct track *track_like(struct timeline *timeline, const struct track *like)
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

/* Whether a call is the first launch of a kernel, by a thread at least, and takes as long as
 * loading its code. Where records are missing this is not known. */
static int find_first_launch(struct timeline *timeline, unsigned process,
			     const struct trace_record *record, bool *loads)
{
	const uint64_t key[ENTRY_NUMBERS] = {process, record->thread, record->kernel};

	*loads = false;
	if (!row_is_api(record->kind) || !record->kernel ||
	    session_header(timeline->session)->counters[COUNTER_trace_lost] ||
	    entry_of(&timeline->launched, key, 0))
		return 0;
	*loads = record->end - record->start >= LOADING_NS;
	return entry_of(&timeline->launched, key, sizeof(struct entry)) ? 0 : -ENOMEM;
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
	struct item item = {.start = record->start,
			    .end = record->end,
			    .name = record->name,
			    .kind = (uint8_t)record->kind,
			    .class = call   ? CLASS_CALL
				     : host ? CLASS_RANGE
				     : copy ? CLASS_COPIES
					    : CLASS_KERNELS,
			    .correlation = record->correlation,
			    .graph = record->graph};
	int error;

	if (record->kind < ROW_KINDS && (!timeline->zero || record->start < timeline->zero))
		timeline->zero = record->start;
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
	error = details_of(&timeline->details, record, &item.details);
	error = error ?: find_first_launch(timeline, order->process, record, &item.loads);
	return error ? error : track_add(track, &item);
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

int items_compare(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return IN_ORDER(a->start, b->start) ?: IN_ORDER(b->end, a->end);
}

void tracks_sort(struct timeline *timeline)
{
	qsort(timeline->tracks, timeline->track_count, sizeof(*timeline->tracks), compare_tracks);
}

/* Times are after the trace's begin from now on. */
static void begin_at_zero(struct timeline *timeline)
{
	timeline->begin = timeline->track_count ? UINT64_MAX : 0;
	for (size_t i = 0; i < timeline->track_count; i++)
		for (size_t j = 0; j < timeline->tracks[i].count; j++) {
			struct item *item = &timeline->tracks[i].items[j];

			item->start -= timeline->zero;
			item->end -= timeline->zero;
			LOWER(timeline->begin, item->start);
			RAISE(timeline->end, item->end);
		}
}

void tracks_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++)
		free(timeline->tracks[i].items);
	timeline->track_count = 0;
	details_free(&timeline->details);
}

int tracks_read(struct timeline *timeline, const struct session *session, struct filter *filter)
{
	const struct trace_record *record;
	struct trace_order order;
	int error;

	*timeline = (struct timeline){
		.session = session, .filter = filter, .zero = session_header(session)->trace_start};
	error = trace_order_open(&order, session, 0, UINT64_MAX);
	do {
		if (!error)
			error = trace_order_next(&order, &record);
		if (!error && record)
			error = add_record(timeline, &order, record);
	} while (!error && record);
	trace_order_close(&order);
	entries_free(&timeline->launched);
	if (error)
		return error;
	begin_at_zero(timeline);
	tracks_sort(timeline);
	return 0;
}

bool track_is_stream_of(const struct track *track, const struct track *device)
{
	return track->kind == TRACK_STREAM && track->process == device->process &&
	       track->device == device->device;
}

const char *track_label(const struct timeline *timeline, const struct track *track,
			char label[TRACK_LABEL_SIZE])
{
	char owner[160];
	bool contexts = false;

	for (size_t i = 0; i < timeline->track_count; i++)
		contexts |= track_is_stream_of(&timeline->tracks[i], track) &&
			    timeline->tracks[i].context != track->context;
	trace_owner_name(timeline->session, track->owner, owner, sizeof(owner));
	if (track->kind == TRACK_IDLE)
		snprintf(label, TRACK_LABEL_SIZE, "%sGPU %d idle", owner, track->device);
	else if (track->kind == TRACK_STREAM && contexts)
		snprintf(label, TRACK_LABEL_SIZE, "%sGPU %d context %u stream %u", owner,
			 track->device, track->context, track->number);
	else if (track->kind == TRACK_STREAM)
		snprintf(label, TRACK_LABEL_SIZE, "%sGPU %d stream %u", owner, track->device,
			 track->number);
	else if (track->level)
		snprintf(label, TRACK_LABEL_SIZE, "%sthread %u ranges, level %u", owner,
			 track->number, track->level + 1);
	else
		snprintf(label, TRACK_LABEL_SIZE, "%sthread %u %s", owner, track->number,
			 track->kind == TRACK_RANGES ? "ranges" : "calls");
	return label;
}

unsigned track_depth(const struct timeline *timeline, size_t track)
{
	const struct track *this = &timeline->tracks[track], *before = track ? this - 1 : NULL;
	bool device = this->kind <= TRACK_STREAM;

	if (!before || before->process != this->process)
		return 0;
	/* Those of a device follow each other, and those of a thread. */
	return (this->owner != NULL) +
	       ((before->kind <= TRACK_STREAM) == device &&
		(device ? before->device == this->device : before->number == this->number));
}
