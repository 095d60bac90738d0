/* SPDX-License-Identifier: MIT */
#include "cupti/merge.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "cupti/buffers.h"
#include "cupti/decode.h"
#include "cupti/kinds.h"
#include "cupti/walk.h"
#include "preload/base/futex.h"

/* How many buffers are read side by side; further ones are read after them. Chosen. */
#define MOST_TOGETHER 64u
/* How often and for how long the end of CUPTI waits for a reading: 0.2 s in all, some of the
 * collector's periods. Chosen. */
#define READ_WAITS    1000
#define READ_WAIT_NS  200000

/* A buffer and its next record. */
struct reader {
	struct buffer *buffer;
	bool waits; /* for another buffer, which its thread filled before */
	struct walk walk;
	struct activity activity;
};

/* In the order in which the buffers were queued. */
static struct reader readers[MOST_TOGETHER];
static unsigned count;
static _Atomic bool names_gone;
static _Atomic uint64_t turns; /* begins and ends of readings: odd during one */
static _Atomic bool left;

/* Goes to the next record that ktime wants; false past the last. */
static bool step(struct reader *reader)
{
	while (walk_step(&reader->walk)) {
		decode_activity(reader->walk.record, &reader->activity);
		if (!kinds_ktime_wants(&reader->activity))
			continue;
		if (atomic_load_explicit(&names_gone, memory_order_seq_cst))
			reader->activity.name = NULL;
		reader->activity.buffer_thread = reader->buffer->thread;
		return true;
	}
	return false;
}

/*
 * The records of one thread's buffers are in the order of its calls, and not in that of their
 * starts if it works in several streams: merged by start alone, a later buffer's record could come
 * before an earlier one's of the same stream. A thread fills the buffers as it gets them.
 */
static void set_waiting(void)
{
	for (unsigned i = 0; i < count; i++) {
		const struct buffer *buffer = readers[i].buffer;

		readers[i].waits = false;
		for (unsigned k = 0; k < count && buffer->thread != ACTIVITY_UNKNOWN_THREAD; k++)
			readers[i].waits |= readers[k].buffer->thread == buffer->thread &&
					    readers[k].buffer->taken < buffer->taken;
	}
}

static void open_readers(const struct cupti_functions *cupti, uint64_t last)
{
	unsigned before = count;
	struct buffer *buffer;

	while (count < MOST_TOGETHER && (buffer = buffers_next(last))) {
		struct reader *reader = &readers[count];

		reader->buffer = buffer;
		walk_first(&reader->walk, cupti, buffer->data, buffer->valid);
		if (step(reader))
			count++;
		else
			buffers_release(buffer);
	}
	if (count > before)
		set_waiting();
}

static void close_reader(unsigned index)
{
	buffers_release(readers[index].buffer);
	count--;
	memmove(&readers[index], &readers[index + 1], (count - index) * sizeof(readers[0]));
	set_waiting();
}

/* The reader whose record began first; of equal ones, the one queued first. */
static unsigned earliest(void)
{
	unsigned found = 0;

	while (readers[found].waits)
		found++;
	for (unsigned i = found + 1; i < count; i++)
		if (!readers[i].waits && readers[i].activity.start < readers[found].activity.start)
			found = i;
	return found;
}

/* The latest start for which this reader's next record still comes before all others'. */
static uint64_t limit_of(unsigned reader)
{
	uint64_t limit = UINT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		uint64_t start = readers[i].activity.start;

		/* An equal start in a buffer that was queued before comes first. */
		if (i < reader && start > 0)
			start--;
		if (i != reader && !readers[i].waits && start < limit)
			limit = start;
	}
	return limit;
}

/* The turns are counted, and names_gone is read, in one order with cupti_ending()'s stores: see
 * there. */
size_t merge_read(const struct cupti_functions *cupti, uint64_t last, void (*before)(bool first),
		  void (*consume)(const struct activity *activity, void *argument), void *argument)
{
	size_t records = 0;
	bool first = true, more;

	atomic_fetch_add_explicit(&turns, 1, memory_order_seq_cst);
	while (open_readers(cupti, last), count > 0) {
		unsigned reader = earliest();
		uint64_t limit = limit_of(reader);

		if (before && first)
			before(true);
		first = false;
		do {
			consume(&readers[reader].activity, argument);
			records++;
			more = step(&readers[reader]);
		} while (more && readers[reader].activity.start <= limit);
		if (!more) {
			close_reader(reader);
			if (before && count > 0)
				before(false);
		}
	}
	atomic_fetch_add_explicit(&turns, 1, memory_order_seq_cst);
	return records;
}

static uint64_t turns_now(void)
{
	return atomic_load_explicit(&turns, memory_order_seq_cst);
}

static void wait_for_turn(uint64_t turn, void (*wake)(void))
{
	int saved_errno = errno;

	for (int i = 0; i < READ_WAITS && turns_now() < turn &&
			!atomic_load_explicit(&left, memory_order_relaxed);
	     i++) {
		wake();
		if (turns_now() < turn)
			futex_sleep(READ_WAIT_NS);
	}
	errno = saved_errno;
}

void merge_wait(void (*wake)(void))
{
	uint64_t now = turns_now();

	wait_for_turn(now + 2 + now % 2, wake);
}

void merge_wait_for_end(void (*wake)(void))
{
	uint64_t now = turns_now();

	wait_for_turn(now + now % 2, wake);
}

void merge_leave(void)
{
	atomic_store_explicit(&left, true, memory_order_relaxed);
}

void merge_trust_names(bool trusted)
{
	atomic_store_explicit(&names_gone, !trusted, memory_order_seq_cst);
}

void merge_reset(void)
{
	merge_trust_names(true);
	count = 0;
}
