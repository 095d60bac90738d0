/* SPDX-License-Identifier: MIT */
/* Why a device was idle in one gap. */
#include "preload/timeline/timeline.h"
#include "tests/unit/test.h"

enum { LAUNCH = 1, MALLOC, FREE, SYNC, COPY };

#define US 1000ull

static uint32_t last; /* number of the thread's last call */
static struct split split;

BEFORE_EACH
{
	last = 0;
}

/* Times in microseconds. */
static uint32_t call(uint16_t api, uint64_t begin, uint64_t end, uint8_t flags)
{
	last = host_calls_add(&(struct host_call){.begin = begin * US,
						  .end = end * US,
						  .previous = last,
						  .thread = 7,
						  .api = api,
						  .flags = flags});
	return last;
}

/* The gap between the end of one operation and the start of another, which `number` launched. */
static void gap(uint64_t begin, uint64_t end, uint32_t number)
{
	struct interval before = {.end = begin * US};
	struct interval after = {.start = end * US, .first = {.call = number}};
	uint64_t sum = 0;

	causes_split(&split, &before, &after);
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++)
		sum += split.parts[i];
	assert_int_equal(sum, (end - begin) * US);
}

static uint64_t part(enum idle_cause cause)
{
	assert_int_equal(split.parts[cause] % US, 0);
	return split.parts[cause] / US;
}

static uint64_t of_call(uint16_t api)
{
	for (unsigned i = 0; i < split.call_count; i++)
		if (split.calls[i].api == api)
			return split.calls[i].part / US;
	return 0;
}

TEST(the_programs_own_code_then_launch_latency)
{
	call(LAUNCH, 0, 3, HOST_CALL_WORK);
	gap(10, 100, call(LAUNCH, 94, 97, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_PROGRAM), 84);
	assert_int_equal(part(IDLE_LATENCY), 6);
	assert_int_equal(split.thread, 7);
}

TEST(code_after_a_synchronizing_call_is_told_apart)
{
	call(LAUNCH, 0, 3, HOST_CALL_WORK);
	call(SYNC, 4, 18, HOST_CALL_WAITED);
	call(MALLOC, 30, 50, 0);
	gap(10, 100, call(LAUNCH, 94, 97, HOST_CALL_WORK));
	assert_int_equal(of_call(SYNC), 8);
	assert_int_equal(of_call(MALLOC), 20);
	assert_int_equal(part(IDLE_CALL), 28);
	assert_int_equal(part(IDLE_AFTER_WAIT), 12 + 44);
	assert_int_equal(part(IDLE_PROGRAM), 0);
	assert_int_equal(part(IDLE_LATENCY), 6);
}

TEST(a_call_that_returned_before_the_gap_waits_for_the_device)
{
	gap(100, 140, call(LAUNCH, 10, 13, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_DEPENDENCY), 40);
}

TEST(a_call_amid_the_gap_is_latency_from_the_gaps_begin)
{
	gap(100, 110, call(LAUNCH, 98, 102, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_LATENCY), 10);
}

TEST(a_first_launch_is_told_apart_until_its_call_returns)
{
	gap(100, 600, call(LAUNCH, 98, 590, HOST_CALL_WORK | HOST_CALL_FIRST));
	assert_int_equal(part(IDLE_FIRST_LAUNCH), 490);
	assert_int_equal(part(IDLE_LATENCY), 10);
}

TEST(short_gaps_are_not_split_unless_the_call_returned_long_ago)
{
	gap(100, 104, call(LAUNCH, 98, 101, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_SHORT), 4);
	gap(100, 104, call(LAUNCH, 90, 96, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_SHORT), 4);
	gap(100, 104, call(LAUNCH, 90, 95, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_DEPENDENCY), 4);
}

TEST(without_its_call_a_gap_is_not_resolved)
{
	gap(100, 200, 0);
	assert_int_equal(part(IDLE_UNRESOLVED), 100);
	call(LAUNCH, 0, 1, HOST_CALL_WORK);
	for (unsigned i = 0; i < HOST_CALLS_KEPT; i++)
		host_calls_add(&(struct host_call){.thread = 8});
	/* The call before it is forgotten. */
	gap(100, 200, call(LAUNCH, 190, 192, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_UNRESOLVED), 90);
	assert_int_equal(part(IDLE_LATENCY), 10);
}

TEST(nodes_of_one_launch_are_apart)
{
	struct interval before = {.end = 100, .last = {.graph_launch = 3}};
	struct interval after = {.start = 160, .first = {.graph_launch = 3}};

	causes_split(&split, &before, &after);
	assert_int_equal(split.parts[IDLE_GRAPH], 60);
	after.first.graph_launch = 4;
	causes_split(&split, &before, &after);
	assert_int_equal(split.parts[IDLE_UNRESOLVED], 60);
}

TEST(functions_without_room_are_summed_up)
{
	for (uint16_t api = 20; api < 32; api++)
		call(api, 10ull * api, 10ull * api + 10, 0);
	gap(200, 330, call(LAUNCH, 320, 325, HOST_CALL_WORK));
	assert_int_equal(part(IDLE_CALL), 120);
	assert_int_equal(split.call_count, SPLIT_CALLS);
	assert_int_equal(split.calls[0].api, 31);
	assert_int_equal(split.calls[0].part, 10 * US);
	assert_int_equal(split.calls[SPLIT_CALLS - 1].api, UINT16_MAX);
	assert_int_equal(split.calls[SPLIT_CALLS - 1].part, 50 * US);
}
