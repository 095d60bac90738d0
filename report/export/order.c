/* SPDX-License-Identifier: MIT */
#include "report/export/order.h"

#include <errno.h>
#include <stdlib.h>

/* A segment's records, from when the first of them is due until the last was returned. */
struct part {
	struct trace_part at;
	uint64_t first; /* the least start */
	uint32_t process;
	uint32_t count, next; /* records in the order, and which of them is next */
	uint32_t *order;      /* their places in the segment; NULL while the part is not open */
};

struct trace_order {
	const struct session *session;
	uint64_t from, to, count, done;
	struct part *parts; /* by process and first start */
	size_t part_count, part_capacity;
	size_t opened; /* how many of the first were opened */
	struct part *
		*open; /* those with records left: the one whose next record is first is last */
	size_t open_count;
	struct part *last; /* whose record was returned last; NULL: none yet */
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
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (row_is_gpu(a->kind) != row_is_gpu(b->kind))
		return row_is_gpu(a->kind) ? 1 : -1;
	/* Of the same place or another, the one that was written first. */
	return a < b ? -1 : a > b;
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

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->at.records < y->at.records ? -1 : 1;
}

/* Notes a part if it has records that are wanted. */
static int add_part(struct trace_order *order, const struct trace_part *at, uint32_t process)
{
	struct part part = {.at = *at, .first = UINT64_MAX, .process = process};

	/* Places are 32 bits; a segment has as many records only in a file that was made so. */
	if (part.at.count > UINT32_MAX)
		part.at.count = UINT32_MAX;
	for (size_t i = 0; i < part.at.count; i++) {
		if (!is_wanted(order, &at->records[i]))
			continue;
		part.count++;
		if (at->records[i].start < part.first)
			part.first = at->records[i].start;
	}
	session_release_trace_part(order->session, at);
	if (!part.count)
		return 0;
	if (order->part_count == order->part_capacity) {
		size_t capacity = order->part_capacity * 2 + 64;
		struct part *parts = realloc(order->parts, capacity * sizeof(*parts));

		if (!parts)
			return -ENOMEM;
		order->parts = parts;
		order->part_capacity = capacity;
	}
	order->parts[order->part_count++] = part;
	order->count += part.count;
	return 0;
}

int trace_order_open(struct trace_order **result, const struct session *session, uint64_t from,
		     uint64_t to)
{
	struct trace_order *order = calloc(1, sizeof(*order));
	const struct job_process *process = NULL;
	struct trace_part at = {.records = NULL};
	uint32_t number = 0;
	int error = 0;

	*result = order;
	if (!order)
		return -ENOMEM;
	order->session = session;
	order->from = from;
	order->to = to;
	while (!error && session_next_trace_part(session, &at)) {
		number += at.process != process;
		process = at.process;
		error = add_part(order, &at, number);
	}
	if (!error && order->part_count) {
		qsort(order->parts, order->part_count, sizeof(*order->parts), compare_parts);
		order->open = malloc(order->part_count * sizeof(*order->open));
		error = order->open ? 0 : -ENOMEM;
	}
	if (error) {
		trace_order_close(order);
		*result = NULL;
	}
	return error;
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
	int error = 0;

	*record = NULL;
	if (order->open_count && order->open[order->open_count - 1] == order->last) {
		order->open_count--;
		if (++order->last->next == order->last->count)
			close_part(order, order->last);
		else
			put_open(order, order->last);
	}
	while (!error && is_due(order))
		error = open_part(order, order->parts + order->opened);
	if (error || !order->open_count)
		return error;
	order->last = order->open[order->open_count - 1];
	order->done++;
	*record = next_of(order->last);
	return 0;
}

uint32_t trace_order_process(const struct trace_order *order, const struct job_process **process)
{
	*process = order->last ? order->last->at.process : NULL;
	return order->last ? order->last->process : 0;
}

uint64_t trace_order_count(const struct trace_order *order)
{
	return order->count;
}

uint64_t trace_order_done(const struct trace_order *order)
{
	return order->done;
}

void trace_order_close(struct trace_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->part_count; i++)
		free(order->parts[i].order);
	free(order->open);
	free(order->parts);
	free(order);
}
