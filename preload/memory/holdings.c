/* SPDX-License-Identifier: MIT */
#include "preload/memory/holdings.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/base/pointer_map.h"
#include "preload/memory/held_changes.h"

#define MEMORY_NO_SITE UINT32_MAX

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

/* The site of an allocation: MEMORY_NO_SITE if there is no room even for its kind. */
static uint32_t memory_sums_site(enum allocation_kind kind, int device, uint64_t bytes,
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

/* The memory is held from now on, or no longer. */
static void memory_sums_hold(const struct memory_block *block, uint64_t ticks)
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

static void memory_sums_release(const struct memory_block *block)
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

/* Add to what was allocated so far, and to the number of frees: 1, or -1 for one that failed. */
static void memory_sums_count_allocation(const struct memory_block *block)
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

static void memory_sums_count_free(const struct memory_block *block, int by)
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

/* Forgets everything, for tests. */
static void memory_sums_reset(void)
{
	memset(sums, 0, sizeof(sums));
	memset(sites, 0, sizeof(sites));
	memset(site_slots, 0, sizeof(site_slots));
	site_count = 0;
}

#define NONE  UINT32_MAX
/* Lists of holdings whose keys have the same hash. */
#define LISTS HOLDINGS_MOST

struct holding {
	uint64_t key;
	const void *context;
	struct memory_block block;
	uint32_t next;	/* of its list, or of the free ones: index; NONE: the last */
	uint32_t owner; /* a mapping: index of its physical memory */
	/* Physical memory; with no references it is in no list, as its handle may be given out
	 * again. */
	uint32_t references, mappings;
	uint8_t space;
	bool used;
};

/* The table, in memory that is taken as far as it is used. */
static struct table {
	uint32_t lists[LISTS]; /* index + 1 of the first; 0: empty */
	struct holding holdings[HOLDINGS_MOST];
} * table;
static uint32_t high; /* holdings from here on were never used */
static uint32_t free_holding = NONE;
static struct holdings_lost lost;

static uint32_t *list_of(unsigned space, uint64_t key)
{
	return &table->lists[pointer_hash(key + space) % LISTS];
}

static struct holding *find(enum holding_space space, uint64_t key)
{
	uint32_t index = table ? *list_of(space, key) - 1 : NONE;

	while (index != NONE &&
	       (table->holdings[index].key != key || table->holdings[index].space != space))
		index = table->holdings[index].next;
	return index == NONE ? NULL : &table->holdings[index];
}

static uint32_t index_of(const struct holding *holding)
{
	return (uint32_t)(holding - table->holdings);
}

static void link_holding(struct holding *holding)
{
	uint32_t *list = list_of(holding->space, holding->key);

	holding->next = *list - 1;
	*list = index_of(holding) + 1;
}

static void unlink_holding(const struct holding *holding)
{
	uint32_t *list = list_of(holding->space, holding->key), index = *list - 1;

	if (index == index_of(holding)) {
		*list = holding->next + 1;
		return;
	}
	while (table->holdings[index].next != index_of(holding))
		index = table->holdings[index].next;
	table->holdings[index].next = holding->next;
}

static bool make_table(void)
{
	void *memory = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	table = memory;
	return true;
}

/* A holding in its list; NULL, and counted, if there is no room. */
static struct holding *holding_new(enum holding_space space, uint64_t key)
{
	struct holding *holding;

	if ((!table && !make_table()) || (free_holding == NONE && high == HOLDINGS_MOST)) {
		lost.untracked++;
		return NULL;
	}
	if (free_holding != NONE) {
		holding = &table->holdings[free_holding];
		free_holding = holding->next;
	} else {
		holding = &table->holdings[high++];
	}
	*holding = (struct holding){.key = key, .space = (uint8_t)space, .used = true};
	link_holding(holding);
	return holding;
}

static void holding_free(struct holding *holding)
{
	holding->used = false;
	holding->next = free_holding;
	free_holding = index_of(holding);
}

/* Its memory is gone; it is in no list. */
static void end(struct holding *holding)
{
	memory_sums_release(&holding->block);
	memory_sums_count_free(&holding->block, 1);
	holding_free(holding);
}

void holdings_add(const struct allocation *allocation, uint64_t ticks)
{
	struct holding *holding = find(allocation->space, allocation->key);

	if (holding) {
		unlink_holding(holding);
		holding->references = 0;
		if (!holding->mappings)
			end(holding);
	}
	holding = holding_new(allocation->space, allocation->key);
	if (!holding)
		return;
	holding->context = allocation->context;
	holding->references = allocation->space == SPACE_HANDLE;
	holding->block = (struct memory_block){
		.bytes = allocation->bytes,
		.site = memory_sums_site(allocation->kind, allocation->device, allocation->bytes,
					 &allocation->origin),
		.device = (int16_t)allocation->device,
		.kind = (uint8_t)allocation->kind,
	};
	memory_sums_hold(&holding->block, ticks);
	memory_sums_count_allocation(&holding->block);
}

void holdings_take(enum holding_space space, uint64_t key, struct taken *taken)
{
	struct holding *holding = find(space, key);

	*taken = (struct taken){.any = holding, .index = NONE};
	if (!holding)
		return;
	if (holding->references > 1) {
		holding->references--;
		taken->index = index_of(holding);
		return;
	}
	unlink_holding(holding);
	holding->references = 0;
	if (holding->mappings) {
		taken->index = index_of(holding);
		return;
	}
	taken->space = holding->space;
	taken->key = holding->key;
	taken->context = holding->context;
	taken->block = holding->block;
	end(holding);
}

void holdings_put_back(const struct taken *taken, uint64_t ticks)
{
	struct holding *holding;

	if (!taken->any)
		return;
	if (taken->index != NONE) {
		holding = &table->holdings[taken->index];
		if (!holding->references++)
			link_holding(holding);
		return;
	}
	holding = holding_new(taken->space, taken->key);
	if (!holding)
		return;
	holding->context = taken->context;
	holding->references = taken->space == SPACE_HANDLE;
	holding->block = taken->block;
	memory_sums_hold(&holding->block, ticks);
	memory_sums_count_free(&holding->block, -1);
}

void holdings_context_ends(const void *context)
{
	for (uint32_t i = 0; i < high; i++) {
		struct holding *holding = &table->holdings[i];

		if (holding->used && holding->context && holding->context == context) {
			unlink_holding(holding);
			end(holding);
		}
	}
}

/* The physical memory at an address, which need not be the first one of its mapping. */
static struct holding *mapped_at(uint64_t address)
{
	for (uint32_t i = 0; i < high; i++) {
		const struct holding *mapping = &table->holdings[i];

		if (mapping->used && mapping->space == SPACE_MAPPING && address >= mapping->key &&
		    address - mapping->key < mapping->block.bytes)
			return &table->holdings[mapping->owner];
	}
	return NULL;
}

bool holdings_retain(uint64_t handle, uint64_t address)
{
	struct holding *holding = find(SPACE_HANDLE, handle);

	if (!holding) {
		/* All its handles were released. */
		holding = mapped_at(address);
		if (!holding || holding->references)
			return false;
		holding->key = handle;
		link_holding(holding);
	}
	holding->references++;
	return true;
}

void holdings_map(uint64_t handle, uint64_t address, uint64_t bytes)
{
	struct holding *owner = find(SPACE_HANDLE, handle), *mapping;

	if (!owner)
		return;
	mapping = holding_new(SPACE_MAPPING, address);
	if (!mapping)
		return;
	mapping->block.bytes = bytes;
	mapping->owner = index_of(owner);
	owner->mappings++;
}

void holdings_unmap(uint64_t address, uint64_t bytes)
{
	const uint64_t last = address + bytes;

	/* One call may end several mappings that lie side by side. */
	while (address < last) {
		struct holding *mapping = find(SPACE_MAPPING, address), *owner;

		if (!mapping || !mapping->block.bytes)
			return;
		address += mapping->block.bytes;
		owner = &table->holdings[mapping->owner];
		unlink_holding(mapping);
		holding_free(mapping);
		owner->mappings--;
		if (!owner->mappings && !owner->references)
			end(owner);
	}
}

void holdings_untracked(void)
{
	lost.untracked++;
}

void holdings_unknown_free(void)
{
	lost.unknown_frees++;
}

struct holdings_lost holdings_lost(void)
{
	return lost;
}

const void *holdings_range(size_t *size)
{
	*size = sizeof(*table);
	return table;
}

void holdings_reset(void)
{
	if (table)
		munmap(table, sizeof(*table));
	table = NULL;
	high = 0;
	free_holding = NONE;
	lost = (struct holdings_lost){0};
	memory_sums_reset();
}
