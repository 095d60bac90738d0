/* SPDX-License-Identifier: MIT */
#include "cupti/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* How far a record's start may lie before its call's: two clocks, fitted to each other. */
#define CLOCK_SLACK   100000u
/*
 * A stream holds some thousand launches in flight, and their records come within two flushes; more
 * than this means that the records do not come at all.
 */
#define MOST_EXPECTED 65536u
/* And all streams together, 15 MB; beyond that each has a small list, and no more. */
#define MOST_TOGETHER 262144u
#define FIRST_SIZE    32u
#define SMALL_SIZE    1024u
/* How many calls a record may pass over: those that left no record. */
#define LOOK_AHEAD    64u

struct match_stream {
	uint64_t id; /* context, stream */
	unsigned uses;
	struct matcher *matcher;
	struct expected *ring;
	uint32_t mask, head, tail; /* the oldest is at tail */
	struct match_stream *next; /* of the unnumbered ones */
	UT_hash_handle link;
};

struct matcher {
	struct match_stream *streams; /* by number */
	struct match_stream *unnumbered;
	struct match_stream *latest; /* the one that was found last */
	uint32_t room;		     /* of all streams' lists */
	bool untrusted;		     /* the records' clock */
	void (*unmatched)(const struct expected *);
};

struct matcher *matcher_create(void (*unmatched)(const struct expected *expected))
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

/* A record that began before the call did belongs to another one. */
static bool began_before(const struct match_stream *stream, uint64_t start,
			 const struct expected *expected)
{
	return !stream->matcher->untrusted && start + CLOCK_SLACK < expected->started;
}

static void stream_free(struct match_stream *stream)
{
	free(stream->ring);
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

static struct expected *at(struct match_stream *stream, uint32_t index)
{
	return &stream->ring[index & stream->mask];
}

/* Takes the oldest call off the list; it is given up unless it was matched. */
static void drop_oldest(struct match_stream *stream)
{
	struct expected *oldest = at(stream, stream->tail++);

	if (!oldest->consumed)
		stream->matcher->unmatched(oldest);
}

/* Whether a list may become twice as long. */
static bool may_grow(const struct match_stream *stream, uint32_t size)
{
	return size < SMALL_SIZE ||
	       (size < MOST_EXPECTED && stream->matcher->room + size <= MOST_TOGETHER);
}

static bool make_room(struct match_stream *stream)
{
	uint32_t used = stream->head - stream->tail;
	uint32_t size = stream->ring ? stream->mask + 1 : 0;
	struct expected *bigger;

	if (used < size)
		return true;
	if (may_grow(stream, size)) {
		uint32_t larger = size ? 2 * size : FIRST_SIZE;

		bigger = malloc(larger * sizeof(*bigger));
		for (uint32_t i = 0; bigger && i < used; i++)
			bigger[i] = *at(stream, stream->tail + i);
		if (bigger) {
			free(stream->ring);
			stream->ring = bigger;
			stream->mask = larger - 1;
			stream->tail = 0;
			stream->head = used;
			stream->matcher->room += larger - size;
			return true;
		}
	}
	if (used == 0)
		return false;
	drop_oldest(stream);
	return true;
}

static void mark_if_overlapping(struct expected *earlier, struct expected *later)
{
	if (earlier->thread != later->thread && later->started < earlier->ended) {
		earlier->ambiguous = true;
		later->ambiguous = true;
	}
}

void match_expect(struct match_stream *stream, const struct expected *expected)
{
	uint32_t place;

	if (!make_room(stream)) {
		stream->matcher->unmatched(expected);
		return;
	}
	for (place = stream->head++; place != stream->tail; place--) {
		if (at(stream, place - 1)->started <= expected->started)
			break;
		*at(stream, place) = *at(stream, place - 1);
	}
	*at(stream, place) = *expected;
	at(stream, place)->ambiguous = false;
	at(stream, place)->consumed = false;
	if (place != stream->tail)
		mark_if_overlapping(at(stream, place - 1), at(stream, place));
	if (place + 1 != stream->head)
		mark_if_overlapping(at(stream, place), at(stream, place + 1));
}

static void skip_consumed(struct match_stream *stream)
{
	while (stream->tail != stream->head && at(stream, stream->tail)->consumed)
		stream->tail++;
}

/* The index of the first call that fits, or head. */
static uint32_t find(struct match_stream *stream, uint64_t start, const void *key, uint64_t bytes)
{
	uint32_t index = stream->tail;
	uint32_t end = stream->head;

	if (end - index > LOOK_AHEAD)
		end = index + LOOK_AHEAD;
	for (; index != end; index++) {
		struct expected *expected = at(stream, index);

		/* A call that had not begun when the record did, and so none behind it. */
		if (began_before(stream, start, expected))
			return stream->head;
		if (!expected->consumed && expected->key == key && expected->bytes == bytes)
			return index;
	}
	return stream->head;
}

static bool take(struct match_stream *stream, uint32_t index, struct expected *found)
{
	struct expected *expected = at(stream, index);

	*found = *expected;
	if (expected->ambiguous && index != stream->tail && at(stream, stream->tail)->ambiguous) {
		/* Its neighbours may yet get theirs: their order is not known. */
		expected->consumed = true;
		return true;
	}
	while (stream->tail != index)
		drop_oldest(stream);
	stream->tail++;
	return true;
}

static bool fits(struct match_stream *stream, uint64_t start, const void *key, uint64_t bytes)
{
	skip_consumed(stream);
	if (stream->tail == stream->head)
		return false;
	if (!key)
		return at(stream, stream->tail)->graph &&
		       !began_before(stream, start, at(stream, stream->tail));
	return find(stream, start, key, bytes) != stream->head;
}

struct match_stream *matcher_find(struct matcher *matcher, uint32_t context, uint32_t stream,
				  uint64_t start, const void *key, uint64_t bytes)
{
	uint64_t id = (uint64_t)context << 32 | stream;
	struct match_stream **place, **only = NULL;
	struct match_stream *found = matcher->latest;

	if (found && found->id == id)
		return found;
	HASH_FIND(link, matcher->streams, &id, sizeof(id), found);
	if (found) {
		matcher->latest = found;
		return found;
	}
	for (place = &matcher->unnumbered; *place; place = &(*place)->next) {
		if (((*place)->id && (*place)->id >> 32 != context) ||
		    !fits(*place, start, key, bytes))
			continue;
		if (only)
			return NULL;
		only = place;
	}
	if (only) {
		found = *only;
		*only = found->next;
		found->id = id;
		HASH_ADD(link, matcher->streams, id, sizeof(found->id), found);
	}
	return found;
}

bool match_record(struct match_stream *stream, uint64_t start, const void *key, uint64_t bytes,
		  struct expected *found)
{
	uint32_t index;

	skip_consumed(stream);
	index = find(stream, start, key, bytes);
	return index != stream->head && take(stream, index, found);
}

bool match_kernel(struct match_stream *stream, uint64_t start, struct expected *found)
{
	struct expected *next;

	skip_consumed(stream);
	if (stream->tail == stream->head)
		return false;
	next = at(stream, stream->tail);
	return next->kernel && !next->ambiguous && !began_before(stream, start, next) &&
	       take(stream, stream->tail, found);
}

bool match_graph(struct match_stream *stream, uint64_t start, struct expected *found)
{
	struct expected *next;

	skip_consumed(stream);
	if (stream->tail == stream->head)
		return false;
	next = at(stream, stream->tail);
	return next->graph && !began_before(stream, start, next) &&
	       take(stream, stream->tail, found);
}

bool match_pending(const struct match_stream *stream)
{
	return stream->tail != stream->head;
}

static size_t stream_expire(struct match_stream *stream, uint64_t before)
{
	size_t count = 0;

	while (stream->tail != stream->head && at(stream, stream->tail)->started < before) {
		count += !at(stream, stream->tail)->consumed;
		drop_oldest(stream);
	}
	return count;
}

bool match_forget(struct match_stream *stream, bool pending_too)
{
	struct matcher *matcher = stream->matcher;
	struct match_stream **link = &matcher->unnumbered;

	skip_consumed(stream);
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
	matcher->room -= stream->ring ? stream->mask + 1 : 0;
	stream_free(stream);
	return true;
}

size_t matcher_memory(const struct matcher *matcher)
{
	size_t streams = HASH_CNT(link, matcher->streams);

	return sizeof(*matcher) + matcher->room * sizeof(struct expected) +
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
