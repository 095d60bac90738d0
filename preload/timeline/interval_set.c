/* SPDX-License-Identifier: MIT */
#include "preload/timeline/interval_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/grow.h"

/* Chosen: one page for a device with little work. */
#define FIRST_ROOM 64u

/* The oldest interval is final: a gap after it can no longer be filled. */
static void finish_oldest(struct interval_set *set)
{
	const struct interval *oldest = &set->intervals[set->begin++];

	if (set->begin == set->end)
		return;
	if (set->gap)
		set->gap(oldest, oldest + 1, set->argument);
	set->final = oldest[1].start;
}

/* Room for one more interval behind the others; false if memory is out. */
static bool make_room(struct interval_set *set)
{
	size_t kept = interval_set_kept(set), larger = set->room ? 2 * set->room : FIRST_ROOM;
	struct interval *intervals;

	if (set->end < set->room)
		return true;
	/* Moving half of them is cheap, as it makes room for as many. */
	if (set->begin >= set->room / 2 && set->begin > 0) {
		memmove(set->intervals, &set->intervals[set->begin], kept * sizeof(*intervals));
		set->begin = 0;
		set->end = kept;
		return true;
	}
	if (set->room < 2 * INTERVALS_KEPT) {
		intervals = grow(set->intervals, set->room * sizeof(*intervals),
				 larger * sizeof(*intervals));
		if (intervals) {
			set->intervals = intervals;
			set->room = larger;
			return true;
		}
	}
	return false;
}

static void give_up_half(struct interval_set *set)
{
	for (size_t half = interval_set_kept(set) / 2; half > 0; half--)
		finish_oldest(set);
}

/* The place of the first interval that starts after `start`. */
static size_t place_after(const struct interval_set *set, uint64_t start)
{
	size_t low = set->begin, high = set->end;

	/* Most intervals come last. */
	if (low == high || set->intervals[high - 1].start <= start)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->intervals[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Joins an interval with those behind it that begin before it ends. */
static void join_following(struct interval_set *set, size_t place)
{
	struct interval *joined = &set->intervals[place];
	size_t next = place + 1;

	for (; next < set->end && set->intervals[next].start <= joined->end; next++) {
		const struct interval *other = &set->intervals[next];

		set->total -= (other->end < joined->end ? other->end : joined->end) - other->start;
		if (other->end > joined->end) {
			joined->end = other->end;
			joined->last = other->last;
		}
	}
	if (next == place + 1)
		return;
	memmove(&set->intervals[place + 1], &set->intervals[next],
		(set->end - next) * sizeof(*joined));
	set->end -= next - place - 1;
}

static void insert(struct interval_set *set, const struct interval *interval)
{
	size_t place = place_after(set, interval->start);
	struct interval *before = place > set->begin ? &set->intervals[place - 1] : NULL;

	if (before && before->end >= interval->start) {
		if (interval->end <= before->end)
			return;
		set->total += interval->end - before->end;
		before->end = interval->end;
		before->last = interval->last;
		join_following(set, place - 1);
		return;
	}
	memmove(&set->intervals[place + 1], &set->intervals[place],
		(set->end - place) * sizeof(*interval));
	set->intervals[place] = *interval;
	set->end++;
	set->total += interval->end - interval->start;
	join_following(set, place);
}

void interval_set_add(struct interval_set *set, const struct interval *interval)
{
	struct interval part = *interval;

	if (interval_set_kept(set) >= INTERVALS_KEPT)
		give_up_half(set);
	if (!make_room(set)) {
		give_up_half(set);
		if (!make_room(set)) {
			set->late += part.end - part.start;
			return;
		}
	}
	if (part.start < set->final) {
		set->late += (part.end < set->final ? part.end : set->final) - part.start;
		part.start = set->final;
	}
	if (part.start < part.end)
		insert(set, &part);
}

void interval_set_settle(struct interval_set *set, uint64_t until)
{
	while (interval_set_kept(set) > 1 && set->intervals[set->begin + 1].start <= until)
		finish_oldest(set);
}

size_t interval_set_memory(const struct interval_set *set)
{
	return set->room * sizeof(struct interval);
}
