/* SPDX-License-Identifier: MIT */
/*
 * What the program held of memory, by its calls: sums by device and kind, and where the allocations
 * came from. As for all of a session: one thread at a time writes, and reading while it is written
 * is safe.
 */
#ifndef KTIME_REPORT_SESSION_MEMORY_USE_H
#define KTIME_REPORT_SESSION_MEMORY_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* How memory is allocated: X(name, in JSON and CSV, in words). */
#define ALLOCATION_KINDS(X)                                                                        \
	X(DEVICE, "device", "device memory")                                                       \
	X(VIRTUAL, "virtual", "virtual memory")                                                    \
	X(POOL, "pool", "memory of pools")                                                         \
	X(ARRAY, "array", "arrays")                                                                \
	X(MANAGED, "managed", "managed memory")                                                    \
	X(PINNED, "pinned", "pinned host memory")                                                  \
	X(REGISTERED, "registered", "registered host memory")                                      \
	X(TOTAL, "total", "all of a device but managed memory")

#define ALLOCATION_ENUM(name, key, text) ALLOCATION_##name,
enum allocation_kind { ALLOCATION_KINDS(ALLOCATION_ENUM) ALLOCATION_KIND_COUNT };
#undef ALLOCATION_ENUM

/* Whether memory of a kind lies on a device for good, and so is in the device's total. */
static inline bool allocation_is_on_device(uint32_t kind)
{
	return kind <= ALLOCATION_ARRAY;
}

/* "device", "pool", …: as in JSON and CSV; and in words. Never NULL. */
const char *allocation_key(uint32_t kind);
const char *allocation_text(uint32_t kind);

/* The memory of a kind on a device, in bytes that the program asked for. What is held, and the
 * peaks, are those of the run; peak_time is CLOCK_REALTIME. */
#define MEMORY_FIGURES(X)                                                                          \
	X(memory_use, U64, held, BYTES, SUM, LATER, "held now")                                    \
	X(memory_use, U64, held_count, COUNT, SUM, LATER, "allocations held now")                  \
	X(memory_use, U64, peak, BYTES, OWN, LATER, "the most at once")                            \
	X(memory_use, U64, peak_time, NS, OWN, LATER, "since when")                                \
	X(memory_use, U64, allocations, COUNT, SUM, SUBTRACT, "allocations so far")                \
	X(memory_use, U64, allocated, BYTES, SUM, SUBTRACT, "their bytes")                         \
	X(memory_use, U64, frees, COUNT, SUM, SUBTRACT, "frees so far")

struct memory_use {
	uint32_t committed; /* set last, with release order */
	uint32_t kind;	    /* enum allocation_kind */
	int32_t device;	    /* -1: the host */
	uint32_t reserved;
	MEMORY_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/*
 * Allocations of one kind, device, size and origin. What they were at a peak is said of the peak of
 * the device's total or, if their kind is not in it, of the kind's.
 */
#define SITE_FIGURES(X)                                                                            \
	X(memory_site, U64, held, BYTES, SUM, LATER, "held now")                                   \
	X(memory_site, U64, held_count, COUNT, SUM, LATER, "allocations held now")                 \
	X(memory_site, U64, at_peak, BYTES, SUM, LATER, "held at the peak")                        \
	X(memory_site, U64, at_peak_count, COUNT, SUM, LATER, "allocations held at the peak")      \
	X(memory_site, U64, allocations, COUNT, SUM, SUBTRACT, "allocations so far")               \
	X(memory_site, U64, allocated, BYTES, SUM, SUBTRACT, "their bytes")

struct memory_site {
	uint32_t committed;
	uint32_t kind;
	int32_t device;
	uint32_t thread; /* from gettid(); 0: several */
	uint64_t size;	 /* bytes of each; 0: several sizes */
	/* Offsets of strings, each empty where there is none or several: the NVTX range, with those
	 * around it, and the operation that the thread had launched before. */
	uint64_t range, operation;
	SITE_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/* Add an item, of which the members that tell it from others are copied; NULL if there is no room.
 * They look for no earlier one. For the writer. */
struct memory_use *session_add_memory_use(struct session *session, const struct memory_use *use);
struct memory_site *session_add_memory_site(struct session *session,
					    const struct memory_site *site);

#define session_for_each_memory_use(session, use)                                                  \
	session_for_each_item(session, SEGMENT_MEMORY, use)
#define session_for_each_memory_site(session, site)                                                \
	session_for_each_item(session, SEGMENT_MEMORY_SITES, site)

#endif
