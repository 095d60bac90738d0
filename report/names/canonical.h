/* SPDX-License-Identifier: MIT */
/* Finding one kernel under the names that different profilers give it. */
#ifndef KTIME_REPORT_NAMES_CANONICAL_H
#define KTIME_REPORT_NAMES_CANONICAL_H

#include <stdbool.h>

/*
 * A name without what profilers write in different ways: spaces, const, void, the types of
 * template values, how an anonymous namespace is called. `base` leaves out the parameters as well,
 * which some print resolved and some as they are declared. The caller frees it; NULL where memory
 * is out.
 */
char *canonical_name(const char *name, bool base);

#endif
