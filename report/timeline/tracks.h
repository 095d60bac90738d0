/* SPDX-License-Identifier: MIT */
/*
 * Where a record is drawn. The formats for timelines have slices on tracks, and on one track slices
 * follow or contain each other. A stream or a thread whose records do otherwise (nodes of a graph
 * run at once, start/end ranges overlap) has several tracks.
 */
#ifndef KTIME_REPORT_TIMELINE_TRACKS_H
#define KTIME_REPORT_TIMELINE_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

#include "report/session/session.h"

enum track_kind {
	TRACK_THREAD,  /* its calls and push/pop ranges, which contain each other */
	TRACK_STARTED, /* start/end ranges, by the thread that began them */
	TRACK_STREAM,  /* operations: none contains another */
	TRACK_KINDS
};

/* What has a track: a stream is one of a context, as their numbers are given anew in each. */
struct track_key {
	uint32_t kind;	  /* enum track_kind */
	uint32_t process; /* as trace_order_process() counts them */
	int32_t device;	  /* TRACK_STREAM; else 0 */
	uint32_t context; /* the same */
	uint32_t id;	  /* of the stream or thread */
};

struct track {
	struct track_key key;
	uint32_t lane;	 /* the how manieth of its stream or thread, from 0 */
	uint32_t number; /* the how manieth of its kind, from 1 */
	/* The ends of the slices that are open, the innermost last; and how many there is room for.
	 */
	uint64_t *open;
	uint32_t depth, room;
	struct track *next; /* of the same key */
	UT_hash_handle hh;
};

struct tracks {
	struct track *first; /* hash index by key, of the lanes 0 */
	uint32_t counts[TRACK_KINDS];
};

/* So many slices of one stream or thread can overlap; a device runs 128 kernels at once. Chosen. */
#define TRACK_LANES 4096

/*
 * The track for a record, whose slices were all placed in the order of trace_order_next(); *added
 * says that it is a new one. The record's slice has to be opened on it next: take the ends that
 * track_close() gives, then track_open(). 0, -ENOMEM, or -E2BIG: more than TRACK_LANES at once.
 */
int tracks_place(struct tracks *tracks, const struct trace_record *record, uint32_t process,
		 struct track **track, bool *added);
/* Takes the innermost slice that ended at `time` or before off a track; false: there is none. */
bool track_close(struct track *track, uint64_t time, uint64_t *end);
/* Puts a slice onto a track that tracks_place() gave for its record. 0 or -ENOMEM. */
int track_open(struct track *track, uint64_t end);
void tracks_free(struct tracks *tracks);
/* Every lane of every stream and thread. */
#define tracks_for_each(tracks, lane)                                                              \
	for (struct track *group_ = (tracks)->first; group_; group_ = group_->hh.next)             \
		for (struct track *lane = group_; lane; lane = (lane)->next)

/* A record's end; a damaged profile may have it before the start. */
static inline uint64_t record_end(const struct trace_record *record)
{
	return record->end > record->start ? record->end : record->start;
}

#endif
