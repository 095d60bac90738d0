/* SPDX-License-Identifier: MIT */
#include "cupti/buffers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cupti/activity.h"
#include "cupti/kinds.h"
#include "preload/base/atomics.h"
#include "preload/base/futex.h"
#include "report/session/owner.h"
#include "report/session/memory.h"

/*
 * The sizes of the pool's buffers, and how many there are of each; the largest free one is taken.
 * CUPTI advises 1 MiB at least, some 5,000 kernel records: with 128 KiB ResNet-50 at batch 1 took 4
 * % longer (H200). A buffer that has been used keeps its memory, so if many threads launch, later
 * ones get smaller buffers. Without a free buffer CUPTI drops records, which even costs more: with
 * 16 buffers, 16 threads lost four of five records, at twice the cost.
 */
#define POOL(X)                                                                                    \
	X(1024 * 1024, 16)                                                                         \
	X(512 * 1024, 16)                                                                          \
	X(256 * 1024, 32)                                                                          \
	X(64 * 1024, 256)

static const struct {
	size_t size;
	unsigned count;
} sizes[] = {
#define SIZE(size, count) {size, count},
	POOL(SIZE)
#undef SIZE
};

#define SIZES		   (sizeof(sizes) / sizeof(sizes[0]))
/* How many of the smallest buffers there are at least, where the program's address space is limited
 * and the pool is cut in proportion. */
#define LEAST_COUNT	   4u
#define ADD_COUNT(size, n) +(n)
#define ADD_BYTES(size, n) +(size_t)(size) * (n)
#define BUFFER_COUNT	   (0 POOL(ADD_COUNT))
#define ARENA_SIZE	   (0 POOL(ADD_BYTES))
_Static_assert(ARENA_SIZE == BUFFERS_TOGETHER, "the sizes do not add up");

size_t buffers_together;
static struct buffer buffers[BUFFER_COUNT];
/* Guarded by the lock. */
static struct {
	/* The buffers of each size and the bytes of all: fewer under RLIMIT_AS. */
	unsigned counts[SIZES];
	pthread_mutex_t lock;
	uint8_t *arena;
	/* A list for each size; last in, first out, to reuse the pages that were touched last. */
	struct buffer *free[SIZES];
	struct buffer *queue, **queue_end;
	size_t queued; /* in bytes */
	uint64_t last_number, last_taken;
	/* Buffers outside the pool that are being filled. */
	struct buffer *beyond;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.queue_end = &pool.queue,
};

static void fill_free_lists(void)
{
	uint8_t *data = pool.arena;
	struct buffer *buffer = buffers;

	pool.queue = NULL;
	pool.queue_end = &pool.queue;
	pool.queued = 0;
	for (unsigned i = 0; i < SIZES; i++) {
		pool.free[i] = NULL;
		for (unsigned j = 0; j < pool.counts[i]; j++, buffer++, data += sizes[i].size) {
			buffer->data = data;
			buffer->size = sizes[i].size;
			buffer->next = pool.free[i];
			pool.free[i] = buffer;
		}
	}
}

/* The free list for a buffer of the pool. */
static struct buffer **free_list_of(const struct buffer *buffer)
{
	unsigned i = 0;

	while (sizes[i].size != buffer->size)
		i++;
	return &pool.free[i];
}

static void choose_counts(void)
{
	size_t most = process_addresses(ARENA_SIZE);

	buffers_together = 0;
	for (unsigned i = 0; i < SIZES; i++) {
		pool.counts[i] = (unsigned)(sizes[i].count * most / ARENA_SIZE);
		if (i == SIZES - 1 && pool.counts[i] < LEAST_COUNT)
			pool.counts[i] = LEAST_COUNT;
		buffers_together += pool.counts[i] * sizes[i].size;
	}
}

int buffers_create(void)
{
	void *mapping;
	int error = 0;

	pthread_mutex_lock(&pool.lock);
	if (pool.arena)
		goto out;
	choose_counts();
	mapping = map_unlocked(buffers_together, PROT_READ | PROT_WRITE);
	if (mapping == MAP_FAILED) {
		error = -ENOMEM;
		goto out;
	}
	pool.arena = mapping;
	fill_free_lists();
out:
	pthread_mutex_unlock(&pool.lock);
	return error;
}

static struct buffer *dequeue(void)
{
	struct buffer *buffer = pool.queue;

	if (!buffer)
		return NULL;
	pool.queue = buffer->next;
	if (!pool.queue)
		pool.queue_end = &pool.queue;
	pool.queued -= buffer->valid;
	return buffer;
}

static struct buffer *take_free(void)
{
	struct buffer *buffer = NULL;

	for (unsigned i = 0; i < SIZES && !buffer; i++) {
		buffer = pool.free[i];
		if (buffer)
			pool.free[i] = buffer->next;
	}
	return buffer;
}

static struct buffer *allocate_beyond(void)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer) + sizes[0].size);

	if (!buffer)
		return NULL;
	buffer->data = (uint8_t *)(buffer + 1);
	buffer->size = sizes[0].size;
	buffer->beyond = true;
	pthread_mutex_lock(&pool.lock);
	buffer->next = pool.beyond;
	pool.beyond = buffer;
	pthread_mutex_unlock(&pool.lock);
	return buffer;
}

struct buffer *buffers_take(bool beyond, size_t *lost)
{
	struct buffer *buffer;
	uint64_t taken;

	*lost = 0;
	pthread_mutex_lock(&pool.lock);
	buffer = take_free();
	if (!buffer) {
		buffer = dequeue();
		if (buffer)
			*lost = buffer->valid;
		if (buffer && buffer->beyond) {
			buffer->next = pool.beyond;
			pool.beyond = buffer;
		}
	}
	taken = ++pool.last_taken;
	pthread_mutex_unlock(&pool.lock);
	if (!buffer && beyond)
		buffer = allocate_beyond();
	if (buffer)
		buffer->taken = taken;
	return buffer;
}

struct buffer *buffers_find(const uint8_t *data)
{
	struct buffer **link, *buffer = NULL;
	size_t first = 0, offset = data - pool.arena;

	if (pool.arena && data >= pool.arena && data < pool.arena + buffers_together) {
		for (unsigned i = 0; i < SIZES; i++) {
			if (offset < sizes[i].size * pool.counts[i])
				return &buffers[first + offset / sizes[i].size];
			offset -= sizes[i].size * pool.counts[i];
			first += pool.counts[i];
		}
	}
	pthread_mutex_lock(&pool.lock);
	for (link = &pool.beyond; *link; link = &(*link)->next)
		if ((*link)->data == data) {
			buffer = *link;
			*link = buffer->next;
			break;
		}
	pthread_mutex_unlock(&pool.lock);
	return buffer;
}

size_t buffers_queue(struct buffer *buffer, size_t valid)
{
	size_t bytes;

	buffer->valid = valid;
	buffer->next = NULL;
	pthread_mutex_lock(&pool.lock);
	buffer->number = ++pool.last_number;
	*pool.queue_end = buffer;
	pool.queue_end = &buffer->next;
	pool.queued += valid;
	bytes = pool.queued;
	pthread_mutex_unlock(&pool.lock);
	return bytes;
}

size_t buffers_queued(void)
{
	size_t bytes;

	pthread_mutex_lock(&pool.lock);
	bytes = pool.queued;
	pthread_mutex_unlock(&pool.lock);
	return bytes;
}

uint64_t buffers_last(void)
{
	uint64_t last;

	pthread_mutex_lock(&pool.lock);
	last = pool.queue ? pool.last_number : 0;
	pthread_mutex_unlock(&pool.lock);
	return last;
}

struct buffer *buffers_next(uint64_t last)
{
	struct buffer *buffer = NULL;

	pthread_mutex_lock(&pool.lock);
	if (pool.queue && pool.queue->number <= last)
		buffer = dequeue();
	pthread_mutex_unlock(&pool.lock);
	return buffer;
}

void buffers_clear(struct buffer *buffer)
{
	memset(buffer->data, 0, buffer->size);
}

void buffers_release(struct buffer *buffer)
{
	struct buffer **list;

	if (buffer->beyond) {
		free(buffer);
		return;
	}
	list = free_list_of(buffer);
	buffers_clear(buffer);
	pthread_mutex_lock(&pool.lock);
	buffer->next = *list;
	*list = buffer;
	pthread_mutex_unlock(&pool.lock);
}

void buffers_range(const void **start, size_t *size)
{
	*start = pool.arena;
	*size = pool.arena ? buffers_together : 0;
}

void buffers_reset(void)
{
	pthread_mutex_init(&pool.lock, NULL);
	if (pool.arena)
		fill_free_lists();
}

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

/* The buffers that are read side by side, and who reads them. */
static struct {
	/* In the order in which the buffers were queued. */
	struct reader readers[MOST_TOGETHER];
	unsigned count;
	_Atomic bool names_gone;
	_Atomic uint64_t turns; /* begins and ends of readings: odd during one */
	_Atomic bool left;
} reading;

/* Goes to the next record that ktime wants; false past the last. */
static bool step(struct reader *reader)
{
	while (walk_step(&reader->walk)) {
		decode_activity(reader->walk.record, &reader->activity);
		if (!kinds_ktime_wants(&reader->activity))
			continue;
		if (atomic_load_explicit(&reading.names_gone, memory_order_seq_cst))
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
	for (unsigned i = 0; i < reading.count; i++) {
		const struct buffer *buffer = reading.readers[i].buffer;

		reading.readers[i].waits = false;
		for (unsigned k = 0; k < reading.count && buffer->thread != ACTIVITY_UNKNOWN_THREAD;
		     k++)
			reading.readers[i].waits |=
				reading.readers[k].buffer->thread == buffer->thread &&
				reading.readers[k].buffer->taken < buffer->taken;
	}
}

static void open_readers(uint64_t last)
{
	unsigned before = reading.count;
	struct buffer *buffer;

	while (reading.count < MOST_TOGETHER && (buffer = buffers_next(last))) {
		struct reader *reader = &reading.readers[reading.count];

		reader->buffer = buffer;
		walk_first(&reader->walk, buffer->data, buffer->valid);
		if (step(reader))
			reading.count++;
		else
			buffers_release(buffer);
	}
	if (reading.count > before)
		set_waiting();
}

static void close_reader(unsigned index)
{
	buffers_release(reading.readers[index].buffer);
	reading.count--;
	memmove(&reading.readers[index], &reading.readers[index + 1],
		(reading.count - index) * sizeof(reading.readers[0]));
	set_waiting();
}

/* The reader whose record began first; of equal ones, the one queued first. */
static unsigned earliest(void)
{
	unsigned found = 0;

	while (reading.readers[found].waits)
		found++;
	for (unsigned i = found + 1; i < reading.count; i++)
		if (!reading.readers[i].waits &&
		    reading.readers[i].activity.start < reading.readers[found].activity.start)
			found = i;
	return found;
}

/* The latest start for which this reader's next record still comes before all others'. */
static uint64_t limit_of(unsigned reader)
{
	uint64_t limit = UINT64_MAX;

	for (unsigned i = 0; i < reading.count; i++) {
		uint64_t start = reading.readers[i].activity.start;

		/* An equal start in a buffer that was queued before comes first. */
		if (i < reader && start > 0)
			start--;
		if (i != reader && !reading.readers[i].waits && start < limit)
			limit = start;
	}
	return limit;
}

/* Counting the turns and reading names_gone are sequentially consistent with the stores in
 * cupti_ending(): see there. */
size_t cupti_drain(void (*before)(bool first),
		   void (*consume)(const struct activity *activity, void *argument), void *argument)
{
	/* Only the buffers queued now: a program that fills them faster must not keep the collector
	 * here. */
	uint64_t last = buffers_last();
	size_t records = 0;
	bool first = true, more;

	atomic_fetch_add_explicit(&reading.turns, 1, memory_order_seq_cst);
	while (open_readers(last), reading.count > 0) {
		unsigned reader = earliest();
		uint64_t limit = limit_of(reader);

		if (before && first)
			before(true);
		first = false;
		do {
			consume(&reading.readers[reader].activity, argument);
			records++;
			more = step(&reading.readers[reader]);
		} while (more && reading.readers[reader].activity.start <= limit);
		if (!more) {
			close_reader(reader);
			if (before && reading.count > 0)
				before(false);
		}
	}
	atomic_fetch_add_explicit(&reading.turns, 1, memory_order_seq_cst);
	return records;
}

static uint64_t turns_now(void)
{
	return atomic_load_explicit(&reading.turns, memory_order_seq_cst);
}

static void wait_for_turn(uint64_t turn, void (*wake)(void))
{
	int saved_errno = errno;

	for (int i = 0; i < READ_WAITS && turns_now() < turn && !load_relaxed(&reading.left); i++) {
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
	store_relaxed(&reading.left, true);
}

void merge_trust_names(bool trusted)
{
	atomic_store_explicit(&reading.names_gone, !trusted, memory_order_seq_cst);
}

void merge_reset(void)
{
	merge_trust_names(true);
	reading.count = 0;
}
