/* SPDX-License-Identifier: MIT */
/* Which rows of two profiles are of one kernel or API function, by their names. */
#ifndef KTIME_REPORT_COMPARE_PAIR_H
#define KTIME_REPORT_COMPARE_PAIR_H

#include "report/compare/compare.h"

/*
 * Fills the comparison's rows: two rows are one where nsys would give both the same name, or where
 * only the profilers' ways to write a C++ name, or the version of a call, tell them apart. 0 or
 * -ENOMEM; the comparison is to be freed either way.
 */
int comparison_pair(struct comparison *comparison, const struct profile *a,
		    const struct profile *b);

/*
 * A name without what profilers write in different ways: spaces, const, void, the types of
 * template values, how an anonymous namespace is called. `base` leaves out the parameters as well,
 * which some print resolved and some as they are declared. The caller frees it; NULL where memory
 * is out.
 */
char *canonical_name(const char *name, bool base);

#endif
