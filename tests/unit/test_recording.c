/* SPDX-License-Identifier: MIT */
/* When CUPTI records and when not, on a clock of the test's own: within the budget, in windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/settings.h"
#include "preload/handles/graph.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/late_start.h"
#include "preload/recording/recording.h"
#include "preload/recording/sums.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"

#define MS     1000000ull
#define PERIOD (5 * MS)

/* What the stubbed functions return, and what they were called with. */
_Atomic bool instantiation_ever;
_Atomic unsigned instantiation_count;
static bool refused, safe = true, lacks_graph, paused;
static unsigned closed, random_windows, updates, ended, turns;
static unsigned settles, windows_opened, windows_closed, calls_seen;
static uint64_t now = 1000000 * MS, seen, since, until;
static bool told_off, told_windows, told_stays_on, fresh;
static bool cupti_waits = true, deferred;

struct options settings;
_Atomic bool mode_cupti = true;

int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
	return 0;
}

bool cupti_active(void)
{
	return mode_is_cupti();
}

void launch_costs_see_call(const struct in_flight *call)
{
	assert_non_null(call);
	calls_seen++;
}

struct launch_costs launch_costs_take(bool late, uint64_t elapsed)
{
	(void)late, (void)elapsed;
	return (struct launch_costs){0};
}

void late_start_plan(const struct cupti_settings *how, cupti_starter start, double part,
		     uint64_t at)
{
	(void)how, (void)start, (void)part, (void)at;
}

bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t at)
{
	(void)costs, (void)elapsed, (void)at;
	return false;
}

void late_start_finish(void)
{
}

bool settings_cupti_waits(void)
{
	return cupti_waits;
}

void deferred_start_plan(const struct cupti_settings *how, cupti_starter start)
{
	assert_true(how && start);
	deferred = true;
}

bool pause_is_safe(void)
{
	return safe;
}

bool pause_kernels(enum pause_reason reason, bool to)
{
	assert_int_equal(reason, PAUSE_BETWEEN_WINDOWS);
	paused = to;
	turns++;
	return true;
}

bool pause_is_refused(void)
{
	return refused;
}

_Atomic int64_t cupti_clock_behind;

bool cupti_clock_is_realtime(void)
{
	return true;
}

bool pause_was_shared(void)
{
	return false;
}

void instantiation_watch(void (*wake)(void))
{
	(void)wake;
}

void instantiation_tell(bool off, bool windows)
{
	told_off = off;
	told_windows = windows;
	told_stays_on = false;
}

void instantiation_stays_on(void)
{
	told_stays_on = true;
}

void graph_follow_updates(void)
{
}

_Atomic uint64_t graph_updates_unread;
_Atomic bool operation_names_reused;

bool ranges_are_chosen(void)
{
	return false;
}

void launches_add(struct operation *operation, const struct activity *activity)
{
	assert_true(operation && activity);
}

void launches_settle(void)
{
	settles++;
}

void versions_window_opens(void)
{
	assert_true(paused);
	windows_opened++;
}

void versions_window_was_closed(void)
{
	assert_true(paused);
	windows_closed++;
}

void launches_end(bool turned_off, uint64_t from, uint64_t to)
{
	(void)turned_off;
	until = to;
	ended++;
	since = from;
}

uint64_t launches_seen(void)
{
	return seen;
}

uint64_t launches_begin(void)
{
	assert_true(paused);
	return seen;
}

void sums_start(void)
{
}

void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	assert_non_null(operation);
	(void)device;
	(void)nanoseconds;
}

void sums_close_window(bool random)
{
	closed++;
	random_windows += random;
}

void sums_begin_late(void)
{
}

bool sums_lack_a_graph(void)
{
	return lacks_graph;
}

bool sums_are_fresh(void)
{
	return fresh;
}

void sums_update_rows(void)
{
	updates++;
}

static struct graph_contents contents = {.nodes = 1000, .recorded = 1000, .kernels = 1};
static struct operation graph = {.kind = ROW_GRAPH, .contents = &contents};

struct row *rows_of(struct operation *operation, int device)
{
	return session_row(run.session, operation->kind, "graph", device);
}

static void wake(void)
{
}

static uint64_t count(enum session_counter counter)
{
	return run.header->counters[counter];
}

/* A launch that takes no time: 1000 nodes at 1.2 us. */
static void launch(void)
{
	recording_call(&(struct in_flight){.operation = &graph, .started = now, .ended = now + 1});
}

static uint64_t update(uint64_t later)
{
	now += later;
	return recording_update(now, PERIOD);
}

static void prepare(void)
{
	settings = (struct options){.budget = 5};
	if (make_run(0))
		_exit(2);
}

/* What the library keeps is a process's. */
#define TEST(name) TEST_IN_CHILD(name, prepare())

static void begin(void)
{
	recording_start(wake, NULL, NULL);
	instantiation_ever = true;
	assert_true(update(PERIOD) == PERIOD);
}

/* The budget of 200 ms is 10 ms; a launch is reckoned at 1.2 ms. */
static void spend_the_credit(void)
{
	for (int i = 0; i < 8; i++)
		launch();
	update(0);
	assert_true(recording_is_complete());
	launch();
	update(0);
	assert_true(!recording_is_complete());
}

/* Waits for a window, launches three times in it, and waits for its end. */
static void pass_a_window(void)
{
	while (paused)
		update(MS);
	for (int i = 0; i < 3; i++)
		launch();
	while (!paused)
		update(MS);
}

static int start_nothing(const struct cupti_settings *with, char *reason, size_t size)
{
	(void)with, (void)reason, (void)size;
	return 0;
}

TEST(a_start_with_the_window_is_matched_and_follows_graphs_before)
{
	const struct cupti_settings with = {.graph_nodes = true};

	mode_cupti = false;
	cupti_waits = false;
	recording_start(wake, &with, start_nothing);
	assert_true(deferred && recording_matches() && recording_is_complete());
	instantiation_ever = true;
	assert_true(update(PERIOD) == PERIOD && recording_matches() && turns == 0);
	/* It has been started: a graph was made before. */
	mode_cupti = true;
	deferred = false;
	assert_true(update(PERIOD) == PERIOD && !recording_matches() && recording_is_complete());
}

TEST(while_a_trace_is_wanted_all_is_recorded)
{
	uint64_t opened_at, before;

	begin();
	spend_the_credit();
	assert_true(paused);
	before = count(COUNTER_windows_ns);
	assert_int_equal(trace_window_open(TRACE_GPU, 1000000 * MS), 0);
	opened_at = now + MS;
	for (int i = 0; i < 1000; i++) {
		launch();
		update(MS);
		assert_true(!paused);
	}
	assert_int_equal(trace_window_close(), 0);
	while (!paused)
		update(MS);
	/* A window, which is not one by chance. */
	assert_int_equal(count(COUNTER_windows_ns) - before, now - opened_at);
	update(100 * MS);
	assert_int_equal(random_windows, 0);
}

TEST(without_graphs_calls_are_matched)
{
	recording_start(wake, NULL, NULL);
	assert_true(recording_matches() && recording_is_complete() && recording_knows_kernels());
	for (int i = 0; i < 100; i++)
		launch();
	assert_true(update(PERIOD) == PERIOD && recording_matches());
	assert_true(updates == 0 && turns == 0);
	instantiation_ever = true;
	mode_cupti = false;
	assert_true(update(PERIOD) == PERIOD && recording_matches());
	mode_cupti = true;
	assert_true(update(PERIOD) == PERIOD && !recording_matches());
	assert_true(recording_is_complete() && recording_knows_kernels());
	assert_true(!recording_wants_flush(now));
}

TEST(where_the_user_or_cupti_forbids_it_all_is_matched)
{
	settings.graph = GRAPH_NODE;
	begin();
	assert_true(recording_matches());
	settings.graph = GRAPH_AUTO;
	settings.timer = TIMER_CUPTI;
	begin();
	assert_true(recording_matches());
	settings.timer = TIMER_AUTO;
	settings.print_gpu_trace = true;
	begin();
	assert_true(recording_matches());
	settings.print_gpu_trace = false;
	safe = false;
	begin();
	assert_true(recording_matches());
	safe = true;
	begin();
	assert_true(!recording_matches());
}

TEST(nodes_are_recorded_until_the_budget_is_spent)
{
	begin();
	spend_the_credit();
	assert_true(paused && told_off && told_windows);
	assert_true(count(COUNTER_windows) == 1);
	assert_true(run.header->note_count == 1);
	assert_true(!recording_matches());
}

/* They are recorded between windows too. */
TEST(copies_of_graphs_spend_nothing)
{
	begin();
	contents.copies = contents.recorded;
	for (int i = 0; i < 1000; i++)
		launch();
	update(0);
	assert_true(recording_is_complete());
	contents.copies = 0;
	spend_the_credit();
}

TEST(the_credit_grows_with_time_to_its_bound)
{
	begin();
	for (int i = 0; i < 8; i++)
		launch();
	/* 28 ms at 5 % are 1.4 ms. */
	update(28 * MS);
	launch();
	update(0);
	assert_true(recording_is_complete());
	update(10000 * MS);
	spend_the_credit();
}

TEST(a_window_is_settled_once_its_records_are_there)
{
	begin();
	spend_the_credit();
	/* How many launches there were before the first one is not known. */
	for (unsigned i = 0; i < 99 / 5; i++)
		update(PERIOD);
	assert_true(closed == 0);
	assert_true(recording_wants_flush(now));
	assert_true(!recording_wants_flush(now + 20 * MS));
	assert_true(recording_wants_flush(now + 25 * MS));
	update(PERIOD);
	assert_true(closed == 1 && ended == 1 && random_windows == 0);
	settles = windows_opened = windows_closed = 0;
	assert_true(!recording_wants_flush(now + 100 * MS));
	pass_a_window();
	/* Those of one, and then of two: the last one's may come much later. */
	seen = 1;
	update(PERIOD);
	update(PERIOD);
	assert_true(closed == 1);
	seen = 2;
	update(PERIOD);
	assert_true(closed == 1);
	update(PERIOD);
	assert_true(closed == 2 && random_windows == 1);
	/* Which graphs it is of is noted before it opens, and once its calls have returned. */
	assert_true(windows_opened == 1 && windows_closed >= 1);
	/* What comes between windows is of none. */
	assert_true(settles == 0);
}

TEST(what_cupti_adds_to_calls_is_seen_between_windows)
{
	begin();
	spend_the_credit();
	assert_true(calls_seen == 0);
	launch();
	assert_true(calls_seen == 1);
	/* It began in the window. */
	recording_call(&(struct in_flight){.operation = &graph, .started = 1, .ended = now});
	assert_true(calls_seen == 1);
	update(100 * MS);
	pass_a_window();
	assert_true(calls_seen == 1);
}

/* A window in which CUPTI records one of three launches, and the device gets to the end of all. */
static void pass_a_lacking_window(void)
{
	static const struct activity node = {.kind = ACTIVITY_KERNEL, .graph_node = 1};
	static struct stream stream;
	struct activity record = node;

	while (paused)
		update(MS);
	update(MS);
	record.start = now;
	for (int i = 0; i < 3; i++)
		recording_call(&(struct in_flight){
			.operation = &graph, .stream = &stream, .started = now, .ended = now + 1});
	for (int i = 0; i < 1000; i++)
		window_check_record(&record);
	while (!paused)
		update(MS);
	window_check_passed(&(struct in_flight){
		.operation = &graph, .stream = &stream, .started = now + MS, .ended = now + MS});
	update(300 * MS);
	update(MS);
}

TEST(windows_end_when_three_lack_records_and_the_report_says_so)
{
	unsigned turned;

	begin();
	spend_the_credit();
	update(300 * MS);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(run.header->note_count, 1);
		pass_a_lacking_window();
	}
	assert_int_equal(run.header->note_count, 2);
	turned = turns;
	for (int i = 0; i < 10000; i++)
		update(MS);
	assert_true(paused && turns == turned && count(COUNTER_windows) == 5);
	/* Unless the user asks for a trace. */
	assert_int_equal(trace_window_open(TRACE_GPU, 1000000 * MS), 0);
	update(MS);
	assert_false(paused);
	assert_int_equal(trace_window_close(), 0);
	while (!paused)
		update(MS);
	for (int i = 0; i < 10000; i++)
		update(MS);
	assert_true(paused && turns == turned + 2);
}

TEST(records_that_do_not_come_are_not_waited_for_for_ever)
{
	begin();
	spend_the_credit();
	update(100 * MS);
	pass_a_window();
	for (int i = 0; i < 299; i++)
		update(MS);
	assert_true(closed == 1);
	update(MS);
	assert_true(closed == 2);
}

/* 0.5 to 1.5 times what lets the windows have their part of the budget; if nothing is launched
 * meanwhile, four times that. */
TEST(windows_open_by_chance_and_last_as_long_whatever_is_launched)
{
	uint64_t closed_at, opened_at;
	unsigned windows = 1;

	begin();
	spend_the_credit();
	closed_at = now;
	seen = 100;
	for (; windows < 20; windows++) {
		while (paused)
			update(MS);
		opened_at = now;
		assert_true(opened_at - closed_at >= 400 * MS &&
			    opened_at - closed_at <= 1201 * MS);
		assert_true(recording_update(now, PERIOD) == 500000);
		while (!paused)
			assert_true(update(MS) == (paused ? PERIOD : 500000));
		closed_at = now;
		assert_true(closed_at - opened_at >= 51 * MS && closed_at - opened_at <= 101 * MS);
		assert_true(count(COUNTER_windows) == windows + 1);
	}
	/* Without launches they get longer. */
	assert_true(closed_at - opened_at >= 100 * MS);
	assert_true(random_windows == windows - 2 || random_windows == windows - 1);
	assert_true(since > 0 && since <= opened_at && until > since);
	assert_true(updates > 0);
}

TEST(an_expensive_window_is_closed_and_the_next_comes_later)
{
	uint64_t closed_at;

	begin();
	spend_the_credit();
	seen = 1000;
	while (paused)
		update(MS);
	/* A window may cost 3 ms on average: four times that is the most. */
	for (int i = 0; i < 9; i++)
		launch();
	recording_update(now, PERIOD);
	assert_true(!paused);
	launch();
	recording_update(now, PERIOD);
	assert_true(paused);
	closed_at = now;
	while (paused)
		update(MS);
	/* 12 ms are 0.3 x 5 % of 800 ms. */
	assert_true(now - closed_at >= 1600 * MS && now - closed_at <= 4801 * MS);
	/* What the first one cost is not the next one's. */
	launch();
	recording_update(now, PERIOD);
	assert_true(!paused);
}

TEST(a_new_graph_has_a_window_soon_but_not_more_often_than_others)
{
	begin();
	spend_the_credit();
	seen = 1000;
	update(100 * MS);
	assert_true(paused && closed == 1);
	lacks_graph = true;
	update(PERIOD);
	assert_true(!paused);
	lacks_graph = false;
	while (!paused)
		update(MS);
	update(100 * MS);
	assert_true(closed == 2 && random_windows == 0);
	lacks_graph = true;
	update(PERIOD);
	assert_true(paused);
}

TEST(nothing_is_recorded_while_graphs_are_made)
{
	begin();
	assert_true(!told_off && !told_windows);
	instantiation_count = 1;
	update(PERIOD);
	assert_true(paused && told_off && !told_windows);
	instantiation_count = 0;
	update(PERIOD);
	assert_true(!paused && !told_off);
	spend_the_credit();
	while (paused)
		update(MS);
	instantiation_count = 1;
	update(0);
	assert_true(paused && told_off && told_windows);
	assert_true(count(COUNTER_windows) == 2);
}

TEST(graphs_wait_for_nothing_while_all_is_recorded)
{
	begin();
	assert_true(!told_stays_on);
	assert_int_equal(trace_window_open(TRACE_GPU, 1000000 * MS), 0);
	instantiation_count = 1;
	update(PERIOD);
	assert_true(!paused && told_stays_on);
	instantiation_count = 0;
	update(PERIOD);
	assert_true(!paused && told_stays_on);
	assert_int_equal(trace_window_close(), 0);
	update(PERIOD);
	assert_true(!told_stays_on && !told_off);
	refused = true;
	update(PERIOD);
	assert_true(told_stays_on);
	refused = false;
	instantiation_count = 1;
	update(PERIOD);
	assert_true(paused && told_off && !told_stays_on);
}

TEST(rows_are_brought_up_to_date_when_that_is_asked_for)
{
	unsigned before;

	begin();
	before = updates;
	update(PERIOD);
	assert_true(updates == before);
	recording_update_rows();
	assert_true(updates == before + 1);
}

TEST(rows_are_updated_once_they_have_their_first_records)
{
	unsigned before;

	begin();
	before = updates;
	fresh = true;
	update(PERIOD);
	assert_true(updates == before + 1);
	fresh = false;
	update(PERIOD);
	assert_true(updates == before + 1);
}

TEST(while_the_program_records_ktime_reads_along)
{
	begin();
	spend_the_credit();
	refused = true;
	update(PERIOD);
	assert_true(!paused && closed == 1);
	for (int i = 0; i < 100; i++)
		update(PERIOD);
	assert_true(!paused && closed == 1);
	refused = false;
	update(PERIOD);
	assert_true(paused);
	updates = 0;
	recording_finish();
	assert_true(closed == 2 && random_windows == 0);
	assert_int_equal(updates, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_with_the_window_is_matched_and_follows_graphs_before),
		cmocka_unit_test(while_a_trace_is_wanted_all_is_recorded),
		cmocka_unit_test(without_graphs_calls_are_matched),
		cmocka_unit_test(where_the_user_or_cupti_forbids_it_all_is_matched),
		cmocka_unit_test(nodes_are_recorded_until_the_budget_is_spent),
		cmocka_unit_test(copies_of_graphs_spend_nothing),
		cmocka_unit_test(the_credit_grows_with_time_to_its_bound),
		cmocka_unit_test(a_window_is_settled_once_its_records_are_there),
		cmocka_unit_test(what_cupti_adds_to_calls_is_seen_between_windows),
		cmocka_unit_test(windows_end_when_three_lack_records_and_the_report_says_so),
		cmocka_unit_test(records_that_do_not_come_are_not_waited_for_for_ever),
		cmocka_unit_test(windows_open_by_chance_and_last_as_long_whatever_is_launched),
		cmocka_unit_test(an_expensive_window_is_closed_and_the_next_comes_later),
		cmocka_unit_test(a_new_graph_has_a_window_soon_but_not_more_often_than_others),
		cmocka_unit_test(nothing_is_recorded_while_graphs_are_made),
		cmocka_unit_test(graphs_wait_for_nothing_while_all_is_recorded),
		cmocka_unit_test(rows_are_brought_up_to_date_when_that_is_asked_for),
		cmocka_unit_test(rows_are_updated_once_they_have_their_first_records),
		cmocka_unit_test(while_the_program_records_ktime_reads_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
