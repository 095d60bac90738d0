/* SPDX-License-Identifier: MIT */
/*
 * A trace as a timeline, for the formats that have tracks, slices, arrows and counters: one walk
 * over the records, which calls the format's writer.
 */
#ifndef KTIME_REPORT_EXPORT_TIMELINE_H
#define KTIME_REPORT_EXPORT_TIMELINE_H

#include "report/export/arguments.h"
#include "report/export/export.h"

/*
 * Where a record is drawn. The formats for timelines have slices on tracks, and on one track slices
 * follow or contain each other. A stream or a thread whose records do otherwise (nodes of a graph
 * run at once, start/end ranges overlap) has several tracks.
 */

enum track_kind {
	TRACK_THREAD,  /* its calls and push/pop ranges, which contain each other */
	TRACK_STARTED, /* start/end ranges, by the thread that began them */
	TRACK_STREAM,  /* operations: none contains another */
	TRACK_KINDS
};

/* What has a track: a stream is one of a context, as their numbers are given anew in each. */
struct track_key {
	uint32_t kind;	  /* enum track_kind */
	uint32_t process; /* as struct trace_order counts them */
	int32_t device;	  /* TRACK_STREAM; else 0 */
	uint32_t context; /* the same */
	uint32_t id;	  /* of the stream or thread */
};

struct track {
	struct entry entry; /* of the key: of lane 0 */
	struct track_key key;
	uint32_t lane;	 /* the how manieth of its stream or thread, from 0 */
	uint32_t number; /* the how manieth of its kind, from 1 */
	/* The ends of the slices that are open, the innermost last; and how many there is room for.
	 */
	uint64_t *open;
	size_t depth, room;
	struct track *next; /* of the same key */
};

/* So many slices of one stream or thread can overlap; a device runs 128 kernels at once. Chosen. */
#define TRACK_LANES 4096

/* A record's end; a damaged profile may have it before the start. */
static inline uint64_t record_end(const struct trace_record *record)
{
	return record->end > record->start ? record->end : record->start;
}

/* The call that started an operation, of the newest ones: the memory is the same however long the
 * trace is. */
struct launch {
	uint64_t start;
	uint32_t process, correlation, thread;
	bool used; /* for the writer: false at first */
};
/* How many are known, a power of two. CUDA lets a program be about 1,024 launches ahead of each
 * stream. Chosen. */
#define LAUNCHES_KNOWN (1U << 19)

/* What the walk tells the writer, which has it as the first member of its own. */
struct timeline {
	const struct session *session;
	FILE *file;
	int error;     /* the first one */
	uint64_t zero; /* when the trace begins, on the records' clock */
	/* How exact times are between the processes of a merged profile; "" of one process. */
	char clocks[JOB_CLOCKS_SIZE];
	/* The process whose records come, and its number, from 1; 0: the profile is its own. */
	const struct job_process *owner;
	uint32_t process;
};

struct timeline_slice {
	const struct trace_record *record;
	const struct track *track;
	struct trace_name *name;
	/* A kernel's as the session has it, the kernel that a call launched, a range's domain;
	 * NULL: it has none. */
	struct trace_name *other;
	struct trace_name *range; /* that a graph's node was made in; NULL: in none */
	struct launch *launch;	  /* of an operation: the call that started it, if it is known */
};

enum timeline_counter { COUNTER_COPIED, COUNTER_HELD, TIMELINE_COUNTERS };

/* What goes wrong is timeline->error, which ends the walk. The last two may be NULL. */
struct timeline_writer {
	/* The records that follow are of another process. */
	void (*process)(struct timeline *timeline);
	/* Describes a device, or a track; called once for each of a process, before it is used. */
	void (*device)(struct timeline *timeline, int32_t device);
	void (*track)(struct timeline *timeline, const struct track *track);
	/* A slice, by its start. */
	void (*begin)(struct timeline *timeline, const struct timeline_slice *slice);
	/* What a device holds of memory, or moves in copies, from `time` on. */
	void (*counter)(struct timeline *timeline, enum timeline_counter counter, int32_t device,
			uint64_t time, uint64_t bytes);
	/* The innermost slice of a track ends. */
	void (*end)(struct timeline *timeline, const struct track *track, uint64_t time);
	/* A start/end range, of a format that has them on no track. */
	void (*started)(struct timeline *timeline, const struct trace_record *record,
			struct trace_name *name);
};

/* `timeline` is zeros, all but its file. 0 or -errno with a line in `message`. */
int timeline_walk(struct timeline *timeline, const struct timeline_writer *writer,
		  const struct session *session, const struct options *options, char *message,
		  size_t size);

#define TRACK_LABEL_SIZE 80
/* The name of a track; lanes of one stream have one. Returns the text. */
const char *timeline_track_label(const struct track *track, char label[TRACK_LABEL_SIZE]);

#endif
