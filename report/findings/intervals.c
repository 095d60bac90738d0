/* SPDX-License-Identifier: MIT */
#include "report/findings/intervals.h"

#include <stdlib.h>

#include "report/session/session.h"

static int compare(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return IN_ORDER(a->group, b->group)
		       ?: IN_ORDER(a->begin, b->begin)
		       ?: IN_ORDER(b->end, a->end);
}

void intervals_sort(struct intervals *all)
{
	if (all->list)
		qsort(all->list, all->count, sizeof(*all->list), compare);
}

void intervals_join(struct intervals *all)
{
	size_t joined = 0;

	intervals_sort(all);
	for (size_t i = 0; i < all->count; i++) {
		const struct interval *next = &all->list[i];
		struct interval *last = joined ? &all->list[joined - 1] : NULL;

		if (!last || last->group != next->group || next->begin > last->end)
			all->list[joined++] = *next;
		else if (next->end > last->end)
			last->end = next->end;
	}
	all->count = joined;
}

void intervals_keep_outermost(struct intervals *all)
{
	size_t kept = 0;

	intervals_sort(all);
	for (size_t i = 0; i < all->count; i++) {
		const struct interval *next = &all->list[i];
		const struct interval *last = kept ? &all->list[kept - 1] : NULL;

		if (!last || last->group != next->group || next->end > last->end)
			all->list[kept++] = *next;
	}
	all->count = kept;
}

bool intervals_have(const struct intervals *around, const struct interval *inner)
{
	const struct interval *list = around->list;
	size_t next = FIRST_NOT(i, 0, around->count,
				list[i].group < inner->group || (list[i].group == inner->group &&
								 list[i].begin <= inner->begin));

	return next && list[next - 1].group == inner->group && inner->end <= list[next - 1].end;
}

bool intervals_overlap(struct intervals *all)
{
	bool overlap = false;

	intervals_sort(all);
	for (size_t i = 1; i < all->count; i++)
		overlap |= all->list[i].begin < all->list[i - 1].end;
	return overlap;
}

uint64_t intervals_add_idle(struct intervals *operations)
{
	struct interval *list = operations->list;

	intervals_join(operations);
	for (size_t i = 1; i < operations->count; i++)
		list[i].idle = list[i - 1].idle + list[i].begin - list[i - 1].end;
	return operations->count ? list[operations->count - 1].idle : 0;
}

static uint64_t idle_until(const struct intervals *operations, uint64_t time)
{
	const struct interval *list = operations->list;
	size_t next = FIRST_NOT(i, 0, operations->count, list[i].begin <= time);
	uint64_t idle;

	if (!next)
		return 0;
	idle = list[next - 1].idle;
	if (next < operations->count && time > list[next - 1].end)
		idle += time - list[next - 1].end;
	return idle;
}

uint64_t intervals_idle_in(const struct intervals *operations, const struct interval *interval)
{
	return idle_until(operations, interval->end) - idle_until(operations, interval->begin);
}
