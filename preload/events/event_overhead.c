/* SPDX-License-Identifier: MIT */
#include "preload/events/event_overhead.h"

/* Histogram buckets, each 4 ns wide: events resolve 32 ns. A difference beyond 33 us is no
 * overhead, and goes into the last bucket. */
#define WIDTH_NS    4
#define BUCKETS	    8192
/* As many calls on a busy device give a usable median. Chosen. */
#define ENOUGH_BUSY 8

/* Event time less CUPTI's time. */
struct differences {
	uint32_t buckets[BUCKETS];
	uint64_t count;
};

/* Calls that found the device busy, and idle. */
static struct differences busy[OVERHEAD_KINDS], idle[OVERHEAD_KINDS];

/* Nanoseconds. Until calls are compared: measured on an H200 (driver 580, CUDA 13.0),
 * device busy. */
static uint64_t overheads[OVERHEAD_KINDS] = {
	[OVERHEAD_KERNEL] = 2900,      [OVERHEAD_MEMSET] = 2700, [OVERHEAD_MEMCPY_PINNED] = 3200,
	[OVERHEAD_MEMCPY_DTOD] = 5300, [OVERHEAD_GRAPH] = 2900,
};

/* The standard error of these on another H200: in twelve runs of twelve kernels each they were off
 * by 0.01 to 0.23 us, equally for all kernels of a run. */
#define STANDARD_ERROR_NS 100

static uint64_t standard_error = STANDARD_ERROR_NS;
static struct session *session;

static uint64_t median(const struct differences *differences)
{
	uint64_t below = 0;
	unsigned i = 0;

	while (i < BUCKETS - 1 && below + differences->buckets[i] <= differences->count / 2)
		below += differences->buckets[i++];
	return (uint64_t)i * WIDTH_NS;
}

/* Stored at once, as the program may be killed at any time. */
static void update(enum overhead_kind kind)
{
	struct event_overhead *stored = &session_header(session)->overheads[kind];

	if (busy[kind].count >= ENOUGH_BUSY || (busy[kind].count && !idle[kind].count))
		overheads[kind] = median(&busy[kind]);
	else if (idle[kind].count)
		overheads[kind] = median(&idle[kind]);
	stored->ns = overheads[kind];
	stored->calls = busy[kind].count + idle[kind].count;
	stored->standard_error = stored->calls ? 0 : standard_error;
}

void event_overhead_start(struct session *the_session)
{
	session = the_session;
	event_overhead_store();
}

void event_overhead_add(enum overhead_kind kind, bool device_idle, uint64_t nanoseconds)
{
	struct differences *differences = device_idle ? &idle[kind] : &busy[kind];
	uint64_t bucket = nanoseconds / WIDTH_NS;

	differences->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	differences->count++;
	/* Updated at every power of two; more often would change little. */
	if ((differences->count & (differences->count - 1)) == 0)
		update(kind);
}

/* The time between back-to-back events on the H200 of the overheads above. */
#define REFERENCE_PAIR_NS 1280
/* Devices whose times differ by less than this, five times the events' resolution of 32 ns, are
 * taken as equal. */
#define INSIGNIFICANT_NS  160
/*
 * On another host, with two H200s, it was 2850 ns. There the overhead of a kernel's event pair was
 * 1700 ns more if the pair stood alone and 800 ns more with pairs around every call: at least half
 * of the difference.
 */
#define SHIFT_PART	  2

void event_overhead_calibrate(uint64_t pair_ns)
{
	int64_t longer = (int64_t)pair_ns - REFERENCE_PAIR_NS;

	/* Four times less or more is taken as a failed measurement. */
	if (pair_ns < REFERENCE_PAIR_NS / 4 || pair_ns > REFERENCE_PAIR_NS * 4)
		return;
	if (longer < INSIGNIFICANT_NS && longer > -INSIGNIFICANT_NS)
		return;
	for (int kind = 0; kind < OVERHEAD_KINDS; kind++)
		overheads[kind] += (uint64_t)(longer / SHIFT_PART);
	standard_error = STANDARD_ERROR_NS + (uint64_t)(longer < 0 ? -longer : longer) / SHIFT_PART;
	event_overhead_store();
}

uint64_t event_overhead_of(enum overhead_kind kind)
{
	return overheads[kind];
}

void event_overhead_store(void)
{
	for (int kind = 0; kind < OVERHEAD_KINDS; kind++)
		update((enum overhead_kind)kind);
}
