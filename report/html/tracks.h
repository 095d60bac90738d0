/* SPDX-License-Identifier: MIT */
/* The records of a trace by track: a device's streams and its idle time, a thread's ranges and
 * calls. */
#ifndef KTIME_REPORT_HTML_TRACKS_H
#define KTIME_REPORT_HTML_TRACKS_H

#include "report/html/details.h"
#include "report/html/section.h"
#include "report/session/entries.h"

/* In the order in which a page has them. */
enum track_kind { TRACK_IDLE, TRACK_STREAM, TRACK_RANGES, TRACK_CALLS };

/* What the page's style has a colour for: what runs, then idle time by cause. */
enum { CLASS_KERNELS, CLASS_COPIES, CLASS_CALL, CLASS_RANGE, CLASS_IDLE };
#define CLASSES (CLASS_IDLE + IDLE_CAUSE_COUNT)
/* Its name in the style, and the words for it. */
const char *class_name(unsigned class);
const char *class_text(unsigned class);

/* 40 bytes: a trace has millions. */
struct item {
	uint64_t start, end, name; /* ns after the trace's begin; name as in the record */
	uint32_t correlation, graph;
	uint32_t details; /* the number of its details */
	uint8_t kind;	  /* enum row_kind; ROW_KINDS: idle time whose name is its cause */
	uint8_t class;	  /* above */
	bool loads;	  /* a call: the first launch of a kernel, which may load its code */
};

/* Levels of nested ranges that have a track of their own; what is deeper is in the last. Chosen. */
#define LEVELS_MOST 6

struct track {
	const struct job_process *owner; /* of a merged profile; else NULL */
	unsigned process;		 /* the owner's number */
	enum track_kind kind;
	int device;	    /* streams and idle time */
	uint32_t context;   /* streams */
	uint32_t number;    /* of the stream, or of the thread */
	uint32_t level;	    /* ranges: in how many others they are */
	struct item *items; /* by their start */
	size_t count, room;
	/* Only of a thread's track of level 0, and only while its ranges are read: the ends of the
	 * open ranges, by level. */
	uint64_t ends[LEVELS_MOST];
	unsigned open;
};

/* The most tracks of a page. Chosen. */
#define TRACKS_MOST 256

struct timeline {
	const struct session *session;
	struct filter *filter; /* which rows are shown */
	struct track tracks[TRACKS_MOST];
	size_t track_count;
	struct details *details;
	struct entry *launched; /* which kernels each thread has launched, while they are read */
	size_t count;		/* records of all tracks */
	uint64_t left_out;	/* records that had no room */
	uint64_t zero;		/* the trace's begin, as exports have it, on the records' clock */
	uint64_t begin, end;	/* of the first item and of the last one, after that */
};

/* Reads the trace. 0 or -ENOMEM; free it with tracks_free() whatever it returns. */
int tracks_read(struct timeline *timeline, const struct session *session, struct filter *filter);
void tracks_free(struct timeline *timeline);

/* For who adds tracks: the track like this one, a new one if need be (NULL: it is one too many); an
 * item of it, 0 or -ENOMEM; and all tracks in the page's order, which is due at the end. */
struct track *track_like(struct timeline *timeline, const struct track *like);
int track_add(struct track *track, const struct item *item);
void tracks_sort(struct timeline *timeline);
bool track_is_stream_of(const struct track *track, const struct track *device);
/* For qsort(3): by their start, the outer one first. */
int items_compare(const void *left, const void *right);

#define TRACK_LABEL_SIZE 256
/* "GPU 0 stream 7", of a merged profile with its process. Returns the text. */
const char *track_label(const struct timeline *timeline, const struct track *track,
			char label[TRACK_LABEL_SIZE]);
/* How deep a track is folded, from 0: a device's streams below its idle time, a thread's calls
 * below its ranges, and of a merged profile all of a process below its first track. */
unsigned track_depth(const struct timeline *timeline, size_t track);

#endif
