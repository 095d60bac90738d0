/* SPDX-License-Identifier: MIT */
#include "preload/collector/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cupti/activity.h"
#include "preload/collector/match_heap.h"
#include "preload/collector/match_queue.h"

struct match_stream {
	uint64_t id; /* CUPTI's ids: context, stream */
	unsigned uses;
	struct matcher *matcher;
	struct match_queue *queues; /* one for each thread, linked by `sibling` */
	unsigned queue_count;
	unsigned queues_kept;	   /* when empty ones were last freed */
	struct match_heap waiting; /* those that are not empty */
	struct match_stream *next; /* in the list of streams without id */
	UT_hash_handle link;
};

struct matcher {
	struct match_stream *streams;	 /* by id */
	struct match_queue *queues;	 /* of all streams, by stream and thread */
	struct match_stream *unnumbered; /* id not known yet */
	struct match_stream *latest;	 /* the stream that was found last */
	struct match_total total;
	bool clock_differs; /* CUPTI's times cannot be compared with the calls' */
	void (*unmatched)(struct in_flight *);
};

struct matcher *matcher_create(void (*unmatched)(struct in_flight *call))
{
	struct matcher *matcher = calloc(1, sizeof(*matcher));

	if (matcher)
		matcher->unmatched = unmatched;
	return matcher;
}

void matcher_trust_clock(struct matcher *matcher, bool trusted)
{
	matcher->clock_differs = !trusted;
}

bool matcher_trusts_clock(const struct matcher *matcher)
{
	return !matcher->clock_differs;
}

static void free_queue(struct match_stream *stream, struct match_queue *queue)
{
	HASH_DELETE(link, stream->matcher->queues, queue);
	match_queue_free(queue);
	stream->queue_count--;
}

static void stream_free(struct match_stream *stream)
{
	struct match_queue *queue;

	while ((queue = stream->queues)) {
		stream->queues = queue->sibling;
		free_queue(stream, queue);
	}
	match_heap_free(&stream->waiting);
	free(stream);
}

void matcher_destroy(struct matcher *matcher)
{
	struct match_stream *stream, *next;

	if (!matcher)
		return;
	HASH_ITER (link, matcher->streams, stream, next) {
		HASH_DELETE(link, matcher->streams, stream);
		stream_free(stream);
	}
	for (stream = matcher->unnumbered; stream; stream = next) {
		next = stream->next;
		stream_free(stream);
	}
	free(matcher);
}

static struct match_stream *stream_new(struct matcher *matcher, uint64_t id)
{
	struct match_stream *stream = calloc(1, sizeof(*stream));

	if (stream) {
		stream->id = id;
		stream->matcher = matcher;
	}
	return stream;
}

struct match_stream *matcher_stream(struct matcher *matcher, uint32_t context, uint32_t stream)
{
	uint64_t id = (uint64_t)context << 32 | stream;
	struct match_stream *found = NULL;

	HASH_FIND(link, matcher->streams, &id, sizeof(id), found);
	if (!found) {
		found = stream_new(matcher, id);
		if (found)
			HASH_ADD(link, matcher->streams, id, sizeof(found->id), found);
		if (found && !found->link.tbl) {
			free(found);
			found = NULL;
		}
	}
	if (found)
		found->uses++;
	return found;
}

struct match_stream *matcher_unnumbered(struct matcher *matcher, uint32_t context)
{
	struct match_stream *stream = stream_new(matcher, (uint64_t)context << 32);

	if (stream) {
		stream->uses = 1;
		stream->next = matcher->unnumbered;
		matcher->unnumbered = stream;
	}
	return stream;
}

static struct match_queue *calls_of(const struct match_stream *stream, uint32_t thread)
{
	const struct match_key key = {stream, thread};
	struct match_queue *calls = stream->queues;

	/* As a rule it is that of the stream's only thread, found without a hash. */
	if (!calls || calls->thread == thread)
		return calls;
	HASH_FIND(link, stream->matcher->queues, &key, sizeof(key), calls);
	return calls;
}

/* Frees empty queues, whose threads may have ended, each time that there are twice as many queues
 * as were left the last time. */
static void free_empty(struct match_stream *stream)
{
	struct match_queue **link = &stream->queues, *queue;

	if (stream->queue_count <= 2 * stream->queues_kept)
		return;
	while ((queue = *link)) {
		if (match_queue_empty(queue)) {
			*link = queue->sibling;
			free_queue(stream, queue);
		} else {
			link = &queue->sibling;
		}
	}
	stream->queues_kept = stream->queue_count;
}

/* NULL if memory is out. */
static struct match_queue *add_queue(struct match_stream *stream, uint32_t thread)
{
	struct matcher *matcher = stream->matcher;
	struct match_queue *calls;

	free_empty(stream);
	if (!match_heap_reserve(&stream->waiting, stream->queue_count + 1))
		return NULL;
	calls = match_queue_new(thread, &matcher->total, matcher->unmatched);
	if (!calls)
		return NULL;
	calls->key = (struct match_key){stream, thread};
	HASH_ADD(link, matcher->queues, key, sizeof(calls->key), calls);
	if (!calls->link.tbl) {
		match_queue_free(calls);
		return NULL;
	}
	calls->sibling = stream->queues;
	stream->queues = calls;
	stream->queue_count++;
	return calls;
}

void match_expect(struct match_stream *stream, struct in_flight *call)
{
	struct match_queue *calls = calls_of(stream, call->thread);

	if (!calls)
		calls = add_queue(stream, call->thread);
	if (!calls) {
		stream->matcher->unmatched(call);
		return;
	}
	match_queue_add(calls, call);
	match_heap_update(&stream->waiting, calls);
}

static uint64_t oldest_start(const struct match_queue *calls)
{
	return match_queue_oldest(calls)->started;
}

/* A call that fits: its queue, or NULL, and its index there. */
struct fit {
	struct match_queue *calls;
	uint32_t index;
};

static uint64_t start_of(const struct fit *fit)
{
	return in_flight_at(&fit->calls->ring, fit->index)->started;
}

/* Looks for an earlier call that fits, from a place of the heap on. */
static void find_earlier(const struct match_heap *heap, uint32_t place,
			 const struct record_key *key, struct fit *best)
{
	struct fit fit;

	if (place > heap->count ||
	    (best->calls && oldest_start(heap->queues[place]) >= start_of(best)))
		return;
	fit.calls = heap->queues[place];
	fit.index = match_queue_find(fit.calls, key);
	if (fit.index != fit.calls->ring.head && (!best->calls || start_of(&fit) < start_of(best)))
		*best = fit;
	find_earlier(heap, 2 * place, key, best);
	find_earlier(heap, 2 * place + 1, key, best);
}

/* The earliest call that fits, of one thread or, for `thread` 0, of all. */
static struct fit earliest(const struct match_stream *stream, uint32_t thread,
			   const struct record_key *key)
{
	struct fit fit = {.calls = thread ? calls_of(stream, thread) : NULL};

	if (!thread)
		find_earlier(&stream->waiting, 1, key, &fit);
	else if (fit.calls)
		fit.index = match_queue_find(fit.calls, key);
	if (fit.calls && fit.index == fit.calls->ring.head)
		fit.calls = NULL;
	return fit;
}

static bool overlap(const struct in_flight *one, const struct in_flight *other)
{
	return one->started < other->ended && other->started < one->ended;
}

/* Whether another thread's next call was made at the same time, from a place of the heap on. */
static bool overlaps_others(const struct match_heap *heap, uint32_t place,
			    const struct match_queue *matched, const struct in_flight *call)
{
	if (place > heap->count || oldest_start(heap->queues[place]) >= call->ended)
		return false;
	return (heap->queues[place] != matched &&
		overlap(match_queue_oldest(heap->queues[place]), call)) ||
	       overlaps_others(heap, 2 * place, matched, call) ||
	       overlaps_others(heap, 2 * place + 1, matched, call);
}

/*
 * Called when a record was matched by the order of all threads' calls. Other calls that ended
 * before the found one began have no record. Of calls at the same time the driver may have taken
 * either first.
 */
static void settle_others(struct match_stream *stream, const struct match_queue *matched,
			  struct in_flight *found)
{
	struct match_queue *calls, *next, *others = NULL;

	while ((calls = match_heap_first(&stream->waiting)) && oldest_start(calls) < found->ended) {
		match_heap_remove(&stream->waiting, calls);
		calls->next = others;
		others = calls;
	}
	for (calls = others; calls; calls = next) {
		next = calls->next;
		while (calls != matched && !match_queue_empty(calls) &&
		       match_queue_oldest(calls)->ended < found->started)
			match_queue_give_up_oldest(calls);
		if (calls != matched && !match_queue_empty(calls) &&
		    overlap(match_queue_oldest(calls), found))
			match_queue_oldest(calls)->ambiguous = found->ambiguous = true;
		match_heap_update(&stream->waiting, calls);
	}
}

/* The call of a record. */
static struct fit find(const struct match_stream *stream, uint32_t thread, struct record_key key)
{
	struct fit fit;

	key.start_known = !stream->matcher->clock_differs;
	fit = earliest(stream, thread, &key);
	if (!fit.calls && thread)
		fit = earliest(stream, 0, &key);
	/* Without names, the order of two concurrent calls must not be guessed. */
	if (fit.calls && !thread && key.kernel &&
	    overlaps_others(&stream->waiting, 1, fit.calls,
			    in_flight_at(&fit.calls->ring, fit.index)))
		fit.calls = NULL;
	return fit;
}

static struct in_flight *match(struct match_stream *stream, uint32_t thread, struct record_key key)
{
	struct fit fit = find(stream, thread, key);
	struct in_flight *found = fit.calls ? match_queue_take(fit.calls, fit.index) : NULL;

	if (!found)
		return NULL;
	match_heap_update(&stream->waiting, fit.calls);
	if (!thread)
		settle_others(stream, fit.calls, found);
	else if (thread != fit.calls->thread && thread != ACTIVITY_UNKNOWN_THREAD)
		found->ambiguous = true;
	return found;
}

/* Counts the lists without id in a context that have a call which fits; `found` is the link to the
 * last one. */
static unsigned fitting(struct matcher *matcher, uint32_t context, uint32_t thread,
			const struct record_key *key, struct match_stream ***found)
{
	unsigned count = 0;

	for (struct match_stream **place = &matcher->unnumbered; *place; place = &(*place)->next) {
		if (((*place)->id && (*place)->id >> 32 != context) ||
		    !earliest(*place, thread, key).calls)
			continue;
		*found = place;
		count++;
	}
	return count;
}

struct match_stream *matcher_find(struct matcher *matcher, uint32_t context, uint32_t stream,
				  uint32_t thread, uint64_t start,
				  const struct operation *operation, uint64_t bytes)
{
	uint64_t id = (uint64_t)context << 32 | stream;
	struct record_key key = {.start = start,
				 .start_known = !matcher->clock_differs,
				 .operation = operation,
				 .bytes = bytes};
	struct match_stream **place, *found = matcher->latest;
	unsigned count;

	if (found && found->id == id)
		return found;
	HASH_FIND(link, matcher->streams, &id, sizeof(id), found);
	if (found) {
		matcher->latest = found;
		return found;
	}
	/* The thread, if known, distinguishes threads that do the same at the same time. */
	count = fitting(matcher, context, thread, &key, &place);
	if (count == 0 && thread)
		count = fitting(matcher, context, 0, &key, &place);
	if (count == 1) {
		uint64_t before = (*place)->id;

		found = *place;
		found->id = id;
		HASH_ADD(link, matcher->streams, id, sizeof(found->id), found);
		/* Where memory is out, it stays among those without a number. */
		if (found->link.tbl)
			*place = found->next;
		else
			found->id = before;
	}
	return found;
}

struct in_flight *match_record(struct match_stream *stream, uint32_t thread, uint64_t start,
			       const struct operation *operation, uint64_t bytes)
{
	return match(stream, thread,
		     (struct record_key){.start = start, .operation = operation, .bytes = bytes});
}

struct in_flight *match_kernel(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	return match(stream, thread, (struct record_key){.start = start, .kernel = true});
}

const struct in_flight *match_next_kernel(const struct match_stream *stream, uint32_t thread,
					  uint64_t start)
{
	struct fit fit = find(stream, thread, (struct record_key){.start = start, .kernel = true});

	return fit.calls && (!thread || thread == fit.calls->thread)
		       ? in_flight_at(&fit.calls->ring, fit.index)
		       : NULL;
}

struct in_flight *match_graph(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	return match(stream, thread, (struct record_key){.start = start});
}

bool match_pending(const struct match_stream *stream)
{
	return match_heap_first(&stream->waiting) != NULL;
}

static size_t stream_expire(struct match_stream *stream, uint64_t before)
{
	struct match_queue *calls;
	size_t count = 0;

	while ((calls = match_heap_first(&stream->waiting)) && oldest_start(calls) < before) {
		for (; !match_queue_empty(calls) && oldest_start(calls) < before; count++)
			match_queue_give_up_oldest(calls);
		match_heap_update(&stream->waiting, calls);
	}
	return count;
}

bool match_forget(struct match_stream *stream, bool pending_too)
{
	struct matcher *matcher = stream->matcher;
	struct match_stream **link = &matcher->unnumbered;

	if (match_pending(stream) && !pending_too)
		return false;
	if (--stream->uses)
		return true;
	stream_expire(stream, UINT64_MAX);
	while (*link && *link != stream)
		link = &(*link)->next;
	if (*link)
		*link = stream->next;
	else
		HASH_DELETE(link, matcher->streams, stream);
	if (matcher->latest == stream)
		matcher->latest = NULL;
	stream_free(stream);
	return true;
}

static uint64_t stream_oldest(const struct match_stream *stream, uint64_t oldest)
{
	const struct match_queue *first = match_heap_first(&stream->waiting);
	uint64_t started = first ? oldest_start(first) : UINT64_MAX;

	return started < oldest ? started : oldest;
}

uint64_t matcher_oldest(const struct matcher *matcher)
{
	uint64_t oldest = UINT64_MAX;

	for (const struct match_stream *stream = matcher->streams; stream;
	     stream = stream->link.next)
		oldest = stream_oldest(stream, oldest);
	for (const struct match_stream *stream = matcher->unnumbered; stream; stream = stream->next)
		oldest = stream_oldest(stream, oldest);
	return oldest;
}

size_t matcher_memory(const struct matcher *matcher)
{
	size_t streams = HASH_CNT(link, matcher->streams);

	return sizeof(*matcher) + matcher->total.slots * sizeof(struct in_flight *) +
	       streams * sizeof(struct match_stream);
}

size_t matcher_expire(struct matcher *matcher, uint64_t before)
{
	struct match_stream *stream, *next;
	size_t count = 0;

	HASH_ITER (link, matcher->streams, stream, next)
		count += stream_expire(stream, before);
	for (stream = matcher->unnumbered; stream; stream = stream->next)
		count += stream_expire(stream, before);
	return count;
}
