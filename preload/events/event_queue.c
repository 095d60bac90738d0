/* SPDX-License-Identifier: MIT */
#include "preload/events/in_flight.h"

#include <stdlib.h>

#include "preload/base/clock.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"

/* A stream's operations whose event pairs are not read yet, oldest at the tail. */
struct event_queue {
	struct context *context;
	struct stream *stream;
	struct in_flight_ring ring;
	struct event_queue *next;
};

/* All queues, newest first. For the collector. */
static struct {
	struct event_queue *first;
	struct event_queue *resume; /* the queue that the next poll starts with */
} queues;

static struct event_queue *queue_of(struct stream *stream)
{
	struct event_queue *queue = stream->events;

	if (queue)
		return queue;
	queue = calloc(1, sizeof(*queue));
	if (queue) {
		queue->context = stream->context;
		queue->stream = stream;
		queue->next = queues.first;
		queues.first = queue;
		stream->events = queue;
	}
	return queue;
}

bool event_queue_add(struct in_flight *operation)
{
	struct event_queue *queue = queue_of(operation->stream);

	operation->awaits_events =
		queue && (in_flight_ring_used(&queue->ring) < in_flight_ring_size(&queue->ring) ||
			  in_flight_ring_grow(&queue->ring));
	if (operation->awaits_events)
		in_flight_ring_add(&queue->ring, operation);
	return operation->awaits_events;
}

static CUresult query(const struct event_queue *queue, uint32_t index)
{
	CUresult result = driver.cuEventQuery(in_flight_at(&queue->ring, index)->pair->end);

	if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
		driver_failed();
	return result;
}

/* How many of a queue's pairs are finished: all if the newest one is, else by a binary search. */
static uint32_t count_finished(const struct event_queue *queue)
{
	const uint32_t oldest = queue->ring.tail, newest = queue->ring.head - 1;

	if (query(queue, newest) != CUDA_ERROR_NOT_READY)
		return newest + 1 - oldest;
	return FIRST_NOT(i, oldest, newest, query(queue, i) != CUDA_ERROR_NOT_READY) - oldest;
}

/* Removes the oldest operation and returns its pair to the pool, also if the context has ended: the
 * pool is freed when it has all its pairs. */
static void take_oldest(struct event_queue *queue, enum event_end end,
			void (*done)(struct in_flight *, enum event_end))
{
	struct in_flight *operation = in_flight_at(&queue->ring, queue->ring.tail++);

	event_pool_put(operation->pair->pool, operation->pair);
	operation->pair = NULL;
	operation->awaits_events = false;
	done(operation, end);
}

/*
 * Reads the queue's oldest pair; false if the device has not reached its end event. Calls of
 * several threads into one stream are queued here by when they began, which may not be the driver's
 * order: so a pair that was reached does not prove that the one queued just before it was.
 */
static bool read_oldest(struct event_queue *queue, void (*done)(struct in_flight *, enum event_end))
{
	struct in_flight *operation = in_flight_at(&queue->ring, queue->ring.tail);
	enum event_end end = EVENT_LOST;
	float milliseconds = 0;
	CUresult result;

	result = driver.cuEventElapsedTime(&milliseconds, operation->pair->start,
					   operation->pair->end);
	if (result == CUDA_ERROR_NOT_READY)
		return false;
	if (result == CUDA_SUCCESS) {
		operation->by_events =
			milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6 + 0.5) : 0;
		operation->has_events = true;
		if (operation->operation->timed++ == 0 ||
		    operation->by_events < operation->operation->shortest)
			operation->operation->shortest = operation->by_events;
		end = EVENT_READ;
	} else {
		driver_failed();
	}
	take_oldest(queue, end, done);
	return true;
}

/* What the sum of durations stops at: several of the collector's periods. */
#define BUSY_MOST_NS 20000000u

/* Notes for how long the stream has work at least: all its pairs in flight but the oldest, which
 * may be about to end, take as long as their operations ever took at least. */
static void note_busy(const struct event_queue *queue, uint64_t polled)
{
	uint64_t sum = 0;

	for (uint32_t i = queue->ring.tail + 1;
	     in_flight_ring_used(&queue->ring) > 0 && i != queue->ring.head && sum < BUSY_MOST_NS;
	     i++)
		sum += in_flight_at(&queue->ring, i)->operation->shortest;
	store_relaxed(&queue->stream->busy_until,
		      sum ? polled + clock_some_ticks((unsigned)(sum / 1000)) : 0);
}

static void poll_queue(struct event_queue *queue, uint64_t until,
		       void (*done)(struct in_flight *, enum event_end))
{
	uint64_t polled = clock_ticks();
	uint32_t finished;

	if (in_flight_ring_used(&queue->ring) == 0 || !context_use(queue->context))
		return;
	finished = count_finished(queue);
	while (finished-- && clock_ns(CLOCK_MONOTONIC) < until && read_oldest(queue, done))
		;
	note_busy(queue, polled);
}

size_t event_queue_poll(uint64_t until, void (*done)(struct in_flight *, enum event_end))
{
	struct event_queue *first = queues.resume ? queues.resume : queues.first, *queue = first;
	size_t pending = 0;

	while (queue && clock_ns(CLOCK_MONOTONIC) < until) {
		poll_queue(queue, until, done);
		queue = queue->next ? queue->next : queues.first;
		if (queue == first)
			break;
	}
	queues.resume = queue;
	for (queue = queues.first; queue; queue = queue->next)
		pending += in_flight_ring_used(&queue->ring);
	return pending;
}

void event_queue_give_up(const struct context *context, enum event_end end,
			 void (*done)(struct in_flight *, enum event_end))
{
	for (struct event_queue *queue = queues.first; queue; queue = queue->next)
		while ((!context || queue->context == context) &&
		       in_flight_ring_used(&queue->ring) > 0)
			take_oldest(queue, end, done);
}

size_t event_queue_pending(const struct context *context)
{
	size_t pending = 0;

	for (const struct event_queue *queue = queues.first; queue; queue = queue->next)
		if (!context || queue->context == context)
			pending += in_flight_ring_used(&queue->ring);
	return pending;
}

bool event_queue_forget(struct stream *stream)
{
	struct event_queue *queue = stream->events, **link = &queues.first;

	if (!queue)
		return true;
	if (in_flight_ring_used(&queue->ring) > 0)
		return false;
	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	if (queues.resume == queue)
		queues.resume = queue->next;
	free(queue->ring.slots);
	free(queue);
	stream->events = NULL;
	return true;
}
