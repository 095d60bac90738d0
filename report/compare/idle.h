/* SPDX-License-Identifier: MIT */
/* Why the GPUs were idle, on both sides of a comparison. */
#ifndef KTIME_REPORT_COMPARE_IDLE_H
#define KTIME_REPORT_COMPARE_IDLE_H

#include "report/export/json.h"
#include "report/html/html.h"
#include "report/import/import.h"

/* Idle time of a run for a cause, on both sides, ns, and its gaps in A and B. */
struct idle_change {
	const char *cause; /* of one of the profiles */
	double a, b;
	struct idle_gaps gaps[2];
};

struct idle_changes {
	bool known;		     /* by all runs of both sides */
	struct idle_change *changes; /* those that differ most first */
	size_t count;
	double a, b; /* of all causes together */
};

/* Compares the idle time of two profiles, which must outlive the result. 0 or -ENOMEM. */
int idle_compare(struct idle_changes *idle, const struct profile *a, const struct profile *b);
void idle_free(struct idle_changes *idle);

/* Prints "GPU idle: 72.9 ms in A, 40.1 ms in B; most of the difference: cudaMalloc, 40.0 ms -> 8.00
 * ms" in a line, if it differs by more than the relative threshold; else false. */
bool idle_print(const struct idle_changes *idle, double threshold, FILE *file);
/* Whether the longest gap of a cause is known on both sides. */
bool idle_knows_gaps(const struct idle_change *change);
/* The member "idle" of a comparison's object. */
void idle_add_json(const struct idle_changes *idle, struct json *json);
/* A figure of a page, and the section with the table of causes. */
void idle_write_figure(const struct idle_changes *idle, struct html *html);
void idle_write_section(const struct idle_changes *idle, struct html *html);

#endif
