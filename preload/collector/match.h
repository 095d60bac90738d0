/* SPDX-License-Identifier: MIT */
/*
 * Finds the call that an activity record belongs to. CUPTI hands out the records of a stream in
 * launch order (H200, 4000 launches in 4 streams: no inversion), and CUPTI 13 does so for each
 * thread separately. So the calls of a thread in a stream and their records are two lists in the
 * same order. A record that does not fit the next call (another kernel or size, or started before
 * the call) is never forced onto it: the calls that it passes over, or the record itself, stay
 * unmatched and are counted.
 *
 * For the collector thread only.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/events/in_flight.h"

struct match_stream;

/* Whether the records' times can be compared with the calls', as they can unless the program has
 * given CUPTI another clock (program.h). If not, only the order counts. */
extern bool matcher_trusts_clock;

/* A stream's list of calls that wait for their records, by CUPTI's ids; made the first time. NULL
 * if memory is out. To be released with match_forget(). */
struct match_stream *matcher_stream(uint32_t context, uint32_t stream);
/*
 * The list of a stream whose CUPTI id is not known, as cuptiGetStreamIdEx fails for default
 * streams. It gets the id of the first record that fits it and no other such list of its context.
 */
struct match_stream *matcher_unnumbered(uint32_t context);
/* What is known of a record: its call must fit it. */
struct match_key {
	/* The thread (gettid()) whose calls all records of the buffer are of; 0: the buffer has
	 * records of all threads. With 0 the driver's order of two overlapping calls is unknown,
	 * and both are marked ambiguous. So is a call of another thread that is matched because
	 * none of this thread's calls fits. */
	uint32_t thread;
	uint64_t start; /* nanoseconds */
	/* NULL: a launch of any kernel, or of any graph. */
	const struct operation *operation;
	uint64_t bytes;
	bool kernel;
};

/*
 * The list that holds a record's call, by its ids; else the only list without id that the record
 * fits, by the calls of its thread if that is known. NULL if there is none.
 */
struct match_stream *matcher_find(uint32_t context, uint32_t stream, const struct match_key *key);

/* Adds a call. The calls of one thread must be added in order. */
void match_expect(struct match_stream *stream, struct in_flight *call);

/*
 * Removes and returns the call that a record belongs to; NULL if none fits. CUPTI's clock is only
 * fitted to the host's, so a record may start up to 100 us before its call. If the key names no
 * operation, the call is the next one, if that launches a kernel or graph; NULL if two threads
 * launched kernels concurrently and their order is unknown.
 */
struct in_flight *match_record(struct match_stream *stream, const struct match_key *key);
/* Returns the call that match_record() would, without removing it; NULL also if the call is another
 * thread's than key->thread. */
const struct in_flight *match_next(const struct match_stream *stream, const struct match_key *key);

/* How many calls wait for their records. */
extern uint32_t match_waiting;
/* Whether calls of a stream wait for their records. */
bool match_pending(const struct match_stream *stream);
/* Releases a stream's list, which is freed after the last release. False, without effect, if calls
 * wait for their records and `pending_too` is false; else they are given up. */
bool match_forget(struct match_stream *stream, bool pending_too);
/* How many bytes the lists take, without the calls. */
size_t matcher_memory(void);
/* When the first of the calls that wait for their records started, in nanoseconds; UINT64_MAX if
 * none waits. */
uint64_t matcher_oldest(void);
/* Gives up every call. */
void matcher_give_up(void);

#endif
