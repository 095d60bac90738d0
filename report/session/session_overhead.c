/* SPDX-License-Identifier: MIT */
/* Taking the overhead of event pairs off a session's rows. */
#include <sys/mman.h>

#include "report/session/estimate.h"
#include "report/session/session_internal.h"
#include "report/session/session_nvtx.h"

/* A histogram's buckets are moved by the overhead as a whole. */
static void move_histogram(struct histogram *histogram, uint64_t overhead)
{
	struct histogram moved = {.used = {0}};

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;

		if (histogram->buckets[i])
			histogram_add_calls(&moved, middle > overhead ? middle - overhead : 0,
					    histogram->buckets[i]);
	}
	*histogram = moved;
}

static void correct(const struct session *session, struct figures *figures, uint64_t overhead)
{
	struct histogram *histogram = session_histogram(session, figures->histogram);
	double total = (double)figures->total;

	if (!figures->count)
		return;
	figures->squares +=
		(double)overhead * ((double)overhead * (double)figures->count - 2 * total);
	figures->total -= overhead * figures->count < figures->total ? overhead * figures->count
								     : figures->total;
	figures->minimum -= overhead < figures->minimum ? overhead : figures->minimum;
	figures->maximum -= overhead < figures->maximum ? overhead : figures->maximum;
	figures->slowest.ns -= overhead < figures->slowest.ns ? overhead : figures->slowest.ns;
	figures->fastest.ns -= overhead < figures->fastest.ns ? overhead : figures->fastest.ns;
	if (histogram)
		move_histogram(histogram, overhead);
}

/* The differences of the clocks, by which events are longer before the overhead is taken off. */
static void correct_differences(struct histogram *histogram, uint64_t overhead)
{
	struct histogram moved = {.used = {0}};

	if (!histogram)
		return;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;

		if (histogram->buckets[i])
			histogram_add_calls(
				&moved, middle > overhead ? middle - overhead : overhead - middle,
				histogram->buckets[i]);
	}
	*histogram = moved;
}

static void correct_record(const struct session_header *header, struct trace_record *record)
{
	unsigned kind = record->overhead;
	uint64_t overhead = kind && kind <= OVERHEAD_KINDS ? header->overheads[kind - 1].ns : 0;

	if (overhead > 0 && record->end > record->start)
		record->end -= overhead < record->end - record->start ? overhead
								      : record->end - record->start;
	record->overhead = 0;
}

/* Filled parts of a trace are mapped to be read alone; most have nothing to take off. */
void session_correct_trace(const struct session *session)
{
	struct trace_part part = {.records = NULL};

	while (session_next_trace_part(session, &part)) {
		struct segment_place *place =
			segment_find(session, session_offset(session, part.records));
		struct trace_record *records = (struct trace_record *)part.records;

		for (size_t i = 0; i < part.count; i++) {
			if (!records[i].overhead)
				continue;
			if (segment_map(session, place, PROT_READ | PROT_WRITE))
				break;
			correct_record(session_header(session), &records[i]);
		}
		session_release_trace_part(session, &part);
	}
}

/* What a row's calls were inside of ranges. */
static void correct_parts(struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct nvtx_part *part;

	session_for_each_nvtx_part (session, part) {
		struct nvtx_part *corrected = (struct nvtx_part *)part;
		const struct row *row = session_row_at(session, part->row);
		uint32_t kind = __atomic_load_n(&row->overhead, __ATOMIC_RELAXED);
		uint64_t overhead = kind < OVERHEAD_KINDS ? header->overheads[kind].ns : 0;
		uint64_t all = to_unsigned(part->event_calls * (double)overhead);

		if (!row_is_gpu(row->kind) || row->host_included || !(part->event_calls > 0))
			continue;
		corrected->total -= all < part->total ? all : part->total;
		if (part->event_calls < part->calls)
			continue;
		corrected->minimum -= overhead < part->minimum ? overhead : part->minimum;
		corrected->maximum -= overhead < part->maximum ? overhead : part->maximum;
	}
}

void session_subtract_overheads(struct session *session)
{
	const struct session_header *header = session_header(session);
	struct row *row;

	if (header->trace_on == TRACE_GROWS)
		session_correct_trace(session);
	session_for_each_row (session, row) {
		/* Read once: the file may change while it is read. */
		uint32_t kind = __atomic_load_n(&row->overhead, __ATOMIC_RELAXED);
		uint64_t overhead = kind < OVERHEAD_KINDS ? header->overheads[kind].ns : 0;

		/* Pairs that hold the host's work have no overhead that could be told apart. */
		if (!row_is_gpu(row->kind) || row->host_included)
			continue;
		correct(session, &row->events, overhead);
		correct_differences(session_histogram(session, row->difference_histogram),
				    overhead);
		estimate_take_off(&row->estimate, (double)overhead);
		if (kind < OVERHEAD_KINDS)
			row->estimate.standard_error =
				(double)header->overheads[kind].standard_error;
		row->checked_events = row->checked_raw > overhead * row->checked
					      ? row->checked_raw - overhead * row->checked
					      : 0;
	}
	correct_parts(session);
}
