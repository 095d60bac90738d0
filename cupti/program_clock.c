/* SPDX-License-Identifier: MIT */
#include "cupti/program_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/*
 * Where the times lie, as in decode.c: a prefix of every version of a structure. Left alone is
 * CUpti_ActivityCudaEvent2's deviceTimestamp, which is the device's.
 *
 * X(kind of record, structure in the headers, its member, offset)
 */
#define TIMES(X)                                                                                   \
	X(KERNEL, CUpti_ActivityKernel9, start, 16)                                                \
	X(KERNEL, CUpti_ActivityKernel9, end, 24)                                                  \
	X(KERNEL, CUpti_ActivityKernel9, completed, 32)                                            \
	X(KERNEL, CUpti_ActivityKernel9, queued, 120)                                              \
	X(KERNEL, CUpti_ActivityKernel9, submitted, 128)                                           \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel9, start, 16)                                     \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel9, end, 24)                                       \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel9, completed, 32)                                 \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel9, queued, 120)                                   \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel9, submitted, 128)                                \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, start, 8)                                           \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, end, 16)                                            \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, queued, 96)                                         \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, submitted, 104)                                     \
	X(CDP_KERNEL, CUpti_ActivityCdpKernel, completed, 112)                                     \
	X(MEMCPY, CUpti_ActivityMemcpy5, start, 16)                                                \
	X(MEMCPY, CUpti_ActivityMemcpy5, end, 24)                                                  \
	X(MEMCPY2, CUpti_ActivityMemcpyPtoP4, start, 16)                                           \
	X(MEMCPY2, CUpti_ActivityMemcpyPtoP4, end, 24)                                             \
	X(MEMSET, CUpti_ActivityMemset4, start, 16)                                                \
	X(MEMSET, CUpti_ActivityMemset4, end, 24)                                                  \
	X(GRAPH_TRACE, CUpti_ActivityGraphTrace, start, 8)                                         \
	X(GRAPH_TRACE, CUpti_ActivityGraphTrace, end, 16)                                          \
	X(UNIFIED_MEMORY_COUNTER, CUpti_ActivityUnifiedMemoryCounter2, start, 16)                  \
	X(UNIFIED_MEMORY_COUNTER, CUpti_ActivityUnifiedMemoryCounter2, end, 24)                    \
	X(RUNTIME, CUpti_ActivityAPI, start, 8)                                                    \
	X(RUNTIME, CUpti_ActivityAPI, end, 16)                                                     \
	X(DRIVER, CUpti_ActivityAPI, start, 8)                                                     \
	X(DRIVER, CUpti_ActivityAPI, end, 16)                                                      \
	X(INTERNAL_LAUNCH_API, CUpti_ActivityAPI, start, 8)                                        \
	X(INTERNAL_LAUNCH_API, CUpti_ActivityAPI, end, 16)                                         \
	X(OVERHEAD, CUpti_ActivityOverhead, start, 24)                                             \
	X(OVERHEAD, CUpti_ActivityOverhead, end, 32)                                               \
	X(SYNCHRONIZATION, CUpti_ActivitySynchronization, start, 8)                                \
	X(SYNCHRONIZATION, CUpti_ActivitySynchronization, end, 16)                                 \
	X(MEMORY, CUpti_ActivityMemory, start, 24)                                                 \
	X(MEMORY, CUpti_ActivityMemory, end, 32)                                                   \
	X(MEMORY2, CUpti_ActivityMemory3, timestamp, 32)                                           \
	X(MEMORY_POOL, CUpti_ActivityMemoryPool2, timestamp, 56)                                   \
	X(MARKER, CUpti_ActivityMarker2, timestamp, 8)                                             \
	X(PREEMPTION, CUpti_ActivityPreemption, timestamp, 8)                                      \
	X(ENVIRONMENT, CUpti_ActivityEnvironment, timestamp, 8)                                    \
	X(OPENACC_DATA, CUpti_ActivityOpenAcc, start, 64)                                          \
	X(OPENACC_DATA, CUpti_ActivityOpenAcc, end, 72)                                            \
	X(OPENACC_LAUNCH, CUpti_ActivityOpenAcc, start, 64)                                        \
	X(OPENACC_LAUNCH, CUpti_ActivityOpenAcc, end, 72)                                          \
	X(OPENACC_OTHER, CUpti_ActivityOpenAcc, start, 64)                                         \
	X(OPENACC_OTHER, CUpti_ActivityOpenAcc, end, 72)                                           \
	X(OPENMP, CUpti_ActivityOpenMp, start, 16)                                                 \
	X(OPENMP, CUpti_ActivityOpenMp, end, 24)                                                   \
	X(JIT, CUpti_ActivityJit, start, 16)                                                       \
	X(JIT, CUpti_ActivityJit, end, 24)                                                         \
	NEW_TIMES(X)

#if CUPTI_API_VERSION >= 130000
#define NEW_TIMES(X)                                                                               \
	X(DEVICE_GRAPH_TRACE, CUpti_ActivityDeviceGraphTrace, start, 8)                            \
	X(DEVICE_GRAPH_TRACE, CUpti_ActivityDeviceGraphTrace, end, 16)                             \
	X(MEM_DECOMPRESS, CUpti_ActivityMemDecompress, start, 48)                                  \
	X(MEM_DECOMPRESS, CUpti_ActivityMemDecompress, end, 56)
#else
#define NEW_TIMES(X)
#endif

#define CHECK_TIME(kind, type, member, offset)                                                     \
	_Static_assert(offsetof(type, member) == (offset),                                         \
		       #type "." #member " is not where it was");
TIMES(CHECK_TIME)

/* Readings closer than this say less of the clocks' rates than of how long reading takes. */
#define APART_NS 10000000u
/* Of so many readings, the one that took the shortest is taken. */
#define TRIES	 8

static CUpti_TimestampCallbackFunc _Atomic clock_of_program;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct clock_reading earlier, later;

uint64_t program_clock_of_cupti(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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

	/* PyTorch sets the same one for each of its sessions: what is known of it holds. */
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

/* A step back of CUPTI's clock is taken as it is; less is another thread's reading. */
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
	/* Another one may have been set meanwhile, or another thread have been faster. */
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
	int64_t span = (int64_t)(later_reading->cupti - earlier_reading->cupti);
	int64_t ticks = (int64_t)(later_reading->program - earlier_reading->program);
	double rate = span > 0 ? (double)ticks / (double)span : 1;

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
