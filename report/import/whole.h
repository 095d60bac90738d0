/* SPDX-License-Identifier: MIT */
/*
 * Whether rows and tables are whole, as far as what stands in them tells. A row of which a piece is
 * lost, or that was made of two, mostly shows by figures that do not fit together; rows that are
 * missing by the shares.
 */
#ifndef KTIME_REPORT_IMPORT_WHOLE_H
#define KTIME_REPORT_IMPORT_WHOLE_H

#include "report/import/quantity.h"
#include "report/import/report.h"

/* What does not fit together in a row; NULL: nothing. */
const char *row_flaw(const struct quantity figures[ROLE_COUNT], double calls);

/* cuda… and cu…, as cuLaunchKernel: a call of CUDA's interfaces. */
bool name_begins_call(const char *name);
/* Whether all of a name is that of a call. */
bool name_is_call(const char *name);
/* Whether nsys has shortened the name, which it does in text. */
bool name_is_shortened(const char *name, bool text);
/* Whether the name of a GPU activity is whole, as far as its brackets and quotes tell. */
bool name_is_whole(const char *name, bool text);

/* How the shares of a table's rows add up. */
struct shares {
	double sum, rounded; /* the latter: what the sum may lack or exceed by rounding */
	size_t count;
};

void shares_add(struct shares *shares, const struct quantity *share);
/* Whether they make a whole, or are none. */
bool shares_are_whole(const struct shares *shares);

#endif
