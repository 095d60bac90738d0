/* SPDX-License-Identifier: MIT */
#include "report/export/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/merge/merge.h"
#include "report/session/items.h"
#include "report/session/memory.h"

/* Fewer records are written in no time: they need no bar. Chosen. */
#define BAR_LEAST 500000

/* A copy that runs. */
struct ending {
	uint64_t end, bytes;
};

/* What the copies of a device move at a time, from copies in the order of their starts. */
struct running_copies {
	uint64_t bytes;		/* of those that run, modulo 2^64 */
	struct ending *endings; /* they are a heap, the one that ends first on top */
	size_t count, room;
};

struct walk {
	struct timeline *timeline;
	const struct timeline_writer *writer;
	struct entry *names;
	struct entry *tracks; /* the lanes 0 of each stream and thread */
	uint32_t counts[TRACK_KINDS];
	struct launch *launches; /* API calls, by the low bits of their correlation ids */
	struct running_copies running[SESSION_DEVICES];
	uint64_t held_from;		/* when the timeline begins, ns */
	uint64_t held_before;		/* bit by device: something was held before that */
	uint64_t held[SESSION_DEVICES]; /* how much */
	uint64_t devices;		/* bit for each of the process's that was described */
};

/* Every lane of every stream and thread. */
#define tracks_for_each(walk, lane)                                                                \
	for (struct entry *first_ = (walk)->tracks; first_; first_ = first_->hh.next)              \
		for (struct track *lane = (struct track *)first_; lane; lane = (lane)->next)

static void fail(struct walk *walk, int error)
{
	if (!walk->timeline->error)
		walk->timeline->error = error;
}

static void describe_device(struct walk *walk, int32_t device)
{
	if (device < 0 || device >= SESSION_DEVICES || walk->devices & 1ULL << device)
		return;
	walk->devices |= 1ULL << device;
	walk->writer->device(walk->timeline, device);
}

static struct track_key key_of(const struct trace_record *record, uint32_t process)
{
	struct track_key key = {.kind = TRACK_THREAD, .process = process, .id = record->thread};

	if (row_is_gpu(record->kind)) {
		key.kind = TRACK_STREAM;
		key.device = record->device;
		key.context = record->context;
		key.id = record->stream;
	} else if (record->kind == ROW_RANGE && record->result == RANGE_START_END) {
		key.kind = TRACK_STARTED;
	}
	return key;
}

/* Whether a slice can be the next on a track. */
static bool has_room(const struct track *track, uint64_t start, uint64_t end)
{
	size_t depth = track->depth;

	while (depth && track->open[depth - 1] <= start)
		depth--;
	return !depth || (track->key.kind == TRACK_THREAD && end <= track->open[depth - 1]);
}

/* The track for a record, which all records before it have; NULL: it cannot have one. */
static struct track *place(struct walk *walk, const struct trace_record *record)
{
	const struct track_key key = key_of(record, walk->timeline->process);
	const uint64_t numbers[ENTRY_NUMBERS] = {key.kind, key.process, (uint32_t)key.device,
						 key.context, key.id};
	struct track *track = entry_of(&walk->tracks, numbers, sizeof(*track));
	uint32_t lane = 0;

	/* A new one has no number yet. */
	while (track && track->number && !has_room(track, record->start, record_end(record))) {
		if (++lane == TRACK_LANES) {
			fail(walk, -E2BIG);
			return NULL;
		}
		if (!track->next)
			track->next = calloc(1, sizeof(*track));
		track = track->next;
	}
	if (!track || track->number) {
		if (!track)
			fail(walk, -ENOMEM);
		return track;
	}
	track->key = key;
	track->lane = lane;
	track->number = ++walk->counts[key.kind];
	if (key.kind == TRACK_STREAM)
		describe_device(walk, key.device);
	walk->writer->track(walk->timeline, track);
	return track;
}

/* Ends what ended on a track by `time`. */
static void end_slices(struct walk *walk, struct track *track, uint64_t time)
{
	while (track->depth && track->open[track->depth - 1] <= time) {
		track->depth--;
		if (walk->writer->end)
			walk->writer->end(walk->timeline, track, track->open[track->depth]);
	}
}

static void open_slice(struct walk *walk, struct track *track, uint64_t end)
{
	if (LIST_HAS_ROOM(track->open, track->depth, track->room))
		track->open[track->depth++] = end;
	else
		fail(walk, -ENOMEM);
}

static void note_launch(struct walk *walk, const struct trace_record *record)
{
	if (record->correlation)
		walk->launches[record->correlation % LAUNCHES_KNOWN] = (struct launch){
			.start = record->start,
			.process = walk->timeline->process,
			.correlation = record->correlation,
			.thread = record->thread,
		};
}

/* The call that started an operation; NULL: it is in no record, or too many came after it. */
static struct launch *launch_of(const struct walk *walk, const struct trace_record *record)
{
	struct launch *launch = &walk->launches[record->correlation % LAUNCHES_KNOWN];

	return record->correlation && launch->correlation == record->correlation &&
			       launch->process == walk->timeline->process &&
			       launch->start <= record->start
		       ? launch
		       : NULL;
}

/* The last of the heap takes the place of the one on top. */
static void drop_top(struct running_copies *running)
{
	struct ending *heap = running->endings, moved = heap[--running->count];
	size_t place = 0, child;

	while ((child = 2 * place + 1) < running->count) {
		if (child + 1 < running->count && heap[child + 1].end < heap[child].end)
			child++;
		if (moved.end <= heap[child].end)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moved;
}

static void count_copied(struct walk *walk, int32_t device, uint64_t time)
{
	walk->writer->counter(walk->timeline, COUNTER_COPIED, device, time,
			      walk->running[device].bytes);
}

/* What copies that ended by `time` no longer move. */
static void end_copies(struct walk *walk, int32_t device, uint64_t time)
{
	struct running_copies *running = &walk->running[device];

	while (running->count && running->endings[0].end <= time) {
		const struct ending ended = running->endings[0];

		running->bytes -= ended.bytes;
		drop_top(running);
		count_copied(walk, device, ended.end);
	}
}

static void begin_copy(struct walk *walk, const struct trace_record *record)
{
	struct running_copies *running = &walk->running[record->device];
	const uint64_t end = record_end(record);
	size_t place = running->count;
	struct ending *heap;

	if (!LIST_HAS_ROOM(running->endings, place, running->room)) {
		fail(walk, -ENOMEM);
		return;
	}
	heap = running->endings;
	for (; place && heap[(place - 1) / 2].end > end; place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = (struct ending){end, record->bytes};
	running->count++;
	running->bytes += record->bytes;
	count_copied(walk, record->device, record->start);
}

static void count_held(struct walk *walk, int32_t device, uint64_t time, uint64_t bytes)
{
	describe_device(walk, device);
	walk->writer->counter(walk->timeline, COUNTER_HELD, device, time, bytes);
}

/* What the devices hold; `record` is the next one, NULL behind a process's last. */
static void take_held(struct walk *walk, const struct trace_record *record)
{
	bool tells = record && record->kind == TRACE_HELD && record->device >= 0 &&
		     record->device < SESSION_DEVICES;

	/* What it was at last before the timeline is what this begins with. */
	if (record && record->start < walk->held_from) {
		if (tells) {
			walk->held_before |= 1ULL << record->device;
			walk->held[record->device] = record->bytes;
		}
		return;
	}
	if (tells && record->start == walk->held_from)
		walk->held_before &= ~(1ULL << record->device);
	for (; walk->held_before; walk->held_before &= walk->held_before - 1) {
		int device = __builtin_ctzll(walk->held_before);

		count_held(walk, device, walk->held_from, walk->held[device]);
	}
	if (tells)
		count_held(walk, record->device, record->start, record->bytes);
}

const char *timeline_track_label(const struct track *track, char label[TRACK_LABEL_SIZE])
{
	const struct track_key *key = &track->key;

	if (key->kind == TRACK_STREAM)
		snprintf(label, TRACK_LABEL_SIZE, "Stream %u (context %u)", key->id, key->context);
	else
		snprintf(label, TRACK_LABEL_SIZE,
			 key->kind == TRACK_STARTED ? "Start/end ranges of thread %u"
			 : track->lane		    ? "Thread %u, overlapping"
						    : "Thread %u",
			 key->id);
	return label;
}

static int find_names(struct walk *walk, struct timeline_slice *slice)
{
	const struct session *session = walk->timeline->session;
	const struct trace_record *record = slice->record;
	const bool has_range = row_is_gpu(record->kind) && record->kernel;
	bool has_other = true;

	slice->name = trace_name_get(&walk->names, session, record->kind, record->name);
	if (record->kind == ROW_KERNEL)
		slice->other = trace_name_get(&walk->names, session, ROW_OTHER, record->name);
	else if (row_is_api(record->kind) && record->kernel)
		slice->other = trace_name_get(&walk->names, session, ROW_KERNEL, record->kernel);
	else if (record->kind == ROW_RANGE && *session_string(session, record->kernel))
		slice->other = trace_name_get(&walk->names, session, ROW_RANGE, record->kernel);
	else
		has_other = false;
	if (has_range)
		slice->range = trace_name_get(&walk->names, session, ROW_RANGE, record->kernel);
	return !slice->name || (has_other && !slice->other) || (has_range && !slice->range)
		       ? -ENOMEM
		       : 0;
}

static void take_record(struct walk *walk, const struct trace_record *record)
{
	struct timeline *timeline = walk->timeline;
	struct timeline_slice slice = {.record = record};
	struct track *track;

	fail(walk, find_names(walk, &slice));
	if (timeline->error)
		return;
	if (walk->writer->started && record->kind == ROW_RANGE &&
	    record->result == RANGE_START_END) {
		walk->writer->started(timeline, record, slice.name);
		return;
	}
	slice.track = track = place(walk, record);
	if (!track)
		return;
	end_slices(walk, track, record->start);
	open_slice(walk, track, record_end(record));
	if (row_is_gpu(record->kind))
		slice.launch = launch_of(walk, record);
	walk->writer->begin(timeline, &slice);
	if (row_is_api(record->kind))
		note_launch(walk, record);
	if ((record->kind != ROW_MEMCPY && record->kind != ROW_MOVEMENT) || !record->bytes ||
	    record->device < 0 || record->device >= SESSION_DEVICES)
		return;
	end_copies(walk, record->device, record->start);
	begin_copy(walk, record);
}

/* Ends all that is still open, behind the last record of a process. */
static void end_process(struct walk *walk)
{
	tracks_for_each (walk, track)
		end_slices(walk, track, UINT64_MAX);
	for (int32_t device = 0; device < SESSION_DEVICES; device++)
		end_copies(walk, device, UINT64_MAX);
	take_held(walk, NULL);
}

static void take_records(struct walk *walk, struct trace_order *order)
{
	struct progress progress = {.what = "Exporting", .least = BAR_LEAST};
	struct timeline *timeline = walk->timeline;
	const struct session_header *header = session_header(timeline->session);
	const struct job_process self = {
		.pid = header->pid,
		.rank = header->rank,
		.hostname = header->hostname,
		.command = header->command,
		.start_realtime = header->start_realtime,
	};
	const struct trace_record *record;
	uint32_t last = UINT32_MAX;

	while (!timeline->error && !ferror(timeline->file)) {
		fail(walk, trace_order_next(order, &record));
		if (!record)
			break;
		progress_show(&progress, order->done, order->count);
		if (order->process != last) {
			end_process(walk);
			last = timeline->process = order->process;
			timeline->owner = order->owner ?: &self;
			walk->devices = 0;
			walk->writer->process(timeline);
		}
		take_held(walk, record);
		if (record->kind != TRACE_HELD)
			take_record(walk, record);
	}
	progress_wipe(&progress);
	end_process(walk);
}

static int find_clocks(struct timeline *timeline)
{
	struct waits waits;
	int error;

	if (!session_header(timeline->session)->processes)
		return 0;
	error = waits_find(&waits, timeline->session);
	if (error)
		return error;
	job_clocks_text(timeline->session, &waits, timeline->clocks);
	waits_free(&waits);
	return 0;
}

static void walk_free(struct walk *walk)
{
	tracks_for_each (walk, track)
		free(track->open);
	for (struct entry *first = walk->tracks; first; first = first->hh.next)
		for (struct track *lane = ((struct track *)first)->next, *next; lane; lane = next) {
			next = lane->next;
			free(lane);
		}
	entries_free(&walk->tracks);
	free(walk->launches);
	for (int32_t device = 0; device < SESSION_DEVICES; device++)
		free(walk->running[device].endings);
	trace_names_free(&walk->names);
}

int timeline_walk(struct timeline *timeline, const struct timeline_writer *writer,
		  const struct session *session, const struct options *options, char *message,
		  size_t size)
{
	const struct trace_window window = trace_window(session, options);
	struct walk walk = {
		.timeline = timeline,
		.writer = writer,
		.launches = calloc(LAUNCHES_KNOWN, sizeof(*walk.launches)),
		.held_from = window.from > window.zero ? window.from : window.zero,
	};
	struct trace_order order;

	timeline->session = session;
	timeline->zero = window.zero;
	fail(&walk, walk.launches ? find_clocks(timeline) : -ENOMEM);
	fail(&walk, trace_order_open(&order, session, window.from, window.to));
	if (!timeline->error)
		take_records(&walk, &order);
	if (timeline->error == -E2BIG)
		snprintf(
			message, size,
			"more than %d operations of a stream or ranges of a thread at once: export "
			"a part of the trace with --from and --to",
			TRACK_LANES);
	else if (timeline->error)
		snprintf(message, size, "%s", strerror(-timeline->error));
	trace_order_close(&order);
	walk_free(&walk);
	return timeline->error;
}
