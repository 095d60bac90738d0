/* SPDX-License-Identifier: MIT */
/*
 * The lines of nsys's summaries: a session's rows, summed over the devices by the name that
 * nsys prints. Median and deviation are exact if the session kept a record of every call,
 * else read from the histogram and the sum of squares.
 */
#ifndef KTIME_REPORT_PRINT_NSYS_LINES_H
#define KTIME_REPORT_PRINT_NSYS_LINES_H

#include <uthash.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* Nanoseconds or bytes over the calls of a line. */
struct distribution {
	uint64_t count, total;
	uint64_t untimed; /* calls of rows without any time; not in count and total */
	double squares;	  /* sum over those in count */
	uint64_t timed;	  /* of these, from the clock; the others are estimated */
	uint64_t minimum, maximum;
	double median;	  /* NAN: not known */
	double deviation; /* of the sample (n - 1); 0 for a single call */
	uint64_t *samples, sample_total;
	size_t sample_count, sample_capacity;
};

struct nsys_line {
	char *name;
	struct distribution time, bytes;
	struct histogram histogram;
	UT_hash_handle hh;
};

/*
 * Collects the lines of the rows whose kind is in the mask (1 << enum row_kind), by total time or
 * by total bytes, the largest first. The caller frees them with nsys_lines_free, also after an
 * error (-ENOMEM).
 */
int nsys_lines_collect(struct session *session, const struct options *options, unsigned kinds,
		       struct nsys_line **lines);
void nsys_lines_sort_by_bytes(struct nsys_line **lines);
void nsys_lines_free(struct nsys_line **lines);

#endif
