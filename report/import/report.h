/* SPDX-License-Identifier: MIT */
/* Which report a table is, told by its whole header and by how it was announced. */
#ifndef KTIME_REPORT_IMPORT_REPORT_H
#define KTIME_REPORT_IMPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum report_tool { TOOL_NSYS, TOOL_NVPROF };

enum report_kind { REPORT_GPU, REPORT_CALLS, REPORT_GROUPED, REPORT_TRACE, REPORT_OTHER };

struct report {
	enum report_tool tool;
	enum report_kind kind;
	const char *names;
	const char *rows; /* what they are, where they are passed over */
	const char *header;
};

/* What a column says of a row. */
enum role {
	ROLE_SHARE,
	ROLE_TOTAL,
	ROLE_CALLS,
	ROLE_MORE_CALLS, /* made on the device */
	ROLE_AVERAGE,
	ROLE_MEDIAN,
	ROLE_MINIMUM,
	ROLE_MAXIMUM,
	ROLE_DEVIATION,
	ROLE_DURATION,
	ROLE_START,
	ROLE_INTERVAL, /* in percent; in text there may be nothing in its place */
	ROLE_GRID,     /* of a kernel alone */
	ROLE_GROUP,
	ROLE_DEVICE,
	ROLE_NAME,
	ROLE_NONE,
};
#define ROLE_COUNT   ROLE_NONE
#define COLUMNS_MOST 32

/* A table's header. */
struct header {
	const struct report *report;
	enum role roles[COLUMNS_MOST];
	size_t count;
	int places[ROLE_COUNT];	  /* of the column of a role; -1: not there */
	double units[ROLE_COUNT]; /* nanoseconds; 1 where it is no time */
	const char *bad_unit;	  /* NULL: none; else into the titles */
};

bool role_is_time(enum role role);

/*
 * Finds the report of that header; `announced`, NULL where nothing was, is taken where its header
 * is another report's too. False: no report has this header.
 */
bool header_read(struct header *header, char *const *titles, size_t count,
		 const struct report *announced);
/* The same of a line of a text table, whose titles stand between spaces. */
bool header_read_line(struct header *header, const char *line, const struct report *announced);

/* How many of these are titles of columns that ktime reads. */
size_t titles_known(char *const *titles, size_t count);

/* The report that a line announces. NULL: none; one that ktime does not know is `report_unknown`.
 */
const struct report *report_announced(const char *line);
extern const struct report report_unknown;

/* The report behind that one with the same header that has no rows of CUDA's; NULL: none. */
const struct report *report_of_others(const struct report *report);

#endif
