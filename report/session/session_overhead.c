/* SPDX-License-Identifier: MIT */
/* Taking the overhead of event pairs off a session's rows. */
#include <math.h>
#include <sys/mman.h>

#include "report/session/estimate.h"
#include "report/session/items.h"
#include "report/session/session_internal.h"

/* Read once: the file may change while it is read. */
static uint32_t kind_of(const struct row *row)
{
	return __atomic_load_n(&row->overhead, __ATOMIC_RELAXED);
}

/* The part of the row's pairs that hold more, as their operation was queued. */
static double queued_part(const struct row *row)
{
	uint64_t pairs = __atomic_load_n(&row->events.count, __ATOMIC_RELAXED);
	uint64_t queued = __atomic_load_n(&row->queued, __ATOMIC_RELAXED);

	if (kind_of(row) != OVERHEAD_KERNEL || pairs == 0)
		return 0;
	return queued < pairs ? (double)queued / (double)pairs : 1;
}

double row_overhead(const struct session_header *header, const struct row *row)
{
	uint32_t kind = kind_of(row);
	double overhead = kind < OVERHEAD_KINDS ? (double)header->overheads[kind].ns : 0;

	return overhead + (double)header->queued.ns * queued_part(row);
}

double row_overhead_error(const struct session_header *header, const struct row *row)
{
	uint32_t kind = kind_of(row);
	double error = kind < OVERHEAD_KINDS ? (double)header->overheads[kind].standard_error : 0;

	double more = (double)header->queued.standard_error * queued_part(row);

	return sqrt(error * error + more * more);
}

/* A histogram's buckets are moved by the overhead as a whole. What is less is none left or, of the
 * differences of the clocks, as far off on the other side. */
static void move_histogram(struct histogram *histogram, uint64_t overhead, bool differences)
{
	struct histogram moved = {.used = {0}};

	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;
		uint64_t less = differences ? overhead - middle : 0;

		if (histogram->buckets[i])
			histogram_add_calls(&moved, middle > overhead ? middle - overhead : less,
					    histogram->buckets[i]);
	}
	if (histogram)
		*histogram = moved;
}

static uint64_t rounded(double value)
{
	return to_unsigned(value + 0.5);
}

static void take_off(uint64_t *time, uint64_t overhead)
{
	*time -= overhead < *time ? overhead : *time;
}

/*
 * The total loses the sum of all calls' overheads, rounded once: by how much one call's is rounded,
 * times a million earlier calls, would be in the difference of two copies of a running program's
 * profile.
 */
static void correct(const struct session *session, struct figures *figures, double overhead)
{
	const uint64_t each = rounded(overhead);
	const double count = (double)figures->count;

	if (!figures->count)
		return;
	figures->squares += overhead * (overhead * count - 2 * (double)figures->total);
	take_off(&figures->total, rounded(overhead * count));
	take_off(&figures->minimum, each);
	take_off(&figures->maximum, each);
	take_off(&figures->slowest.ns, each);
	take_off(&figures->fastest.ns, each);
	move_histogram(session_histogram(session, figures->histogram), each, false);
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

void correct_place(const struct session *session, struct segment_place *place)
{
	struct segment *segment = (struct segment *)(session->base + place->offset);
	struct trace_record *records = (struct trace_record *)(segment + 1);
	size_t count = (segment_used(session, place) - sizeof(*segment)) / sizeof(*records);

	for (size_t i = 0; i < count; i++) {
		if (!records[i].overhead)
			continue;
		/* Filled parts are mapped to be read alone; most have nothing to take off. */
		if (session->writable && segment_map(session, place, PROT_READ | PROT_WRITE))
			return;
		correct_record(session_header(session), &records[i]);
	}
}

void session_correct_trace(struct session *session)
{
	session->corrects_trace = !session->writable;
	for (size_t i = 0; i < session->place_count && session->writable; i++)
		if (session->places[i].kind == SEGMENT_TRACE &&
		    !segment_map(session, &session->places[i], PROT_READ))
			correct_place(session, &session->places[i]);
}

/*
 * A part holds the calls that were timed, each for those that it stands for. The row knows how many
 * calls there were, and estimates their time stretch by stretch (estimate.h): what the weighted
 * calls lack of that, or have too much, is shared out among the parts, or the shares of ranges
 * would not add to that of the range around them. First launches that were left out are in the
 * parts already, as calls without a time.
 */
static void fit_to_row(struct nvtx_part *part, const struct row *row)
{
	const uint64_t calls = row->calls > row->events.count ? row->calls : row->events.count;
	const uint64_t left_out = row->untimed[UNTIMED_FIRST_LAUNCH];
	double weight = 0, total = 0, rest, scale;

	if (row->cupti.count || row->events.count >= calls || left_out >= calls)
		return;
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		weight += row->estimate.strata[i].weight;
		total += row->estimate.strata[i].total;
	}
	rest = (double)(calls - left_out);
	if (weight > 0 && total > 0) {
		scale = estimate_of(&row->estimate, calls).total * rest / (double)calls / total;
		part->total = to_unsigned((double)part->total * scale + 0.5);
		part->calls *= rest / weight;
		part->event_calls *= rest / weight;
		part->estimated = 1;
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
		double overhead = row_overhead(header, row);

		if (!row_is_gpu(row->kind) || row->host_included || !(part->event_calls > 0))
			continue;
		take_off(&corrected->total, rounded(part->event_calls * overhead));
		if (part->event_calls < part->calls)
			continue;
		take_off(&corrected->minimum, rounded(overhead));
		take_off(&corrected->maximum, rounded(overhead));
		fit_to_row(corrected, row);
	}
}

void row_subtract_overhead(const struct session *session, struct row *row)
{
	const struct session_header *header = session_header(session);
	double overhead = row_overhead(header, row);

	/* Pairs that hold the host's work have no overhead that could be told apart. */
	if (!row_is_gpu(row->kind) || row->host_included)
		return;
	correct(session, &row->events, overhead);
	move_histogram(session_histogram(session, row->difference_histogram), rounded(overhead),
		       true);
	estimate_take_off(&row->estimate, overhead);
	row->estimate.standard_error = row_overhead_error(header, row);
	row->checked_events = row->checked_raw;
	take_off(&row->checked_events, rounded(overhead * (double)row->checked));
}

void session_subtract_overheads(struct session *session)
{
	struct row *row;

	if (session_header(session)->trace_on == TRACE_GROWS)
		session_correct_trace(session);
	session_for_each_row (session, row)
		row_subtract_overhead(session, row);
	correct_parts(session);
}
