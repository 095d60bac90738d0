/* SPDX-License-Identifier: MIT */
/*
 * What ktime keeps for each thread that opens NVTX ranges: the push/pop ranges that are open, and a
 * ring of changes for the collector. A call record need not say which range it was made in: the
 * collector finds that by the time of the call. So ranges cost a launch nothing.
 */
#ifndef KTIME_PRELOAD_NVTX_RANGE_THREAD_H
#define KTIME_PRELOAD_NVTX_RANGE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/names.h"

/* How many nested ranges are followed; ranges opened inside the last one count as part of it.
 * Chosen. */
#define OPEN_MOST      128u
/* The start/end ranges that can be open at a time, in the process. Chosen. */
#define STARTED_MOST   1024u
/* How many start/end ranges are told apart, by name: a bit for each, in the order of their first
 * starts. */
#define STARTED_PATHS  31u
/* Changes that a thread's ring holds: those of 20 collector periods, at one change in 25 us.
 * Chosen. */
#define CHANGE_RECORDS 4096u

enum change_kind {
	CHANGE_PATH,  /* another range is the innermost one: a push, or a pop */
	CHANGE_START, /* a start/end range has begun, */
	CHANGE_END,   /* and has ended */
};

struct change {
	uint64_t time;	  /* ticks */
	uint64_t started; /* ticks: when the range that has ended began; 0: none has ended */
	/* Ticks since when changes before this one were lost, as the ring was full; 0: none. */
	uint64_t lost_since;
	uint16_t path;	/* the range that has ended, or the start/end range */
	uint16_t now;	/* the innermost range from now on */
	uint8_t kind;	/* enum change_kind */
	uint16_t place; /* of a start/end range among those that are open */
};
_Static_assert(sizeof(struct change) == 32, "a ring of them is 131,072 bytes");

struct open_range {
	_Atomic uint64_t started; /* ticks */
	_Atomic uint16_t path;
	uint16_t name;
	uint8_t domain;
};

struct range_thread {
	/* Written by the thread, read by the collector. */
	_Atomic uint32_t head;
	_Atomic uint32_t open_count; /* of `open` */
	_Atomic uint16_t now;	     /* the innermost range */
	_Atomic uint16_t at_start;   /* the innermost range when ktime began to collect */
	_Atomic uint64_t lost_since; /* ticks: changes are being lost; 0: they are not */
	_Atomic uint64_t lost;	     /* how many changes were */
	_Atomic bool ended;
	struct open_range open[OPEN_MOST];
	struct change changes[CHANGE_RECORDS];

	/* For the thread alone. */
	uint32_t known_tail;
	uint32_t deeper; /* pushes beyond OPEN_MOST that are still open */
	uint32_t levels[NAMES_DOMAINS];

	/* For the collector; the thread reads the first one when its ring is full. */
	_Atomic uint32_t tail;
	struct past *past;		/* in which ranges it was, see ranges.c */
	uint32_t kernel_id, pthread_id; /* from gettid(); the low half of pthread_self() */
	struct range_thread *next;
};

/* The thread that opened a range. */
struct range_owner {
	uint32_t kernel_id, pthread_id; /* as above */
};

/* All threads, newest first, linked by `next`. The collector removes and unmaps those that have
 * ended, but for the first one, which is left to the threads that come. */
struct range_thread *range_threads(void);

/* The rest is for the thread that opens and closes ranges. They keep errno. */

/* Opens a range; its level in its domain, from 0. -1 if memory is out. */
int range_push(uint8_t domain, uint16_t name);
/* Closes the innermost range of a domain; its level, or -1 if none is open. */
int range_pop(uint8_t domain);
/* Opens and closes a start/end range, which any thread may close. 0 if too many are open. */
uint64_t range_start(uint16_t name);
void range_end(uint64_t id);
/* The path of the innermost push/pop range that is open; PATHS_OUTSIDE if none is. */
uint16_t range_now(void);

/* The start/end ranges of the process that are open now: bits, see started_path(). */
uint32_t range_started_now(void);

/* The bit of a start/end range's path; STARTED_PATHS: there are too many. Any thread, as the
 * following. */
unsigned started_bit(uint16_t path);
uint16_t started_path(unsigned bit);
/* Calls `take` for each start/end range that is open now, `place` being its place among them.
 */
void range_each_started(void (*take)(struct range_owner owner, uint16_t path, uint16_t place,
				     uint64_t started));

/* The kernel id of the thread that began the range at a place at a time, in ticks; 0 if another
 * range is there by now. */
uint32_t range_starter(uint16_t place, uint64_t started);

/* Counts of what was wrong or did not fit. Any thread. */
struct range_counts {
	_Atomic uint64_t unbalanced; /* pops, and ends, without a range */
	_Atomic uint64_t too_deep;   /* pushes beyond OPEN_MOST */
	_Atomic uint64_t unstarted;  /* starts beyond STARTED_MOST */
};
extern struct range_counts range_counts;

#endif
