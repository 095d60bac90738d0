/* SPDX-License-Identifier: MIT */
#include "preload/memory/memory_sums.h"

#include <string.h>

#include "preload/base/pointer_map.h"
#include "preload/memory/held_changes.h"

/* Sites that only a kind on a device may take, so that each has one. Chosen. */
#define SITES_RESERVED 64u
#define SITE_SLOTS     (2 * MEMORY_SITES)

static struct memory_sum sums[SESSION_DEVICES + 1][ALLOCATION_KIND_COUNT];
static struct site_sum sites[MEMORY_SITES];
static uint16_t site_slots[SITE_SLOTS]; /* index + 1 */
static size_t site_count;

static struct memory_sum *sum_of(int device, unsigned kind)
{
	return &sums[device >= 0 && device < SESSION_DEVICES ? device + 1 : 0][kind];
}

/* The sum whose peaks a kind's allocations are told of. */
static struct memory_sum *peak_sum_of(int device, unsigned kind)
{
	return sum_of(device, allocation_is_on_device(kind) ? ALLOCATION_TOTAL : kind);
}

static bool is_site(const struct site_sum *site, const struct site_sum *key)
{
	return site->kind == key->kind && site->device == key->device && site->size == key->size &&
	       site->origin.operation == key->origin.operation &&
	       site->origin.range == key->origin.range && site->origin.thread == key->origin.thread;
}

/* The slot of a site, or the free one where it would be. */
static uint16_t *site_slot(const struct site_sum *key)
{
	uint64_t text = key->size;
	uint32_t slot;

	text = text * 31 + (uintptr_t)key->origin.operation;
	text = text * 31 + key->origin.range;
	text = text * 31 + key->origin.thread;
	text = text * 31 + key->kind;
	text = text * 31 + (unsigned)(key->device + 1);
	slot = pointer_hash(text) % SITE_SLOTS;
	while (site_slots[slot] && !is_site(&sites[site_slots[slot] - 1], key))
		slot = (slot + 1) % SITE_SLOTS;
	return &site_slots[slot];
}

/* Finds the site of a key, or adds it if fewer than `most` are in use. */
static uint32_t site_find(const struct site_sum *key, size_t most)
{
	uint16_t *slot = site_slot(key);

	if (!*slot) {
		if (site_count >= most)
			return MEMORY_NO_SITE;
		sites[site_count] = *key;
		*slot = (uint16_t)++site_count;
	}
	return *slot - 1u;
}

uint32_t memory_sums_site(enum allocation_kind kind, int device, uint64_t bytes,
			  const struct origin *origin)
{
	struct site_sum key = {.kind = kind, .device = device, .size = bytes, .origin = *origin};
	uint32_t site = site_find(&key, MEMORY_SITES / 2);

	if (site == MEMORY_NO_SITE) {
		key.size = 0;
		site = site_find(&key, MEMORY_SITES - SITES_RESERVED);
	}
	if (site == MEMORY_NO_SITE) {
		key.origin = (struct origin){0};
		site = site_find(&key, MEMORY_SITES);
	}
	return site;
}

/* The site of a block before it changes: at the latest peak it was what it is now. NULL: none. */
static struct site_sum *site_to_change(const struct memory_block *block)
{
	struct site_sum *site;
	uint64_t peaks;

	if (block->site == MEMORY_NO_SITE)
		return NULL;
	site = &sites[block->site];
	peaks = peak_sum_of(site->device, site->kind)->peaks;
	if (site->peak_number != peaks) {
		site->peak_number = peaks;
		site->at_peak = site->held;
		site->at_peak_count = site->held_count;
	}
	return site;
}

/* The sums that a block is in: that of its kind, and perhaps its device's total. */
static int sums_of(const struct memory_block *block, struct memory_sum *both[2])
{
	both[0] = sum_of(block->device, block->kind);
	both[1] = sum_of(block->device, ALLOCATION_TOTAL);
	return allocation_is_on_device(block->kind) ? 2 : 1;
}

static void note_change(const struct memory_block *block, const struct memory_sum *total)
{
	if (allocation_is_on_device(block->kind) && block->device >= 0)
		held_changes_add(block->device, total->held);
}

void memory_sums_hold(const struct memory_block *block, uint64_t ticks)
{
	struct site_sum *site = site_to_change(block);
	struct memory_sum *both[2];

	if (site) {
		site->held += block->bytes;
		site->held_count++;
	}
	for (int i = sums_of(block, both) - 1; i >= 0; i--) {
		both[i]->held += block->bytes;
		both[i]->held_count++;
		if (both[i]->held > both[i]->peak) {
			both[i]->peak = both[i]->held;
			both[i]->peak_ticks = ticks;
			both[i]->peaks++;
		}
	}
	note_change(block, both[1]);
}

void memory_sums_release(const struct memory_block *block)
{
	struct site_sum *site = site_to_change(block);
	struct memory_sum *both[2];

	if (site) {
		site->held -= block->bytes;
		site->held_count--;
	}
	for (int i = sums_of(block, both) - 1; i >= 0; i--) {
		both[i]->held -= block->bytes;
		both[i]->held_count--;
	}
	note_change(block, both[1]);
}

void memory_sums_count_allocation(const struct memory_block *block)
{
	struct memory_sum *both[2];

	for (int i = sums_of(block, both) - 1; i >= 0; i--) {
		both[i]->allocations++;
		both[i]->allocated += block->bytes;
	}
	if (block->site != MEMORY_NO_SITE) {
		sites[block->site].allocations++;
		sites[block->site].allocated += block->bytes;
	}
}

void memory_sums_count_free(const struct memory_block *block, int by)
{
	struct memory_sum *both[2];

	for (int i = sums_of(block, both) - 1; i >= 0; i--)
		both[i]->frees += (uint64_t)by;
}

const struct memory_sum *memory_sums_of(int device, enum allocation_kind kind)
{
	return sum_of(device, kind);
}

const struct site_sum *memory_sums_site_at(size_t index)
{
	return index < site_count ? &sites[index] : NULL;
}

void memory_sums_at_peak(const struct site_sum *site, uint64_t *bytes, uint64_t *count)
{
	bool changed = site->peak_number == peak_sum_of(site->device, site->kind)->peaks;

	*bytes = changed ? site->at_peak : site->held;
	*count = changed ? site->at_peak_count : site->held_count;
}

void memory_sums_reset(void)
{
	memset(sums, 0, sizeof(sums));
	memset(sites, 0, sizeof(sites));
	memset(site_slots, 0, sizeof(site_slots));
	site_count = 0;
}
