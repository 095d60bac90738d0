/* SPDX-License-Identifier: MIT */
#include "cupti/program.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "cupti/activity.h"
#include "cupti/buffers.h"
#include "cupti/kinds.h"
#include "preload/base/atomics.h"
#include "preload/base/clock.h"

/*
 * The offsets of the times, which are the same in all versions of a structure (see activity.c). The
 * deviceTimestamp of CUpti_ActivityCudaEvent2 is not listed, as it is of the device's clock.
 *
 *   X(kind of record, structure in the headers, its member, offset)
 */
#define SPAN_TIMES(X, kind, type, offset)                                                          \
	X(kind, type, start, offset) X(kind, type, end, (offset) + 8)
#define KERNEL_TIMES(X, kind)                                                                      \
	SPAN_TIMES(X, kind, CUpti_ActivityKernel9, 16)                                             \
	X(kind, CUpti_ActivityKernel9, completed, 32)                                              \
	X(kind, CUpti_ActivityKernel9, queued, 120)                                                \
	X(kind, CUpti_ActivityKernel9, submitted, 128)
#define TIMES(X)                                                                                   \
	KERNEL_TIMES(X, KERNEL)                                                                    \
	KERNEL_TIMES(X, CONCURRENT_KERNEL)                                                         \
	SPAN_TIMES(X, CDP_KERNEL, CUpti_ActivityCdpKernel, 8)                                      \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, queued, 96)                                         \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, submitted, 104)                                     \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, completed, 112)                                     \
	SPAN_TIMES(X, MEMCPY, CUpti_ActivityMemcpy5, 16)                                           \
	SPAN_TIMES(X, MEMCPY2, CUpti_ActivityMemcpyPtoP4, 16)                                      \
	SPAN_TIMES(X, MEMSET, CUpti_ActivityMemset4, 16)                                           \
	SPAN_TIMES(X, GRAPH_TRACE, CUpti_ActivityGraphTrace, 8)                                    \
	SPAN_TIMES(X, UNIFIED_MEMORY_COUNTER, CUpti_ActivityUnifiedMemoryCounter2, 16)             \
	SPAN_TIMES(X, RUNTIME, CUpti_ActivityAPI, 8)                                               \
	SPAN_TIMES(X, DRIVER, CUpti_ActivityAPI, 8)                                                \
	SPAN_TIMES(X, INTERNAL_LAUNCH_API, CUpti_ActivityAPI, 8)                                   \
	SPAN_TIMES(X, OVERHEAD, CUpti_ActivityOverhead, 24)                                        \
	SPAN_TIMES(X, SYNCHRONIZATION, CUpti_ActivitySynchronization, 8)                           \
	SPAN_TIMES(X, MEMORY, CUpti_ActivityMemory, 24)                                            \
	X(MEMORY2, CUpti_ActivityMemory3, timestamp, 32)                                           \
	X(MEMORY_POOL, CUpti_ActivityMemoryPool2, timestamp, 56)                                   \
	X(MARKER, CUpti_ActivityMarker2, timestamp, 8)                                             \
	X(PREEMPTION, CUpti_ActivityPreemption, timestamp, 8)                                      \
	X(ENVIRONMENT, CUpti_ActivityEnvironment, timestamp, 8)                                    \
	SPAN_TIMES(X, OPENACC_DATA, CUpti_ActivityOpenAcc, 64)                                     \
	SPAN_TIMES(X, OPENACC_LAUNCH, CUpti_ActivityOpenAcc, 64)                                   \
	SPAN_TIMES(X, OPENACC_OTHER, CUpti_ActivityOpenAcc, 64)                                    \
	SPAN_TIMES(X, OPENMP, CUpti_ActivityOpenMp, 16)                                            \
	SPAN_TIMES(X, JIT, CUpti_ActivityJit, 16)                                                  \
	NEW_TIMES(X)

#if CUPTI_API_VERSION >= 130000
#define NEW_TIMES(X)                                                                               \
	SPAN_TIMES(X, DEVICE_GRAPH_TRACE, CUpti_ActivityDeviceGraphTrace, 8)                       \
	SPAN_TIMES(X, MEM_DECOMPRESS, CUpti_ActivityMemDecompress, 48)
#else
#define NEW_TIMES(X)
#endif

#define CHECK_TIME(kind, type, member, offset)                                                     \
	_Static_assert(offsetof(type, member) == (offset),                                         \
		       #type "." #member " is not where it was");
TIMES(CHECK_TIME)

/* Two readings closer than this, in nanoseconds, tell less about the clocks' rates than about the
 * time that reading takes. Chosen. */
#define APART_NS 10000000u
/* The fastest of this many readings is taken. Chosen. */
#define TRIES	 8

/* Set under the lock. */
static struct {
	CUpti_TimestampCallbackFunc _Atomic program;
	pthread_mutex_t lock;
	struct clock_reading earlier, later;
} clocks = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

uint64_t program_clock_of_cupti(void)
{
	return clock_ns(CLOCK_REALTIME);
}

static struct clock_reading read_both(CUpti_TimestampCallbackFunc clock)
{
	struct clock_reading best = {0};
	uint64_t shortest = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = program_clock_of_cupti(), program = clock();
		uint64_t took = program_clock_of_cupti() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		best = (struct clock_reading){.cupti = before + took / 2, .program = program};
	}
	return best;
}

void program_clock_set(CUpti_TimestampCallbackFunc clock)
{
	struct clock_reading first = {0};

	/* PyTorch sets the same clock for each of its profiles: the readings stay valid. */
	if (clock == program_clock())
		return;
	if (clock)
		first = read_both(clock);
	pthread_mutex_lock(&clocks.lock);
	clocks.earlier = clocks.later = first;
	store_relaxed(&clocks.program, clock);
	pthread_mutex_unlock(&clocks.lock);
}

CUpti_TimestampCallbackFunc program_clock(void)
{
	return load_relaxed(&clocks.program);
}

/* Whether a reading is newer than the last one. If CUPTI's time is a little less, another thread
 * read the clocks later and stored first; if it is much less, CUPTI's clock itself was set back,
 * and the reading is taken. */
static bool is_later(const struct clock_reading *reading)
{
	return reading->cupti > clocks.later.cupti ||
	       clocks.later.cupti - reading->cupti > APART_NS;
}

void program_clock_read(void)
{
	CUpti_TimestampCallbackFunc clock = program_clock();
	struct clock_reading now;

	if (!clock)
		return;
	now = read_both(clock);
	pthread_mutex_lock(&clocks.lock);
	/* The program may have set another clock meanwhile, or another thread may have been
	 * faster. */
	if (clock == program_clock() && is_later(&now)) {
		if (now.cupti - clocks.later.cupti >= APART_NS)
			clocks.earlier = clocks.later;
		clocks.later = now;
	}
	pthread_mutex_unlock(&clocks.lock);
}

uint64_t program_clock_at(const struct clock_reading *earlier_reading,
			  const struct clock_reading *later_reading, uint64_t time)
{
	int64_t elapsed = (int64_t)(later_reading->cupti - earlier_reading->cupti);
	int64_t ticks = (int64_t)(later_reading->program - earlier_reading->program);
	double rate = elapsed > 0 ? (double)ticks / (double)elapsed : 1;

	return later_reading->program +
	       (uint64_t)(int64_t)((double)(int64_t)(time - later_reading->cupti) * rate);
}

static void convert_time(uint8_t *place, const struct clock_reading *readings)
{
	uint64_t time;

	memcpy(&time, place, sizeof(time));
	if (time == CUPTI_TIMESTAMP_UNKNOWN)
		return;
	time = program_clock_at(&readings[0], &readings[1], time);
	memcpy(place, &time, sizeof(time));
}

/* Converts the times in an activity record, in place, from CUPTI's clock to the clock that the
 * program registered with cuptiActivityRegisterTimestampCallback(), which it expects its records to
 * have. Does nothing if the program registered none. */
static void program_clock_convert(void *record)
{
	static const struct {
		CUpti_ActivityKind kind;
		uint32_t offset;
	} times[] = {
#define TIME(kind, type, member, offset) {CUPTI_ACTIVITY_KIND_##kind, offset},
		TIMES(TIME)
#undef TIME
	};
	struct clock_reading readings[2];
	CUpti_ActivityKind kind;

	if (!program_clock())
		return;
	pthread_mutex_lock(&clocks.lock);
	readings[0] = clocks.earlier;
	readings[1] = clocks.later;
	pthread_mutex_unlock(&clocks.lock);
	memcpy(&kind, record, sizeof(kind));
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i].kind == kind)
			convert_time((uint8_t *)record + times[i].offset, readings);
}

/* A buffer of the program that is being filled. */
struct destination {
	uint8_t *data;
	size_t size, used;
	size_t records, most_records; /* most_records 0: no limit */
};

/* Guarded by the lock, but for what is atomic. */
static struct {
	pthread_mutex_t lock;
	struct program_callbacks callbacks;
	struct destination partial; /* data NULL: there is none, or a thread is filling it */
	unsigned flushes;
	_Atomic size_t dropped;
} forwarded = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

void forward_register(struct program_callbacks given)
{
	pthread_mutex_lock(&forwarded.lock);
	forwarded.callbacks = given;
	pthread_mutex_unlock(&forwarded.lock);
}

struct program_callbacks forward_registered(void)
{
	struct program_callbacks now;

	pthread_mutex_lock(&forwarded.lock);
	now = forwarded.callbacks;
	pthread_mutex_unlock(&forwarded.lock);
	return now.requested && now.completed ? now : (struct program_callbacks){0};
}

static void hand_over(struct destination *destination)
{
	struct program_callbacks to = forward_registered();

	if (destination->data && to.completed)
		to.completed(NULL, 0, destination->data, destination->size, destination->used);
	destination->data = NULL;
}

/* The program may give none: its records are then dropped, as CUPTI would. */
static void request_buffer(struct destination *destination)
{
	struct program_callbacks of = forward_registered();

	*destination = (struct destination){0};
	if (of.requested)
		of.requested(&destination->data, &destination->size, &destination->most_records);
}

/* Takes the part-filled buffer away, so that no other thread fills it. */
static struct destination take_partial(unsigned *flushes_seen)
{
	struct destination taken;

	pthread_mutex_lock(&forwarded.lock);
	taken = forwarded.partial;
	forwarded.partial.data = NULL;
	*flushes_seen = forwarded.flushes;
	pthread_mutex_unlock(&forwarded.lock);
	return taken;
}

/* Puts it back; hands it over if there is another one by now, or the program has flushed
 * meanwhile. */
static void put_partial(struct destination *destination, unsigned flushes_seen)
{
	bool kept = false;

	if (!destination->data)
		return;
	pthread_mutex_lock(&forwarded.lock);
	if (!forwarded.partial.data && forwarded.flushes == flushes_seen) {
		forwarded.partial = *destination;
		kept = true;
	}
	pthread_mutex_unlock(&forwarded.lock);
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
static void append_wanted(struct destination *destination, uint8_t *data, size_t valid)
{
	struct activity activity;
	struct walk walk;

	program_clock_read();
	for (walk_first(&walk, data, valid); walk_step(&walk);) {
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

void forward_records(uint8_t *data, size_t valid)
{
	struct destination destination;
	unsigned seen;

	if (!kinds_program_ever())
		return;
	destination = take_partial(&seen);
	append_wanted(&destination, data, valid);
	put_partial(&destination, seen);
}

void forward_flush(void)
{
	struct destination destination;
	unsigned seen;

	pthread_mutex_lock(&forwarded.lock);
	forwarded.flushes++;
	pthread_mutex_unlock(&forwarded.lock);
	destination = take_partial(&seen);
	/* An empty buffer is kept while the program has activity kinds enabled. */
	if (destination.used || !kinds_program_any())
		hand_over(&destination);
	put_partial(&destination, seen);
	forward_prepare();
}

void forward_foreign(CUcontext context, uint32_t stream_id, uint8_t *data, size_t size,
		     size_t valid)
{
	struct destination same = {.data = data, .size = size};
	struct program_callbacks to = forward_registered();

	if (!to.completed)
		return;
	append_wanted(&same, data, valid);
	to.completed(context, stream_id, data, size, same.used);
}

void forward_note_dropped(size_t count)
{
	if (kinds_program_any())
		add_relaxed(&forwarded.dropped, count);
}

size_t forward_take_dropped(void)
{
	return atomic_exchange_explicit(&forwarded.dropped, 0, memory_order_relaxed);
}

void forward_clear(void)
{
	pthread_mutex_lock(&forwarded.lock);
	forwarded.callbacks = (struct program_callbacks){0};
	forwarded.partial.data = NULL;
	/* A buffer that a thread is filling now will not be put back. */
	forwarded.flushes++;
	pthread_mutex_unlock(&forwarded.lock);
	program_clock_set(NULL);
}

void forward_reset(void)
{
	pthread_mutex_init(&forwarded.lock, NULL);
	forwarded.callbacks = (struct program_callbacks){0};
	forwarded.partial.data = NULL;
	pthread_mutex_init(&clocks.lock, NULL);
	store_relaxed(&clocks.program, NULL);
}
