/* SPDX-License-Identifier: MIT */
/* Taking the bias of event pairs off a session's rows. */
#include "report/session/estimate.h"

/* A histogram's buckets are moved by the bias as a whole. */
static void move_histogram(struct histogram *histogram, uint64_t bias)
{
	struct histogram moved = {{0}};

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;

		if (histogram->buckets[i])
			moved.buckets[histogram_bucket(middle > bias ? middle - bias : 0)] +=
				histogram->buckets[i];
	}
	*histogram = moved;
}

static void correct(const struct session *session, struct figures *figures, uint64_t bias)
{
	struct histogram *histogram = session_histogram(session, figures->histogram);
	double total = (double)figures->total;

	if (!figures->count)
		return;
	figures->squares += (double)bias * ((double)bias * (double)figures->count - 2 * total);
	figures->total -=
		bias * figures->count < figures->total ? bias * figures->count : figures->total;
	figures->minimum -= bias < figures->minimum ? bias : figures->minimum;
	figures->maximum -= bias < figures->maximum ? bias : figures->maximum;
	if (histogram)
		move_histogram(histogram, bias);
}

void session_take_biases_off(struct session *session)
{
	const struct session_header *header = session_header(session);
	struct row *row;

	session_for_each_row (session, row) {
		/* Read once: the file may change while it is read. */
		uint32_t kind = __atomic_load_n(&row->bias, __ATOMIC_RELAXED);
		uint64_t bias = kind < BIAS_KINDS ? header->biases[kind].ns : 0;

		/* Pairs that hold the host's work have no bias that could be told apart. */
		if (!row_is_gpu(row->kind) || row->host_included)
			continue;
		if (row->checked == 0) {
			row->checked = row->checked_starved = row->starved;
			row->checked_cupti = row->starved_cupti;
			row->checked_raw = row->starved_raw;
		}
		correct(session, &row->events, bias);
		estimate_take_off(&row->estimate, (double)bias);
		if (kind < BIAS_KINDS && bias > 0)
			row->estimate.doubt = (double)header->biases[kind].doubt;
		row->checked_events = row->checked_raw > bias * row->checked
					      ? row->checked_raw - bias * row->checked
					      : 0;
	}
}
