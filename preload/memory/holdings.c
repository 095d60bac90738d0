/* SPDX-License-Identifier: MIT */
#include "preload/memory/holdings.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/base/pointer_map.h"
#include "preload/base/run.h"

#define MEMORY_NO_SITE UINT32_MAX

/* Sites that only a kind on a device may take, so that each has one. Chosen. */
#define SITES_RESERVED 64u
#define SITE_SLOTS     (2 * MEMORY_SITES)

static struct memory_sums now;
static uint16_t site_slots[SITE_SLOTS]; /* index + 1 */

static struct memory_sum *sum_of(int device, unsigned kind)
{
	return &now.of[device >= 0 && device < SESSION_DEVICES ? device + 1 : 0][kind];
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
	while (site_slots[slot] && !is_site(&now.sites[site_slots[slot] - 1], key))
		slot = (slot + 1) % SITE_SLOTS;
	return &site_slots[slot];
}

/* Finds the site of a key, or adds it if fewer than `most` are in use. */
static uint32_t site_find(const struct site_sum *key, size_t most)
{
	uint16_t *slot = site_slot(key);

	if (!*slot) {
		if (now.site_count >= most)
			return MEMORY_NO_SITE;
		now.sites[now.site_count] = *key;
		*slot = (uint16_t)++now.site_count;
	}
	return *slot - 1u;
}

/* The site of an allocation: MEMORY_NO_SITE if there is no room even for its kind. */
static uint32_t site_of(enum allocation_kind kind, int device, uint64_t bytes,
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

/* To be called before a site changes or is read: stores its present values as those at the latest
 * peak, if there was a new peak since its last change. */
static void note_peak(struct site_sum *site)
{
	uint64_t peaks = peak_sum_of(site->device, site->kind)->peaks;

	if (site->peak_number == peaks)
		return;
	site->peak_number = peaks;
	site->at_peak = site->held;
	site->at_peak_count = site->held_count;
}

/* The sums that a block is in: its device's total, perhaps, and that of its kind; NULL after the
 * last. */
struct sums_of_block {
	struct memory_sum *of[3];
};

static struct sums_of_block sums_of(const struct memory_block *block)
{
	struct memory_sum *of_kind = sum_of(block->device, block->kind);

	return allocation_is_on_device(block->kind)
		       ? (struct sums_of_block){{sum_of(block->device, ALLOCATION_TOTAL), of_kind}}
		       : (struct sums_of_block){{of_kind}};
}

/* From the time `ticks` on the program holds `held` bytes of the device's memory. */
struct held_change {
	uint64_t ticks, held;
	int32_t device;
};

/* Each change from the call that makes it until the collector writes it to a trace. One list is
 * filled while the other is read. */
static struct {
	struct held_change lists[2][HELD_CHANGES_MOST];
	unsigned filling;
	size_t count;
	uint64_t beyond;
	bool wanted;
} changes;

void held_changes_want(bool wanted)
{
	changes.wanted = wanted;
	changes.count = 0;
	changes.beyond = 0;
}

static void note_change(int device, uint64_t held)
{
	if (!changes.wanted)
		return;
	if (changes.count == HELD_CHANGES_MOST)
		changes.beyond++;
	else
		changes.lists[changes.filling][changes.count++] = (struct held_change){
			.ticks = clock_ticks(), .held = held, .device = (int32_t)device};
}

/* Adds a block to what its device holds or, with `sign` -1, subtracts it. */
static void change_held(const struct memory_block *block, int sign, uint64_t ticks)
{
	struct site_sum *site = block->site == MEMORY_NO_SITE ? NULL : &now.sites[block->site];
	const struct sums_of_block sums = sums_of(block);
	const uint64_t bytes = (uint64_t)sign * block->bytes, count = (uint64_t)sign;

	if (site) {
		note_peak(site);
		site->held += bytes;
		site->held_count += count;
	}
	for (struct memory_sum *const *sum = sums.of; *sum; sum++) {
		(*sum)->held += bytes;
		(*sum)->held_count += count;
		if ((*sum)->held > (*sum)->peak) {
			(*sum)->peak = (*sum)->held;
			(*sum)->peak_time = ticks;
			(*sum)->peaks++;
		}
	}
	if (allocation_is_on_device(block->kind) && block->device >= 0)
		note_change(block->device, sums.of[0]->held);
}

static void count_allocation(const struct memory_block *block)
{
	const struct sums_of_block sums = sums_of(block);

	for (struct memory_sum *const *sum = sums.of; *sum; sum++) {
		(*sum)->allocations++;
		(*sum)->allocated += block->bytes;
	}
	if (block->site != MEMORY_NO_SITE) {
		now.sites[block->site].allocations++;
		now.sites[block->site].allocated += block->bytes;
	}
}

/* Adds to the number of frees: 1, or -1 for one that failed. */
static void count_free(const struct memory_block *block, int by)
{
	const struct sums_of_block sums = sums_of(block);

	for (struct memory_sum *const *sum = sums.of; *sum; sum++)
		(*sum)->frees += (uint64_t)by;
}

void memory_sums_copy(struct memory_sums *copy)
{
	for (size_t i = 0; i < now.site_count; i++)
		note_peak(&now.sites[i]);
	memcpy(copy->of, now.of, sizeof(copy->of));
	memcpy(copy->sites, now.sites, now.site_count * sizeof(copy->sites[0]));
	copy->site_count = now.site_count;
	copy->untracked = now.untracked;
	copy->unknown_frees = now.unknown_frees;
}

static void trace_held(const struct held_change *change)
{
	const uint64_t time = clock_realtime_at(&run.scale, change->ticks);

	session_trace(run.session, &(struct trace_record){.start = time,
							  .end = time,
							  .bytes = change->held,
							  .device = change->device,
							  .kind = TRACE_HELD});
}

/* The bytes held on each device on which anything was allocated. */
static size_t held_now(struct held_change held[SESSION_DEVICES])
{
	const uint64_t ticks = clock_ticks();
	size_t count = 0;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct memory_sum *sum = sum_of(device, ALLOCATION_TOTAL);

		if (sum->allocations)
			held[count++] = (struct held_change){
				.ticks = ticks, .held = sum->held, .device = device};
	}
	return count;
}

void held_trace_update(bool wanted)
{
	static uint64_t version, emptied;
	struct held_change held[SESSION_DEVICES];
	const struct held_change *taken;
	const uint64_t times = session_trace_emptied(run.session);
	/* What said it before may be gone. */
	bool all = wanted && times != emptied;
	size_t count, devices;
	uint64_t left_out;

	if (wanted == changes.wanted && !all && (!wanted || version == allocations_version()))
		return;
	allocations_lock();
	version = allocations_version();
	all |= wanted && !changes.wanted;
	if (wanted != changes.wanted)
		held_changes_want(wanted);
	taken = changes.lists[changes.filling];
	count = changes.count;
	left_out = changes.beyond;
	changes.filling = !changes.filling;
	held_changes_want(wanted);
	devices = held_now(held);
	allocations_unlock();
	for (size_t i = 0; i < count; i++)
		trace_held(&taken[i]);
	for (size_t i = 0; i < devices && (all || left_out); i++)
		trace_held(&held[i]);
	run_count(COUNTER_trace_lost, left_out);
	emptied = times;
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
		now.untracked++;
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

/* Ends a holding whose memory is freed; it is in no list any more. */
static void end(struct holding *holding)
{
	change_held(&holding->block, -1, 0);
	count_free(&holding->block, 1);
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
		.site = site_of(allocation->kind, allocation->device, allocation->bytes,
				&allocation->origin),
		.device = (int16_t)allocation->device,
		.kind = (uint8_t)allocation->kind,
	};
	change_held(&holding->block, 1, ticks);
	count_allocation(&holding->block);
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
	change_held(&holding->block, 1, ticks);
	count_free(&holding->block, -1);
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
	now.untracked++;
}

void holdings_unknown_free(void)
{
	now.unknown_frees++;
}

const void *holdings_range(size_t *size)
{
	*size = sizeof(*table);
	return table;
}
