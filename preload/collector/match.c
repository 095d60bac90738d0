/* SPDX-License-Identifier: MIT */
#include "preload/collector/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "preload/collector/match_queue.h"

struct match_stream {
	uint64_t id; /* CUPTI's ids: context, stream */
	unsigned uses;
	struct matcher *matcher;
	struct match_queue *calls; /* one queue for each thread */
	struct match_stream *next; /* in the list of streams without id */
	UT_hash_handle link;
};

struct matcher {
	struct match_stream *streams;	 /* by id */
	struct match_stream *unnumbered; /* id not known yet */
	struct match_stream *latest;	 /* the stream that was found last */
	uint32_t room;			 /* slots of all queues together */
	bool clock_differs;		 /* CUPTI's times cannot be compared with the calls' */
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

static void stream_free(struct match_stream *stream)
{
	struct match_queue *calls, *next;

	for (calls = stream->calls; calls; calls = next) {
		next = calls->next;
		match_queue_free(calls);
	}
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
	struct match_queue *calls = stream->calls;

	while (calls && calls->thread != thread)
		calls = calls->next;
	return calls;
}

/* Frees empty queues, whose threads may have ended, before a new one is added. */
static void free_empty(struct match_stream *stream)
{
	struct match_queue **link = &stream->calls, *calls;

	while ((calls = *link)) {
		if (match_queue_empty(calls)) {
			*link = calls->next;
			match_queue_free(calls);
		} else {
			link = &calls->next;
		}
	}
}

void match_expect(struct match_stream *stream, struct in_flight *call)
{
	struct match_queue *calls = calls_of(stream, call->thread);

	if (!calls) {
		free_empty(stream);
		calls = match_queue_new(call->thread, &stream->matcher->room,
					stream->matcher->unmatched);
		if (!calls) {
			stream->matcher->unmatched(call);
			return;
		}
		calls->next = stream->calls;
		stream->calls = calls;
	}
	match_queue_add(calls, call);
}

/* The queue with the earliest call that fits, of one thread or, for `thread` 0, of all; its index
 * in `index`. */
static struct match_queue *earliest(const struct match_stream *stream, uint32_t thread,
				    const struct record_key *key, uint32_t *index)
{
	struct match_queue *best = NULL;

	for (struct match_queue *calls = stream->calls; calls; calls = calls->next) {
		uint32_t found;

		if (thread && calls->thread != thread)
			continue;
		found = match_queue_find(calls, key);
		if (found == calls->ring.head ||
		    (best && in_flight_at(&best->ring, *index)->started <=
				     in_flight_at(&calls->ring, found)->started))
			continue;
		best = calls;
		*index = found;
	}
	return best;
}

static bool overlap(const struct in_flight *one, const struct in_flight *other)
{
	return one->started < other->ended && other->started < one->ended;
}

/* Whether another thread's next call was made at the same time. */
static bool overlaps_others(const struct match_stream *stream, const struct match_queue *matched,
			    struct in_flight *call)
{
	const struct match_queue *calls = stream->calls;

	while (calls && (calls == matched || match_queue_empty(calls) ||
			 !overlap(match_queue_oldest(calls), call)))
		calls = calls->next;
	return calls;
}

/*
 * Called when a record was matched by the order of all threads' calls. Other calls that ended
 * before the found one began have no record. Of calls at the same time the driver may have taken
 * either first.
 */
static void settle_others(struct match_stream *stream, const struct match_queue *matched,
			  struct in_flight *found)
{
	for (struct match_queue *calls = stream->calls; calls; calls = calls->next) {
		if (calls == matched)
			continue;
		while (!match_queue_empty(calls) &&
		       match_queue_oldest(calls)->ended < found->started)
			match_queue_give_up_oldest(calls);
		if (!match_queue_empty(calls) && overlap(match_queue_oldest(calls), found))
			match_queue_oldest(calls)->ambiguous = found->ambiguous = true;
	}
}

static struct in_flight *match(struct match_stream *stream, uint32_t thread, struct record_key key)
{
	struct match_queue *calls = thread ? calls_of(stream, thread) : NULL;
	struct in_flight *found;
	uint32_t index = 0;

	key.start_known = !stream->matcher->clock_differs;
	if (calls)
		index = match_queue_find(calls, &key);
	if (!calls || index == calls->ring.head)
		calls = earliest(stream, 0, &key, &index);
	/* Without names, the order of two concurrent calls must not be guessed. */
	if (!calls || (!thread && key.kernel &&
		       overlaps_others(stream, calls, in_flight_at(&calls->ring, index))))
		return NULL;
	found = match_queue_take(calls, index);
	if (!thread)
		settle_others(stream, calls, found);
	return found;
}

/* Counts the lists without id in a context that have a call which fits; `found` is the link to the
 * last one. */
static unsigned fitting(struct matcher *matcher, uint32_t context, uint32_t thread,
			const struct record_key *key, struct match_stream ***found)
{
	unsigned count = 0;

	for (struct match_stream **place = &matcher->unnumbered; *place; place = &(*place)->next) {
		uint32_t index;

		if (((*place)->id && (*place)->id >> 32 != context) ||
		    !earliest(*place, thread, key, &index))
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

struct in_flight *match_graph(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	return match(stream, thread, (struct record_key){.start = start});
}

bool match_pending(const struct match_stream *stream)
{
	const struct match_queue *calls = stream->calls;

	while (calls && match_queue_empty(calls))
		calls = calls->next;
	return calls;
}

static size_t stream_expire(struct match_stream *stream, uint64_t before)
{
	size_t count = 0;

	for (struct match_queue *calls = stream->calls; calls; calls = calls->next)
		for (; !match_queue_empty(calls) && match_queue_oldest(calls)->started < before;
		     count++)
			match_queue_give_up_oldest(calls);
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
	for (const struct match_queue *calls = stream->calls; calls; calls = calls->next)
		if (!match_queue_empty(calls) && match_queue_oldest(calls)->started < oldest)
			oldest = match_queue_oldest(calls)->started;
	return oldest;
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

	return sizeof(*matcher) +
	       matcher->room * (sizeof(struct in_flight *) + sizeof(struct in_flight)) +
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
