/* SPDX-License-Identifier: MIT */
#include "preload/memory/memory_profile.h"

#include <string.h>

#include "preload/handles/operation.h"
#include "preload/memory/allocations.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/paths.h"

/* Bytes of a range's name with those around it. Chosen. */
#define RANGE_TEXT 1024u

static struct memory_sum sums[SESSION_DEVICES + 1][ALLOCATION_KIND_COUNT];
static struct memory_use *uses[SESSION_DEVICES + 1][ALLOCATION_KIND_COUNT];
static struct {
	struct site_sum sum;
	uint64_t at_peak, at_peak_count;
	struct memory_site *site;
} sites[MEMORY_SITES];
static size_t site_count;
static struct holdings_lost lost;

/* The lock is held for some 10 us if all sites are in use. */
static void copy(void)
{
	const struct site_sum *site;

	allocations_lock();
	for (int device = -1; device < SESSION_DEVICES; device++)
		for (unsigned kind = 0; kind < ALLOCATION_KIND_COUNT; kind++)
			sums[device + 1][kind] = *memory_sums_of(device, kind);
	for (site_count = 0; (site = memory_sums_site_at(site_count)); site_count++) {
		sites[site_count].sum = *site;
		memory_sums_at_peak(site, &sites[site_count].at_peak,
				    &sites[site_count].at_peak_count);
	}
	lost = holdings_lost();
	allocations_unlock();
}

static void update_use(struct session *session, const struct clock_scale *scale, int device,
		       unsigned kind)
{
	const struct memory_sum *sum = &sums[device + 1][kind];
	struct memory_use **use = &uses[device + 1][kind];

	if (!sum->allocations)
		return;
	if (!*use)
		*use = session_add_memory_use(session,
					      &(struct memory_use){.kind = kind, .device = device});
	if (!*use)
		return;
	if ((*use)->peak != sum->peak)
		(*use)->peak_time = clock_realtime_at(scale, sum->peak_ticks);
	(*use)->held = sum->held;
	(*use)->held_count = sum->held_count;
	(*use)->peak = sum->peak;
	(*use)->allocations = sum->allocations;
	(*use)->allocated = sum->allocated;
	(*use)->frees = sum->frees;
}

/* "outer/inner", cut in front where it is too long. */
static uint64_t range_text(struct session *session, uint16_t path)
{
	char text[RANGE_TEXT];
	size_t start = sizeof(text) - 1;

	text[start] = '\0';
	while (path != PATHS_OUTSIDE && path != PATHS_UNKNOWN) {
		const struct range_path range = paths_of(path);
		const char *name = names_of(range.name).text;
		bool last = text[start] == '\0';
		size_t length = strlen(name);

		if (length + 1 > start)
			break;
		if (!last)
			text[--start] = '/';
		start -= length;
		memcpy(text + start, name, length);
		path = range.parent;
	}
	return session_intern(session, text + start);
}

static void update_site(struct session *session, size_t index)
{
	const struct site_sum *sum = &sites[index].sum;
	struct memory_site **site = &sites[index].site;

	if (!*site) {
		const struct memory_site made = {
			.kind = sum->kind,
			.device = sum->device,
			.thread = sum->origin.thread,
			.size = sum->size,
			.range = range_text(session, sum->origin.range),
			.operation = session_intern(
				session, sum->origin.operation ? sum->origin.operation->name : ""),
		};

		*site = session_add_memory_site(session, &made);
	}
	if (!*site)
		return;
	(*site)->held = sum->held;
	(*site)->held_count = sum->held_count;
	(*site)->at_peak = sites[index].at_peak;
	(*site)->at_peak_count = sites[index].at_peak_count;
	(*site)->allocations = sum->allocations;
	(*site)->allocated = sum->allocated;
}

void memory_profile_update(struct session *session, const struct clock_scale *scale)
{
	static uint64_t seen;
	uint64_t version = allocations_version();
	uint64_t *counters = session_header(session)->counters;

	if (version == seen)
		return;
	seen = version;
	copy();
	for (int device = 0; device < SESSION_DEVICES; device++)
		for (unsigned kind = 0; kind < ALLOCATION_KIND_COUNT; kind++)
			update_use(session, scale, device, kind);
	for (unsigned kind = 0; kind < ALLOCATION_KIND_COUNT; kind++)
		update_use(session, scale, -1, kind);
	for (size_t i = 0; i < site_count; i++)
		update_site(session, i);
	counters[COUNTER_memory_untracked] = lost.untracked;
	counters[COUNTER_memory_unknown_frees] = lost.unknown_frees;
	counters[COUNTER_memory_captured] = allocations_captured();
}
