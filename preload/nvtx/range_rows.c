/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/range_rows.h"

#include <stdlib.h>
#include <uthash.h>

#include "preload/nvtx/names.h"
#include "preload/nvtx/paths.h"
#include "preload/nvtx/started.h"

/* Ranges of a session: beyond half of them the threads are not told apart. Parts of rows in them.
 * 1.5 MiB and 4 MiB when they are full. Chosen. */
#define MOST_RANGES 16384u
#define MOST_PARTS  65536u
struct range_key {
	uint32_t thread;
	uint32_t path;
};

struct range_entry {
	struct range_key key;
	struct nvtx_range *range;
	UT_hash_handle hh;
};

struct part_key {
	const struct nvtx_range *range;
	const struct row *row;
};

struct part_entry {
	struct part_key key;
	struct nvtx_part *part;
	UT_hash_handle hh;
};

static struct session *session;
static struct range_entry *ranges;
static struct part_entry *parts;

void range_rows_start(struct session *the_session)
{
	session = the_session;
}

static uint64_t offset_of(const void *item)
{
	const void *base;
	size_t size;

	session_range(session, &base, &size);
	return (uint64_t)((const char *)item - (const char *)base);
}

struct nvtx_range *range_rows_find(uint32_t thread, uint16_t path)
{
	struct range_key key = {.thread = thread, .path = path};
	struct range_path parts_of_path = paths_of(path);
	struct range_name name = names_of(parts_of_path.name);
	const struct nvtx_range *parent = NULL;
	struct range_entry *entry = NULL;

	HASH_FIND(hh, ranges, &key, sizeof(key), entry);
	if (entry)
		return entry->range;
	if (HASH_COUNT(ranges) >= MOST_RANGES)
		return NULL;
	if (parts_of_path.parent != PATHS_OUTSIDE) {
		parent = range_rows_find(thread, parts_of_path.parent);
		if (!parent)
			return NULL;
	}
	entry = malloc(sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = key;
	entry->range = session_add_nvtx_range(
		session,
		&(struct nvtx_range){
			.style = parts_of_path.style,
			.parent = parent ? offset_of(parent) : 0,
			.name = session_intern(session, name.text),
			.domain = session_intern(session, names_domain_text(name.domain)),
			.thread = parts_of_path.style == RANGE_START_END ? started_thread(path)
									 : thread,
		});
	if (!entry->range) {
		free(entry);
		return NULL;
	}
	HASH_ADD(hh, ranges, key, sizeof(key), entry);
	return entry->hh.tbl ? entry->range : NULL;
}

struct nvtx_range *range_rows_on(uint32_t thread, uint16_t path)
{
	struct range_key key = {.thread = thread, .path = path};
	struct range_entry *entry = NULL;
	struct nvtx_range *range;

	if (path == PATHS_OUTSIDE || path == PATHS_UNKNOWN)
		return NULL;
	HASH_FIND(hh, ranges, &key, sizeof(key), entry);
	if (entry)
		return entry->range;
	range = range_rows_find(HASH_COUNT(ranges) < MOST_RANGES / 2 ? thread : 0, path);
	session_count(session, COUNTER_ranges_lost, !range);
	return range;
}

/* Its place in the file, counted in the distance that ranges have at least: beyond 256 GiB there is
 * none. */
uint32_t range_rows_number(const struct nvtx_range *range)
{
	uint64_t number = range ? offset_of(range) / _Alignof(struct nvtx_range) : 0;

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

struct nvtx_range *range_rows_numbered(uint32_t number)
{
	const void *base;
	size_t size;

	session_range(session, &base, &size);
	return number ? (struct nvtx_range *)((char *)(uintptr_t)base +
					      (uint64_t)number * _Alignof(struct nvtx_range))
		      : NULL;
}

void range_rows_end(struct nvtx_range *range, uint16_t path, const struct range_time *time)
{
	struct range_name name = names_of(paths_of(path).name);
	struct trace_record record = {
		.start = time->start,
		.end = time->end,
		.device = -1,
		.kind = ROW_RANGE,
		.correlation = time->id,
		.thread = time->thread,
		.result = paths_of(path).style,
	};

	range->calls++;
	range->total += time->duration;
	if (time->duration < range->minimum)
		range->minimum = time->duration;
	if (time->duration > range->maximum)
		range->maximum = time->duration;
	session_count(session, COUNTER_ranges, 1);
	if (session_header(session)->trace_on == TRACE_GROWS) {
		record.name = session_intern(session, name.text);
		record.kernel = session_intern(session, names_domain_text(name.domain));
		session_trace(session, &record);
	}
}

static struct nvtx_part *part_of(const struct nvtx_range *range, const struct row *row)
{
	struct part_key key = {.range = range, .row = row};
	struct part_entry *entry = NULL;

	HASH_FIND(hh, parts, &key, sizeof(key), entry);
	if (entry)
		return entry->part;
	entry = HASH_COUNT(parts) < MOST_PARTS ? malloc(sizeof(*entry)) : NULL;
	if (!entry)
		return NULL;
	entry->key = key;
	entry->part = session_add_nvtx_part(session, range, row);
	if (!entry->part) {
		free(entry);
		return NULL;
	}
	HASH_ADD(hh, parts, key, sizeof(key), entry);
	return entry->hh.tbl ? entry->part : NULL;
}

void range_rows_add_untimed(const struct nvtx_range *range, const struct row *row)
{
	struct nvtx_part *part = range && row ? part_of(range, row) : NULL;

	if (part)
		part->untimed++;
	else
		session_count(session, COUNTER_ranges_lost, 1);
}

void range_rows_add(const struct nvtx_range *range, const struct row *row, uint64_t nanoseconds,
		    double weight, enum clock_source clock)
{
	struct nvtx_part *part = range && row ? part_of(range, row) : NULL;

	if (!part) {
		session_count(session, COUNTER_ranges_lost, 1);
		return;
	}
	part->calls += weight;
	part->event_calls += clock == CLOCK_EVENTS ? weight : 0;
	part->total += (uint64_t)((double)nanoseconds * weight + 0.5);
	part->estimated |= weight != 1;
	if (nanoseconds < part->minimum)
		part->minimum = nanoseconds;
	if (nanoseconds > part->maximum)
		part->maximum = nanoseconds;
}
