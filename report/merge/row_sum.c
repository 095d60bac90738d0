/* SPDX-License-Identifier: MIT */
#include "report/merge/row_sum.h"

#include "report/print/table.h"
#include "report/session/figure_tables.h"
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
	figures_merge(figures_of(SCOPE_CLOCK), to, from);
	if (from->slowest.size && (!to->slowest.size || rate(&from->slowest) < rate(&to->slowest)))
		to->slowest = from->slowest;
	if (from->fastest.size && (!to->fastest.size || rate(&from->fastest) > rate(&to->fastest)))
		to->fastest = from->fastest;
}

/* What both clocks say of the same calls. */
static void merge_differences(struct session *session, struct row *to, const struct session *source,
			      const struct row *from)
{
	const struct histogram *differences = session_histogram(source, from->difference_histogram);
	struct histogram *sum =
		differences ? session_make_histogram(session, &to->difference_histogram) : NULL;

	if (sum)
		histogram_merge(sum, differences);
}

static void merge_counts(struct row *to, const struct row *from, enum clock_source clock)
{
	struct row part = *from;

	/* Both together are row_calls(). */
	part.calls = row_calls(from) - from->node_calls;
	if (clock != CLOCK_EVENTS)
		part.gated = part.may_wait = part.beside = part.queued = 0;
	figures_merge(figures_of(SCOPE_ROW), to, &part);
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		to->untimed[i] += from->untimed[i];
}

void row_sum_counts(struct session *session, struct row *to, const struct session *source,
		    const struct row *from, enum clock_source clock)
{
	const char *kernels = session_string(source, from->kernels_listed);

	merge_counts(to, from, clock);
	merge_shapes(to, from);
	merge_differences(session, to, source, from);
	if (*kernels && !to->kernels_listed)
		to->kernels_listed = session_intern(session, kernels);
}
