/* SPDX-License-Identifier: MIT */
#include "report/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "report/findings/advice.h"
#include "report/findings/fp32_matrix.h"
#include "report/findings/outside.h"
#include "report/session/layout.h"

/* One call is no habit of the program. A finding is at least this long. Chosen: less is not worth a
 * change. */
#define LEAST_NS	   1000000u
/* Launch-bound: at least SHORT_KERNELS launched kernels are shorter than SHORT_KERNEL_NS, and at
 * least half of all. Chosen: a launch takes the host some 3 us. */
#define SHORT_KERNEL_NS	   5000u
#define SHORT_KERNELS	   1000u
/* nsys's rule for gaps has 500 ms. */
#define LONG_GAP_NS	   500000000u
/* Loading for less than this is what every program does at its start. Chosen. */
#define LEAST_LOADING_NS   100000000u
/* The same of a run's start, and for an end that is more than freeing what it had. Chosen. */
#define LEAST_START_NS	   100000000u
#define LEAST_END_NS	   25000000u
/* Copies and kernels overlap if this part of the shorter of the two does. Chosen. */
#define OVERLAPPING_PART   0.1

/* The compute capabilities of Volta, and of Ampere. */
#define FIRST_TENSOR_CORES 70
#define FIRST_TF32	   80

/* Below this part of its time busy, in percent, a device is no bottleneck: the run hardly is about
 * its work. Chosen. */
#define LEAST_USE	   1

/* From which part of its idle time on another finding of a device says all that there is to say of
 * it. Chosen. */
#define MOST_OF_IDLE	   0.9

/* A rule's figures on one device, or of the whole program. */
struct found {
	uint64_t count, time, gaps, no_call;
	struct functions functions;
	struct finding_cause cause;
	struct finding_gap gap;
	bool counted, possible, own_work, kernels_less, has_tf32;
};

/* Of one device, or of all of a job. */
struct figures_found {
	uint64_t causes[IDLE_CAUSE_COUNT], waited_gaps;
	struct functions memory, loading; /* idle time in such calls */
	uint64_t paused; /* idle time in loading, and in the longest pause of each cause */
	struct finding_gap own, waited; /* the longest in which the program was in its own code,
					   and such that followed a synchronizing call */
	uint64_t short_kernels, other_kernels;
	uint64_t fp32_kernels, fp32_time;
};

static uint64_t at_least(uint64_t time, uint64_t least)
{
	return time >= least ? time : 0;
}

static uint64_t less(uint64_t time, uint64_t part)
{
	return time > part ? time - part : 0;
}

static bool is_of(int32_t device, int wanted)
{
	return wanted < 0 || device == wanted;
}

static void add_gap(struct finding_gap *longest, const struct idle_row *row)
{
	if (row->longest > longest->time)
		*longest =
			(struct finding_gap){row->longest, row->longest_before, row->longest_after};
}

static void add_cause(struct figures_found *found, const struct session *session,
		      const struct idle_row *row)
{
	const char *name = session_string(session, row->name);
	const struct function_calls calls = {row->name, row->gaps, row->total, row->longest};
	bool loads = row->cause == IDLE_FIRST_LAUNCH ||
		     (row->cause == IDLE_CALL && function_is(FUNCTION_LOAD, name));

	found->causes[row->cause] += row->total;
	if (row->cause == IDLE_CALL && function_is(FUNCTION_MEMORY, name))
		functions_add(&found->memory, &calls);
	if (loads)
		functions_add(&found->loading, &calls);
	found->paused += loads ? row->total : at_least(row->longest, LONG_GAP_NS);
	if (row->cause == IDLE_AFTER_WAIT) {
		add_gap(&found->waited, row);
		found->waited_gaps += row->gaps;
	}
	if (row->cause == IDLE_PROGRAM || row->cause == IDLE_AFTER_WAIT)
		add_gap(&found->own, row);
}

static void add_kernels(struct figures_found *found, const struct session *session,
			const struct row *row)
{
	const struct histogram *histogram = session_histogram(session, row->cupti.histogram);
	uint64_t count = 0, launches = row->cupti.count;

	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++) {
		if (histogram_bucket_high(i) > SHORT_KERNEL_NS)
			break;
		count += histogram->buckets[i];
	}
	/* A node of a graph is no launch. Which of a row's kernels were nodes is not known; taking
	 * the short ones for nodes finds rather too few. */
	count -= row->graph_records < count ? row->graph_records : count;
	launches -= row->graph_records < launches ? row->graph_records : launches;
	found->short_kernels += count;
	found->other_kernels += launches > count ? launches - count : 0;
	if (is_fp32_matrix(session_string(session, row->name))) {
		found->fp32_kernels += row->cupti.count;
		found->fp32_time += row->cupti.total;
	}
}

/* What can be gained, of all idle time with its largest cause, ns. */
static double gain(const struct finding *finding)
{
	return finding->kind == FINDING_LOW_USE ? (double)finding->cause.time
						: (double)finding->time;
}

/* What nothing can be done about is the last. */
static int compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	return IN_ORDER(a->kind == FINDING_BEFORE, b->kind == FINDING_BEFORE)
		       ?: IN_ORDER(gain(b), gain(a))
		       ?: IN_ORDER(a->kind, b->kind);
}

static const struct {
	const char *key, *what, *advice;
	double least;
} rules[] = {
#define RULE(name, key, least, what, advice) {key, what, advice, least},
	FINDINGS(RULE)
#undef RULE
};

/*
 * Idle time of steady work, between its operations. A program that loads a model or compiles for a
 * minute and computes for a second is as idle, and has no steady work; what held it up is among the
 * other findings.
 */
static uint64_t low_use(const struct device_use *use, const struct figures_found *found,
			uint64_t waited)
{
	uint64_t whole, all = idle_time(use, &whole), idle = all > waited ? all - waited : 0;
	uint64_t steady = idle > found->paused ? idle - found->paused : 0;
	bool found_low = time_percent(steady, whole) >= rules[FINDING_LOW_USE].least &&
			 time_percent(use->busy, whole) >= LEAST_USE;

	return found_low ? idle : 0;
}

static int compare_causes(const void *left, const void *right)
{
	const struct idle_row *a = *(const struct idle_row *const *)left;
	const struct idle_row *b = *(const struct idle_row *const *)right;

	return IN_ORDER(a->cause, b->cause) ?: IN_ORDER(a->name, b->name);
}

/* The cause that has most of a device's idle time, of calls the function. `waited`: how much of it
 * is a process's that waited for the slowest. */
static struct finding_cause largest_cause(const struct session *session, int device,
					  const uint64_t waited[IDLE_CAUSE_COUNT])
{
	struct finding_cause largest = {.time = 0}, sum = {.time = 0}, without;
	size_t count;
	const struct idle_row **rows = session_items(session, SEGMENT_IDLE, &count);

	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare_causes);
	for (size_t i = 0; i < count; i++) {
		if (!is_of(rows[i]->device, device) || !session_knows_cause(session, rows[i]))
			continue;
		if (rows[i]->cause != sum.cause || rows[i]->name != sum.name)
			sum = (struct finding_cause){.cause = rows[i]->cause,
						     .name = rows[i]->name};
		sum.time += rows[i]->total;
		sum.gaps += rows[i]->gaps;
		without = sum;
		without.time = less(sum.time, waited[sum.cause]);
		if (without.time > largest.time)
			largest = without;
	}
	free(rows);
	return largest;
}

/* The functions are those of the calls if they made as many. */
static struct found if_all(struct found *found)
{
	found->counted = found->functions.calls == found->count;
	if (!found->counted)
		found->functions.count = 0;
	return *found;
}

/* The calls that synchronize: those whose only purpose it is, and copies and memsets that wait. */
static struct found waiting_calls(const struct session *session, uint64_t idle)
{
	const struct call_totals *totals = &session_header(session)->totals;
	struct found found = {.count = totals->waiting_calls + totals->synchronous_calls,
			      .time = idle};

	if (totals->waiting_calls)
		functions_of(&found.functions, session, FUNCTION_WAIT);
	if (totals->synchronous_calls)
		functions_of(&found.functions, session, FUNCTION_COPY);
	return if_all(&found);
}

static struct found synchronous_calls(const struct session *session)
{
	const struct call_totals *totals = &session_header(session)->totals;
	struct found found = {.count = totals->synchronous_calls, .time = totals->synchronous_ns};

	functions_of(&found.functions, session, FUNCTION_COPY);
	return if_all(&found);
}

/* Of a device, or the least of a job's; UINT32_MAX: not known. */
static uint32_t compute_capability(const struct session *session, int device)
{
	const struct device_info *devices = session_header(session)->devices;
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < SESSION_DEVICES; i++)
		if (is_of(i, device) && devices[i].used && devices[i].compute_capability &&
		    devices[i].compute_capability < least)
			least = devices[i].compute_capability;
	return least;
}

static void fill_of_device(struct found figures[FINDING_COUNT], const struct session *session,
			   int device, const struct device_use *use,
			   const uint64_t waited[IDLE_CAUSE_COUNT])
{
	const struct call_totals *totals = &session_header(session)->totals;
	uint64_t shorter = use->kernels < use->copies ? use->kernels : use->copies;
	uint64_t both = busy_with_both(use);
	struct figures_found found = {.paused = 0};
	const struct idle_row *cause;
	const struct row *row;
	const uint32_t capability = compute_capability(session, device);
	uint64_t waited_all = 0;
	bool launch_bound;

	session_for_each_idle (session, cause)
		if (is_of(cause->device, device) && session_knows_cause(session, cause))
			add_cause(&found, session, cause);
	session_for_each_row (session, row)
		if (row->kind == ROW_KERNEL && is_of(row->device, device))
			add_kernels(&found, session, row);
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		found.causes[i] = less(found.causes[i], waited[i]);
		waited_all += waited[i];
	}
	/* The longest gaps may be such that wait for the slowest process. */
	if (waited_all) {
		found.waited.time = 0;
		found.own.time = 0;
	}
	launch_bound =
		found.short_kernels >= SHORT_KERNELS && found.short_kernels >= found.other_kernels;
	figures[FINDING_WAITING] = waiting_calls(session, found.causes[IDLE_AFTER_WAIT]);
	figures[FINDING_WAITING].gap = found.waited;
	/* A job's times are means of a process, which gaps are not. */
	figures[FINDING_WAITING].gaps = device < 0 ? 0 : found.waited_gaps;
	figures[FINDING_WAITING].own_work =
		found.waited_gaps &&
		found.causes[IDLE_AFTER_WAIT] / found.waited_gaps >= FINDING_LONG_WORK_NS;
	figures[FINDING_GAP] =
		(struct found){.time = at_least(found.own.time, LONG_GAP_NS), .gap = found.own};
	if (launch_bound)
		figures[FINDING_LAUNCH_BOUND] = (struct found){.count = found.short_kernels,
							       .time = found.causes[IDLE_LATENCY] +
								       found.causes[IDLE_SHORT]};
	figures[FINDING_MEMORY] = (struct found){.count = totals->memory_calls,
						 .time = found.memory.time,
						 .functions = found.memory};
	/* How much of the shorter of the two ran while the other did not, if hardly any ran with
	 * it. */
	if ((double)both < OVERLAPPING_PART * (double)shorter)
		figures[FINDING_OVERLAP] = (struct found){
			.time = shorter - both, .kernels_less = use->kernels < use->copies};
	if (capability >= FIRST_TENSOR_CORES)
		figures[FINDING_FP32_MATRIX] = (struct found){.count = found.fp32_kernels,
							      .time = found.fp32_time,
							      .has_tf32 = capability >= FIRST_TF32};
	figures[FINDING_LOADING] = (struct found){
		.time = at_least(found.loading.time, LEAST_LOADING_NS), .functions = found.loading};
	figures[FINDING_LOW_USE] = (struct found){.time = low_use(use, &found, waited_all),
						  .cause = largest_cause(session, device, waited)};
}

/* How much of the run is before the first operation of the device that worked longest, and after
 * its last one. */
static uint64_t outside_devices(const struct session *session)
{
	const struct session_header *header = session_header(session);
	uint64_t run = header->counters[COUNTER_wall_ns], longest = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		if (use_time(&header->uses[device]) > longest)
			longest = use_time(&header->uses[device]);
	return run > longest ? run - longest : 0;
}

/*
 * What the host spent in calls that allocate or free memory while no device worked yet, or any
 * more: meanwhile it is a matter of idle time. One call of a function can be long for another
 * reason: the first one of a program makes the context and loads code. So the longest of each
 * function is no habit. (A job's rows do not tell the longest call of each process.)
 */
static void fill_of_host(struct found figures[FINDING_COUNT], const struct session *session)
{
	struct functions functions = {.count = 0};
	uint64_t outside = outside_devices(session), habit, left;

	functions_of(&functions, session, FUNCTION_MEMORY);
	habit = functions.time > functions.longest ? functions.time - functions.longest : 0;
	left = outside > functions.longest ? outside - functions.longest : 0;
	functions_sort(&functions);
	figures[FINDING_HOST_MEMORY] = (struct found){.count = functions.calls - functions.count,
						      .time = habit < left ? habit : left,
						      .functions = functions};
}

static struct found of_outside(const struct outside *outside, uint64_t least)
{
	struct found found = {.time = at_least(outside->time, least),
			      .no_call = outside->no_call,
			      .possible = !outside->certain};

	if (outside->call)
		found.cause = (struct finding_cause){.time = outside->in_call,
						     .gaps = 1,
						     .cause = IDLE_CALL,
						     .name = outside->call->name};
	return found;
}

static void fill_of_outside(struct found figures[FINDING_COUNT], const struct session *session)
{
	struct outside before, after;

	if (!outside_find(session, UINT64_MAX, &before, &after))
		return;
	figures[FINDING_BEFORE] = of_outside(&before, LEAST_START_NS);
	/* A program that runs has not come to it; a window ends all the same. */
	if (session_header(session)->finished && session_header(session)->finished != RUN_UNTIL)
		figures[FINDING_AFTER] = of_outside(&after, LEAST_END_NS);
}

/* Whether there are several processes and one GPU. */
static bool is_shared(const struct session *session)
{
	static const uint8_t unknown[16];
	const struct device_info *devices = session_header(session)->devices, *only = NULL;

	for (int i = 0; i < SESSION_DEVICES; i++)
		if (devices[i].used) {
			if (only)
				return false;
			only = &devices[i];
		}
	return session_header(session)->processes > 1 && only &&
	       memcmp(only->uuid, unknown, sizeof(unknown)) != 0;
}

/* What was found, as far as the functions tell. */
static const char *what_of(const struct session *session, const struct finding *finding)
{
	struct functions sets = {.count = 0}, copies = {.count = 0};

	if (finding->kind == FINDING_LOW_USE && session_header(session)->processes)
		return finding->shared ? "the GPU, which all processes share, worked for another "
					 "of them or was idle"
				       : "the GPUs of the processes were idle";
	if (finding->kind == FINDING_OVERLAP && finding->kernels_less)
		return "kernels while no copy ran";
	if (finding->kind == FINDING_BEFORE && session_header(session)->finished == RUN_BETWEEN)
		return "the window's start, before the GPU's first operation in it";
	if (finding->kind == FINDING_AFTER && session_header(session)->finished == RUN_BETWEEN)
		return "the window's end, after the GPU's last operation in it";
	/* Nothing follows the last call, and other work goes on after some. */
	if (finding->kind == FINDING_WAITING && finding->gaps && finding->gaps < finding->count)
		return finding->own_work
			       ? "synchronizing calls@, after # of which the program itself worked "
				 "and the GPU was idle"
			       : "synchronizing calls@, the GPU idle from the end of # of them to "
				 "the next launch";
	if (finding->kind == FINDING_WAITING && finding->own_work)
		return "synchronizing calls@, after which the program itself worked and the GPU "
		       "was idle";
	if (finding->kind != FINDING_SYNCHRONOUS)
		return finding->what;
	functions_of(&sets, session, FUNCTION_SET);
	functions_of(&copies, session, FUNCTION_COPY);
	return finding->counted || (copies.count && !sets.count)
		       ? "synchronous copies@ kept the host waiting"
		       : finding->what;
}

static uint64_t time_of_devices(const struct session *session)
{
	uint64_t sum = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		sum += use_time(&session_header(session)->uses[device]);
	return sum;
}

/* Of its devices on average, or of its operations where the former is not known. */
static uint64_t time_of_process(const struct session *session)
{
	const struct job_process *process;
	uint64_t devices = 0, operations = 0, count = 0;

	session_for_each_process (session, process) {
		devices += process->device_time;
		operations += process->gpu;
		count++;
	}
	return count ? (devices ? devices : operations) / count : 0;
}

/* Takes what the rules find in these figures, unless they found more of it on another device. */
static void apply_rules(struct finding found[FINDING_COUNT],
			const struct found figures[FINDING_COUNT], int device, uint64_t whole)
{
	for (unsigned i = 0; i < FINDING_COUNT; i++) {
		const struct found *figure = &figures[i];
		double percent = whole > 0 ? 100 * (double)figure->time / (double)whole : 0;
		unsigned devices = found[i].devices;

		if (figure->time < LEAST_NS || percent < rules[i].least || figure->count == 1)
			continue;
		if (figure->time > found[i].time)
			found[i] = (struct finding){.kind = i,
						    .key = rules[i].key,
						    .what = rules[i].what,
						    .advice = rules[i].advice,
						    .count = figure->count,
						    .time = figure->time,
						    .percent = percent <= 100 ? percent : 0,
						    .device = device,
						    .functions = figure->functions,
						    .counted = figure->counted,
						    .gaps = figure->gaps,
						    .no_call = figure->no_call,
						    .possible = figure->possible,
						    .cause = figure->cause,
						    .gap = figure->gap,
						    .own_work = figure->own_work,
						    .kernels_less = figure->kernels_less,
						    .has_tf32 = figure->has_tf32};
		found[i].devices = devices + (device >= 0);
	}
}

/* Each device by itself; the devices of a job's processes all together. */
static void apply_to_devices(struct finding found[FINDING_COUNT], const struct session *session,
			     uint64_t devices, const uint64_t waited[IDLE_CAUSE_COUNT])
{
	static struct found figures[FINDING_COUNT]; /* too large for a small stack */
	const bool together = session_header(session)->processes;
	struct device_use sum = {.first = 0};

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(session, device);

		memset(figures, 0, sizeof(figures));
		if (!use || !(devices >> device & 1))
			continue;
		if (together) {
			figures_merge(figures_of(SCOPE_USE), &sum, use);
			sum.last += use->last > use->first ? use->last - use->first : 0;
			continue;
		}
		fill_of_device(figures, session, device, use, waited);
		apply_rules(found, figures, device, use_time(use));
	}
	if (!together)
		return;
	fill_of_device(figures, session, -1, &sum, waited);
	apply_rules(found, figures, -1, use_time(&sum));
}

static void apply_to_program(struct finding found[FINDING_COUNT], const struct session *session,
			     const struct uneven *uneven)
{
	static struct found figures[FINDING_COUNT]; /* too large for a small stack */
	const struct session_header *header = session_header(session);
	const struct call_totals *totals = &header->totals;
	const uint64_t whole = time_of_devices(session);

	memset(figures, 0, sizeof(figures));
	figures[FINDING_PAGEABLE] =
		(struct found){.count = totals->pageable_calls, .time = totals->pageable_ns};
	figures[FINDING_SYNCHRONOUS] = synchronous_calls(session);
	apply_rules(found, figures, -1, whole);
	memset(figures, 0, sizeof(figures));
	if (header->processes) {
		figures[FINDING_UNEVEN].time = uneven->excess;
		apply_rules(found, figures, -1, time_of_process(session));
		found[FINDING_UNEVEN].uneven = *uneven;
	} else {
		fill_of_host(figures, session);
		fill_of_outside(figures, session);
		apply_rules(found, figures, -1, header->counters[COUNTER_wall_ns]);
	}
}

/* Takes away what another finding says already. */
static void leave_out_repeated(struct finding found[FINDING_COUNT])
{
	/* Those that say where idle time is. */
	static const enum finding_kind parts[] = {FINDING_WAITING, FINDING_GAP,
						  FINDING_LAUNCH_BOUND, FINDING_MEMORY,
						  FINDING_LOADING};
	struct finding *idle = &found[FINDING_LOW_USE];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (found[parts[i]].device == idle->device &&
		    (double)found[parts[i]].time >= MOST_OF_IDLE * (double)idle->time &&
		    idle->devices <= found[parts[i]].devices)
			idle->time = 0;
	if (found[FINDING_MEMORY].time)
		found[FINDING_HOST_MEMORY].time = 0;
}

/* All times of a job are those of a process, as the time is by which UNEVEN is told. */
static void make_means(struct finding found[FINDING_COUNT], uint64_t processes)
{
	for (unsigned i = 0; processes && i < FINDING_COUNT; i++) {
		if (i == FINDING_UNEVEN)
			continue;
		found[i].time /= processes;
		found[i].cause.time /= processes;
	}
}

/* Says of the first finding that is about the host's own code where the host was. */
static void name_range(const struct session *session, const struct range_tree *ranges,
		       struct finding *findings, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct finding *finding = &findings[i];
		bool own = finding->kind == FINDING_WAITING || finding->kind == FINDING_GAP ||
			   (finding->kind == FINDING_LOW_USE &&
			    (finding->cause.cause == IDLE_PROGRAM ||
			     finding->cause.cause == IDLE_AFTER_WAIT ||
			     finding->cause.cause == IDLE_LATENCY));

		if (!own)
			continue;
		finding->range = host_range_find(session, ranges);
		if (session_header(session)->processes) {
			finding->range.time /= session_header(session)->processes;
			finding->range.around /= session_header(session)->processes;
			finding->range.gpu /= session_header(session)->processes;
			finding->range.outside /= session_header(session)->processes;
		}
		if (10 * finding->range.time < finding->time)
			finding->range.range = NULL;
		finding->range_times =
			range_times_find(session, ranges, &finding->range, finding->device);
		return;
	}
}

/* Where most of the calls were that are counted. */
static void name_range_of_calls(const struct session *session, const struct range_tree *ranges,
				struct finding *finding)
{
	if (!finding->count)
		return;
	finding->calls_in = call_range_find(session, ranges, &finding->functions);
	if (2 * finding->calls_in.calls < finding->count)
		finding->calls_in.range = NULL;
}

bool finding_is_outside(const struct finding *finding)
{
	return finding->kind == FINDING_BEFORE || finding->kind == FINDING_AFTER;
}

bool finding_is_of_run(const struct finding *finding)
{
	return finding->kind == FINDING_HOST_MEMORY || finding_is_outside(finding);
}

bool findings_are_outside(const struct finding *findings, unsigned count)
{
	bool outside = true;

	for (unsigned i = 0; i < count; i++)
		outside &= finding_is_outside(&findings[i]);
	return outside;
}

static bool is_host_work(const struct finding *finding)
{
	const struct finding_cause *cause = &finding->cause;

	switch (finding->kind) {
	case FINDING_WAITING:
		return finding->own_work;
	case FINDING_GAP:
		return true;
	case FINDING_LOW_USE:
		return (cause->cause == IDLE_PROGRAM || cause->cause == IDLE_AFTER_WAIT) &&
		       cause->gaps && cause->time / cause->gaps >= FINDING_LONG_WORK_NS;
	case FINDING_BEFORE:
	case FINDING_AFTER:
		return 2 * finding->no_call >= finding->time;
	default:
		return false;
	}
}

bool findings_have_host_work(const struct finding *findings, unsigned count)
{
	bool found = false;

	for (unsigned i = 0; i < count; i++)
		found |= is_host_work(&findings[i]);
	return found;
}

unsigned findings_of(const struct session *session, uint64_t devices,
		     struct finding findings[FINDING_COUNT])
{
	static const uint64_t none[IDLE_CAUSE_COUNT];
	struct uneven uneven = {.row = NULL};
	struct range_tree ranges;
	unsigned count = 0;

	/* Which rows are uneven in a job is known without. */
	if (!session_knows_use(session) && !session_header(session)->processes)
		return 0;
	memset(findings, 0, FINDING_COUNT * sizeof(*findings));
	if (session_header(session)->processes)
		uneven = uneven_find(session);
	apply_to_program(findings, session, &uneven);
	/* What is waited for the slowest is no other finding's time too. */
	apply_to_devices(findings, session, devices,
			 findings[FINDING_UNEVEN].time ? uneven.waited : none);
	leave_out_repeated(findings);
	make_means(findings, session_header(session)->processes);
	ranges = finding_ranges(session);
	for (unsigned i = 0; i < FINDING_COUNT; i++)
		if (findings[i].time) {
			findings[i].shared = is_shared(session);
			name_range_of_calls(session, &ranges, &findings[i]);
			functions_sort(&findings[i].functions);
			findings[i].what = what_of(session, &findings[i]);
			findings[i].advice = finding_advice(session, &findings[i]);
			findings[count++] = findings[i];
		}
	qsort(findings, count, sizeof(*findings), compare);
	name_range(session, &ranges, findings, count);
	range_tree_free(&ranges);
	return count;
}

struct uneven finding_uneven(const struct session *session)
{
	struct finding found[FINDING_COUNT] = {{.time = 0}};
	struct uneven uneven = uneven_find(session);

	apply_to_program(found, session, &uneven);
	return found[FINDING_UNEVEN].time ? uneven : (struct uneven){.row = NULL};
}
