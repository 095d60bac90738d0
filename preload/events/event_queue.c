/* SPDX-License-Identifier: MIT */
#include "preload/events/event_queue.h"

#include <stdlib.h>

#include "preload/base/clock.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"

struct track {
	struct context *context;
	struct timed **ring;
	uint32_t mask, head, tail;
	/* The last pair that was read: its end may be the start of the next one's call, so it is
	 * given back only after that. */
	struct event_pair *held;
	struct track *next;
};

static struct track *tracks;
static struct track *resume; /* where the next poll goes on */
static struct timed *free_timed;
static struct context *current;

struct timed *timed_new(void)
{
	struct timed *timed = free_timed;

	if (timed)
		free_timed = timed->next;
	else
		timed = malloc(sizeof(*timed));
	if (timed)
		*timed = (struct timed){0};
	return timed;
}

void timed_free(struct timed *timed)
{
	timed->next = free_timed;
	free_timed = timed;
}

bool timing_use_context(struct context *context)
{
	CUresult result = CUDA_SUCCESS;

	if (context == current)
		return true;
	if (context && atomic_load_explicit(&context->ended, memory_order_acquire))
		return false;
	result = driver.cuCtxSetCurrent(context ? context->handle : NULL);
	if (result != CUDA_SUCCESS) {
		driver_failed();
		return false;
	}
	current = context;
	return true;
}

static bool make_room(struct track *track)
{
	uint32_t used = track->head - track->tail;
	uint32_t size = track->ring ? track->mask + 1 : 0;
	struct timed **bigger;

	if (used < size)
		return true;
	bigger = malloc((size ? 2 * size : 64) * sizeof(*bigger));
	if (!bigger)
		return false;
	for (uint32_t i = 0; i < used; i++)
		bigger[i] = track->ring[(track->tail + i) & track->mask];
	free(track->ring);
	track->ring = bigger;
	track->mask = (size ? 2 * size : 64) - 1;
	track->tail = 0;
	track->head = used;
	return true;
}

void timing_add(struct stream *stream, struct timed *timed)
{
	struct track *track = stream->track;

	if (!track) {
		track = calloc(1, sizeof(*track));
		if (track) {
			track->context = stream->context;
			track->next = tracks;
			tracks = track;
			stream->track = track;
		}
	}
	timed->awaits_event = track && make_room(track);
	if (timed->awaits_event)
		track->ring[track->head++ & track->mask] = timed;
}

static struct timed *at(const struct track *track, uint32_t index)
{
	return track->ring[index & track->mask];
}

static CUresult query(const struct track *track, uint32_t index)
{
	CUresult result = driver.cuEventQuery(at(track, index)->pair->end);

	if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
		driver_failed();
	return result;
}

/* How many of a stream's pairs are finished: all, or as many as a binary search finds. */
static uint32_t count_finished(const struct track *track)
{
	uint32_t low = track->tail, high = track->head;

	if (query(track, high - 1) != CUDA_ERROR_NOT_READY)
		return high - low;
	high--;
	while (low != high) {
		uint32_t middle = low + (high - low) / 2;

		if (query(track, middle) == CUDA_ERROR_NOT_READY)
			high = middle;
		else
			low = middle + 1;
	}
	return low - track->tail;
}

static void read_pair(struct track *track, struct timed *timed,
		      void (*done)(struct timed *, enum timing_end))
{
	struct event_pair *pair = timed->pair;
	bool shared = pair->previous;
	enum timing_end end = TIMING_READ;
	float milliseconds = 0;

	if (shared && pair->previous != track->held) {
		end = TIMING_INTERLEAVED;
	} else if (driver.cuEventElapsedTime(&milliseconds, shared ? track->held->end : pair->start,
					     pair->end) == CUDA_SUCCESS) {
		timed->raw = milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6 + 0.5) : 0;
		timed->has_raw = true;
	} else {
		driver_failed();
		end = TIMING_LOST;
	}
	timed->pair = NULL;
	timed->awaits_event = false;
	if (track->held)
		lane_put(track->held->lane, track->held);
	track->held = pair;
	done(timed, end);
}

static void poll_track(struct track *track, uint64_t until,
		       void (*done)(struct timed *timed, enum timing_end end))
{
	uint32_t finished;

	if (track->tail == track->head || !timing_use_context(track->context))
		return;
	finished = count_finished(track);
	while (finished-- && clock_ns(CLOCK_MONOTONIC) < until)
		read_pair(track, at(track, track->tail++), done);
}

size_t timing_poll(uint64_t until, void (*done)(struct timed *timed, enum timing_end end))
{
	struct track *first = resume ? resume : tracks, *track = first;
	size_t pending = 0;

	while (track && clock_ns(CLOCK_MONOTONIC) < until) {
		poll_track(track, until, done);
		track = track->next ? track->next : tracks;
		if (track == first)
			break;
	}
	resume = track;
	for (track = tracks; track; track = track->next)
		pending += track->head - track->tail;
	return pending;
}

void timing_give_up(const struct context *context, enum timing_end end,
		    void (*done)(struct timed *timed, enum timing_end end))
{
	for (struct track *track = tracks; track; track = track->next)
		while ((!context || track->context == context) && track->tail != track->head) {
			struct timed *timed = at(track, track->tail++);

			/* The events die with their context: its lanes are freed once they have
			 * all of their pairs, and nothing takes one meanwhile. */
			lane_put(timed->pair->lane, timed->pair);
			timed->pair = NULL;
			timed->awaits_event = false;
			done(timed, end);
		}
}

size_t timing_pending(const struct context *context)
{
	size_t pending = 0;

	for (const struct track *track = tracks; track; track = track->next)
		if (track->context == context)
			pending += track->head - track->tail;
	return pending;
}

bool timing_forget(struct stream *stream)
{
	struct track *track = stream->track, **link = &tracks;

	if (!track)
		return true;
	if (track->tail != track->head)
		return false;
	while (*link != track)
		link = &(*link)->next;
	*link = track->next;
	if (resume == track)
		resume = track->next;
	if (track->held)
		lane_put(track->held->lane, track->held);
	free(track->ring);
	free(track);
	stream->track = NULL;
	return true;
}
