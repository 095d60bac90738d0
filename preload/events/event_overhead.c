/* SPDX-License-Identifier: MIT */
#include "preload/events/event_overhead.h"

/* 4 ns wide: events resolve some 30 ns. What lies beyond 33 us is no bias and goes into the last.
 */
#define WIDTH_NS     4
#define BUCKETS	     8192
#define ENOUGH_CLEAN 8

struct differences {
	uint32_t buckets[BUCKETS];
	uint64_t count;
};

static struct differences clean[BIAS_KINDS], gapped[BIAS_KINDS];

/* Found on an H200 with driver 580 (CUDA 13.0), streams busy. */
static uint64_t biases[BIAS_KINDS] = {
	[BIAS_KERNEL] = 2900,	   [BIAS_MEMSET] = 2700, [BIAS_MEMCPY_PINNED] = 3200,
	[BIAS_MEMCPY_DTOD] = 5300, [BIAS_GRAPH] = 2900,
};

/*
 * How well these are known on another device like it: in twelve sessions on H200s, of twelve
 * kernels each, they were off by 0.01 to 0.23 us, the same for all kernels of a session.
 */
#define DOUBT_NS 100

static uint64_t doubt = DOUBT_NS;
static struct session *session;

static uint64_t median(const struct differences *differences)
{
	uint64_t below = 0;
	unsigned i = 0;

	while (i < BUCKETS - 1 && below + differences->buckets[i] <= differences->count / 2)
		below += differences->buckets[i++];
	return (uint64_t)i * WIDTH_NS;
}

/* A session whose program is killed is shown with what is stored here by then. */
static void update(enum bias_kind kind)
{
	struct bias *stored = &session_header(session)->biases[kind];

	if (clean[kind].count >= ENOUGH_CLEAN || (clean[kind].count && !gapped[kind].count))
		biases[kind] = median(&clean[kind]);
	else if (gapped[kind].count)
		biases[kind] = median(&gapped[kind]);
	stored->ns = biases[kind];
	stored->calls = clean[kind].count + gapped[kind].count;
	stored->doubt = stored->calls ? 0 : doubt;
}

void event_overhead_start(struct session *the_session)
{
	session = the_session;
	event_overhead_store();
}

void event_overhead_add(enum bias_kind kind, bool starved, uint64_t nanoseconds)
{
	struct differences *differences = starved ? &gapped[kind] : &clean[kind];
	uint64_t bucket = nanoseconds / WIDTH_NS;

	differences->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	differences->count++;
	/* Looked up anew at every power of two: more often would change little. */
	if ((differences->count & (differences->count - 1)) == 0)
		update(kind);
}

/* An empty pair on the machine of the biases above. */
#define EMPTY_PAIR_NS 1280
/* Events resolve 32 ns: so many ns on either side are no other kind of device. */
#define SAME_NS	      160
/*
 * On another machine, with two H200s, it was 2850. There a kernel's pair was longer by 1700 where
 * it stood alone, and by 800 with pairs around every call, which share their events: by half of the
 * difference at least.
 */
#define PART	      2

void event_overhead_calibrate(uint64_t empty_pair)
{
	int64_t longer = (int64_t)empty_pair - EMPTY_PAIR_NS;

	if (empty_pair < EMPTY_PAIR_NS / 4 || empty_pair > EMPTY_PAIR_NS * 4)
		return;
	if (longer < SAME_NS && longer > -SAME_NS)
		return;
	for (int kind = 0; kind < BIAS_KINDS; kind++)
		biases[kind] += (uint64_t)(longer / PART);
	doubt = DOUBT_NS + (uint64_t)(longer < 0 ? -longer : longer) / PART;
	event_overhead_store();
}

uint64_t event_overhead_of(enum bias_kind kind)
{
	return biases[kind];
}

void event_overhead_store(void)
{
	for (int kind = 0; kind < BIAS_KINDS; kind++)
		update((enum bias_kind)kind);
}
