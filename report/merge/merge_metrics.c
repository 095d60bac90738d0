/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/metrics/metric_values.h"
#include "report/session/session_internal.h"
#include "report/session/session_nvtx.h"

struct metric_key {
	uint64_t row, name; /* offsets in the merged profile */
};

struct merged_metric {
	struct metric_key key;
	struct metric_values *values;
	UT_hash_handle hh;
};

static struct metric_values *find_metric(struct merge_metrics *metrics, const struct session *from,
					 const struct metric_values *added, const struct row *row)
{
	struct session *session = metrics->rows->session;
	const char *name = session_string(from, added->name);
	const struct metric_key key = {session_offset(session, row), session_intern(session, name)};
	struct merged_metric *merged;

	HASH_FIND(hh, metrics->metrics, &key, sizeof(key), merged);
	if (merged)
		return merged->values;
	merged = calloc(1, sizeof(*merged));
	if (!merged)
		return NULL;
	merged->key = key;
	merged->values = session_add_metric(session, row, name,
					    session_string(from, added->description), added->unit);
	if (merged->values)
		HASH_ADD(hh, metrics->metrics, key, sizeof(merged->key), merged);
	if (merged->values && merged->hh.tbl)
		return merged->values;
	free(merged);
	return NULL;
}

int merge_metrics_add(struct merge_metrics *metrics, const struct session *from)
{
	const struct metric_values *added;

	session_for_each_metric(from, added)
	{
		const struct row *row =
			merge_rows_sum(metrics->rows, from, session_row_at(from, added->row));
		struct metric_values *to = row ? find_metric(metrics, from, added, row) : NULL;

		if (!to)
			return -ENOMEM;
		if (added->count && (!to->count || added->minimum < to->minimum))
			to->minimum = added->minimum;
		if (added->count && (!to->count || added->maximum > to->maximum))
			to->maximum = added->maximum;
		to->total += added->total;
		to->count += added->count;
	}
	return 0;
}

void merge_metrics_free(struct merge_metrics *metrics)
{
	struct merged_metric *metric, *next;

	HASH_ITER (hh, metrics->metrics, metric, next) {
		HASH_DEL(metrics->metrics, metric);
		free(metric);
	}
}
