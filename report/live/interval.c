/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <errno.h>
#include <string.h>

#include "report/session/estimate.h"
#include "report/session/layout.h"
#include "report/session/items.h"

static double less_real(double now, double before)
{
	return now > before ? now - before : 0;
}

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

		missing = more != 0 ? added_since(earlier, now->buckets[bucket]) : 0;
		now->buckets[bucket] = (uint32_t)added_since(now->buckets[bucket], earlier);
	}
}

static void subtract_figures(const struct session *session, struct figures *now,
			     const struct session *earlier, const struct figures *before,
			     double more)
{
	struct histogram *histogram = session_histogram(session, now->histogram);
	const struct histogram *old = session_histogram(earlier, before->histogram);

	figures_subtract(figures_of(SCOPE_CLOCK), now, before);
	if (now->count == 0) {
		now->known = 0;
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
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++)
		figures_subtract(figures_of(SCOPE_STRATUM), &now->strata[i], &before.strata[i]);
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
	double total = now->windows_total;
	double error = figure_get(now->windows_error, now->known, ERROR_KNOWN);

	if (before->known & TOTAL_KNOWN) {
		total = less_real(total, before->windows_total);
	} else if (recorded > 0) {
		total = less_real(total, (double)before->cupti.total * earlier / recorded);
	} else if (all > 0) {
		total *= less_real(1, earlier / all);
		error *= less_real(1, earlier / all);
	}
	row_set_windows(now, total, error);
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
	figures_subtract(figures_of(SCOPE_ROW), now, before);
	subtract_figures(session, &now->cupti, earlier, &before->cupti, 0);
	subtract_figures(session, &now->events, earlier, &before->events, more);
	subtract_estimate(&now->estimate, &before->estimate);
}

static int subtract_rows(struct session *session, const struct session *earlier)
{
	struct row *now = NULL, *before;

	session_for_each_row (earlier, before) {
		now = session_next_row(session, now);
		/* A profile only grows, so that what was in it before is where it was. */
		if (!now || now->kind != before->kind || now->device != before->device ||
		    strcmp(session_string(session, now->name),
			   session_string(earlier, before->name)) != 0)
			return -EINVAL;
		subtract_row(session, now, earlier, before);
	}
	return 0;
}

/* Items of which a profile only gets more, in the same order. */
static void subtract_items(const struct session *session, const struct session *earlier,
			   enum segment_kind kind, enum figure_scope scope)
{
	void *now = NULL, *before = NULL;

	while ((before = session_next_item(earlier, kind, before)) &&
	       (now = session_next_item(session, kind, now)))
		figures_subtract(figures_of(scope), now, before);
}

static void subtract_energy(struct device_energy *now, const struct device_energy *before)
{
	figures_subtract(figures_of(SCOPE_ENERGY), now, before);
	figures_subtract(figures_of(SCOPE_CLOCK_RANGE), &now->sm, &before->sm);
	figures_subtract(figures_of(SCOPE_CLOCK_RANGE), &now->memory, &before->memory);
}

static void subtract_header(struct session_header *now, const struct session_header *before)
{
	now->start_realtime += before->counters[COUNTER_wall_ns];
	figures_subtract(figures_of(SCOPE_RUN), now->counters, before->counters);
	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		struct device_use *use = &now->uses[i];
		const struct device_use *old = &before->uses[i];

		if (old->last && use->last == old->last)
			memset(use, 0, sizeof(*use));
		else if (old->last)
			use->first = old->last;
		figures_subtract(figures_of(SCOPE_USE), use, old);
		subtract_energy(&now->devices[i].energy, &before->devices[i].energy);
	}
	figures_subtract(figures_of(SCOPE_TOTALS), &now->totals, &before->totals);
}

int interval_subtract(struct session *session, const struct session *earlier)
{
	struct session_header *now = session_header(session);
	const struct session_header *before = session_header(earlier);
	struct energy_curve *curve = NULL;
	int error;

	if (now->pid != before->pid || now->start_realtime != before->start_realtime ||
	    now->counters[COUNTER_wall_ns] < before->counters[COUNTER_wall_ns])
		return -EINVAL;
	error = subtract_rows(session, earlier);
	if (error)
		return error;
	subtract_items(session, earlier, SEGMENT_IDLE, SCOPE_IDLE);
	subtract_items(session, earlier, SEGMENT_RANGES, SCOPE_RANGE);
	subtract_items(session, earlier, SEGMENT_RANGE_PARTS, SCOPE_PART);
	subtract_items(session, earlier, SEGMENT_MEMORY, SCOPE_MEMORY);
	subtract_items(session, earlier, SEGMENT_MEMORY_SITES, SCOPE_SITE);
	/* What a device used over time is the run's. */
	while ((curve = session_next_item(session, SEGMENT_ENERGY, curve)))
		curve->length = 0;
	subtract_header(now, before);
	return 0;
}

int interval_write(struct session *session, enum run_part part, FILE *file)
{
	struct session_header *header = session_header(session);

	/* The event-pair overhead was taken off when it was opened. Nobody writes to it. */
	header->finished = part;
	header->reported = header->kept = 1;
	memset(&header->owner, 0, sizeof(header->owner));
	return session_save(session, file) ? 0 : -errno;
}
