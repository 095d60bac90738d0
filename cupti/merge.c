/* SPDX-License-Identifier: MIT */
#include "cupti/merge.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "cupti/buffers.h"
#include "cupti/decode.h"
#include "cupti/kinds.h"
#include "cupti/walk.h"

/* Of more than these, the later ones are read after them. */
#define MOST_TOGETHER 64u
/* How long the end of CUPTI waits for a reading: some of the collector's turns. */
#define READ_WAITS    1000
#define READ_WAIT_NS  200000

/* A buffer with its next record. */
struct reader {
	struct buffer *buffer;
	struct walk walk;
	struct activity activity;
};

/* In the order in which the buffers were queued. */
static struct reader readers[MOST_TOGETHER];
static unsigned count;
static _Atomic(bool) names_gone;
static _Atomic(uint64_t) turns; /* beginnings and ends of readings: odd while one is under way */
static _Atomic(bool) left;

/* The next record that is wanted; false past the last. */
static bool step(struct reader *reader)
{
	while (walk_step(&reader->walk)) {
		decode_activity(reader->walk.record, reader->walk.cupti->version,
				&reader->activity);
		if (!kinds_ktime_wants(&reader->activity))
			continue;
		if (names_gone)
			reader->activity.name = NULL;
		reader->activity.buffer_thread = reader->buffer->thread;
		return true;
	}
	return false;
}

static void open_readers(const struct cupti_functions *cupti, uint64_t last)
{
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
}

static void close_reader(unsigned index)
{
	buffers_release(readers[index].buffer);
	count--;
	memmove(&readers[index], &readers[index + 1], (count - index) * sizeof(readers[0]));
}

/* The reader whose record began first; of equals, the one that was queued first. */
static unsigned earliest(void)
{
	unsigned found = 0;

	for (unsigned i = 1; i < count; i++)
		if (readers[i].activity.start < readers[found].activity.start)
			found = i;
	return found;
}

/* The latest start up to which a reader goes on before any other. */
static uint64_t limit_of(unsigned reader)
{
	uint64_t limit = UINT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		uint64_t start = readers[i].activity.start;

		/* Behind an equal one that was queued before. */
		if (i < reader && start > 0)
			start--;
		if (i != reader && start < limit)
			limit = start;
	}
	return limit;
}

size_t merge_read(const struct cupti_functions *cupti, uint64_t last, void (*before)(bool first),
		  void (*consume)(const struct activity *activity, void *argument), void *argument)
{
	size_t records = 0;
	bool first = true, more;

	turns++;
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
	turns++;
	return records;
}

static void wait_for_turn(uint64_t wanted, void (*wake)(void))
{
	static const struct timespec rest = {.tv_nsec = READ_WAIT_NS};
	int saved_errno = errno;

	for (int i = 0; !left && turns < wanted && i < READ_WAITS; i++) {
		wake();
		if (turns < wanted)
			nanosleep(&rest, NULL);
	}
	errno = saved_errno;
}

void merge_wait(void (*wake)(void))
{
	uint64_t now = turns;

	wait_for_turn(now + 2 + now % 2, wake);
}

void merge_wait_for_end(void (*wake)(void))
{
	uint64_t now = turns;

	wait_for_turn(now + now % 2, wake);
}

void merge_leave(void)
{
	left = true;
}

void merge_trust_names(bool trusted)
{
	names_gone = !trusted;
}

void merge_reset(void)
{
	names_gone = false;
	count = 0;
}
