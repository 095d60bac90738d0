/* SPDX-License-Identifier: MIT */
#include "report/session/metric_values.h"

#include <stddef.h>

#include "report/session/session_internal.h"
#include "report/session/session_nvtx.h"

struct metric_values *session_add_metric(struct session *session, const struct row *row,
					 const char *name, const char *description, uint32_t unit)
{
	uint64_t name_offset = session_intern(session, name);
	uint64_t description_offset = session_intern(session, description);
	struct metric_values *added;

	added = name_offset ? items_reserve(session, SEGMENT_METRICS, sizeof(*added)) : NULL;
	if (!added)
		return NULL;
	*added = (struct metric_values){
		.unit = unit,
		.row = session_offset(session, row),
		.name = name_offset,
		.description = description_offset,
	};
	__atomic_store_n(&added->committed, 1, __ATOMIC_RELEASE);
	items_publish(session, SEGMENT_METRICS, sizeof(*added));
	return added;
}

const struct metric_values *session_next_metric(const struct session *session,
						const struct metric_values *previous)
{
	const struct metric_values *metric =
		item_next(session, SEGMENT_METRICS, sizeof(*metric), previous);

	while (metric && (!__atomic_load_n(&metric->committed, __ATOMIC_ACQUIRE) ||
			  !session_row_at(session, metric->row)))
		metric = item_next(session, SEGMENT_METRICS, sizeof(*metric), metric);
	return metric;
}
