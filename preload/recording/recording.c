/* SPDX-License-Identifier: MIT */
#include "preload/recording/recording.h"

#include <math.h>

#include "cupti/cupti.h"
#include "cupti/pause.h"
#include "preload/base/clock.h"
#include "preload/base/instantiation.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/handles/graph.h"
#include "preload/handles/graph_contents.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/launches.h"
#include "preload/recording/sums.h"

/* What recording a node adds to its graph's launch, in nanoseconds: see docs/design.md. */
#define NODE_NS		 1200.0
/* What may be spent on nodes before the budget has grown by it: that of this time. Chosen. */
#define CREDIT_NS	 200000000.0
/* The part of the budget that windows may take. The rest is for what CUPTI costs while it does not
 * record, which nothing takes off: 2.3 % of a graph of 100 empty kernels (H200, CUPTI 13.0). */
#define WINDOWS_SHARE	 0.3
/* How far apart windows are on average, in nanoseconds, if that lets them be long enough, and how
 * long they may be. Chosen: five a second give an interval within a second. */
#define MEAN_GAP_NS	 200000000.0
#define LEAST_GAP_NS	 20000000.0
#define MOST_GAP_NS	 5000000000.0
#define FIRST_WINDOW_NS	 4000000.0
#define LEAST_WINDOW_NS	 1000000.0
#define MOST_WINDOW_NS	 50000000.0
/* A window that costs so many times what it may is closed. Chosen: where that happens often, work
 * that costs much to record is recorded less than the other. */
#define MOST_TIMES	 4.0
/* How often the collector looks at an open window, and at one whose records have not all come. */
#define WINDOW_PERIOD_NS 500000u
#define SETTLE_PERIOD_NS 25000000u
/* The longest wait for a window's records, of work that was launched in it and runs later. */
#define SETTLE_NS	 100000000u

static struct session *session;
static struct row *(*row_of)(struct operation *, int);
static bool allowed;
static enum {
	MATCHED,    /* everything is recorded, and matched */
	CONTINUOUS, /* everything is recorded */
	WINDOWS	    /* recorded in windows */
} phase;
static bool on = true;

static uint64_t updated; /* when recording_update() was last called */
static double credit;	 /* nanoseconds that may still be spent */
static double budget;	 /* of the run's time, as a fraction */
static uint64_t rows_updated;

/* The window that is open, or the last one. */
static struct {
	uint64_t opened, closed, flushed;
	uint64_t next;	   /* when the next one opens */
	double length;	   /* of the next one, nanoseconds, chosen by what the last ones cost */
	double spent;	   /* what recording its nodes has cost */
	uint64_t launches; /* of graphs, made while it was open */
	uint64_t seen;	   /* launches_seen() when it opened */
	bool random, settling, arrived;
	bool clock_known; /* the records have times of CLOCK_REALTIME */
} window = {.length = FIRST_WINDOW_NS};
static uint64_t last_unplanned; /* when a window was last opened for a new graph */

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

/* Between 0 and 1: 64-bit Xorshift (Marsaglia 2003). */
static double random_part(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) * 0x1p-53;
}

static void node_recorded(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	struct row *row = row_of(operation, (int)device);

	session_count(session, COUNTER_cupti_records, 1);
	session_count(session, COUNTER_graph_nodes, 1);
	if (!row)
		return;
	session_add_sample(session, &row->cupti, nanoseconds);
	row->graph_records++;
}

static void launch_recorded(struct operation *graph, uint32_t device, uint64_t nanoseconds)
{
	struct row *row = row_of(graph, (int)device);

	/* In a window the launch took longer than the others: only events time those. */
	if (row && phase == CONTINUOUS)
		session_add_sample(session, &row->cupti, nanoseconds);
}

void recording_start(struct session *the_session,
		     struct row *(*the_row_of)(struct operation *, int), void (*wake)(void))
{
	session = the_session;
	row_of = the_row_of;
	budget = settings.budget / 100;
	credit = budget * CREDIT_NS;
	allowed = settings.graph == GRAPH_AUTO && settings.timer == TIMER_AUTO &&
		  !options_want_trace(&settings) && !ranges_are_chosen() && mode_is_cupti() &&
		  pause_is_safe();
	launches_start(node_recorded, launch_recorded);
	if (!allowed)
		return;
	random_state ^= clock_ticks() << 20;
	graph_follow_updates();
	instantiation_watch(wake);
}

bool recording_matches(void)
{
	return phase == MATCHED;
}

bool recording_is_complete(void)
{
	return phase != WINDOWS;
}

bool recording_knows_kernels(void)
{
	return phase == MATCHED || !operation_names_are_reused();
}

static bool is_in_window(const struct in_flight *call)
{
	return call->started >= window.opened && (on || call->started < window.closed);
}

void recording_call(const struct in_flight *call)
{
	const struct graph_contents *contents =
		phase == MATCHED || call->operation->kind != ROW_GRAPH
			? NULL
			: atomic_load_explicit(&call->operation->contents, memory_order_acquire);
	double cost = contents ? contents->recorded * NODE_NS : 0;

	if (!(cost > 0))
		return;
	if (phase == CONTINUOUS) {
		credit -= cost;
	} else if (is_in_window(call)) {
		window.spent += cost;
		/* A call that was under way when the window opened or closed may leave records or
		 * not. */
		window.launches += on || call->ended < window.closed;
	}
}

void recording_record(struct operation *operation, const struct activity *activity)
{
	if (phase == MATCHED)
		return;
	if (activity->graph_node)
		launches_add(operation, activity);
	else
		sums_add(operation, activity->device, activity->end - activity->start);
}

static void turn(bool to, uint64_t now)
{
	if (on == to || !pause_set(!to))
		return;
	on = to;
	if (to)
		window.opened = now;
	else
		window.closed = clock_ns(CLOCK_REALTIME);
}

/* Takes what was recorded so far as one window. */
static void settle(bool turned_off)
{
	/* The records have times of CLOCK_REALTIME but for what the program may have done. */
	launches_end(turned_off, window.clock_known ? window.opened : 0);
	sums_close_window(window.random);
	window.settling = false;
}

static void plan_next(uint64_t now)
{
	double share = WINDOWS_SHARE * budget;
	double gap = share > 0 ? window.spent / share : MOST_GAP_NS;

	gap = gap < MEAN_GAP_NS ? MEAN_GAP_NS : gap;
	/* Any time is as likely as any other, so that no period of the program's is met always. */
	gap *= 0.5 + random_part();
	window.next = now + (uint64_t)(gap < LEAST_GAP_NS  ? LEAST_GAP_NS
				       : gap > MOST_GAP_NS ? MOST_GAP_NS
							   : gap);
}

static void close_window(uint64_t now)
{
	turn(false, now);
	session_count(session, COUNTER_windows, 1);
	session_count(session, COUNTER_windows_ns, window.closed - window.opened);
	window.settling = true;
	window.arrived = false;
	plan_next(window.closed);
}

static void open_window(uint64_t now, bool random)
{
	window.random = random;
	window.spent = 0;
	window.launches = 0;
	window.seen = launches_seen();
	window.clock_known = cupti_clock_is_realtime();
	turn(true, now);
}

static double allowed_cost(void)
{
	return WINDOWS_SHARE * budget * MEAN_GAP_NS;
}

/* How long a window is does not depend on what is launched in it, or short launches would be
 * recorded less often than long ones. */
static bool is_window_over(uint64_t now)
{
	return (double)(now - window.opened) >= window.length ||
	       window.spent >= MOST_TIMES * allowed_cost();
}

static void choose_length(void)
{
	double cost = window.spent > 0 ? window.spent : allowed_cost() / 4;
	double factor = allowed_cost() / cost;

	/* Halfway, in proportion, to what this window alone would have had. */
	window.length *= sqrt(factor);
	if (window.length < LEAST_WINDOW_NS)
		window.length = LEAST_WINDOW_NS;
	if (window.length > MOST_WINDOW_NS)
		window.length = MOST_WINDOW_NS;
}

/* The records of work that was launched in a window come once it is finished. The next window does
 * not open before. */
static void settle_when_arrived(uint64_t now)
{
	/* The last one's may come much later. */
	bool arrived = launches_seen() + 1 >= window.seen + window.launches;

	if (now - window.closed < SETTLE_NS && !window.arrived) {
		/* Once more, for the last launch's other nodes. */
		window.arrived = arrived;
		return;
	}
	settle(true);
	choose_length();
}

static void begin_windows(uint64_t now)
{
	phase = WINDOWS;
	window.spent = 0;
	window.random = false;
	close_window(now);
	session_note(session,
		     "Kernels, copies and memsets are recorded in windows: recording all nodes of "
		     "the graphs "
		     "would exceed the budget of %g %% (--graph node records them). Calls are "
		     "counted all.",
		     settings.budget);
}

/* A window for each new graph, and not more often than others. */
static bool is_unplanned_due(uint64_t now)
{
	if (now - last_unplanned < (uint64_t)MEAN_GAP_NS || !sums_lack_a_graph())
		return false;
	last_unplanned = now;
	return true;
}

static void update_windows(uint64_t now)
{
	if (on) {
		if (is_window_over(now))
			close_window(now);
	} else if (window.settling) {
		settle_when_arrived(now);
	} else if (now >= window.next) {
		open_window(now, true);
	} else if (is_unplanned_due(now)) {
		open_window(now, false);
	}
}

static void update_credit(uint64_t now)
{
	credit += budget * (double)(now - updated);
	if (credit > budget * CREDIT_NS)
		credit = budget * CREDIT_NS;
	updated = now;
}

/* Graphs are being made: nothing is recorded until they are. */
static void make_room(uint64_t now)
{
	if (on && phase == WINDOWS)
		close_window(now);
	turn(false, now);
	instantiation_tell(!on, phase == WINDOWS);
	/* The program's thread has waited for that, and will again. */
	if (phase == CONTINUOUS)
		credit -= 2.0 * (double)(clock_ns(CLOCK_REALTIME) - now);
}

uint64_t recording_update(uint64_t now, uint64_t period)
{
	if (!allowed || !mode_is_cupti() || (phase == MATCHED && !instantiation_ever()))
		return period;
	if (phase == MATCHED) {
		phase = CONTINUOUS;
		updated = now;
		sums_start(session, row_of);
	}
	update_credit(now);
	if (pause_is_refused()) {
		/* The program records: ktime reads along, and windows wait. */
		if (window.settling)
			settle(true);
		if (!on)
			open_window(now, false);
		window.random = false;
	} else if (instantiation_count() > 0) {
		make_room(now);
	} else if (phase == CONTINUOUS && credit < 0) {
		begin_windows(now);
	} else if (phase == CONTINUOUS) {
		turn(true, now);
	} else {
		update_windows(now);
	}
	if (instantiation_count() == 0)
		instantiation_tell(!on, phase == WINDOWS);
	launches_settle();
	if (now - rows_updated >= (uint64_t)MEAN_GAP_NS) {
		rows_updated = now;
		sums_update_rows();
	}
	return on && phase == WINDOWS ? WINDOW_PERIOD_NS : period;
}

bool recording_wants_flush(uint64_t now)
{
	if (!window.settling || now - window.closed < SETTLE_PERIOD_NS ||
	    now - window.flushed < SETTLE_PERIOD_NS)
		return false;
	window.flushed = now;
	return true;
}

void recording_finish(void)
{
	if (phase == MATCHED)
		return;
	settle(!on);
	sums_update_rows();
	if (graph_updates_unread() > 0)
		session_note(session,
			     "%llu updates of graphs were not read, as that would have taken more "
			     "than %d %% of the time: their launches are counted as those before.",
			     (unsigned long long)graph_updates_unread(), GRAPH_READING_PERCENT);
}
