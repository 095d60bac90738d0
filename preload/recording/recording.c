/* SPDX-License-Identifier: MIT */
#include "preload/recording/recording.h"

#include <errno.h>
#include <math.h>

#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "preload/base/budget.h"
#include "preload/base/clock.h"
#include "preload/base/pauses.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/handles/graph.h"
#include "preload/handles/instantiation.h"
#include "preload/launch/memsets.h"
#include "preload/recording/rows.h"
#include "preload/recording/sums.h"
#include "report/options/options.h"

/* How long a trace is kept after its time is over, for the process that asked for it to copy the
 * profile. Chosen. */
#define KEPT_NS 20000000000u

/* The trace window (recording.h). */
static struct {
	unsigned what; /* bits of enum trace_set; 0: there is none */
	uint64_t ends; /* CLOCK_MONOTONIC, nanoseconds */
} asked;

int trace_window_open(unsigned what, uint64_t duration)
{
	if (!asked.what && run.header->trace_on)
		return -EEXIST;
	/* Only where calls are matched with records does each of them become a trace record. */
	if (!cupti_active() || (what & TRACE_API && !plan_is_cupti()))
		return -EOPNOTSUPP;
	session_restart_trace(run.session, TRACE_WINDOW_BYTES);
	run.header->trace_on = TRACE_GROWS;
	asked.what = what;
	asked.ends = clock_ns(CLOCK_MONOTONIC) + KEPT_NS;
	/* Another process may ask for any duration: the sum must not overflow. */
	asked.ends = duration < UINT64_MAX - asked.ends ? asked.ends + duration : UINT64_MAX;
	return 0;
}

void trace_window_stop(void)
{
	if (asked.what)
		run.header->trace_on = TRACE_STAYS;
}

int trace_window_close(void)
{
	if (!asked.what)
		return -ENODATA;
	asked.what = 0;
	run.header->trace_on = TRACE_NONE;
	session_restart_trace(run.session, TRACE_WINDOW_BYTES);
	return 0;
}

void trace_window_update(void)
{
	if (asked.what && clock_ns(CLOCK_MONOTONIC) >= asked.ends)
		trace_window_close();
}

bool trace_window_is_open(void)
{
	return asked.what != 0;
}

bool trace_window_takes(enum row_kind kind)
{
	return !asked.what || asked.what & (row_is_api(kind) ? TRACE_API : TRACE_GPU);
}

/* The number of first windows that test CUPTI, and how many of them must lack records for windows
 * to be ended. Chosen: one window that lacks records for an unknown reason is not enough. */
#define FIRST_WINDOWS 20u
#define MOST_LACKING  3u
/* How far the times of calls may be off CLOCK_REALTIME. Chosen: as in drain.c. */
#define SLACK_NS      100000u

/* Kernels of graphs, and those launched by themselves. */
enum unit { UNIT_NODES, UNIT_LAUNCHES, UNITS };

/* What one thread launched into one stream in a window. */
struct launched {
	const struct stream *stream; /* NULL: nothing yet */
	uint32_t thread;
	uint64_t kernels, largest; /* of all launches; of one */
	uint64_t records;
	bool passed; /* the device has come past these launches */
	bool came;   /* a record of the thread that began after the window was opened */
};

struct held_window {
	uint64_t opened, closed;
	uint64_t records_since; /* when it was opened, on the records' clock */
	struct launched launched[UNITS];
};

/* The comparison of records with launches, in recording windows. */
static struct {
	struct held_window last, before;
	struct window_check lacking[UNITS];
	unsigned windows;
} check = {
	.last = {.opened = UINT64_MAX, .records_since = UINT64_MAX},
	.lacking = {[UNIT_NODES] = {.graphs = true}},
};

void window_check_open(uint64_t now, uint64_t records_now)
{
	check.before = check.last;
	check.last = (struct held_window){
		.opened = now, .closed = UINT64_MAX, .records_since = records_now};
}

void window_check_close(uint64_t now)
{
	if (check.last.closed == UINT64_MAX)
		check.last.closed = now;
}

void window_check_call(const struct in_flight *call, const struct graph_contents *contents)
{
	bool graph = call->operation->kind == ROW_GRAPH;
	struct launched *launched = &check.last.launched[graph ? UNIT_NODES : UNIT_LAUNCHES];
	uint64_t kernels = call->operation->kind == ROW_KERNEL;

	/* Not for graphs with conditional nodes: the device decides how often a body runs. */
	if (graph && contents && !contents->variable)
		kernels = contents->recorded - contents->copies;
	if (!kernels || check.windows >= FIRST_WINDOWS || call->started < check.last.opened ||
	    call->started - check.last.opened < SLACK_NS ||
	    call->ended > check.last.closed - SLACK_NS)
		return;
	if (!launched->stream) {
		launched->stream = call->stream;
		launched->thread = call->thread;
	}
	if (launched->stream != call->stream || launched->thread != call->thread)
		return;
	launched->kernels += kernels;
	RAISE(launched->largest, kernels);
}

void window_check_passed(const struct in_flight *call)
{
	for (unsigned i = 0; i < UNITS; i++)
		check.last.launched[i].passed |= check.last.launched[i].stream == call->stream &&
						 call->started >= check.last.closed;
}

void window_check_record(const struct activity *activity)
{
	unsigned unit = activity->graph_node ? UNIT_NODES : UNIT_LAUNCHES;
	struct launched *launched = &check.last.launched[unit];

	/* A record that came late: its work began in the recording window before. */
	if (activity->start && activity->start < check.last.records_since) {
		check.before.launched[unit].records++;
		return;
	}
	launched->records++;
	launched->came |= activity->start &&
			  (!activity->buffer_thread || activity->buffer_thread == launched->thread);
}

static bool lacks_records(const struct launched *launched)
{
	return launched->records + launched->largest < launched->kernels;
}

static bool is_comparable(const struct launched *launched, const struct launched *next)
{
	return launched->passed && next->came && launched->stream == next->stream &&
	       launched->thread == next->thread;
}

const struct window_check *window_check_result(void)
{
	const struct window_check *found = NULL;
	bool compared = false;

	for (unsigned i = 0; i < UNITS && check.windows < FIRST_WINDOWS; i++) {
		const struct launched *launched = &check.before.launched[i];

		if (!is_comparable(launched, &check.last.launched[i]))
			continue;
		compared = true;
		if (!lacks_records(launched))
			continue;
		check.lacking[i].kernels += launched->kernels;
		check.lacking[i].records += launched->records;
		if (++check.lacking[i].windows == MOST_LACKING)
			found = &check.lacking[i];
	}
	check.windows += compared;
	return found;
}

/* How far apart recording windows are on average, if that lets them be long enough. */
#define WINDOW_GAP_NS	200000000u

/* How far apart windows are, in nanoseconds, and how long they may be. Chosen: five a second give
 * an interval within a second. */
#define MEAN_GAP_NS	(double)WINDOW_GAP_NS
#define LEAST_GAP_NS	20000000.0
#define MOST_GAP_NS	5000000000.0
#define FIRST_WINDOW_NS 4000000.0
#define LEAST_WINDOW_NS 1000000.0
#define MOST_WINDOW_NS	50000000.0
/* How long a window whose time is over waits for one more launch: most pauses of a program that
 * serves requests end meanwhile, and are part of the window. Chosen. */
#define MOST_PAUSE_NS	1000000000.0
/* A window is closed early once it has cost this multiple of what it may. Chosen: if windows are
 * often closed early, work that is expensive to record is recorded less than other work. */
#define MOST_TIMES	4.0
/* The next window opens after work that takes this part and this multiple of the planned time, if
 * the program launches as it did on average; for bursts and idle times these are the bounds. */
#define LEAST_PART	0.5
#define MOST_PART	4.0
/* Only time in which the program launches pays for windows: else the bursts of launches after a
 * pause would be recorded on what the pause has paid. A pause begins once there was no launch for
 * this long, in nanoseconds. */
#define PAUSE_NS	50000000u
/* No window opens while more than this multiple of what one may cost is to be paid for. Chosen: a
 * program that launches steadily, whose windows come by chance, hardly gets there. */
#define MOST_DEBT	6.0
/* The time over which the program's work is averaged. Chosen: long compared with a program's
 * phases, or the windows would follow these. */
#define AVERAGE_NS	20e9

/* When recording windows open and close. */
static struct {
	double share;  /* of the run's time that windows may cost */
	double length; /* of the next window, or of the one that is open */
	uint64_t random_state;
	uint64_t planned, earliest, latest; /* when the next one was planned, and may open */
	double due_work;		    /* at which it opens */
	double seen_work, average_work, average_time;
	uint64_t passed, launched; /* the last call of window_times_pass(); the last launch by it */
	double passed_work, debt;  /* debt: what windows have cost that is not paid for, ns */
	double over_work;	   /* when the open window's time was over; -1: it is not yet */
} times = {
	.random_state = 0x9e3779b97f4a7c15ull,
};

void window_times_start(uint64_t now, double budget, uint64_t random)
{
	times.planned = times.passed = times.launched = now;
	times.share = budget;
	times.length = FIRST_WINDOW_NS;
	times.seen_work = times.average_work = times.average_time = 0;
	times.passed_work = times.debt = 0;
	times.over_work = -1;
	times.random_state ^= random;
}

/* Between 0 and 1: 64-bit Xorshift (Marsaglia 2003). */
static double random_part(void)
{
	times.random_state ^= times.random_state << 13;
	times.random_state ^= times.random_state >> 7;
	times.random_state ^= times.random_state << 17;
	return (double)(times.random_state >> 11) * 0x1p-53;
}

/* What a window may cost, in nanoseconds. */
static double allowed_cost(void)
{
	return times.share * MEAN_GAP_NS;
}

static double between(double least, double value, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* Nanoseconds of work in a nanosecond, on average. */
static double work_rate(uint64_t now, double work)
{
	if (times.average_time > AVERAGE_NS) {
		times.average_time /= 2;
		times.average_work /= 2;
	}
	times.average_time += (double)(now - times.planned);
	times.average_work += work - times.seen_work;
	times.seen_work = work;
	return times.average_time > 0 ? times.average_work / times.average_time : 0;
}

void window_times_plan(uint64_t now, double work, double spent)
{
	double gap = times.share > 0 ? spent / times.share : MOST_GAP_NS;

	times.over_work = -1;
	times.debt += spent;
	RAISE(gap, MEAN_GAP_NS);
	/* The gap is random, so that windows do not always meet the same phase of a program that
	 * repeats itself. */
	gap *= 0.5 + random_part();
	times.due_work = work + gap * work_rate(now, work);
	times.earliest = now + (uint64_t)between(LEAST_GAP_NS, LEAST_PART * gap, MOST_GAP_NS);
	times.latest = now + (uint64_t)between(LEAST_GAP_NS, MOST_PART * gap, MOST_GAP_NS);
	times.planned = now;
}

void window_times_pass(uint64_t now, double work)
{
	uint64_t until;

	if (work > times.passed_work)
		times.launched = now;
	until = now < times.launched + PAUSE_NS ? now : times.launched + PAUSE_NS;
	if (until > times.passed)
		times.debt = between(0, times.debt - times.share * (double)(until - times.passed),
				     times.debt);
	times.passed = now;
	times.passed_work = work;
}

bool window_times_are_due(uint64_t now, double work)
{
	if (times.share > 0 && times.debt > MOST_DEBT * allowed_cost())
		return false;
	return now >= times.latest || (now >= times.earliest && work >= times.due_work);
}

/* How long a window is does not depend on what is launched in it, or short launches would be
 * recorded less often than long ones. For the same reason the launch that its end falls into is
 * not the one that is left out, but the next. */
bool window_times_are_over(uint64_t open, double work, double spent)
{
	if (spent >= MOST_TIMES * allowed_cost() || (double)open >= times.length + MOST_PAUSE_NS)
		return true;
	if ((double)open < times.length)
		return false;
	if (times.over_work < 0)
		times.over_work = work;
	return work > times.over_work;
}

void window_times_adapt(double spent)
{
	double cost = spent > 0 ? spent : allowed_cost() / 4;

	/* Halfway, in proportion, to the length that would have been right for this window. */
	times.length = between(LEAST_WINDOW_NS, times.length * sqrt(allowed_cost() / cost),
			       MOST_WINDOW_NS);
}

/* The least time between two flushes. Chosen. */
#define FLUSH_PERIOD_NS 25000000u
/* The longest wait. With 100 ms two of five runs of queued graphs had too few windows (an interval
 * of 22 %, or none), with 300 ms and with a second none of eight (H200). A second is a long time
 * without windows if a record never comes. */
#define MOST_NS		300000000u
/* The same if no launch of a graph was counted in the window, and once after a window whose records
 * did not come. */
#define SHORT_NS	100000000u

/* What is known of the last window's records, which are waited for. */
static struct {
	uint64_t closed, flushed, seen_before, launches;
	bool records_awaited, arrived, missed;
} flush;

void window_records_begin(uint64_t seen)
{
	flush.seen_before = seen;
	flush.launches = 0;
}

void window_records_expect(void)
{
	flush.launches++;
}

void window_records_await(uint64_t now)
{
	flush.closed = now;
	flush.records_awaited = true;
	flush.arrived = false;
}

bool window_records_have_come(uint64_t now, uint64_t seen)
{
	uint64_t most = flush.launches > 0 && !flush.missed ? MOST_NS : SHORT_NS;
	/* The last launch's records may come much later. */
	bool all = flush.launches > 0 && seen + 1 >= flush.seen_before + flush.launches;

	if (!flush.arrived && now - flush.closed < most) {
		flush.arrived = all;
		return false;
	}
	if (flush.launches > 0)
		flush.missed = !flush.missed && !flush.arrived && !all;
	return true;
}

bool recording_wants_flush(uint64_t now)
{
	if (!flush.records_awaited || now - flush.closed < FLUSH_PERIOD_NS ||
	    now - flush.flushed < FLUSH_PERIOD_NS)
		return false;
	flush.flushed = now;
	return true;
}

#define NODE_NS		 1200.0 /* what recording a node adds to its graph's launch: mechanisms.md */
/* How often the collector polls an open window, and one that is in a pause of the program. */
#define WINDOW_PERIOD_NS 500000u
#define PAUSED_PERIOD_NS 2000000u
#define COSTS_PERIOD_NS	 20000000u /* of computing CUPTI's cost. Chosen: as in sampling.c */

/* Whether CUPTI records. */
static struct {
	bool adapts; /* what is recorded is decided while the program runs */
	bool on;
	double part;   /* of the time, that recording may take: budget.h */
	double credit; /* ns that may still be spent */
	double work;   /* ns that recording all launches would have cost */
	bool ended;    /* no window opens any more: CUPTI did not record all that was in them */
	uint64_t updated, rows_updated, costs_taken, last_unplanned; /* when each last was */
} recording = {
	.on = true,
};

/* The window that is open, or the last one. */
static struct {
	struct kernel_window is;
	double spent; /* what recording has cost in it, nanoseconds */
} window;

void recording_node(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	struct row *row = rows_of(operation, (int)device);

	session_count(run.session, COUNTER_cupti_records, 1);
	session_count(run.session, COUNTER_graph_nodes, 1);
	if (!row)
		return;
	session_add_sample(run.session, &row->cupti, nanoseconds);
	row->graph_records++;
}

void recording_graph(struct operation *graph, uint32_t device, uint64_t nanoseconds)
{
	struct row *row = rows_of(graph, (int)device);

	/* In a window the launch took longer than the others: only events time those. All launches
	 * are counted before, so one that the row has no call for is another graph's. */
	if (row && plan.state == PLAN_CONTINUOUS && row->cupti.count < row->calls)
		session_add_sample(run.session, &row->cupti, nanoseconds);
}

void recording_start(void (*wake)(void), const struct cupti_settings *later, cupti_starter start)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);

	if (later)
		late_start_plan(later, start, now);
	recording.adapts = pause_is_safe() && plan_may_adapt();
	if (!recording.adapts)
		return;
	recording.part = budget_of(plan.starts_within_budget ? BUDGET_OF_WINDOWS : BUDGET_WHOLE);
	recording.credit = recording.part * BUDGET_SAVED_NS;
	window_times_start(now, budget_of(BUDGET_OF_WINDOWS), clock_ticks() << 20);
	graph_follow_updates();
	instantiation_watch(wake);
	if (!plan.starts_within_budget)
		return;
	recording.on = false;
	recording.costs_taken = now;
	sums_start();
}

void recording_call(const struct in_flight *call)
{
	const struct graph_contents *contents =
		plan_matches() ? NULL : graph_contents_of(call->operation);
	/* Copies and memsets are recorded in any case. */
	double cost = contents ? (contents->recorded - contents->copies) * NODE_NS : 0;

	window_check_call(call, contents);
	recording.work += cost > 0 ? cost : NODE_NS;
	if (cost > 0 && plan.state == PLAN_CONTINUOUS) {
		recording.credit -= cost;
	} else if (cost > 0 && call->started >= window.is.opened &&
		   (recording.on || call->started < window.is.closed)) {
		window.spent += cost;
		/* Of a call in flight when the window opened or closed records may be missing. */
		if ((contents->kernels || contents->variable) &&
		    (recording.on || call->ended < window.is.closed))
			window_records_expect();
	} else if (cost > 0 && plan.state == PLAN_WINDOWS && !recording.on &&
		   call->started >= window.is.closed) {
		launch_costs_see_call(call);
	}
}

void recording_take(const struct seen *seen)
{
	/* Between windows launches of graphs have records of copies and memsets alone. */
	if (!seen->activity->graph_node)
		sums_add(seen->operation, seen->activity->device, seen->nanoseconds);
	else if (plan.state != PLAN_WINDOWS || recording.on || flush.records_awaited)
		launches_add(seen->operation, seen->activity);
}

/* To be called when CUPTI has just been started. What it records is then taken as windows without
 * time between them: they also stand for the operations before, of which CUPTI knows nothing. */
static void begin_recording(uint64_t now)
{
	recording.on = true;
	recording.updated = recording.rows_updated = now;
	sums_begin_late();
	window.is.opened = now;
	window.is.random = true;
	window.is.clock_known = cupti_clock_is_realtime();
}

const struct kernel_window *recording_window(void)
{
	return &window.is;
}

/* Adds what CUPTI has cost the launches since the last call of this function; to be called before
 * the recording is turned off or on, as a launch costs more while it is on. In PLAN_WAITING it adds
 * nothing, but has CUPTI started once its expected cost fits into the budget. */
static void update_costs(uint64_t now)
{
	uint64_t elapsed = now - recording.costs_taken;
	struct launch_costs costs = launch_costs_take(plan.starts_within_budget, elapsed);

	recording.costs_taken = now;
	if (plan.state == PLAN_WAITING) {
		if (late_start_update(&costs, elapsed, now))
			begin_recording(now);
		return;
	}
	if (plan.starts_within_budget || !recording.on) {
		session_count(run.session, COUNTER_cupti_standing_ns, (uint64_t)costs.standing);
		session_count(run.session, COUNTER_cupti_added_ns, (uint64_t)costs.standing);
	}
	/* Launches that are only counted are not taken one by one. */
	recording.work += plan.starts_within_budget ? costs.recording : 0;
	if (plan.starts_within_budget && recording.on) {
		recording.credit -= costs.recording;
		window.spent += costs.recording;
	}
}

/* Turns the recording of kernels on or off; false if that failed, as CUPTI may refuse, or a memset
 * may be in progress (memsets.h). */
static bool turn(bool to, uint64_t now)
{
	bool turned;

	if (recording.on == to)
		return true;
	update_costs(now);
	turned = memsets_hold() && pause_kernels(PAUSE_BETWEEN_WINDOWS, !to);
	memsets_release();
	if (!turned)
		return false;
	recording.on = to;
	if (to)
		window.is.opened = now;
	else
		window.is.closed = clock_ns(CLOCK_REALTIME);
	/* Off from before the call on, and on again from after it. */
	pauses_note(!to, to ? clock_ns(CLOCK_REALTIME) : now);
	return true;
}

/* Adds what was recorded so far to the sums as one recording window. `turned_off`: the recording of
 * kernels is off since its end. */
static void add_as_window(bool turned_off)
{
	launches_end(turned_off, window.is.clock_known ? window.is.opened : 0,
		     window.is.clock_known ? window.is.closed : UINT64_MAX);
	sums_close_window(window.is.random);
	flush.records_awaited = false;
	window.is.taken = window.is.number;
}

static void close_window(uint64_t now)
{
	window_check_close(clock_ns(CLOCK_REALTIME));
	if (!turn(false, now))
		return;
	window.is.open = false;
	session_count(run.session, COUNTER_windows, 1);
	session_count(run.session, COUNTER_windows_ns, window.is.closed - window.is.opened);
	window_records_await(window.is.closed);
	window_times_plan(window.is.closed, recording.work, window.spent);
}

static void open_window(uint64_t now, bool random)
{
	uint64_t records_now;

	window.is.random = random;
	window.spent = 0;
	window_records_begin(launches_begin());
	window.is.clock_known = cupti_clock_is_realtime();
	records_now = clock_ns(CLOCK_REALTIME) - (uint64_t)cupti_clock_behind;
	versions_window_opens();
	if (!turn(true, now))
		return;
	window.is.on = clock_ns(CLOCK_REALTIME);
	window_check_open(window.is.on, records_now);
	window.is.open = true;
	window.is.number++;
}

/* Opens no recording window any more, as too many lacked records. The recording of kernels stays
 * off: if it stayed on, CUPTI might miss as many records, and would cost more than the budget. */
static void end_windows(const struct window_check *found)
{
	recording.ended = window.is.failed = true;
	session_note(
		run.session,
		"Kernels are not recorded from %.1f s on: in %u windows CUPTI (version %u) "
		"recorded %llu of %llu kernels %s. All calls are counted; times of kernels are "
		"estimates from before.",
		(double)(window.is.closed - run.header->start_realtime) / 1e9, found->windows,
		(unsigned)run.header->cupti_version, (unsigned long long)found->records,
		(unsigned long long)found->kernels,
		found->graphs ? "in graphs" : "that were launched by themselves");
}

/* Whether nothing but a fault of CUPTI's would explain that records are missing. */
static bool records_are_certain(void)
{
	const uint64_t *counters = run.header->counters;

	return !counters[COUNTER_cupti_dropped] && !counters[COUNTER_cupti_unread] &&
	       !graph_updates_unread && !run.settings.metrics && !kinds_program_ever();
}

/* Adds the last recording window once all of its records have come; the next one does not open
 * before that. */
static void add_window_when_arrived(uint64_t now)
{
	const struct window_check *found;

	versions_window_was_closed();
	if (!window_records_have_come(now, launches_seen()))
		return;
	add_as_window(true);
	window_times_adapt(window.spent);
	found = records_are_certain() ? window_check_result() : NULL;
	if (found)
		end_windows(found);
}

static void begin_windows(uint64_t now)
{
	plan_over_budget();
	window.spent = 0;
	window.is.random = plan.starts_within_budget;
	window.is.clock_known = cupti_clock_is_realtime();
	close_window(now);
	window.is.number++;
	session_note(run.session,
		     "Kernels are recorded in windows: recording all %s would exceed the budget of "
		     "%g %%%s. All calls are counted.",
		     plan.starts_within_budget ? "of them" : "nodes of the graphs",
		     budget_percent(),
		     plan.starts_within_budget ? "" : " (--graph node records them)");
}

/* Whether a window is to be opened for a graph that was never recorded; such windows are no more
 * frequent than planned ones. */
static bool is_unplanned_due(uint64_t now)
{
	if (now - recording.last_unplanned < WINDOW_GAP_NS || !sums_lack_a_graph())
		return false;
	recording.last_unplanned = now;
	return true;
}

static void update_windows(uint64_t now)
{
	if (recording.on) {
		if (window_times_are_over(now - window.is.opened, recording.work, window.spent))
			close_window(now);
	} else if (flush.records_awaited) {
		add_window_when_arrived(now);
	} else if (recording.ended) {
		return;
	} else if (window_times_are_due(now, recording.work)) {
		open_window(now, true);
	} else if (is_unplanned_due(now)) {
		open_window(now, false);
	}
}

static void update_credit(uint64_t now)
{
	double most = recording.part * BUDGET_SAVED_NS;

	recording.credit += recording.part * (double)(now - recording.updated);
	LOWER(recording.credit, most);
	recording.updated = now;
}

/* To be called while the program makes graphs: turns the recording of kernels off until they are
 * made. */
static void make_room(uint64_t now)
{
	if (recording.on && plan.state == PLAN_WINDOWS)
		close_window(now);
	turn(false, now);
	instantiation_tell(!recording.on, plan.state == PLAN_WINDOWS);
	/* The program's thread has waited for that, and will again. */
	if (plan.state == PLAN_CONTINUOUS)
		recording.credit -= 2.0 * (double)(clock_ns(CLOCK_REALTIME) - now);
}

void recording_update_rows(void)
{
	if (plan_matches())
		return;
	if (plan.starts_within_budget && plan.state == PLAN_CONTINUOUS)
		sums_close_window(true);
	sums_update_rows();
}

static void update_recording(uint64_t now)
{
	bool all = pause_is_refused() || trace_window_is_open();

	window_times_pass(now, recording.work);
	update_credit(now);
	if (all) { /* no recording window opens meanwhile */
		if (flush.records_awaited)
			add_as_window(true);
		if (!recording.on)
			open_window(now, false);
		window.is.random = false;
		instantiation_stays_on();
	} else if (instantiation_count > 0) {
		make_room(now);
	} else if (plan.state == PLAN_CONTINUOUS && recording.credit < 0) {
		begin_windows(now);
	} else if (plan.state == PLAN_CONTINUOUS) {
		turn(true, now);
	} else {
		update_windows(now);
	}
	if (!all && instantiation_count == 0)
		instantiation_tell(!recording.on, plan.state == PLAN_WINDOWS);
	/* A record that comes after its recording window was added belongs to no other window. */
	if (plan.state == PLAN_CONTINUOUS)
		launches_settle();
}

uint64_t recording_update(uint64_t now, uint64_t period)
{
	if (!recording.adapts || (plan_matches() && !instantiation_ever) ||
	    (plan.state != PLAN_WAITING && !cupti_active()))
		return period;
	if (plan.state == PLAN_MATCHED) {
		plan_graphs_seen();
		recording.updated = now;
		sums_start();
	}
	if (now - recording.costs_taken >= COSTS_PERIOD_NS ||
	    (plan.starts_within_budget && recording.on && plan.state == PLAN_WINDOWS))
		update_costs(now);
	if (plan.state != PLAN_WAITING)
		update_recording(now);
	if (sums_are_fresh() || now - recording.rows_updated >= WINDOW_GAP_NS) {
		recording.rows_updated = now;
		recording_update_rows();
	}
	if (!recording.on || plan.state != PLAN_WINDOWS)
		return period;
	return window.is.open && now - window.is.opened > (uint64_t)MOST_WINDOW_NS
		       ? PAUSED_PERIOD_NS
		       : WINDOW_PERIOD_NS;
}

void recording_finish(void)
{
	if (plan_matches())
		return;
	add_as_window(!recording.on);
	sums_update_rows();
	late_start_finish();
	if (graph_updates_unread > 0)
		session_note(run.session,
			     "%llu updates of graphs were not read, as that would have taken more "
			     "than %d %% of the time: later launches of these graphs are counted "
			     "with the nodes that they had before.",
			     (unsigned long long)graph_updates_unread, GRAPH_READING_PERCENT);
}
