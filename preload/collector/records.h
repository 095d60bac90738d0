/* SPDX-License-Identifier: MIT */
/*
 * The paths of call records and activity records into the profile's rows, and to each other: what
 * drain.c takes in goes through calls.c and records.c, and match.c says which call and which record
 * are of one operation. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_RECORDS_H
#define KTIME_PRELOAD_COLLECTOR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/events/in_flight.h"
#include "preload/launch/thread.h"

/* Taking in call records from the threads' rings, count-only calls, and CUPTI's activity records.
 */

/* Takes all call records. */
void drain_rings(void);
/* Whether a call that began before `ticks` (clock_ticks()) is still in progress. */
bool drain_call_before(uint64_t ticks);
/* Takes all count-only calls. */
void drain_counts(void);

enum flush {
	FLUSH_IF_DUE,
	FLUSH_NOW,
	FLUSH_FORCED, /* also hands out records of unfinished work, which never get their times */
};
/* Takes all activity records that have arrived, after a flush of CUPTI. */
void drain_records(enum flush flush);

/* The path of call records into the rows: counts them, and keeps operations in flight until both
 * clocks have said how long they took, or have been given up. */

/* Takes a call record from a thread's ring. */
void calls_take(const struct thread *thread, const struct call_record *record);
/* Takes a thread's count-only calls since the last time. */
void calls_take_counts(struct thread *thread);
/* Takes an operation whose event pair has been read or given up: the callback of event_queue_poll()
 * and event_queue_give_up(). */
void calls_timed(struct in_flight *operation, enum event_end end);

/* Gives a call the time of its activity record. The call may be freed by this. */
void calls_take_record(const struct seen *seen);
/* The matcher has given up a call: no activity record can be assigned to it. */
void calls_unmatched(struct in_flight *operation);
/* Whether calls_unmatched() was ever called. */
extern bool calls_given_up;

/* How many bytes the operations in flight take, with those that are kept for reuse. */
size_t calls_memory(void);

/* To be called at the end: gives up calls without records, and subtracts the event-pair
 * overheads. */
void calls_finish(void);

/*
 * Finds the call that an activity record belongs to. CUPTI hands out the records of a stream in
 * launch order (H200, 4000 launches in 4 streams: no inversion), and CUPTI 13 does so for each
 * thread separately. So the calls of a thread in a stream and their records are two lists in the
 * same order. A record that does not fit the next call (another kernel or size, or started before
 * the call) is never forced onto it: the calls that it passes over, or the record itself, stay
 * unmatched and are counted.
 */

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

/* The path of activity records into the rows, and to the calls that they belong to. */

/* Takes an activity record: the callback of cupti_drain(). */
void records_take(const struct activity *activity, void *unused);
/* Whether calls that began before the records which come next may not be queued yet. */
extern bool records_calls_are_late;
/* To be called after each drain: ends the graph launches whose nodes have all been recorded. */
void records_settle(void);
/* To be called at the end of the run or of CUPTI: ends the other graph launches too. */
void records_finish(void);
/* To be called at the end of the run: says which graphs' time is not split among the NVTX ranges
 * that their nodes were made in, and why. */
void records_say_of_ranges(void);

/*
 * Launches of graphs whose nodes CUPTI records one by one. All records of a launch have the same
 * correlation id; it lasts from the first node's start to the last node's end.
 */

/* Takes a node's record, in a stream (NULL: not known). Returns the launch's call if this record
 * has identified it, else NULL. `call`: that of the launch, as far as it is known. */
struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity,
				      const struct in_flight **call);
/* The start of the first launch whose nodes may still have records to come, at the time `now`;
 * UINT64_MAX if there is none. */
uint64_t graph_launches_open_since(uint64_t now);
/* Ends the launches that are complete, given that records of work that started at `newest` have
 * arrived; all launches for UINT64_MAX. */
void graph_launches_settle(uint64_t newest);

#endif
