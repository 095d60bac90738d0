/* SPDX-License-Identifier: MIT */
#include "report/live/interval.h"

#include <errno.h>
#include <string.h>

#include "report/memory/memory_use.h"
#include "report/session/estimate.h"
#include "report/session/session_nvtx.h"
#include "report/session/session_overhead.h"

static uint64_t less(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static double less_real(double now, double before)
{
	return now > before ? now - before : 0;
}

#define TAKE_OFF(now, before, field)	  (now)->field = less((now)->field, (before)->field)
#define TAKE_OFF_REAL(now, before, field) (now)->field = less_real((now)->field, (before)->field)

static uint64_t within(uint64_t value, uint64_t minimum, uint64_t maximum)
{
	if (value < minimum)
		return minimum;
	return value < maximum ? value : maximum;
}

/*
 * What the histogram says of the smallest and the largest time, within those of the run: where an
 * overhead was taken off, buckets were moved as a whole, and may lie outside of these.
 */
static void limit_times(struct figures *figures, const struct histogram *histogram)
{
	const uint64_t least = figures->minimum, most = figures->maximum;
	uint64_t minimum = UINT64_MAX, maximum = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->buckets[i])
			continue;
		if (minimum == UINT64_MAX)
			minimum = histogram_bucket_low(i);
		maximum = histogram_bucket_high(i) - 1;
	}
	if (minimum == UINT64_MAX)
		return;
	figures->minimum = within(minimum, least, most);
	figures->maximum = within(maximum, least, most);
}

/*
 * The same calls are in other buckets by now if another overhead was taken off them, as the part of
 * queued ones changed: in lower ones if it is `more`, in higher ones if that is negative. Calls
 * that a bucket lacks are taken out of the next ones that way.
 */
static void subtract_histogram(struct histogram *now, const struct histogram *before, double more)
{
	uint64_t missing = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		unsigned bucket = more > 0 ? HISTOGRAM_BUCKETS - 1 - i : i;
		uint64_t earlier = before->buckets[bucket] + missing;

		missing = more != 0 ? less(earlier, now->buckets[bucket]) : 0;
		now->buckets[bucket] = (uint32_t)less(now->buckets[bucket], earlier);
	}
}

static void subtract_figures(const struct session *session, struct figures *now,
			     const struct session *earlier, const struct figures *before,
			     double more)
{
	struct histogram *histogram = session_histogram(session, now->histogram);
	const struct histogram *old = session_histogram(earlier, before->histogram);

	TAKE_OFF(now, before, count);
	TAKE_OFF(now, before, total);
	TAKE_OFF(now, before, size);
	TAKE_OFF_REAL(now, before, squares);
	if (now->count == 0) {
		now->minimum = UINT64_MAX;
		now->maximum = 0;
	}
	if (histogram && old)
		subtract_histogram(histogram, old, more);
	if (histogram && old && now->count > 0)
		limit_times(now, histogram);
}

static void subtract_estimate(struct estimate *now, const struct estimate *earlier)
{
	struct estimate before = *earlier;

	/* A damaged file may say any shift; by 63 all stretches are one. */
	while (!now->by_size && before.shift < now->shift && before.shift < 63)
		estimate_halve(&before);
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], calls);
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], drawn);
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], weight);
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], weight_squares);
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], total);
		TAKE_OFF_REAL(&now->strata[i], &before.strata[i], squares);
		TAKE_OFF(&now->strata[i], &before.strata[i], timed);
	}
	now->cubes -= before.cubes;
}

/*
 * The time of all calls, where a part was recorded. There is none in the earlier profile if all or
 * nothing had been recorded until then. In the second case those calls were taken to be like the
 * later ones, of which this leaves their part.
 */
static void subtract_windows(struct row *now, const struct row *before)
{
	const double earlier = (double)(before->calls + before->node_calls);
	const double all = (double)(now->calls + now->node_calls);
	const double recorded = (double)before->cupti.count;

	if (before->windows_total > 0) {
		TAKE_OFF_REAL(now, before, windows_total);
	} else if (recorded > 0) {
		now->windows_total = less_real(now->windows_total,
					       (double)before->cupti.total * earlier / recorded);
	} else if (all > 0) {
		now->windows_total *= less_real(1, earlier / all);
		now->windows_error *= less_real(1, earlier / all);
	}
}

/* ns, of each event time. */
static double taken_off(const struct session *session, const struct row *row)
{
	return row->host_included ? 0 : row_overhead(session_header(session), row);
}

static void subtract_row(const struct session *session, struct row *now,
			 const struct session *earlier, const struct row *before)
{
	double more = taken_off(session, now) - taken_off(earlier, before);

	subtract_windows(now, before);
	TAKE_OFF(now, before, calls);
	TAKE_OFF(now, before, calls_outside);
	TAKE_OFF(now, before, failed);
	TAKE_OFF(now, before, bytes);
	TAKE_OFF_REAL(now, before, bytes_squares);
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		TAKE_OFF(now, before, untimed[i]);
	subtract_figures(session, &now->cupti, earlier, &before->cupti, 0);
	subtract_figures(session, &now->events, earlier, &before->events, more);
	subtract_estimate(&now->estimate, &before->estimate);
	TAKE_OFF(now, before, gated);
	TAKE_OFF(now, before, may_wait);
	TAKE_OFF(now, before, beside);
	TAKE_OFF(now, before, queued);
	TAKE_OFF(now, before, checked);
	TAKE_OFF(now, before, checked_cupti);
	TAKE_OFF(now, before, checked_raw);
	TAKE_OFF(now, before, checked_events);
	TAKE_OFF(now, before, checked_overlapped);
	TAKE_OFF(now, before, waited);
	TAKE_OFF(now, before, unmatched);
	TAKE_OFF(now, before, graph_records);
	TAKE_OFF(now, before, node_calls);
	TAKE_OFF(now, before, node_calls_estimated);
	TAKE_OFF(now, before, host_included);
}

/* A profile only grows, so that what was in it before is where it was. */
static bool is_same(const struct session *session, const struct row *now,
		    const struct session *earlier, const struct row *before)
{
	return now && now->kind == before->kind && now->device == before->device &&
	       strcmp(session_string(session, now->name), session_string(earlier, before->name)) ==
		       0;
}

static int subtract_rows(struct session *session, const struct session *earlier)
{
	struct row *now = NULL, *before;

	session_for_each_row (earlier, before) {
		now = session_next_row(session, now);
		if (!is_same(session, now, earlier, before))
			return -EINVAL;
		subtract_row(session, now, earlier, before);
	}
	return 0;
}

static void subtract_idle(const struct session *session, const struct session *earlier)
{
	struct idle_row *now = NULL, *before;

	session_for_each_idle (earlier, before) {
		now = session_next_idle(session, now);
		if (!now)
			return;
		TAKE_OFF(now, before, gaps);
		TAKE_OFF(now, before, total);
	}
}

static void subtract_ranges(const struct session *session, const struct session *earlier)
{
	const struct nvtx_range *old_range;
	const struct nvtx_part *old_part;
	struct nvtx_range *range = NULL;
	struct nvtx_part *part = NULL;

	session_for_each_nvtx_range (earlier, old_range) {
		range = (struct nvtx_range *)session_next_nvtx_range(session, range);
		if (!range)
			return;
		TAKE_OFF(range, old_range, calls);
		TAKE_OFF(range, old_range, total);
	}
	session_for_each_nvtx_part (earlier, old_part) {
		part = (struct nvtx_part *)session_next_nvtx_part(session, part);
		if (!part)
			return;
		TAKE_OFF_REAL(part, old_part, calls);
		TAKE_OFF_REAL(part, old_part, event_calls);
		TAKE_OFF_REAL(part, old_part, untimed);
		TAKE_OFF(part, old_part, total);
	}
}

/* What is held, and the peaks, are those of the run. */
static void subtract_memory(const struct session *session, const struct session *earlier)
{
	const struct memory_site *old_site;
	const struct memory_use *old_use;
	struct memory_site *site = NULL;
	struct memory_use *use = NULL;

	session_for_each_memory_use(earlier, old_use)
	{
		use = (struct memory_use *)session_next_memory_use(session, use);
		if (!use)
			return;
		TAKE_OFF(use, old_use, allocations);
		TAKE_OFF(use, old_use, allocated);
		TAKE_OFF(use, old_use, frees);
	}
	session_for_each_memory_site(earlier, old_site)
	{
		site = (struct memory_site *)session_next_memory_site(session, site);
		if (!site)
			return;
		TAKE_OFF(site, old_site, allocations);
		TAKE_OFF(site, old_site, allocated);
	}
}

static void subtract_clock(struct clock_range *now, const struct clock_range *before)
{
	TAKE_OFF(now, before, samples);
	TAKE_OFF(now, before, sum);
}

/* The clocks' least and most stay those of the run. */
static void subtract_energy(struct device_energy *now, const struct device_energy *before)
{
	TAKE_OFF(now, before, duration);
	TAKE_OFF_REAL(now, before, joules);
	TAKE_OFF(now, before, samples);
	TAKE_OFF(now, before, idle);
	subtract_clock(&now->sm, &before->sm);
	subtract_clock(&now->memory, &before->memory);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		TAKE_OFF(now, before, reasons[i]);
}

static void subtract_header(struct session_header *now, const struct session_header *before)
{
	uint64_t *counters = now->counters;

	now->start_realtime += before->counters[COUNTER_wall_ns];
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		/* A trace is in it whole. */
		if (i != COUNTER_events_created && i != COUNTER_threads &&
		    i != COUNTER_memory_bytes && i != COUNTER_trace_records &&
		    i != COUNTER_trace_lost)
			counters[i] = less(counters[i], before->counters[i]);
	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		struct device_use *use = &now->uses[i];
		const struct device_use *old = &before->uses[i];

		if (old->last && use->last == old->last)
			memset(use, 0, sizeof(*use));
		else if (old->last)
			use->first = old->last;
		TAKE_OFF(use, old, excluded);
		TAKE_OFF(use, old, busy);
		TAKE_OFF(use, old, kernels);
		TAKE_OFF(use, old, copies);
		TAKE_OFF(use, old, late);
	}
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		subtract_energy(&now->devices[i].energy, &before->devices[i].energy);
	TAKE_OFF(&now->totals, &before->totals, pageable_calls);
	TAKE_OFF(&now->totals, &before->totals, pageable_ns);
	TAKE_OFF(&now->totals, &before->totals, synchronous_calls);
	TAKE_OFF(&now->totals, &before->totals, synchronous_ns);
	TAKE_OFF(&now->totals, &before->totals, waiting_calls);
	TAKE_OFF(&now->totals, &before->totals, waiting_ns);
	TAKE_OFF(&now->totals, &before->totals, memory_calls);
	TAKE_OFF(&now->totals, &before->totals, memory_ns);
}

int interval_subtract(struct session *session, const struct session *earlier)
{
	struct session_header *now = session_header(session);
	const struct session_header *before = session_header(earlier);
	int error;

	if (now->pid != before->pid || now->start_realtime != before->start_realtime ||
	    now->counters[COUNTER_wall_ns] < before->counters[COUNTER_wall_ns])
		return -EINVAL;
	error = subtract_rows(session, earlier);
	if (error)
		return error;
	subtract_idle(session, earlier);
	subtract_ranges(session, earlier);
	subtract_memory(session, earlier);
	subtract_header(now, before);
	return 0;
}

int interval_write(struct session *session, FILE *file)
{
	struct session_header *header = session_header(session);

	/* The event-pair overhead was taken off when it was opened. Nobody writes to it. */
	header->finished = header->reported = header->kept = 1;
	memset(&header->owner, 0, sizeof(header->owner));
	return session_save(session, file) ? 0 : -errno;
}
