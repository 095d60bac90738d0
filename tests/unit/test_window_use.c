/* SPDX-License-Identifier: MIT */
/* Busy and idle time where kernels are recorded in windows, against what they were. */
#include <sys/mman.h>

#include "preload/timeline/use_estimate.h"
#include "tests/unit/own_process.h"
#include "tests/unit/served_model.h"

#define SEEDS	100
#define COVERED 95
#define SECONDS 5
/* Parts that are less of the whole are in few windows of so short a run, or in none. */
#define LEAST	0.005
#define NEVER	UINT64_MAX

struct launch_state launch_state = {.cupti = true};

static uint64_t changes; /* when the profiling window does; 0: never */

bool window_changed_between(uint64_t start, uint64_t end)
{
	return changes && start <= changes && changes < end;
}

/* The outcomes of the runs, each in a process of its own. */
static struct model_outcome *outcomes;
static enum model_shape shape;
static unsigned seed;

static void run_one(void)
{
	assert_int_equal(model_run(shape, 1000 + 7919 * seed, SECONDS), 0);
	outcomes[seed] = model.outcome;
}

/* How many of the runs are told, and have an interval that holds a part. */
static unsigned covered(unsigned part)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SEEDS; i++)
		count += outcomes[i].told &&
			 fabs(outcomes[i].total[part] - outcomes[i].truth[part]) <=
				 outcomes[i].error[part];
	return count;
}

static void holds_the_truth(enum model_shape of)
{
	shape = of;
	outcomes = mmap(NULL, SEEDS * sizeof(*outcomes), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(outcomes, MAP_FAILED);
	for (seed = 0; seed < SEEDS; seed++)
		passes_in_child(run_one);
	for (unsigned i = 0; i < SEEDS; i++) {
		double left = (double)outcomes[i].whole;

		for (unsigned part = 0; part < MODEL_PARTS; part++)
			left -= outcomes[i].total[part];
		assert_true(!outcomes[i].told || fabs(left) < 20);
	}
	for (unsigned part = 0; part < MODEL_PARTS; part++) {
		double share = 0, width = 0;

		for (unsigned i = 0; i < SEEDS; i++) {
			if (!outcomes[i].told)
				continue;
			share += outcomes[i].truth[part] / (double)outcomes[i].whole / SEEDS;
			width += outcomes[i].error[part] / (double)outcomes[i].whole / SEEDS;
		}
		if (share < LEAST)
			continue;
		assert_in_range(covered(part), COVERED, SEEDS);
		/* An interval that is not wide says something. */
		assert_true(width < 0.03);
	}
	munmap(outcomes, SEEDS * sizeof(*outcomes));
}

TEST(of_a_decoder_intervals_hold_what_was)
{
	holds_the_truth(DECODES);
}

TEST(of_phases_too)
{
	holds_the_truth(PHASES);
}

TEST(of_a_server_that_pauses_for_longer_than_windows_too)
{
	holds_the_truth(SERVES);
}

TEST(of_bursts_that_are_waited_for_at_their_end_too)
{
	holds_the_truth(QUEUES);
}

TEST(of_a_server_that_waits_without_a_call_too)
{
	holds_the_truth(POLLS);
}

TEST(of_launches_that_are_queued_for_long_too)
{
	holds_the_truth(FLOODS);
}

TEST(of_two_threads_with_a_stream_each_too)
{
	holds_the_truth(THREADS);
}

/* Time by its sorts, in microseconds: up to 4.096 us, 16.384 us and so on. */
TEST(time_is_sorted_by_the_launch_and_the_wait_before_it)
{
	const struct use_period period = {.begin = 100000, .waited = 130000, .end = 140000};
	double sums[USE_STRATA] = {0};

	use_add_time(sums, &period, 0, NEVER);
	assert_true(sums[0] == 4096 && sums[1] == 12288 && sums[2] == 13616 && sums[3] == 0);
	assert_true(sums[USE_AGES] == 4096 && sums[USE_AGES + 1] == 5904);
	memset(sums, 0, sizeof(sums));
	use_add_time(sums, &period, 104000, 104100);
	assert_true(sums[0] == 96 && sums[1] == 4);
	memset(sums, 0, sizeof(sums));
	use_add_time(sums, &(struct use_period){.end = NEVER, .waited = NEVER}, 0, 1ull << 40);
	assert_true(sums[USE_AGES - 1] == (1ull << 40) - (4096ull << 16));
	assert_true(sums[USE_AGES] == 0);
}

/* Four windows, in each of which the device was busy for a part of the time of one sort. */
static void make_windows(struct use_whole *whole, struct use_part *busy, unsigned windows)
{
	*whole = (struct use_whole){.windows = windows};
	*busy = (struct use_part){0};
	whole->whole[3] = 1e6;
	for (unsigned i = 0; i < windows; i++) {
		whole->seen[i][3] = 1000;
		busy->seen[i][3] = i % 2 ? 800 : 700;
	}
}

TEST(windows_stand_for_what_is_of_their_sort)
{
	struct use_whole whole;
	struct use_part busy;
	struct estimated estimated;

	make_windows(&whole, &busy, 3);
	assert_true(isnan(use_estimate(&whole, &busy, &busy).error));
	make_windows(&whole, &busy, 4);
	estimated = use_estimate(&whole, &busy, &busy);
	assert_true(fabs(estimated.total - 750e3) < 1e-3);
	/* The mean of four values whose deviations are 50 each, by Student's t of three degrees of
	 * freedom; and a thousandth. */
	assert_true(fabs(estimated.error - (3.18 * 50e3 / sqrt(3) + 1000)) < 1000);
	/* Of an older sort nothing was seen: the device may have become idle. */
	whole.whole[5] = 1e5;
	assert_true(fabs(use_estimate(&whole, &busy, &busy).error - estimated.error - 75e3) < 12e3);
	assert_true(fabs(use_estimate(&whole, &busy, &busy).total - 825e3) < 1e-3);
	/* After a wait nothing was seen at all. */
	whole.whole[5] = 0;
	whole.whole[USE_AGES] = 1e5;
	assert_true(use_estimate(&whole, &busy, &busy).error > estimated.error + 1e5);
}

static void call_of(uint16_t api, uint64_t begin, uint64_t end, uint8_t flags, const void *stream)
{
	const struct host_call call = {
		.begin = begin, .end = end, .thread = 7, .api = api, .flags = flags};

	window_use_call(host_calls_add(&call), &call, flags & HOST_CALL_WORK ? 0 : -1, stream);
}

static void call(uint64_t begin, uint64_t end, uint8_t flags)
{
	call_of(MODEL_LAUNCH, begin, end, flags, NULL);
}

static uint64_t take(uint64_t begin, uint64_t end, uint32_t launch)
{
	const struct edge edge = {.call = CALL_BY_TIME};

	return window_use_take(&(struct interval){begin, end, edge, edge}, 0, true, launch);
}

#define PERIOD 1000000ull

static void pass_window(struct kernel_window *window, uint64_t closed)
{
	window->open = false;
	window->closed = closed;
	window_use_update(window);
	window->taken = window->number;
	window_use_update(window);
}

/* Windows of three launches each, of which the device works for 60 of 100 us; none is recorded
 * between them. */
static void launch_in_windows(unsigned windows, bool random, unsigned nodes)
{
	struct kernel_window window = {.number = 1, .taken = 1, .clock_known = true};
	uint64_t now = 100 * PERIOD;

	assert_int_equal(take(now, now + 1, 1), NEVER);
	call(now, now + 2000, HOST_CALL_WORK);
	window_use_update(&window);
	/* What began before that call is no window's. */
	assert_int_equal(take(now - 1, now, 1), now);
	for (unsigned i = 0; i < windows; i++) {
		window.opened = window.on = now + 50000;
		window.open = true;
		window.random = random;
		window.number++;
		window_use_update(&window);
		for (unsigned k = 1; k <= 3; k++) {
			uint64_t at = now + k * 100000;

			call(at, at + 2000, HOST_CALL_WORK);
			for (unsigned n = 0; n < nodes; n++)
				take(at + 10000 + n * (60000 / nodes),
				     at + 10000 + (n + 1) * (60000 / nodes) - (nodes > 1),
				     10 * i + k);
		}
		pass_window(&window, now + 350000);
		now += PERIOD;
		call(now, now + 2000, HOST_CALL_WORK);
		/* Another thread's that took longer. */
		call(now - 5000, now + 4000, HOST_CALL_WORK);
	}
	window_use_finish(&window);
}

/*
 * Windows that open while the device is idle, as `wait` has waited for it, and in which two
 * launches are queued: nothing else tells what it does after a wait. Half of the launches are in
 * `stream`.
 */
static const struct device_use *wait_before_windows(uint16_t wait, const void *stream)
{
	struct kernel_window window = {
		.number = 1, .taken = 1, .clock_known = true, .random = true};
	uint64_t now = 10000 * PERIOD;

	assert_int_equal(make_run(0), 0);
	run.header->counters[COUNTER_windows] = 1;
	for (unsigned i = 0; i < 8; i++) {
		call_of(MODEL_LAUNCH, now, now + 2000, HOST_CALL_WORK, i % 2 ? stream : NULL);
		window_use_update(&window);
		call_of(wait, now + 5000, now + 112000, HOST_CALL_WAITED, NULL);
		window.opened = window.on = now + 200000;
		window.open = true;
		window.number++;
		window_use_update(&window);
		for (unsigned k = 1; k <= 2; k++) {
			call(now + 490000 + 10000 * k, now + 492000 + 10000 * k, HOST_CALL_WORK);
			take(now + 400000 + 110000 * k, now + 500000 + 110000 * k, 2 * i + k);
		}
		call_of(wait, now + 520000, now + 722000, HOST_CALL_WAITED, NULL);
		pass_window(&window, now + 800000);
		now += PERIOD;
	}
	window_use_finish(&window);
	return session_use(run.session, 0);
}

static const struct device_use *use_of_windows(unsigned windows, bool random, unsigned nodes)
{
	assert_int_equal(make_run(0), 0);
	launch_in_windows(windows, random, nodes);
	return &run.header->uses[0];
}

/* Of launches with this number of nodes. */
static void are_for_the_whole_run(unsigned nodes)
{
	const struct device_use *use = use_of_windows(5, true, nodes);
	const struct idle_row *row;
	uint64_t idle = 0;

	assert_int_equal(use->first, 100 * PERIOD);
	assert_int_equal(use->last, 105 * PERIOD);
	assert_true(use->error > 0);
	session_for_each_idle (run.session, row)
		idle += row->total;
	/* Busy and idle are the whole, but for what rounding leaves. */
	assert_in_range(idle + use->busy, 5 * PERIOD - 5, 5 * PERIOD + 5);
	assert_int_equal(use->kernels, use->busy);
	session_close(run.session);
}

TEST_IN_CHILD(windows_are_for_the_whole_run, (void)0)
{
	are_for_the_whole_run(1);
}

/* In a window with three of these not all have room. */
TEST_IN_CHILD(windows_of_graphs_with_thousands_of_nodes_are_too, (void)0)
{
	are_for_the_whole_run(6000);
}

TEST_IN_CHILD(what_was_not_chosen_by_chance_is_no_sample, (void)0)
{
	assert_true(isinf(use_of_windows(5, false, 1)->error));
	session_close(run.session);
}

TEST_IN_CHILD(few_windows_tell_nothing, (void)0)
{
	assert_true(isinf(use_of_windows(3, true, 1)->error));
	assert_int_equal(run.header->uses[0].busy, 0);
	session_close(run.session);
}

TEST_IN_CHILD(windows_in_which_the_profiling_window_changes_tell_nothing,
	      changes = 100 * PERIOD + 250000)
{
	assert_true(isinf(use_of_windows(4, true, 1)->error));
	session_close(run.session);
}

TEST_IN_CHILD(a_device_that_was_waited_for_is_known_to_be_idle, (void)0)
{
	assert_non_null(wait_before_windows(MODEL_WAIT, NULL));
	session_close(run.session);
}

TEST_IN_CHILD(an_event_may_stand_before_the_last_work, (void)0)
{
	assert_null(wait_before_windows(API_DRIVER(ENTRY_cuEventSynchronize), NULL));
	session_close(run.session);
}

TEST_IN_CHILD(another_streams_work_may_go_on, (void)0)
{
	assert_null(wait_before_windows(MODEL_WAIT, "another"));
	session_close(run.session);
}
