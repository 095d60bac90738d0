/* SPDX-License-Identifier: MIT */
#include "report/merge/row_sum.h"

#include "report/print/table.h"
#include "report/session/session_internal.h"

static void merge_shapes(struct row *to, const struct row *from)
{
	for (unsigned i = 0; i < ROW_SHAPES && from->shapes[i].threads; i++) {
		const struct launch_shape *added = &from->shapes[i];

		for (unsigned j = 0; j < ROW_SHAPES; j++) {
			struct launch_shape *shape = &to->shapes[j];

			if (!shape->threads) {
				*shape = *added;
				break;
			}
			if (shape->threads == added->threads &&
			    shape->registers == added->registers &&
			    shape->shared == added->shared) {
				shape->launches += added->launches;
				shape->blocks += added->blocks;
				break;
			}
		}
	}
}

static double rate(const struct sized_call *call)
{
	return call->ns ? (double)call->size / (double)call->ns : 0;
}

void row_sum_figures(struct session *session, struct figures *to, const struct session *source,
		     const struct figures *from)
{
	const struct histogram *histogram = session_histogram(source, from->histogram);
	struct histogram *sum = histogram ? session_make_histogram(session, &to->histogram) : NULL;

	if (sum)
		histogram_merge(sum, histogram);
	if (from->count && (!to->count || from->minimum < to->minimum))
		to->minimum = from->minimum;
	if (from->maximum > to->maximum)
		to->maximum = from->maximum;
	to->count += from->count;
	to->total += from->total;
	to->squares += from->squares;
	to->size += from->size;
	if (from->slowest.size && (!to->slowest.size || rate(&from->slowest) < rate(&to->slowest)))
		to->slowest = from->slowest;
	if (from->fastest.size && (!to->fastest.size || rate(&from->fastest) > rate(&to->fastest)))
		to->fastest = from->fastest;
}

/* What both clocks say of the same calls. */
static void merge_checks(struct session *session, struct row *to, const struct session *source,
			 const struct row *from)
{
	const struct histogram *differences = session_histogram(source, from->difference_histogram);
	struct histogram *sum =
		differences ? session_make_histogram(session, &to->difference_histogram) : NULL;

	if (sum)
		histogram_merge(sum, differences);
	to->checked += from->checked;
	to->checked_cupti += from->checked_cupti;
	to->checked_raw += from->checked_raw;
	to->checked_events += from->checked_events;
	to->checked_overlapped += from->checked_overlapped;
	to->waited += from->waited;
	to->unmatched += from->unmatched;
}

static void merge_counts(struct row *to, const struct row *from, enum clock_source clock)
{
	/* Both together are row_calls(). */
	to->calls += row_calls(from) - from->node_calls;
	to->node_calls += from->node_calls;
	to->node_calls_estimated += from->node_calls_estimated;
	to->calls_outside += from->calls_outside;
	to->failed += from->failed;
	to->bytes += from->bytes;
	to->bytes_squares += from->bytes_squares;
	if (from->bytes_minimum < to->bytes_minimum)
		to->bytes_minimum = from->bytes_minimum;
	if (from->bytes_maximum > to->bytes_maximum)
		to->bytes_maximum = from->bytes_maximum;
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		to->untimed[i] += from->untimed[i];
	to->graph_records += from->graph_records;
	to->host_included += from->host_included;
	to->nodes = from->nodes;
	to->overhead = from->overhead;
	to->more_calls |= from->more_calls;
	if (clock == CLOCK_EVENTS) {
		to->gated += from->gated;
		to->may_wait += from->may_wait;
		to->beside += from->beside;
		to->queued += from->queued;
	}
}

void row_sum_counts(struct session *session, struct row *to, const struct session *source,
		    const struct row *from, enum clock_source clock)
{
	const char *kernels = session_string(source, from->kernels_listed);

	merge_counts(to, from, clock);
	merge_shapes(to, from);
	merge_checks(session, to, source, from);
	if (*kernels && !to->kernels_listed)
		to->kernels_listed = session_intern(session, kernels);
}
