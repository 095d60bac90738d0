/* SPDX-License-Identifier: MIT */
#include "preload/collector/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "preload/collector/match_queue.h"

struct match_stream {
	uint64_t id; /* context, stream */
	unsigned uses;
	struct matcher *matcher;
	struct match_queue *calls; /* of each thread */
	struct match_stream *next; /* of the unnumbered ones */
	UT_hash_handle link;
};

struct matcher {
	struct match_stream *streams; /* by number */
	struct match_stream *unnumbered;
	struct match_stream *latest; /* the one that was found last */
	uint32_t room;		     /* of all lists */
	bool untrusted;		     /* the records' clock */
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
	matcher->untrusted = !trusted;
}

bool matcher_trusts_clock(const struct matcher *matcher)
{
	return !matcher->untrusted;
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

/* Threads come and go: lists that are empty go when another one begins. */
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

/* Of the threads' calls that fit, the one that began first; `thread` 0: any thread's. */
static struct match_queue *earliest(const struct match_stream *stream, uint32_t thread,
				    const struct wanted *wanted, uint32_t *index)
{
	struct match_queue *best = NULL;

	for (struct match_queue *calls = stream->calls; calls; calls = calls->next) {
		uint32_t found;

		if (thread && calls->thread != thread)
			continue;
		found = match_queue_find(calls, wanted);
		if (found == calls->head || (best && match_queue_at(best, *index)->started <=
							     match_queue_at(calls, found)->started))
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

/* Whether the next call of another thread was made at the same time. */
static bool overlaps_others(const struct match_stream *stream, const struct match_queue *own,
			    struct in_flight *call)
{
	const struct match_queue *calls = stream->calls;

	while (calls && (calls == own || match_queue_empty(calls) ||
			 !overlap(match_queue_oldest(calls), call)))
		calls = calls->next;
	return calls;
}

/*
 * The other threads' calls beside one that was taken by the order of all: those that were over
 * before it began have no record, and of those at the same time the driver may have taken either
 * first.
 */
static void settle_others(struct match_stream *stream, const struct match_queue *own,
			  struct in_flight *found)
{
	for (struct match_queue *calls = stream->calls; calls; calls = calls->next) {
		if (calls == own)
			continue;
		while (!match_queue_empty(calls) &&
		       match_queue_oldest(calls)->ended < found->started)
			match_queue_give_up_oldest(calls);
		if (!match_queue_empty(calls) && overlap(match_queue_oldest(calls), found))
			match_queue_oldest(calls)->ambiguous = found->ambiguous = true;
	}
}

static struct in_flight *match(struct match_stream *stream, uint32_t thread, struct wanted wanted)
{
	struct match_queue *calls = thread ? calls_of(stream, thread) : NULL;
	struct in_flight *found;
	uint32_t index = 0;

	wanted.start_known = !stream->matcher->untrusted;
	if (calls)
		index = match_queue_find(calls, &wanted);
	if (!calls || index == calls->head)
		calls = earliest(stream, 0, &wanted, &index);
	/* Which of two unknown calls comes next must not be guessed. */
	if (!calls || (!thread && wanted.kernel &&
		       overlaps_others(stream, calls, match_queue_at(calls, index))))
		return NULL;
	found = match_queue_take(calls, index);
	if (!thread)
		settle_others(stream, calls, found);
	return found;
}

/* The unnumbered lists of a context that have a call which fits; the last of them in `found`. */
static unsigned fitting(struct matcher *matcher, uint32_t context, uint32_t thread,
			const struct wanted *wanted, struct match_stream ***found)
{
	unsigned count = 0;

	for (struct match_stream **place = &matcher->unnumbered; *place; place = &(*place)->next) {
		uint32_t index;

		if (((*place)->id && (*place)->id >> 32 != context) ||
		    !earliest(*place, thread, wanted, &index))
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
	struct wanted wanted = {.start = start,
				.start_known = !matcher->untrusted,
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
	/* Threads that do the same at the same time are told apart by whose record it is. */
	count = fitting(matcher, context, thread, &wanted, &place);
	if (count == 0 && thread)
		count = fitting(matcher, context, 0, &wanted, &place);
	if (count == 1) {
		found = *place;
		*place = found->next;
		found->id = id;
		HASH_ADD(link, matcher->streams, id, sizeof(found->id), found);
	}
	return found;
}

struct in_flight *match_record(struct match_stream *stream, uint32_t thread, uint64_t start,
			       const struct operation *operation, uint64_t bytes)
{
	struct wanted wanted = {.start = start, .operation = operation, .bytes = bytes};

	return match(stream, thread, wanted);
}

struct in_flight *match_kernel(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	struct wanted wanted = {.start = start, .kernel = true};

	return match(stream, thread, wanted);
}

struct in_flight *match_graph(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	struct wanted wanted = {.start = start};

	return match(stream, thread, wanted);
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
