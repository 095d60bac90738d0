/* SPDX-License-Identifier: MIT */
/* What a comparison leaves open, and the commands that answer it. */
#ifndef KTIME_REPORT_COMPARE_NEXT_H
#define KTIME_REPORT_COMPARE_NEXT_H

#include "report/compare/comparison.h"

enum next {
	NEXT_HOST,	  /* what the program itself does, if that is what changed */
	NEXT_PAGES,	  /* the findings of each side */
	NEXT_TRACES,	  /* when things happened, of sides without a trace */
	NEXT_TRACE_PAGES, /* shows these traces */
	NEXT_RUNS,	  /* more runs, for rows that are "cannot tell" */
	NEXT_COUNT
};

/* What is open, for the sides that it is open of: "When: needs a trace of B". NULL: it is not, or a
 * command for it is not known. */
#define NEXT_SIZE 256
const char *next_what(const struct comparison *comparison, enum next next, char text[NEXT_SIZE]);
/* The command, or those of both sides, that answers what next_what() says is open. That of
 * NEXT_RUNS is always known. */
void next_write(const struct comparison *comparison, enum next next, FILE *file);

/* Why rows are "cannot tell", in a clause; NULL if none is. */
const char *next_why_unsure(const struct comparison *comparison);

#endif
