/* SPDX-License-Identifier: MIT */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "report/session/memory.h"

/* A segment's records, from when the first of them is due until the last was returned. */
struct part {
	struct trace_part at;
	uint64_t first; /* the least start */
	uint32_t process;
	uint32_t count, next; /* records in the order, and which of them is next */
	uint32_t *order;      /* their places in the segment; NULL while the part is not open */
};

static bool is_wanted(const struct trace_order *order, const struct trace_record *record)
{
	if (record->start > order->to)
		return false;
	return record->kind == TRACE_HELD ||
	       (record->kind < ROW_KINDS &&
		(record->end >= order->from || record->start >= order->from));
}

/* Less than 0 where `a` comes before `b`. */
static int compare_records(const struct trace_record *a, const struct trace_record *b)
{
	return IN_ORDER(a->start, b->start)
		       ?: IN_ORDER(b->end, a->end)
		       ?: IN_ORDER(row_is_gpu(a->kind), row_is_gpu(b->kind))
		       /* Of the same place or another, the one that was written first. */
		       ?: IN_ORDER(a, b);
}

static int compare_places(const void *a, const void *b, void *records)
{
	const struct trace_record *first = records;

	return compare_records(first + *(const uint32_t *)a, first + *(const uint32_t *)b);
}

static const struct trace_record *next_of(const struct part *part)
{
	return part->at.records + part->order[part->next];
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return IN_ORDER(x->process, y->process)
		       ?: IN_ORDER(x->first, y->first) ?: IN_ORDER(x->at.records, y->at.records);
}

/* Notes a part if it has records that are wanted. */
static int add_part(struct trace_order *order, const struct trace_part *at, uint32_t process)
{
	struct part part = {.at = *at, .first = UINT64_MAX, .process = process};

	/* Places are 32 bits; a segment has as many records only in a file that was made so. */
	LOWER(part.at.count, UINT32_MAX);
	for (size_t i = 0; i < part.at.count; i++) {
		if (!is_wanted(order, &at->records[i]))
			continue;
		part.count++;
		LOWER(part.first, at->records[i].start);
	}
	session_release_trace_part(order->session, at);
	if (!part.count)
		return 0;
	if (!LIST_HAS_ROOM(order->parts, order->part_count, order->part_capacity))
		return -ENOMEM;
	order->parts[order->part_count++] = part;
	order->count += part.count;
	return 0;
}

int trace_order_open(struct trace_order *order, const struct session *session, uint64_t from,
		     uint64_t to)
{
	const struct job_process *process = NULL;
	struct trace_part at = {.records = NULL};
	uint32_t number = 0;
	int error = 0;

	*order = (struct trace_order){.session = session, .from = from, .to = to};
	while (!error && session_next_trace_part(session, &at)) {
		number += at.process != process;
		process = at.process;
		error = add_part(order, &at, number);
	}
	if (error || !order->part_count)
		return error;
	qsort(order->parts, order->part_count, sizeof(*order->parts), compare_parts);
	order->open = malloc(order->part_count * sizeof(*order->open));
	return order->open ? 0 : -ENOMEM;
}

/* Few are open at once, and a part's next record is near its last one: it moves a little. */
static void put_open(struct trace_order *order, struct part *part)
{
	size_t place = order->open_count++;

	for (; place && compare_records(next_of(part), next_of(order->open[place - 1])) > 0;
	     place--)
		order->open[place] = order->open[place - 1];
	order->open[place] = part;
}

static void close_part(struct trace_order *order, struct part *part)
{
	session_release_trace_part(order->session, &part->at);
	free(part->order);
	part->order = NULL;
}

static int open_part(struct trace_order *order, struct part *part)
{
	uint32_t count = 0;

	part->order = malloc(part->count * sizeof(*part->order));
	if (!part->order)
		return -ENOMEM;
	session_hold_trace_part(order->session, &part->at);
	/* A program that still runs may have written others over them meanwhile. */
	for (uint32_t i = 0; i < part->at.count && count < part->count; i++)
		if (is_wanted(order, &part->at.records[i]))
			part->order[count++] = i;
	part->count = count;
	qsort_r(part->order, count, sizeof(*part->order), compare_places, (void *)part->at.records);
	order->opened++;
	if (count)
		put_open(order, part);
	else
		close_part(order, part);
	return 0;
}

/* Whether a part that is not open yet may have the next record. */
static bool is_due(const struct trace_order *order)
{
	const struct part *part, *first;

	if (order->opened == order->part_count || !order->open_count)
		return order->opened < order->part_count;
	part = order->parts + order->opened;
	first = order->open[order->open_count - 1];
	return part->process == first->process && part->first <= next_of(first)->start;
}

int trace_order_next(struct trace_order *order, const struct trace_record **record)
{
	struct part *part;
	int error = 0;

	*record = NULL;
	/* The last record's part goes on with its next one. */
	if (order->last) {
		order->open_count--;
		if (++order->last->next == order->last->count)
			close_part(order, order->last);
		else
			put_open(order, order->last);
		order->last = NULL;
	}
	while (!error && is_due(order))
		error = open_part(order, order->parts + order->opened);
	if (error || !order->open_count)
		return error;
	part = order->last = order->open[order->open_count - 1];
	order->owner = part->at.process;
	order->process = part->process;
	order->done++;
	*record = next_of(part);
	return 0;
}

void trace_order_close(struct trace_order *order)
{
	for (size_t i = 0; i < order->part_count; i++)
		free(order->parts[i].order);
	free(order->open);
	free(order->parts);
}
