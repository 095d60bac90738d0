/* SPDX-License-Identifier: MIT */
/* The items of a profile: adding one, and reading those that can be shown. */
#include <stdlib.h>
#include <string.h>

#include "report/session/layout.h"
#include "report/session/items.h"
#include "report/session/session_internal.h"

static const char *const keys[] = {
#define ALLOCATION_KEY(name, key, text) key,
	ALLOCATION_KINDS(ALLOCATION_KEY)
#undef ALLOCATION_KEY
};

static const char *const texts[] = {
#define ALLOCATION_TEXT(name, key, text) text,
	ALLOCATION_KINDS(ALLOCATION_TEXT)
#undef ALLOCATION_TEXT
};

const char *allocation_key(uint32_t kind)
{
	return kind < ALLOCATION_KIND_COUNT ? keys[kind] : "unknown";
}

const char *allocation_text(uint32_t kind)
{
	return kind < ALLOCATION_KIND_COUNT ? texts[kind] : "unknown";
}

static uint32_t is_committed(const void *item)
{
	return __atomic_load_n((const uint32_t *)item, __ATOMIC_ACQUIRE);
}

/* Each kind of item begins with `committed`, which is stored last. */
void *session_add_item(struct session *session, enum segment_kind kind, const void *item)
{
	const uint32_t size = item_size(kind);
	uint32_t *added = items_reserve(session, kind, size);

	if (!added)
		return NULL;
	memcpy(added, item, size);
	__atomic_store_n(added, 1, __ATOMIC_RELEASE);
	items_publish(session, kind, size);
	return added;
}

struct nvtx_part *session_add_nvtx_part(struct session *session, const struct nvtx_range *range,
					const struct row *row)
{
	return session_add_item(session, SEGMENT_RANGE_PARTS,
				&(struct nvtx_part){.range = session_offset(session, range),
						    .row = session_offset(session, row)});
}

struct metric_values *session_add_metric(struct session *session, const struct row *row,
					 const char *name, const char *description, uint32_t unit)
{
	const struct metric_values added = {
		.unit = unit,
		.row = session_offset(session, row),
		.name = session_intern(session, name),
		.description = session_intern(session, description),
	};

	return added.name ? session_add_item(session, SEGMENT_METRICS, &added) : NULL;
}

/* The item at an offset, if one of the kind is there. */
static const void *at(const struct session *session, uint64_t offset, enum segment_kind kind)
{
	const size_t alignment = kind == SEGMENT_ROWS ? _Alignof(struct row) : 64;

	return offset % alignment ? NULL : item_at(session, offset, kind, item_size(kind));
}

const struct job_process *session_process_at(const struct session *session, uint64_t offset)
{
	const struct job_process *process = at(session, offset, SEGMENT_PROCESSES);

	return process && is_committed(process) ? process : NULL;
}

const struct nvtx_range *session_nvtx_range_at(const struct session *session, uint64_t offset)
{
	return at(session, offset, SEGMENT_RANGES);
}

const struct row *session_row_at(const struct session *session, uint64_t offset)
{
	const struct row *row = at(session, offset, SEGMENT_ROWS);

	return row && row->kind < ROW_KINDS ? row : NULL;
}

/* In a damaged file the members may be anything. */
static bool is_place(uint32_t kind, int32_t device)
{
	return kind < ALLOCATION_KIND_COUNT && device >= -1 && device < SESSION_DEVICES;
}

/* In a damaged file a range could be inside of itself; those that are shown come after the range
 * that they are in. */
static bool is_sound_range(const struct session *session, const struct nvtx_range *range)
{
	return range->style <= RANGE_START_END &&
	       (!range->parent || (session_nvtx_range_at(session, range->parent) &&
				   range->parent < session_offset(session, range)));
}

/* Whether what an item refers to is there. */
static bool is_sound(const struct session *session, enum segment_kind kind, const void *item)
{
	const struct nvtx_part *nvtx_part = item;
	const struct memory_use *use = item;
	const struct memory_site *site = item;
	const struct idle_row *idle = item;
	const struct job_row *row = item;
	const struct job_part *part = item;
	const struct metric_values *metric = item;

	switch (kind) {
	case SEGMENT_ROWS:
		/* One whose name came after the file was opened cannot be shown. */
		return ((const struct row *)item)->kind < ROW_KINDS &&
		       *session_string(session, ((const struct row *)item)->name);
	case SEGMENT_RANGES:
		return is_sound_range(session, item);
	case SEGMENT_RANGE_PARTS:
		return session_nvtx_range_at(session, nvtx_part->range) &&
		       session_row_at(session, nvtx_part->row);
	case SEGMENT_MEMORY:
		return is_place(use->kind, use->device);
	case SEGMENT_MEMORY_SITES:
		return is_place(site->kind, site->device);
	case SEGMENT_IDLE:
		return idle->cause < IDLE_CAUSE_COUNT && idle->device >= 0 &&
		       idle->device < SESSION_DEVICES;
	case SEGMENT_JOB_ROWS:
		return row->kind < ROW_KINDS && row->processes &&
		       *session_string(session, row->name) &&
		       session_process_at(session, row->slowest);
	case SEGMENT_JOB_PARTS:
		return session_process_at(session, part->process) &&
		       at(session, part->row, SEGMENT_JOB_ROWS);
	case SEGMENT_METRICS:
		return session_row_at(session, metric->row);
	default:
		return true;
	}
}

void *session_next_item(const struct session *session, enum segment_kind kind, const void *previous)
{
	void *item = (void *)previous;

	do {
		item = item_next(session, kind, item_size(kind), item);
	} while (item && (!is_committed(item) || !is_sound(session, kind, item)));
	return item;
}

void *session_items(const struct session *session, enum segment_kind kind, size_t *count)
{
	const void *item, **items;
	size_t all = 0;

	*count = 0;
	session_for_each_item(session, kind, item) all++;
	items = calloc(all + 1, sizeof(*items));
	/* Some may come while they are listed. */
	session_for_each_item(session, kind, item) if (items && *count < all) items[(*count)++] =
		item;
	return items;
}
