/* SPDX-License-Identifier: MIT */
/* The sections of the page of a profile. Each writes its own, or nothing if the profile has nothing
 * for it; 0 or -errno. */
#ifndef KTIME_REPORT_HTML_SECTION_H
#define KTIME_REPORT_HTML_SECTION_H

#include "report/html/html.h"
#include "report/print/table.h"

struct page {
	struct html html; /* the section that is written */
	long room;	  /* bytes that are left for the table of GPU activities */
	const struct session *session;
	const struct options *options; /* with names as short as tells the rows apart */
	struct filter filter, full;    /* the second one with names in full */
	struct table tables[TABLE_SECTIONS];
};

/* Parts of time have colours: busy time, and idle time by cause, as "idle-latency". */
extern const char *const stack_cause_classes[IDLE_CAUSE_COUNT];
/* A square of a part's colour, before its name. */
void stack_swatch(struct html *html, const char *class);

int use_section(struct page *page);
int findings_section(struct page *page);
int first_rows_section(struct page *page);
int gpu_section(struct page *page);
int graphs_section(struct page *page);
int api_section(struct page *page);
int processes_section(struct page *page);
int copies_section(struct page *page);
int memory_section(struct page *page);
int energy_section(struct page *page);
int ranges_section(struct page *page);
int timeline_section(struct page *page);
int cost_section(struct page *page);
int environment_section(struct page *page);

/* The records of a trace by track: a device's streams, and a thread's ranges and calls. */

/* In the order in which a page has them. */
enum track_kind { TRACK_IDLE, TRACK_STREAM, TRACK_RANGES, TRACK_CALLS };

struct item {
	uint64_t start, end, name;
	uint32_t correlation, graph;
	uint16_t kind;	/* enum row_kind; ROW_KINDS: idle time whose name is its cause */
	uint16_t class; /* its place in the list of the page's colours for it */
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
	size_t count;	   /* records of all tracks */
	uint64_t left_out; /* records that had no room */
	uint64_t end;	   /* of the last item; the first one starts at 0 */
	uint64_t step;	   /* items that begin in the same step are one block; 0: none are */
};

/* Reads the trace, and adds a track of idle time for each device, above its streams. 0 or -ENOMEM;
 * free it with items_free() whatever it returns. */
int items_read(struct timeline *timeline, const struct session *session, struct filter *filter);
void items_free(struct timeline *timeline);

/* An item, or several that are shorter than a step and begin in the same one. */
struct block {
	uint64_t start, end;
	const struct item *longest;
	uint64_t items;
	uint64_t time; /* of all its items together */
};

/* Chooses the shortest step that leaves no more blocks than a page has. */
void items_choose_step(struct timeline *timeline);
/* The next block of a track, from its item at `*next`, 0 at first; false at its end. */
bool items_block(const struct timeline *timeline, const struct track *track, size_t *next,
		 struct block *block);

#endif
