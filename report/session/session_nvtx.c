/* SPDX-License-Identifier: MIT */
#include "report/session/session_nvtx.h"

#include <stddef.h>

#include "report/session/session_internal.h"

struct nvtx_range *session_add_nvtx_range(struct session *session, const struct nvtx_range *range)
{
	struct nvtx_range *added = items_reserve(session, SEGMENT_RANGES, sizeof(*added));

	if (!added)
		return NULL;
	*added = *range;
	added->minimum = UINT64_MAX;
	__atomic_store_n(&added->committed, 1, __ATOMIC_RELEASE);
	items_publish(session, SEGMENT_RANGES, sizeof(*added));
	return added;
}

struct nvtx_part *session_add_nvtx_part(struct session *session, const struct nvtx_range *range,
					const struct row *row)
{
	struct nvtx_part *part = items_reserve(session, SEGMENT_RANGE_PARTS, sizeof(*part));

	if (!part)
		return NULL;
	part->range = session_offset(session, range);
	part->row = session_offset(session, row);
	part->minimum = UINT64_MAX;
	__atomic_store_n(&part->committed, 1, __ATOMIC_RELEASE);
	items_publish(session, SEGMENT_RANGE_PARTS, sizeof(*part));
	return part;
}

const struct nvtx_range *session_nvtx_range_at(const struct session *session, uint64_t offset)
{
	if (offset % _Alignof(struct nvtx_range))
		return NULL;
	return item_at(session, offset, SEGMENT_RANGES, sizeof(struct nvtx_range));
}

const struct row *session_row_at(const struct session *session, uint64_t offset)
{
	const struct row *row = offset % _Alignof(struct row)
					? NULL
					: item_at(session, offset, SEGMENT_ROWS, sizeof(*row));

	return row && row->kind < ROW_KINDS ? row : NULL;
}

/* In a damaged file a range could be inside of itself; those that are shown come after the range
 * that they are in. */
static bool is_sound(const struct session *session, const struct nvtx_range *range)
{
	const struct nvtx_range *parent = session_nvtx_range_at(session, range->parent);

	return __atomic_load_n(&range->committed, __ATOMIC_ACQUIRE) &&
	       range->style <= RANGE_START_END &&
	       (!range->parent || (parent && range->parent < session_offset(session, range)));
}

const struct nvtx_range *session_next_nvtx_range(const struct session *session,
						 const struct nvtx_range *previous)
{
	const struct nvtx_range *range =
		item_next(session, SEGMENT_RANGES, sizeof(*range), previous);

	while (range && !is_sound(session, range))
		range = item_next(session, SEGMENT_RANGES, sizeof(*range), range);
	return range;
}

const struct nvtx_part *session_next_nvtx_part(const struct session *session,
					       const struct nvtx_part *previous)
{
	const struct nvtx_part *part =
		item_next(session, SEGMENT_RANGE_PARTS, sizeof(*part), previous);

	while (part && (!__atomic_load_n(&part->committed, __ATOMIC_ACQUIRE) ||
			!session_nvtx_range_at(session, part->range) ||
			!session_row_at(session, part->row)))
		part = item_next(session, SEGMENT_RANGE_PARTS, sizeof(*part), part);
	return part;
}
