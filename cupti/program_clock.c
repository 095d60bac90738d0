/* SPDX-License-Identifier: MIT */
#include "cupti/program_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/clock.h"

/*
 * The offsets of the times, which are the same in all versions of a structure (see decode.c). The
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

static CUpti_TimestampCallbackFunc _Atomic clock_of_program;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct clock_reading earlier, later;

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
	pthread_mutex_lock(&lock);
	earlier = later = first;
	atomic_store_explicit(&clock_of_program, clock, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
}

CUpti_TimestampCallbackFunc program_clock(void)
{
	return atomic_load_explicit(&clock_of_program, memory_order_relaxed);
}

/* A small step back is another thread's earlier reading. A large one is of CUPTI's clock, and taken
 * as it is. */
static bool is_later(const struct clock_reading *reading)
{
	return reading->cupti > later.cupti || later.cupti - reading->cupti > APART_NS;
}

void program_clock_read(void)
{
	CUpti_TimestampCallbackFunc clock = program_clock();
	struct clock_reading now;

	if (!clock)
		return;
	now = read_both(clock);
	pthread_mutex_lock(&lock);
	/* The program may have set another clock meanwhile, or another thread may have been
	 * faster. */
	if (clock == program_clock() && is_later(&now)) {
		if (now.cupti - later.cupti >= APART_NS)
			earlier = later;
		later = now;
	}
	pthread_mutex_unlock(&lock);
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

void program_clock_convert(void *record)
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
	pthread_mutex_lock(&lock);
	readings[0] = earlier;
	readings[1] = later;
	pthread_mutex_unlock(&lock);
	memcpy(&kind, record, sizeof(kind));
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i].kind == kind)
			convert_time((uint8_t *)record + times[i].offset, readings);
}

void program_clock_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store_explicit(&clock_of_program, NULL, memory_order_relaxed);
}
