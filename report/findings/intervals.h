/* SPDX-License-Identifier: MIT */
/* Lists of times: which lie in which, and how much of them a device was idle. */
#ifndef KTIME_REPORT_FINDINGS_INTERVALS_H
#define KTIME_REPORT_FINDINGS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t begin, end;
	uint64_t idle;	 /* of operations: how long their device was idle until it begins */
	uint32_t group;	 /* what belongs together, such as the ranges of a thread */
	uint32_t number; /* the caller's */
};

struct intervals {
	struct interval *list; /* of malloc(); NULL: memory is out */
	size_t count;
};

/* By group and begin, the longer one first. */
void intervals_sort(struct intervals *all);
/* Makes those of a group follow each other; sorts them. */
void intervals_join(struct intervals *all);
/* Leaves out what lies in another one of its group; sorts them. */
void intervals_keep_outermost(struct intervals *all);
/* Whether an interval lies in one of a joined list, of its group. */
bool intervals_have(const struct intervals *around, const struct interval *inner);
/* Whether one begins before the one ahead of it has ended; they are of one group, and joined by
 * others. */
bool intervals_overlap(struct intervals *all);

/* Joins a device's operations, and adds up its idle time between them. Returns all of it. */
uint64_t intervals_add_idle(struct intervals *operations);
/* How much of an interval lies between such operations. */
uint64_t intervals_idle_in(const struct intervals *operations, const struct interval *interval);

#endif
