/* SPDX-License-Identifier: MIT */
#include "preload/collector/records.h"

#include <stdlib.h>
#include <utlist.h>

#include "cupti/activity.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* How far before its call a record may start, in nanoseconds: CUPTI fits its clock to the host's.
 * Chosen. */
#define CLOCK_SLACK   100000u
/*
 * How many calls of a stream may wait: more than this means that records do not come at all. A
 * stream holds some thousand launches in flight (1021 on an H200), and their records come within
 * two flushes.
 */
#define MOST_EXPECTED 65536u
/*
 * How many calls of all streams together may wait: 40 MB with their slots. Beyond that each queue
 * is limited to SMALL_SIZE, which is fewer than a buffer of CUPTI's has records. So what counts is
 * the calls that wait now, not the slots of queues that were long once: with sixteen threads the
 * first ones may launch tens of thousands of times before the others begin. Chosen.
 */
#define MOST_TOGETHER 262144u
#define SMALL_SIZE    1024u
/* How many calls without records a record may pass over. Chosen. */
#define LOOK_AHEAD    64u

/* The calls of one thread in a stream that wait for their records, in order. */
struct queue {
	struct entry entry; /* by stream and thread */
	uint32_t thread;
	struct match_stream *stream;
	struct in_flight_ring ring;
	struct queue *sibling; /* that of another thread in the stream */
	uint32_t place;	       /* in the stream's heap; 0: the queue is empty */
	struct queue *next;    /* in a list of settle_others() */
};

/*
 * The queues of a stream that are not empty, as a binary heap: the one whose oldest call began
 * first is at its root, place 1. The queue at a place has those at twice the place, and one more,
 * below it.
 */
struct heap {
	struct queue **queues;
	uint32_t count;
	size_t room;
};

struct match_stream {
	struct entry *number; /* by CUPTI's ids; NULL: not known */
	uint32_t context;
	unsigned uses;
	struct queue *queues; /* one for each thread, linked by `sibling` */
	uint32_t queue_count;
	uint32_t queues_kept; /* when empty ones were last freed */
	struct heap waiting;
	struct match_stream *prev, *next;
};

bool matcher_trusts_clock = true;

static struct {
	struct match_stream *streams; /* those without a number come first */
	struct entry *numbers;	      /* of streams */
	struct entry *queues;	      /* of all streams */
	struct match_stream *latest;  /* the stream that was found last */
	size_t slots;		      /* for calls */
} matcher;
uint32_t match_waiting;

static bool is_empty(const struct queue *queue)
{
	return in_flight_ring_used(&queue->ring) == 0;
}

/* The queue must not be empty, here and in the next functions. */
static struct in_flight *oldest_of(const struct queue *queue)
{
	return in_flight_at(&queue->ring, queue->ring.tail);
}

static uint64_t oldest_start(const struct queue *queue)
{
	return oldest_of(queue)->started;
}

static void free_slots(struct queue *queue)
{
	matcher.slots -= in_flight_ring_size(&queue->ring);
	free(queue->ring.slots);
	queue->ring = (struct in_flight_ring){0};
}

static struct in_flight *take_oldest(struct queue *queue)
{
	struct in_flight *call = in_flight_at(&queue->ring, queue->ring.tail++);

	match_waiting--;
	if (is_empty(queue) && in_flight_ring_size(&queue->ring) > SMALL_SIZE)
		free_slots(queue);
	return call;
}

static void give_up_oldest(struct queue *queue)
{
	calls_unmatched(take_oldest(queue));
}

/* Whether no more calls may wait than the queue has. */
static bool is_full(const struct queue *queue)
{
	uint32_t used = in_flight_ring_used(&queue->ring);

	return used >= MOST_EXPECTED || (used >= SMALL_SIZE && match_waiting >= MOST_TOGETHER);
}

/* Has a slot for one more call, for which the oldest may be given up; false if memory is out. */
static bool make_room(struct queue *queue)
{
	uint32_t size = in_flight_ring_size(&queue->ring);

	if (is_full(queue))
		give_up_oldest(queue);
	if (in_flight_ring_used(&queue->ring) < size)
		return true;
	if (in_flight_ring_grow(&queue->ring)) {
		matcher.slots += in_flight_ring_size(&queue->ring) - size;
		return true;
	}
	if (size == 0)
		return false;
	give_up_oldest(queue);
	return true;
}

static struct queue *at(const struct heap *heap, uint32_t place)
{
	return heap->queues[place - 1];
}

static bool is_before(const struct queue *one, const struct queue *other)
{
	return oldest_start(one) < oldest_start(other);
}

static void put(struct heap *heap, struct queue *queue, uint32_t place)
{
	heap->queues[place - 1] = queue;
	queue->place = place;
}

/* Puts a queue into the heap, moving up or down from a free place. */
static void settle(struct heap *heap, struct queue *queue, uint32_t place)
{
	uint32_t below;

	while (place > 1 && is_before(queue, at(heap, place / 2))) {
		put(heap, at(heap, place / 2), place);
		place /= 2;
	}
	while ((below = 2 * place) <= heap->count) {
		if (below < heap->count && is_before(at(heap, below + 1), at(heap, below)))
			below++;
		if (!is_before(at(heap, below), queue))
			break;
		put(heap, at(heap, below), place);
		place = below;
	}
	put(heap, queue, place);
}

static void heap_remove(struct heap *heap, struct queue *queue)
{
	struct queue *last;
	uint32_t place = queue->place;

	if (!place)
		return;
	queue->place = 0;
	last = at(heap, heap->count--);
	if (last != queue)
		settle(heap, last, place);
}

/* Adds, moves or removes a queue whose calls have changed. */
static void heap_update(struct heap *heap, struct queue *queue)
{
	if (is_empty(queue))
		heap_remove(heap, queue);
	else
		settle(heap, queue, queue->place ? queue->place : ++heap->count);
}

/* The root; NULL if all queues are empty. */
static struct queue *heap_first(const struct heap *heap)
{
	return heap->count ? at(heap, 1) : NULL;
}

static void forget_entry(struct entry **table, struct entry *entry)
{
	HASH_DEL(*table, entry);
	free(entry);
}

static void free_queue(struct queue *queue)
{
	struct match_stream *stream = queue->stream;

	match_waiting -= in_flight_ring_used(&queue->ring);
	free_slots(queue);
	forget_entry(&matcher.queues, &queue->entry);
	stream->queue_count--;
}

static void free_stream(struct match_stream *stream)
{
	struct queue *queue;

	while ((queue = stream->queues)) {
		stream->queues = queue->sibling;
		free_queue(queue);
	}
	DL_DELETE(matcher.streams, stream);
	if (stream->number)
		forget_entry(&matcher.numbers, stream->number);
	if (matcher.latest == stream)
		matcher.latest = NULL;
	free(stream->waiting.queues);
	free(stream);
}

/* The entry of a stream by CUPTI's ids: if `add`, a new one if there is none. */
static struct entry *number_of(uint32_t context, uint32_t stream, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {context, stream};

	return entry_of(&matcher.numbers, key, add ? sizeof(struct entry) : 0);
}

static void set_number(struct match_stream *stream, struct entry *number)
{
	number->item = stream;
	stream->number = number;
	DL_DELETE(matcher.streams, stream);
	DL_APPEND(matcher.streams, stream);
}

struct match_stream *matcher_unnumbered(uint32_t context)
{
	struct match_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->context = context;
	stream->uses = 1;
	DL_PREPEND(matcher.streams, stream);
	return stream;
}

struct match_stream *matcher_stream(uint32_t context, uint32_t stream)
{
	struct entry *number = number_of(context, stream, true);
	struct match_stream *found = number ? number->item : NULL;

	if (found) {
		found->uses++;
		return found;
	}
	found = number ? matcher_unnumbered(context) : NULL;
	if (found)
		set_number(found, number);
	else if (number)
		forget_entry(&matcher.numbers, number);
	return found;
}

/* The queue of a thread; NULL if there is none, and `add` is false or memory is out. */
static struct queue *queue_of(const struct match_stream *stream, uint32_t thread, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)stream, thread};
	struct queue *queue = stream->queues;

	/* As a rule it is that of the stream's only thread, found without a hash. */
	if (queue && queue->thread == thread)
		return queue;
	return queue || add ? entry_of(&matcher.queues, key, add ? sizeof(*queue) : 0) : NULL;
}

/* Frees empty queues, whose threads may have ended, each time that there are twice as many queues
 * as were left the last time. */
static void free_empty(struct match_stream *stream)
{
	struct queue **link = &stream->queues, *queue;

	if (stream->queue_count <= 2 * stream->queues_kept)
		return;
	while ((queue = *link)) {
		if (is_empty(queue)) {
			*link = queue->sibling;
			free_queue(queue);
		} else {
			link = &queue->sibling;
		}
	}
	stream->queues_kept = stream->queue_count;
}

/* Adds a thread's queue to a stream; NULL if memory is out. */
static struct queue *add_queue(struct match_stream *stream, uint32_t thread)
{
	struct heap *heap = &stream->waiting;
	struct queue *queue, **larger;

	free_empty(stream);
	/* So that heap_update() cannot fail. */
	larger = grow_list(heap->queues, stream->queue_count, &heap->room, sizeof(*larger));
	if (!larger)
		return NULL;
	heap->queues = larger;
	queue = queue_of(stream, thread, true);
	if (!queue)
		return NULL;
	queue->thread = thread;
	queue->stream = stream;
	queue->sibling = stream->queues;
	stream->queues = queue;
	stream->queue_count++;
	return queue;
}

void match_expect(struct match_stream *stream, struct in_flight *call)
{
	struct queue *queue = queue_of(stream, call->thread, false);

	if (!queue)
		queue = add_queue(stream, call->thread);
	if (!queue || !make_room(queue)) {
		calls_unmatched(call);
		return;
	}
	in_flight_ring_add(&queue->ring, call);
	match_waiting++;
	heap_update(&stream->waiting, queue);
}

/* A call that fits: its queue, or NULL, and its index there. */
struct fit {
	struct queue *queue;
	uint32_t index;
};

static struct in_flight *call_of(const struct fit *fit)
{
	return in_flight_at(&fit->queue->ring, fit->index);
}

static bool is_of_kind(const struct in_flight *call, const struct match_key *key)
{
	if (key->operation)
		return call->operation == key->operation && call->bytes == key->bytes;
	return call->operation->kind == (key->kernel ? ROW_KERNEL : ROW_GRAPH);
}

/* The first call of a queue that fits. */
static struct fit first_fit(struct queue *queue, const struct match_key *key)
{
	uint32_t index = queue->ring.tail, end = queue->ring.head;
	uint32_t most = key->operation ? LOOK_AHEAD : 1;

	if (end - index > most)
		end = index + most;
	for (; index != end; index++) {
		const struct in_flight *call = in_flight_at(&queue->ring, index);

		/* This call, and so all later ones, began after the record's work. */
		if (matcher_trusts_clock && key->start + CLOCK_SLACK < call->started)
			break;
		if (is_of_kind(call, key))
			return (struct fit){queue, index};
	}
	return (struct fit){NULL, 0};
}

/* Looks for an earlier call that fits, from a place of the heap on. */
static void find_earlier(const struct heap *heap, uint32_t place, const struct match_key *key,
			 struct fit *best)
{
	struct fit fit;

	if (place > heap->count ||
	    (best->queue && oldest_start(at(heap, place)) >= call_of(best)->started))
		return;
	fit = first_fit(at(heap, place), key);
	if (fit.queue && (!best->queue || call_of(&fit)->started < call_of(best)->started))
		*best = fit;
	find_earlier(heap, 2 * place, key, best);
	find_earlier(heap, 2 * place + 1, key, best);
}

/* The earliest call that fits, of one thread or, for `thread` 0, of all. */
static struct fit earliest(const struct match_stream *stream, uint32_t thread,
			   const struct match_key *key)
{
	struct queue *queue = thread ? queue_of(stream, thread, false) : NULL;
	struct fit fit = {NULL, 0};

	if (!thread)
		find_earlier(&stream->waiting, 1, key, &fit);
	return queue ? first_fit(queue, key) : fit;
}

static bool overlap(const struct in_flight *one, const struct in_flight *other)
{
	return one->started < other->ended && other->started < one->ended;
}

/* Whether another thread's next call was made at the same time, from a place of the heap on. */
static bool overlaps_others(const struct heap *heap, uint32_t place, const struct fit *fit)
{
	const struct in_flight *call = call_of(fit);

	if (place > heap->count || oldest_start(at(heap, place)) >= call->ended)
		return false;
	return (at(heap, place) != fit->queue && overlap(oldest_of(at(heap, place)), call)) ||
	       overlaps_others(heap, 2 * place, fit) || overlaps_others(heap, 2 * place + 1, fit);
}

/*
 * Called when a record was matched by the order of all threads' calls. Other calls that ended
 * before the found one began have no record. Of calls at the same time the driver may have taken
 * either first.
 */
static void settle_others(struct match_stream *stream, const struct queue *matched,
			  struct in_flight *found)
{
	struct queue *queue, *next, *others = NULL;

	while ((queue = heap_first(&stream->waiting)) && oldest_start(queue) < found->ended) {
		heap_remove(&stream->waiting, queue);
		queue->next = others;
		others = queue;
	}
	for (queue = others; queue; queue = next) {
		next = queue->next;
		while (queue != matched && !is_empty(queue) &&
		       oldest_of(queue)->ended < found->started)
			give_up_oldest(queue);
		if (queue != matched && !is_empty(queue) && overlap(oldest_of(queue), found))
			oldest_of(queue)->ambiguous = found->ambiguous = true;
		heap_update(&stream->waiting, queue);
	}
}

/* The call of a record. */
static struct fit find(const struct match_stream *stream, const struct match_key *key)
{
	struct fit fit = earliest(stream, key->thread, key);

	if (!fit.queue && key->thread)
		fit = earliest(stream, 0, key);
	/* Without names, the order of two concurrent calls must not be guessed. */
	if (fit.queue && !key->thread && key->kernel && overlaps_others(&stream->waiting, 1, &fit))
		fit.queue = NULL;
	return fit;
}

struct in_flight *match_record(struct match_stream *stream, const struct match_key *key)
{
	struct fit fit = find(stream, key);
	struct in_flight *found;

	if (!fit.queue)
		return NULL;
	/* A thread's records come in order: those of the calls before it will not come. */
	while (fit.queue->ring.tail != fit.index)
		give_up_oldest(fit.queue);
	found = take_oldest(fit.queue);
	heap_update(&stream->waiting, fit.queue);
	if (!key->thread)
		settle_others(stream, fit.queue, found);
	else if (key->thread != fit.queue->thread && key->thread != ACTIVITY_UNKNOWN_THREAD)
		found->ambiguous = true;
	return found;
}

const struct in_flight *match_next(const struct match_stream *stream, const struct match_key *key)
{
	struct fit fit = find(stream, key);

	return fit.queue && (!key->thread || key->thread == fit.queue->thread) ? call_of(&fit)
									       : NULL;
}

/* Counts the lists without a number in a context that have a call which fits; `found` is the last
 * one. */
static unsigned fitting(uint32_t context, uint32_t thread, const struct match_key *key,
			struct match_stream **found)
{
	unsigned count = 0;

	for (struct match_stream *stream = matcher.streams; stream && !stream->number;
	     stream = stream->next) {
		if ((stream->context && stream->context != context) ||
		    !earliest(stream, thread, key).queue)
			continue;
		*found = stream;
		count++;
	}
	return count;
}

struct match_stream *matcher_find(uint32_t context, uint32_t stream, const struct match_key *key)
{
	struct match_stream *found = NULL;
	struct entry *number;
	unsigned count;

	if (matcher.latest && matcher.latest->number->key[0] == context &&
	    matcher.latest->number->key[1] == stream)
		return matcher.latest;
	number = number_of(context, stream, false);
	if (number)
		return matcher.latest = number->item;
	/* The thread, if known, distinguishes threads that do the same at the same time. */
	count = fitting(context, key->thread, key, &found);
	if (count == 0 && key->thread)
		count = fitting(context, 0, key, &found);
	if (count != 1)
		return NULL;
	/* Where memory is out, it stays among those without a number. */
	number = number_of(context, stream, true);
	if (number)
		set_number(found, number);
	return found;
}

bool match_pending(const struct match_stream *stream)
{
	return heap_first(&stream->waiting) != NULL;
}

static void give_up_all(struct match_stream *stream)
{
	struct queue *queue;

	while ((queue = heap_first(&stream->waiting))) {
		while (!is_empty(queue))
			give_up_oldest(queue);
		heap_update(&stream->waiting, queue);
	}
}

bool match_forget(struct match_stream *stream, bool pending_too)
{
	if (match_pending(stream) && !pending_too)
		return false;
	if (--stream->uses)
		return true;
	give_up_all(stream);
	free_stream(stream);
	return true;
}

uint64_t matcher_oldest(void)
{
	uint64_t oldest = UINT64_MAX;

	for (const struct match_stream *stream = matcher.streams; stream; stream = stream->next)
		if (match_pending(stream) && oldest_start(heap_first(&stream->waiting)) < oldest)
			oldest = oldest_start(heap_first(&stream->waiting));
	return oldest;
}

size_t matcher_memory(void)
{
	return matcher.slots * sizeof(struct in_flight *) +
	       HASH_COUNT(matcher.numbers) * sizeof(struct match_stream);
}

void matcher_give_up(void)
{
	for (struct match_stream *stream = matcher.streams; stream; stream = stream->next)
		give_up_all(stream);
}
