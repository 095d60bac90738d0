/* SPDX-License-Identifier: MIT */
/*
 * The union of intervals that come roughly in the order of their starts, in bounded memory: what is
 * final has been measured and forgotten, the rest is kept as disjoint intervals. Times in
 * nanoseconds. For one thread.
 */
#ifndef KTIME_PRELOAD_TIMELINE_INTERVAL_SET_H
#define KTIME_PRELOAD_TIMELINE_INTERVAL_SET_H

#include <stddef.h>
#include <stdint.h>

/* What an interval of the union begins and ends with. */
struct edge {
	uint64_t name;	       /* offset of the operation's name in the profile */
	uint32_t call;	       /* number of the host's call (timeline.h); 0: not known */
	uint32_t graph_launch; /* correlation id of the graph launch; 0: no node of a graph */
};

struct interval {
	uint64_t start, end;
	struct edge first; /* of the operation that started first */
	struct edge last;  /* of the operation that ended last */
};

/* The most intervals that are kept; 64 bytes each. Chosen: 8192 launches at 3 us are 25 ms. */
#define INTERVALS_KEPT 8192u

struct interval_set {
	struct interval *intervals; /* in order; those from `begin` to `end` count */
	size_t begin, end, room;
	uint64_t total; /* of the union so far */
	uint64_t final; /* the end of what is final: later intervals must not start before it */
	uint64_t late;	/* total of what did all the same, and was cut off */
	/* Called for each final gap between two intervals; may be NULL. */
	void (*gap)(const struct interval *before, const struct interval *after, void *argument);
	void *argument;
};

/* Adds an interval. If the set is full, or memory is out, its older half becomes final. */
void interval_set_add(struct interval_set *set, const struct interval *interval);
/* Makes final what no interval that starts at `until` or later can change. */
void interval_set_settle(struct interval_set *set, uint64_t until);
/* How many intervals are kept now. */
static inline size_t interval_set_kept(const struct interval_set *set)
{
	return set->end - set->begin;
}
/* How many bytes the set takes. */
size_t interval_set_memory(const struct interval_set *set);

#endif
