/* SPDX-License-Identifier: MIT */
/* What records of a trace have besides names and times, each combination once: a program launches a
 * kernel with few grids. */
#ifndef KTIME_REPORT_HTML_DETAILS_H
#define KTIME_REPORT_HTML_DETAILS_H

#include "report/print/filter.h"
#include "report/session/session.h"

struct details;

/* The number of a record's details: 0 if it has none, or if there are too many to have all.
 * `details` begins as NULL. -ENOMEM if memory is out. */
int details_of(struct details **details, const struct trace_record *record, uint32_t *number);
/* Calls `write` with each text in the order of the numbers, "" first: "grid 8x1x1, block 256x1x1,
 * registers 32". 0 or -ENOMEM. */
int details_texts(const struct details *details, const struct session *session,
		  struct filter *filter, void (*write)(const char *text, void *argument),
		  void *argument);
void details_free(struct details **details);

#endif
