/* SPDX-License-Identifier: MIT */
/*
 * A model of a program that launches graphs, whose device's time is known, and of ktime's windows
 * on the same virtual clock: what these say of busy and idle time against what it was. One file of
 * a program includes it; each run needs a process of its own.
 */
#ifndef KTIME_TESTS_UNIT_SERVED_MODEL_H
#define KTIME_TESTS_UNIT_SERVED_MODEL_H

#include <math.h>
#include <string.h>

#include "preload/driver/entries.h"
#include "preload/launch/window.h"
#include "preload/recording/recording.h"
#include "preload/timeline/window_use.h"
#include "tests/unit/made_run.h"

#define MODEL_BUDGET 0.05 /* as in recording.c */
#define MODEL_SHARE  0.3
#define MODEL_NODES  4
#define MODEL_US     1000ull
#define MODEL_MALLOC API_DRIVER(ENTRY_cuMemAlloc_v2)
#define MODEL_LAUNCH API_DRIVER(ENTRY_cuGraphLaunch)
#define MODEL_WAIT   API_DRIVER(ENTRY_cuStreamSynchronize)

/* What the program does:
 *   decodes	waits for each launch, and works on the host between them
 *   phases	the same, in phases of another length of both
 *   serves	the same in bursts, with pauses between that are mostly longer than a window
 *   queues	launches a burst at once and waits for it, with pauses
 *   polls	as serves, without a call that waits
 *   floods	launches without waiting, at most 50 ahead
 *   threads	decodes on two threads, each in a stream of its own
 */
enum model_shape { DECODES, PHASES, SERVES, QUEUES, POLLS, FLOODS, THREADS, MODEL_SHAPES };

/* What is compared, nanoseconds: the causes of idle time, and busy time. */
enum { MODEL_BUSY = IDLE_CAUSE_COUNT, MODEL_PARTS };

struct model_outcome {
	bool told;
	uint64_t whole;
	double truth[MODEL_PARTS], total[MODEL_PARTS], error[MODEL_PARTS];
};

struct model_thread {
	uint64_t now, free; /* its clock; when its stream is done */
	uint32_t last_call, id;
};

static struct {
	uint64_t random;
	struct model_thread threads[2];
	unsigned thread_count;
	uint64_t closed_free;	     /* with what was launched when the last window was closed */
	struct model_thread *thread; /* that goes on */
	struct interval_set all;     /* operations */
	uint32_t launches;
	double work, spent, node_cost;
	uint64_t poll;
	struct kernel_window window;
	struct model_outcome outcome;
} model;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static double model_uniform(double low, double high)
{
	uint64_t x = model.random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	return low + (high - low) * ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static double model_log_uniform(double low, double high)
{
	return exp(model_uniform(log(low), log(high)));
}

static void model_add_truth(void *unused, const struct gap_part *part)
{
	(void)unused;
	model.outcome.truth[part->cause] += (double)(part->end - part->begin);
}

static void model_add_gap(const struct interval *before, const struct interval *after, void *unused)
{
	gap_split(before, after, model_add_truth, unused);
}

/* What the collector does when it comes round. */
static void model_poll(uint64_t now)
{
	struct kernel_window *window = &model.window;

	window_times_pass(now, model.work);
	if (window->open && window_times_are_over(now - window->opened, model.work, model.spent)) {
		window->open = false;
		window->closed = now;
		for (unsigned i = 0; i < model.thread_count; i++)
			if (model.threads[i].free > model.closed_free)
				model.closed_free = model.threads[i].free;
		window_times_adapt(model.spent);
		window_times_plan(now, model.work, model.spent);
	} else if (!window->open && window->taken != window->number) {
		/* Records come once the device is done. */
		if (now > model.closed_free + 25000 * MODEL_US)
			window->taken = window->number;
	} else if (!window->open && window_times_are_due(now, model.work)) {
		window->open = window->random = true;
		window->opened = now;
		/* CUPTI takes some time for it; what is launched meanwhile has a record too. */
		window->on = now + 200 * MODEL_US;
		window->number++;
		model.spent = 0;
	}
	window_use_update(window);
}

/* The host is busy with something until then. */
static void model_pass(uint64_t until)
{
	/* Of several threads the one goes on whose clock is behind. */
	model.thread->now = until;
	for (unsigned i = 0; i < model.thread_count; i++)
		until = model.threads[i].now < until ? model.threads[i].now : until;
	for (; model.poll <= until;
	     model.poll += model.window.open ? 500 * MODEL_US : 5000 * MODEL_US)
		model_poll(model.poll);
}

static uint32_t model_call(uint16_t api, uint8_t flags, uint64_t end)
{
	const struct host_call call = {
		.begin = model.thread->now,
		.end = end,
		.previous = model.thread->last_call,
		.thread = 7 + model.thread->id,
		.api = api,
		.flags = flags,
	};

	model.thread->last_call = host_calls_add(&call);
	window_use_call(model.thread->last_call, &call, flags & HOST_CALL_WORK ? 0 : -1,
			model.thread);
	model_pass(end);
	return model.thread->last_call;
}

static void model_node(uint32_t call, uint64_t begin, uint64_t end, bool recorded)
{
	struct interval node = {begin, end, {.call = call, .graph_launch = model.launches}, {0}};

	node.last = node.first;
	interval_set_add(&model.all, &node);
	node.first.call = node.last.call = CALL_BY_TIME;
	if (recorded)
		window_use_take(&node, 0, true, model.launches);
}

/* A launch whose nodes take so long in all. What is launched later begins later than it was made.
 */
static void model_launch(uint64_t ns)
{
	uint64_t begun = model.thread->now, gap = 600;
	bool recorded = model.window.open;
	uint32_t call;

	model.launches++;
	model.work += model.node_cost;
	model.spent += recorded ? model.node_cost : 0;
	call = model_call(MODEL_LAUNCH, HOST_CALL_WORK, begun + 2 * MODEL_US);
	model.thread->free = model.thread->free > begun + 4 * MODEL_US ? model.thread->free
								       : begun + 4 * MODEL_US;
	for (unsigned i = 0; i < MODEL_NODES; i++) {
		model_node(call, model.thread->free, model.thread->free + ns / MODEL_NODES,
			   recorded);
		model.thread->free += ns / MODEL_NODES + (i + 1 < MODEL_NODES ? gap : 0);
	}
	interval_set_settle(&model.all, begun);
}

static void model_wait(void)
{
	uint64_t until =
		model.thread->free > model.thread->now ? model.thread->free : model.thread->now;

	model_call(MODEL_WAIT, HOST_CALL_WAITED, until + 3 * MODEL_US);
}

/* The host's own work, in which it may allocate memory. */
static void model_work(double ns)
{
	model_pass(model.thread->now + (uint64_t)ns);
	if (model_uniform(0, 1) < 0.05)
		model_call(MODEL_MALLOC, 0, model.thread->now + (uint64_t)model_uniform(2e4, 3e5));
}

static void model_read(void)
{
	struct model_outcome *outcome = &model.outcome;
	const struct device_use *use = &run.header->uses[0];
	const struct idle_row *row;

	outcome->told = session_use(run.session, 0) != NULL;
	outcome->whole = use->last - use->first;
	outcome->total[MODEL_BUSY] = (double)use->busy;
	outcome->error[MODEL_BUSY] = use->error;
	session_for_each_idle (run.session, row) {
		outcome->total[row->cause] += (double)row->total;
		outcome->error[row->cause] += row->error;
	}
}

/* A run of a program of that shape, for so long. 0 or -ENOMEM. */
static int model_run(enum model_shape shape, uint64_t seed, double seconds)
{
	double base, host, pause, factor, level = 1;
	uint64_t left = 1, end, phase = 0;

	if (make_run(0))
		return -1;
	memset(&model, 0, sizeof(model));
	model.thread = model.threads;
	model.thread_count = shape == THREADS ? 2 : 1;
	model.all.gap = model_add_gap;
	run.header->counters[COUNTER_windows] = 1;
	model.random = seed;
	base = model_log_uniform(0.15e6, 2.5e6);
	host = model_log_uniform(2e4, 5e5);
	pause = model_log_uniform(5e6, 2e8);
	factor = model_log_uniform(1.5, 4);
	model.node_cost = base * model_uniform(0.1, 0.6);
	for (unsigned i = 0; i < model.thread_count; i++)
		model.threads[i] =
			(struct model_thread){.now = 1000000 * MODEL_US + 1000 * i, .id = i};
	model.poll = model.thread->now + 5000 * MODEL_US;
	model.window = (struct kernel_window){.number = 1, .taken = 1, .clock_known = true};
	window_times_start(model.thread->now, MODEL_SHARE * MODEL_BUDGET, seed);
	window_times_plan(model.thread->now, 0, 0);
	end = model.thread->now + (uint64_t)(seconds * 1e9);
	while (model.thread->now < end) {
		model.thread = &model.threads[model.thread_count > 1 &&
					      model.threads[1].now < model.threads[0].now];
		if (shape == PHASES && model.thread->now >= phase) {
			level = level > 1 ? 1 : factor;
			phase = model.thread->now + (uint64_t)model_log_uniform(0.1e9, 2e9);
		}
		model_launch((uint64_t)(base * level * model_uniform(0.8, 1.2)));
		/* From the first launch on nothing is recorded but in windows. */
		if (model.launches == 1)
			window_use_update(&model.window);
		if (shape == FLOODS) {
			if (model.thread->free > model.thread->now + (uint64_t)(50 * base))
				model_pass(model.thread->free - (uint64_t)(50 * base));
			else
				model_work(host / 4);
			continue;
		}
		if (shape != QUEUES || left == 1) {
			if (shape == POLLS)
				model_pass(model.thread->free + 10 * MODEL_US);
			else
				model_wait();
			model_work(host * (shape == PHASES ? factor / level : 1) *
				   model_uniform(0.5, 1.5));
		}
		if (shape < SERVES || shape == THREADS || --left > 0)
			continue;
		left = 1 + (uint64_t)model_uniform(0, 30);
		model_pass(model.thread->now + (uint64_t)(-pause * log(model_uniform(0, 1))));
	}
	model_launch((uint64_t)base);
	model_wait();
	interval_set_settle(&model.all, UINT64_MAX);
	model.outcome.truth[MODEL_BUSY] = (double)model.all.total;
	window_use_finish(&model.window);
	model_read();
	session_close(run.session);
	return 0;
}

#endif
