/* SPDX-License-Identifier: MIT */
/*
 * Matching: which call an activity record belongs to. CUPTI hands out the records of a stream in
 * the order of their launches (4000 launches on 4 streams of an H200: no inversion), CUPTI 13 those
 * of each thread for themselves. So the calls of a thread in a stream and their records are two
 * lists that are walked together. A record that does not fit the next call (another kernel, other
 * bytes, begun before the call) is never forced onto it: the calls it passes over, or the record
 * itself, stay unmatched and are counted.
 *
 * The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/events/in_flight.h"

struct match_stream;
struct matcher;

/* NULL where memory is out. `unmatched` is called for every call that is given up. */
struct matcher *matcher_create(void (*unmatched)(struct in_flight *call));
/* For tests: ktime's own lives as long as the process. NULL is fine. */
void matcher_destroy(struct matcher *matcher);

/*
 * Whether the records' times can be compared with the calls': CUPTI may have been given another
 * clock (collection.h), and then only the order counts. They can, unless said otherwise.
 */
void matcher_trust_clock(struct matcher *matcher, bool trusted);
bool matcher_trusts_clock(const struct matcher *matcher);

/*
 * The list of a stream by CUPTI's numbers, made at its first mention; NULL where memory is out.
 * Each call is one use, which match_forget() ends.
 */
struct match_stream *matcher_stream(struct matcher *matcher, uint32_t context, uint32_t stream);
/*
 * The list of a stream whose number is not known: cuptiGetStreamIdEx does not answer for the
 * default streams. The first record that fits such a list, and no other one of its context, tells.
 */
struct match_stream *matcher_unnumbered(struct matcher *matcher, uint32_t context);
/*
 * The list that a record's calls are in, by its numbers; else the only unnumbered one that it fits,
 * by the calls of its thread if that is known (else 0). `operation` and `bytes` are NULL and 0 for
 * a node of a graph. NULL where there is none.
 */
struct match_stream *matcher_find(struct matcher *matcher, uint32_t context, uint32_t stream,
				  uint32_t thread, uint64_t start,
				  const struct operation *operation, uint64_t bytes);

/* Adds a call. Those of one thread come in their order. */
void match_expect(struct match_stream *stream, struct in_flight *call);

/*
 * The call of a record that started at `start`, taken off its list; NULL if none fits. The time may
 * be 100 us before the call, as CUPTI's clock is fitted to the host's. `thread` is whose calls the
 * record is among; 0 where records come in the order of all threads' calls. Where two calls overlap
 * then, which one the driver took first cannot be known: both are marked ambiguous.
 */
struct in_flight *match_record(struct match_stream *stream, uint32_t thread, uint64_t start,
			       const struct operation *operation, uint64_t bytes);
/* The next call if it is a kernel's, whichever; not where the order is not known. */
struct in_flight *match_kernel(struct match_stream *stream, uint32_t thread, uint64_t start);
/* The next call if it is a graph launch. */
struct in_flight *match_graph(struct match_stream *stream, uint32_t thread, uint64_t start);

/* Whether calls of the stream await their records. */
bool match_pending(const struct match_stream *stream);
/*
 * Ends the use of the list by a stream that is no more, and frees it after the last one. False, and
 * nothing is done, where calls await their records, unless those are to be given up as well.
 */
bool match_forget(struct match_stream *stream, bool pending_too);
/* Bytes that the lists take. */
size_t matcher_memory(const struct matcher *matcher);
/* Gives up every call that started before `before`; UINT64_MAX for all. Returns how many. */
size_t matcher_expire(struct matcher *matcher, uint64_t before);

#endif
