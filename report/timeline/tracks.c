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
