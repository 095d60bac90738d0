/* SPDX-License-Identifier: MIT */
/*
 * The times of NVTX ranges: which call was made in which range, and what the ranges of a session
 * hold. A push/pop range holds what its thread calls while it is open; a start/end range, which
 * belongs to no thread, what any thread calls. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_NVTX_RANGES_H
#define KTIME_PRELOAD_NVTX_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/range_thread.h"
#include "report/session/items.h"

/* In which NVTX ranges a call was made. */

struct range_place {
	uint32_t range;	       /* the thread's innermost push/pop range, by ranges_numbered() */
	uint32_t started : 31; /* start/end ranges that were open: bits, see started_path() */
	uint32_t included : 1; /* --nvtx-include leaves calls made here in */
};
_Static_assert(sizeof(struct range_place) == 8, "each operation in flight has one");

/* Which range was a thread's innermost one at a time: its newest changes, oldest first. For the
 * collector thread only. */

struct past_change {
	uint64_t time;
	uint16_t now;
};

/* All zero: empty. */
struct range_history {
	struct past_change *changes;
	uint32_t size; /* a power of two, or 0 */
	uint32_t head, tail;
	bool dropped; /* changes have made room, or were left out as memory was out */
};

void history_free(struct range_history *history);
/* Adds a change, in ticks; `now` is the innermost range from then on. Old ones make room. */
void history_add(struct range_history *history, uint64_t time, uint16_t now);
/* The innermost range at a time; `before` if that is before the first change ever, PATHS_UNKNOWN if
 * it is before the oldest that is kept. */
uint16_t history_at(const struct range_history *history, uint64_t time, uint16_t before);

/* The start/end ranges of the process, by the time that they were open. For the collector thread
 * only. */

/* Notes that a range began at `begin`, in ticks; `place`: its place among the open ranges. False if
 * there are too many paths. A second call for the same range has no effect. */
bool started_begin(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin);
/* The range that began at `begin` ends; sets `kernel_id` to that of the thread that began it. If
 * another thread ends it, its end may be noted first, and `kernel_id` stays: started_begin() then
 * has no effect. False if there are too many paths. */
bool started_end(uint16_t path, uint16_t place, uint64_t begin, uint64_t end, uint32_t *kernel_id);
/* The path of some range that is open, with its place and begin; 0 if none is. */
uint16_t started_open(uint16_t *place, uint64_t *begin);

/* The ranges that were open at a time: bits, see started_path(). */
uint32_t started_at(uint64_t time);
/* Which thread began the first range of a path: the low half of its pthread_self(). */
uint32_t started_thread(uint16_t path);

/* The ranges of a session, and what was done in them. For the collector thread only. */

/* A range by its number; NULL for 0. */
struct nvtx_range *ranges_numbered(uint32_t number);

/* To be called before the others. `counts` says whether a range that ends at a time
 * (CLOCK_REALTIME, ns) is reported. */
void ranges_start(bool (*counts)(uint64_t time));
/* Takes all changes of ranges that the threads have made. In each period, to be called after the
 * heads of the threads' rings of calls were read and before these calls are taken, so that each
 * call's range is known. */
void ranges_drain(void);
/* Frees the memory of threads that have ended; `now`: CLOCK_MONOTONIC in nanoseconds. */
void ranges_reclaim(uint64_t now);

/* Whether only what is called in some ranges is reported. */
bool ranges_are_chosen(void);
/* Where a thread, by its kernel id, was at a time in ticks. */
struct range_place ranges_at(uint32_t thread, uint64_t ticks);
/* Where it was during a call that only CUPTI has recorded; times on CLOCK_REALTIME, ns. */
struct range_place ranges_of_record(uint32_t thread, uint64_t start, uint64_t end);
/* The place of what a thread, by the low half of its pthread_self(), did in a path; 0: of a
 * start/end range. */
struct range_place ranges_in_path(uint32_t thread, uint16_t path);
/* How many calls of a row were made in a start/end range. */
double ranges_calls_in(uint16_t path, const struct row *row);
/* What is known of the calls of a row in a range by estimates: replaces what was told of them
 * before, which `told` holds; all zero at first. */
struct range_told {
	double calls;
	double untimed; /* further ones, of whose time nothing is known */
	uint64_t total;
	double variance;	   /* ns^2: square of half the interval of the total */
	uint64_t minimum, maximum; /* of those that were recorded */
};
void ranges_tell(const struct range_place *place, const struct row *row, struct range_told *told,
		 const struct range_told *now, bool estimated);
/* Adds a call of a row, with its time, to the ranges that it was made in. It stands for `weight`
 * calls. */
void ranges_add_call(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		     double weight, enum clock_source clock);
static inline void ranges_add(const struct range_place *place, const struct row *row,
			      uint64_t nanoseconds, double weight, enum clock_source clock)
{
	if (place->range || place->started)
		ranges_add_call(place, row, nanoseconds, weight, clock);
}

/* Adds a call whose time nobody knows: it is taken to be as long as the row's others. */
void ranges_add_untimed(const struct range_place *place, const struct row *row);
/* Makes the first call of a row whose time is to be left out such a one, as long as events have
 * timed no other call of the row. */
void ranges_forget_first(const struct range_place *place, const struct row *row);

/* To be called at the end of the run: ends the ranges that are open. */
void ranges_finish(void);

#endif
