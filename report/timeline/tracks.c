/* SPDX-License-Identifier: MIT */
#include "report/timeline/tracks.h"

#include <errno.h>
#include <stdlib.h>

#include "report/session/session_nvtx.h"

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
	uint32_t depth = track->depth;

	while (depth && track->open[depth - 1] <= start)
		depth--;
	return !depth || (track->key.kind == TRACK_THREAD && end <= track->open[depth - 1]);
}

static struct track *add_track(struct tracks *tracks, const struct track_key *key, uint32_t lane)
{
	struct track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->key = *key;
	track->lane = lane;
	if (!lane) {
		HASH_ADD(hh, tracks->first, key, sizeof(track->key), track);
		if (!track->hh.tbl) {
			free(track);
			return NULL;
		}
	}
	track->number = ++tracks->counts[key->kind];
	return track;
}

int tracks_place(struct tracks *tracks, const struct trace_record *record, uint32_t process,
		 struct track **result, bool *added)
{
	const struct track_key key = key_of(record, process);
	struct track *track, *before = NULL;

	HASH_FIND(hh, tracks->first, &key, sizeof(key), track);
	while (track && !has_room(track, record->start, record_end(record))) {
		before = track;
		track = track->next;
	}
	*added = !track;
	if (!track) {
		uint32_t lane = before ? before->lane + 1 : 0;

		if (lane == TRACK_LANES)
			return -E2BIG;
		track = add_track(tracks, &key, lane);
		if (!track)
			return -ENOMEM;
		if (before)
			before->next = track;
	}
	*result = track;
	return 0;
}

bool track_close(struct track *track, uint64_t time, uint64_t *end)
{
	if (!track->depth || track->open[track->depth - 1] > time)
		return false;
	*end = track->open[--track->depth];
	return true;
}

int track_open(struct track *track, uint64_t end)
{
	if (track->depth == track->room) {
		uint32_t room = track->room * 2 + 2;
		uint64_t *open = realloc(track->open, room * sizeof(*open));

		if (!open)
			return -ENOMEM;
		track->open = open;
		track->room = room;
	}
	track->open[track->depth++] = end;
	return 0;
}

void tracks_free(struct tracks *tracks)
{
	struct track *first, *next;

	HASH_ITER (hh, tracks->first, first, next) {
		struct track *lane = first;

		HASH_DEL(tracks->first, first);
		while (lane) {
			struct track *after = lane->next;

			free(lane->open);
			free(lane);
			lane = after;
		}
	}
}

static struct launch *place_of(const struct launches *launches, uint32_t correlation)
{
	return launches->calls + (correlation & (LAUNCHES_KNOWN - 1));
}

int launches_note(struct launches *launches, const struct trace_record *record, uint32_t process)
{
	if (!record->correlation)
		return 0;
	if (!launches->calls)
		launches->calls = calloc(LAUNCHES_KNOWN, sizeof(*launches->calls));
	if (!launches->calls)
		return -ENOMEM;
	*place_of(launches, record->correlation) = (struct launch){
		.start = record->start,
		.process = process,
		.correlation = record->correlation,
		.thread = record->thread,
	};
	return 0;
}

struct launch *launches_find(const struct launches *launches, const struct trace_record *record,
			     uint32_t process)
{
	struct launch *launch;

	if (!record->correlation || !launches->calls)
		return NULL;
	launch = place_of(launches, record->correlation);
	return launch->correlation == record->correlation && launch->process == process &&
			       launch->start <= record->start
		       ? launch
		       : NULL;
}

void launches_free(struct launches *launches)
{
	free(launches->calls);
	launches->calls = NULL;
}

/* A copy that runs: they are a heap, the one that ends first on top. */
struct ending {
	uint64_t end, bytes;
};

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

bool running_copies_end(struct running_copies *running, uint64_t time, uint64_t *end)
{
	if (!running->count || running->endings[0].end > time)
		return false;
	*end = running->endings[0].end;
	running->bytes -= running->endings[0].bytes;
	drop_top(running);
	return true;
}

int running_copies_begin(struct running_copies *running, uint64_t end, uint64_t bytes)
{
	size_t place = running->count;
	struct ending *heap = running->endings;

	if (running->count == running->room) {
		running->room = running->room * 2 + 8;
		heap = realloc(heap, running->room * sizeof(*heap));
		if (!heap) {
			running->room = running->count;
			return -ENOMEM;
		}
		running->endings = heap;
	}
	for (; place && heap[(place - 1) / 2].end > end; place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = (struct ending){end, bytes};
	running->count++;
	running->bytes += bytes;
	return 0;
}

void running_copies_free(struct running_copies *running)
{
	free(running->endings);
	*running = (struct running_copies){.bytes = 0};
}

static bool is_of_device(const struct trace_record *record)
{
	return record->kind == TRACE_HELD && record->device >= 0 &&
	       record->device < SESSION_DEVICES;
}

bool held_memory_next(struct held_memory *held, const struct trace_record *record,
		      struct held_value *value)
{
	if (record && record->start < held->from) {
		/* The last one before the timeline is what it begins with. */
		if (is_of_device(record)) {
			held->waiting |= 1ULL << record->device;
			held->bytes[record->device] = record->bytes;
		}
		return false;
	}
	if (record && record->start == held->from && is_of_device(record))
		held->waiting &= ~(1ULL << record->device);
	if (held->waiting) {
		value->device = __builtin_ctzll(held->waiting);
		value->time = held->from;
		value->bytes = held->bytes[value->device];
		held->waiting &= held->waiting - 1;
		return true;
	}
	if (!record || !is_of_device(record) || record == held->last)
		return false;
	held->last = record;
	*value = (struct held_value){record->device, record->start, record->bytes};
	return true;
}
