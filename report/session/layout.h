/* SPDX-License-Identifier: MIT */
/*
 * How the structures of a profile lie in it. The header of each profile holds a table of them: a
 * line for each structure, and after it one for each of its members. A reader whose own table is
 * another maps the members of the profile to its own by their names, once, when it opens it.
 */
#ifndef KTIME_REPORT_SESSION_LAYOUT_H
#define KTIME_REPORT_SESSION_LAYOUT_H

#include <stdint.h>

#include "report/session/figure.h"
#include "report/session/session.h"

/* X(scope, structure, its lines) */
#define FIGURE_SCOPES(X)                                                                           \
	X(ROW, row, ROW_LINES)                                                                     \
	X(CLOCK, figures, CLOCK_FIGURES)                                                           \
	X(STRATUM, stratum, STRATUM_FIGURES)                                                       \
	X(USE, device_use, USE_FIGURES)                                                            \
	X(TOTALS, call_totals, TOTALS_FIGURES)                                                     \
	X(ENERGY, device_energy, ENERGY_LINES)                                                     \
	X(CLOCK_RANGE, clock_range, CLOCK_RANGE_FIGURES)                                           \
	X(IDLE, idle_row, IDLE_FIGURES)                                                            \
	X(RANGE, nvtx_range, RANGE_FIGURES)                                                        \
	X(PART, nvtx_part, PART_FIGURES)                                                           \
	X(METRIC, metric_values, METRIC_FIGURES)                                                   \
	X(JOB_ROW, job_row, JOB_ROW_FIGURES)                                                       \
	X(JOB_PART, job_part, JOB_PART_FIGURES)                                                    \
	X(MEMORY, memory_use, MEMORY_FIGURES)                                                      \
	X(SITE, memory_site, SITE_FIGURES)

#define FIGURE_SCOPE_ENUM(scope, structure, lines) SCOPE_##scope,
enum figure_scope { FIGURE_SCOPES(FIGURE_SCOPE_ENUM) SCOPE_RUN, SCOPE_COUNT };
#undef FIGURE_SCOPE_ENUM

/* The figures of a structure; those of the run are session_header()'s counters. */
const struct figure_table *figures_of(enum figure_scope scope);

/* Types of lines beside those of figures. Profiles hold the numbers. */
enum layout_type {
	/* A u64: offset in the file of a string, a histogram or an item; 0: none. */
	LAYOUT_REFERENCE = FIGURE_TEXT,
	LAYOUT_U8 = 16,
	LAYOUT_I32,
	LAYOUT_TEXT,	  /* bytes, of which the last is 0 */
	LAYOUT_INNER,	  /* structures of another line */
	LAYOUT_STRUCTURE, /* not a member: what follows are this structure's */
	LAYOUT_KNOWN	  /* a u32: bits of the figures that are known */
};

struct layout_line {
	char name[24];
	uint32_t offset; /* structures: 1 + the kind of the segments that hold them; 0: none do */
	uint32_t size;	 /* of all elements of an array together */
	uint16_t inner;	 /* LAYOUT_INNER: number of its structure's line, which comes earlier */
	uint8_t type;
	uint8_t unit, merge, difference; /* figures: as in report/session/figure.h */
	uint8_t known;			 /* figures: their bit in `known`; 0: always known */
	uint8_t reserved;
};
#define LAYOUT_LINES_MOST 448

/* The lines of this version. */
struct layout_table {
	struct layout_line lines[LAYOUT_LINES_MOST];
	unsigned count;
	uint64_t sum; /* layout_sum() */
	/* The line of the structure that segments of a kind hold, after the header's. */
	uint16_t of_kind[1 + SEGMENT_KINDS];
};
const struct layout_table *layout_own(void);

/* The page of commands follows header and table. */
#define LAYOUT_PLACE  ((sizeof(struct session_header) + 63) / 64 * 64)
#define LAYOUT_BYTES  (LAYOUT_LINES_MOST * sizeof(struct layout_line))
#define CONTROL_PLACE ((LAYOUT_PLACE + LAYOUT_BYTES + 4095) / 4096 * 4096)
#define HEADER_BYTES  (CONTROL_PLACE + 4096)

/* What tells a table from others, and a whole one from one that was written over. */
uint64_t layout_sum(const struct layout_line *lines, unsigned count);
/* Bytes of an item of a kind of segment; 1 where a segment has none of a fixed size. */
uint32_t item_size(unsigned kind);

/* How the structures of a profile become this version's. */
struct layout;
struct session_header;
/* By the table in a file's front, which malloc() gave and is taken over: its header becomes this
 * version's too. 0, -EBADMSG or -ENOMEM. */
int layout_read(struct layout **layout, struct session_header *header, char *front);
void layout_free(struct layout *layout);
/* What this version calls a kind of segment of the profile's; -1: it does not know it. */
int layout_kind(const struct layout *layout, uint32_t kind);
/* Bytes of an item of a kind, which is this version's, in the profile. */
uint32_t layout_item_size(const struct layout *layout, unsigned kind);
/* Makes one of this version's: what the profile lacks is 0, or not known. */
typedef uint64_t layout_moved(const void *context, uint64_t reference);
void layout_item(const struct layout *layout, unsigned kind, void *to, const void *from,
		 layout_moved *moved, const void *context);
/* How many members of the profile this version does not know, and their names. */
unsigned layout_unknown(const struct layout *layout, char *names, size_t size);

#endif
