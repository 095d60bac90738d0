/* SPDX-License-Identifier: MIT */
#include "cupti/forward.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "cupti/decode.h"
#include "cupti/kinds.h"
#include "cupti/program_clock.h"
#include "cupti/walk.h"

/* A buffer of the program that is being filled. */
struct destination {
	uint8_t *data;
	size_t size, used;
	size_t records, most_records; /* most_records 0: no limit */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static struct destination partial; /* data NULL: there is none, or a thread is filling it */
static unsigned flushes;
static _Atomic size_t dropped;

void forward_register(CUpti_BuffersCallbackRequestFunc requested,
		      CUpti_BuffersCallbackCompleteFunc completed)
{
	pthread_mutex_lock(&lock);
	request = requested;
	complete = completed;
	pthread_mutex_unlock(&lock);
}

bool forward_registered(CUpti_BuffersCallbackRequestFunc *requested,
			CUpti_BuffersCallbackCompleteFunc *completed)
{
	pthread_mutex_lock(&lock);
	*requested = request;
	*completed = complete;
	pthread_mutex_unlock(&lock);
	return *requested && *completed;
}

static void hand_over(struct destination *destination)
{
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;

	if (destination->data && forward_registered(&requested, &completed))
		completed(NULL, 0, destination->data, destination->size, destination->used);
	destination->data = NULL;
}

/* The program may give none: its records are then dropped, as CUPTI would. */
static void request_buffer(struct destination *destination)
{
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;

	*destination = (struct destination){0};
	if (forward_registered(&requested, &completed))
		requested(&destination->data, &destination->size, &destination->most_records);
}

/* Takes the part-filled buffer away, so that no other thread fills it. */
static struct destination take_partial(unsigned *flushes_seen)
{
	struct destination taken;

	pthread_mutex_lock(&lock);
	taken = partial;
	partial.data = NULL;
	*flushes_seen = flushes;
	pthread_mutex_unlock(&lock);
	return taken;
}

/* Puts it back; hands it over if there is another one by now, or the program has flushed
 * meanwhile. */
static void put_partial(struct destination *destination, unsigned flushes_seen)
{
	bool kept = false;

	if (!destination->data)
		return;
	pthread_mutex_lock(&lock);
	if (!partial.data && flushes == flushes_seen) {
		partial = *destination;
		kept = true;
	}
	pthread_mutex_unlock(&lock);
	if (!kept)
		hand_over(destination);
}

static void append(struct destination *destination, const void *record, size_t size)
{
	bool full =
		destination->data &&
		(destination->size - destination->used < size ||
		 (destination->most_records && destination->records == destination->most_records));

	if (full)
		hand_over(destination);
	if (!destination->data)
		request_buffer(destination);
	if (!destination->data || destination->size < size)
		return;
	/* memmove: the destination may be the record's own buffer, ahead of the record. */
	memmove(destination->data + destination->used, record, size);
	program_clock_convert(destination->data + destination->used);
	destination->used += size;
	destination->records++;
}

/* Appends the records of a buffer that the program wants. */
static void append_wanted(struct destination *destination, const struct cupti_functions *cupti,
			  uint8_t *data, size_t valid)
{
	struct activity activity;
	struct walk walk;

	program_clock_read();
	for (walk_first(&walk, cupti, data, valid); walk_step(&walk);) {
		decode_activity(walk.record, &activity);
		if (kinds_program_wants(&activity))
			append(destination, walk.record, walk.size);
	}
}

void forward_prepare(void)
{
	struct destination destination;
	unsigned seen;

	if (!kinds_program_any())
		return;
	destination = take_partial(&seen);
	if (!destination.data)
		request_buffer(&destination);
	put_partial(&destination, seen);
}

void forward_records(const struct cupti_functions *cupti, uint8_t *data, size_t valid)
{
	struct destination destination;
	unsigned seen;

	if (!kinds_program_ever())
		return;
	destination = take_partial(&seen);
	append_wanted(&destination, cupti, data, valid);
	put_partial(&destination, seen);
}

void forward_flush(void)
{
	struct destination destination;
	unsigned seen;

	pthread_mutex_lock(&lock);
	flushes++;
	pthread_mutex_unlock(&lock);
	destination = take_partial(&seen);
	/* An empty buffer is kept while the program has activity kinds enabled. */
	if (destination.used || !kinds_program_any())
		hand_over(&destination);
	put_partial(&destination, seen);
	forward_prepare();
}

void forward_foreign(const struct cupti_functions *cupti, CUcontext context, uint32_t stream_id,
		     uint8_t *data, size_t size, size_t valid)
{
	struct destination same = {.data = data, .size = size};
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;

	if (!forward_registered(&requested, &completed))
		return;
	append_wanted(&same, cupti, data, valid);
	completed(context, stream_id, data, size, same.used);
}

void forward_note_dropped(size_t count)
{
	if (kinds_program_any())
		atomic_fetch_add_explicit(&dropped, count, memory_order_relaxed);
}

size_t forward_take_dropped(void)
{
	return atomic_exchange_explicit(&dropped, 0, memory_order_relaxed);
}

void forward_clear(void)
{
	pthread_mutex_lock(&lock);
	request = NULL;
	complete = NULL;
	partial.data = NULL;
	/* A buffer that a thread is filling now will not be put back. */
	flushes++;
	pthread_mutex_unlock(&lock);
	program_clock_set(NULL);
}

void forward_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	request = NULL;
	complete = NULL;
	partial.data = NULL;
	program_clock_reset();
}
