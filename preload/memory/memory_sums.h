/* SPDX-License-Identifier: MIT */
/*
 * Sums of what the program holds of memory: by device and kind, and by origin, with the peaks. Each
 * change takes constant time. Whoever calls makes sure that only one thread at a time does. Times
 * are ticks, sizes are bytes.
 */
#ifndef KTIME_PRELOAD_MEMORY_MEMORY_SUMS_H
#define KTIME_PRELOAD_MEMORY_MEMORY_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "report/session/memory_use.h"

/* Origins that are told apart. From half of them on those of different sizes are one, and when they
 * are all in use those of a kind on a device. Chosen. */
#define MEMORY_SITES   1024u
#define MEMORY_NO_SITE UINT32_MAX

/* Where an allocation was made. */
struct operation;
struct origin {
	const struct operation *operation; /* what the thread launched before; NULL: nothing */
	uint16_t range;			   /* the innermost NVTX range: see nvtx/paths.h */
	uint32_t thread;		   /* from gettid() */
};

/* A piece of memory, and what it is added to. */
struct memory_block {
	uint64_t bytes;
	uint32_t site;	/* MEMORY_NO_SITE: none */
	int16_t device; /* -1: the host */
	uint8_t kind;	/* enum allocation_kind */
};

/* The sum of a kind on a device; of ALLOCATION_TOTAL, of all kinds that are on the device. */
struct memory_sum {
	uint64_t held, held_count;
	uint64_t peak, peak_ticks;
	uint64_t peaks; /* how often there was a new one */
	uint64_t allocations, allocated, frees;
};

/* Allocations of one origin, kind, device and size. */
struct site_sum {
	enum allocation_kind kind;
	int device;
	uint64_t size;	      /* 0: several */
	struct origin origin; /* all 0: several */
	uint64_t held, held_count;
	/* At the peak of this number of the sum that the site is part of; if it is not the latest
	 * one, the site has not changed since that. */
	uint64_t peak_number, at_peak, at_peak_count;
	uint64_t allocations, allocated;
};

/* The site of an allocation: MEMORY_NO_SITE if there is no room even for its kind. */
uint32_t memory_sums_site(enum allocation_kind kind, int device, uint64_t bytes,
			  const struct origin *origin);
/* The memory is held from now on, or no longer. */
void memory_sums_hold(const struct memory_block *block, uint64_t ticks);
void memory_sums_release(const struct memory_block *block);
/* Add to what was allocated so far, and to the number of frees: 1, or -1 for one that failed. */
void memory_sums_count_allocation(const struct memory_block *block);
void memory_sums_count_free(const struct memory_block *block, int by);

/* Reading: the sum of a kind on a device, -1 being the host; the sites by index, NULL past the
 * last. */
const struct memory_sum *memory_sums_of(int device, enum allocation_kind kind);
const struct site_sum *memory_sums_site_at(size_t index);
/* What a site was at the peak of its sum. */
void memory_sums_at_peak(const struct site_sum *site, uint64_t *bytes, uint64_t *count);

/* Forgets everything, for tests. */
void memory_sums_reset(void);

#endif
