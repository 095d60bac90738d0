/* SPDX-License-Identifier: MIT */
#include "report/findings/findings.h"

#include <stdlib.h>
#include <string.h>

/* One call is no habit of the program. A finding is at least this long. Chosen: less is not worth a
 * change. */
#define LEAST_NS	 1000000u
/* Launch-bound: at least SHORT_KERNELS launched kernels are shorter than SHORT_KERNEL_NS, and at
 * least half of all. Chosen: a launch takes the host some 3 us. */
#define SHORT_KERNEL_NS	 5000u
#define SHORT_KERNELS	 1000u
/* nsys's rule for gaps has 500 ms. */
#define LONG_GAP_NS	 500000000u
/* Loading for less than this is what every program does at its start. Chosen. */
#define LEAST_LOADING_NS 100000000u
/* Copies and kernels overlap if this part of the shorter of the two does. Chosen. */
#define OVERLAPPING_PART 0.1

/* Below this part of its time busy, in percent, a device is no bottleneck: the run hardly is about
 * its work. Chosen. */
#define LEAST_USE	 1

/* Of one device. */
struct figures_found {
	uint64_t causes[IDLE_CAUSE_COUNT];
	uint64_t memory, loading; /* idle time in such calls */
	uint64_t paused;	  /* idle time in loading, and in the longest pause of each cause */
	uint64_t longest;	  /* part of a gap in which the program was in its own code */
	uint64_t short_kernels, other_kernels;
};

static bool has_one_of(const char *name, const char *const *parts)
{
	while (*parts && !strstr(name, *parts))
		parts++;
	return *parts;
}

static uint64_t at_least(uint64_t time, uint64_t least)
{
	return time >= least ? time : 0;
}

static void add_cause(struct figures_found *found, const struct session *session,
		      const struct idle_row *row)
{
	static const char *const memory[] = {
		"Alloc",       "Free",	       "Malloc",   "HostRegister", "HostUnregister",
		"cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",   "cuMemSetAccess",
		NULL};
	static const char *const loading[] = {"LibraryLoad", "ModuleLoad", NULL};
	const char *name = session_string(session, row->name);
	bool loads = row->cause == IDLE_FIRST_LAUNCH ||
		     (row->cause == IDLE_CALL && has_one_of(name, loading));

	found->causes[row->cause] += row->total;
	if (row->cause == IDLE_CALL && has_one_of(name, memory))
		found->memory += row->total;
	if (loads)
		found->loading += row->total;
	found->paused += loads ? row->total : at_least(row->longest, LONG_GAP_NS);
	if ((row->cause == IDLE_PROGRAM || row->cause == IDLE_AFTER_WAIT) &&
	    row->longest > found->longest)
		found->longest = row->longest;
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
}

static int compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	/* The others say why. */
	return IN_ORDER(a->kind == FINDING_LOW_USE, b->kind == FINDING_LOW_USE)
		       ?: IN_ORDER(b->time, a->time) ?: IN_ORDER(a->kind, b->kind);
}

static const struct {
	const char *key, *what, *advice;
	double least;
} rules[] = {
#define RULE(name, key, least, what, advice) {key, what, advice, least},
	FINDINGS(RULE)
#undef RULE
};

/* A rule's figures on one device, or of the whole program. */
struct found {
	uint64_t count, time;
};

/*
 * Idle time that larger batches would fill: between the operations of steady work. A program that
 * loads a model or compiles for a minute and computes for a second is as idle, and has no batches;
 * what held it up is among the other findings.
 */
static uint64_t low_use(const struct device_use *use, const struct figures_found *found)
{
	uint64_t whole, idle = idle_time(use, &whole);
	uint64_t steady = idle > found->paused ? idle - found->paused : 0;
	bool found_low = time_percent(steady, whole) >= rules[FINDING_LOW_USE].least &&
			 time_percent(use->busy, whole) >= LEAST_USE;

	return found_low ? idle : 0;
}

static void fill_of_device(struct found figures[FINDING_COUNT], const struct session *session,
			   int device)
{
	const struct call_totals *totals = &session_header(session)->totals;
	const struct device_use *use = &session_header(session)->uses[device];
	uint64_t shorter = use->kernels < use->copies ? use->kernels : use->copies;
	uint64_t both = busy_with_both(use);
	struct figures_found found = {.memory = 0};
	const struct idle_row *cause;
	const struct row *row;
	bool launch_bound;

	session_for_each_idle (session, cause)
		if (cause->device == device)
			add_cause(&found, session, cause);
	session_for_each_row (session, row)
		if (row->kind == ROW_KERNEL && row->device == device)
			add_kernels(&found, session, row);
	launch_bound =
		found.short_kernels >= SHORT_KERNELS && found.short_kernels >= found.other_kernels;
	figures[FINDING_WAITING] =
		(struct found){totals->waiting_calls, found.causes[IDLE_AFTER_WAIT]};
	figures[FINDING_GAP] = (struct found){0, at_least(found.longest, LONG_GAP_NS)};
	if (launch_bound)
		figures[FINDING_LAUNCH_BOUND] = (struct found){
			found.short_kernels, found.causes[IDLE_LATENCY] + found.causes[IDLE_SHORT]};
	figures[FINDING_MEMORY] = (struct found){totals->memory_calls, found.memory};
	/* How much of the shorter of the two ran while the other did not, if hardly any ran with
	 * it. */
	if ((double)both < OVERLAPPING_PART * (double)shorter)
		figures[FINDING_OVERLAP] = (struct found){0, shorter - both};
	figures[FINDING_LOADING] = (struct found){0, at_least(found.loading, LEAST_LOADING_NS)};
	figures[FINDING_LOW_USE] = (struct found){0, low_use(use, &found)};
}

/* Where idle time is that findings name. */
static const char *const idle_parts[FINDING_COUNT] = {
	[FINDING_WAITING] = "after synchronizing calls",
	[FINDING_GAP] = "in the longest gap",
	[FINDING_LAUNCH_BOUND] = "between short kernels",
	[FINDING_MEMORY] = "in calls that allocate or free memory",
	[FINDING_LOADING] = "in loading code",
};

/* Of all idle time says how much the largest other finding has: their times are no sum. */
static void name_part(struct finding found[FINDING_COUNT])
{
	struct finding *all = &found[FINDING_LOW_USE];

	for (unsigned i = 0; i < FINDING_COUNT; i++)
		if (idle_parts[i] && found[i].device == all->device &&
		    found[i].time > all->part_time && found[i].time <= all->time) {
			all->part = idle_parts[i];
			all->part_time = found[i].time;
		}
}

static bool is_python(const struct session *session)
{
	const char *command = session_string(session, session_header(session)->command);
	size_t length = strcspn(command, " ");
	const char *name = memrchr(command, '/', length);

	return !strncmp(name ? name + 1 : command, "python", 6);
}

/* Short gaps are what fewer launches fill: they are worth advice from this part of the idle time
 * on. Chosen. */
#define SHORT_GAPS_PART 0.1

static bool has_short_gaps(const struct session *session, const struct finding *finding)
{
	const struct idle_row *cause;
	uint64_t sum = 0;

	session_for_each_idle (session, cause)
		if (cause->device == finding->device &&
		    (cause->cause == IDLE_LATENCY || cause->cause == IDLE_SHORT))
			sum += cause->total;
	return (double)sum >= SHORT_GAPS_PART * (double)finding->time;
}

/* What a program in Python is told instead. */
static const char *const python_advice[FINDING_COUNT] = {
	[FINDING_LAUNCH_BOUND] = "a CUDA graph (PyTorch: torch.compile, mode=reduce-overhead), or "
				 "fewer and larger kernels",
	[FINDING_LOW_USE] = "larger batches, or fewer launches: CUDA graphs (PyTorch: "
			    "torch.compile, mode=reduce-overhead), fewer and larger kernels",
};

static const char *advice_of(const struct session *session, const struct finding *finding)
{
	if (finding->kind == FINDING_LOW_USE && !has_short_gaps(session, finding))
		return "larger batches, or less waiting: --idle says for what";
	return python_advice[finding->kind] && is_python(session) ? python_advice[finding->kind]
								  : finding->advice;
}

static uint64_t time_of_devices(const struct session *session)
{
	uint64_t sum = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		sum += use_time(&session_header(session)->uses[device]);
	return sum;
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
						    .device = device};
		found[i].devices = devices + (device >= 0);
	}
}

unsigned findings_of(const struct session *session, uint64_t devices,
		     struct finding findings[FINDING_COUNT])
{
	const struct call_totals *totals = &session_header(session)->totals;
	struct found figures[FINDING_COUNT] = {{0}};
	unsigned count = 0;

	if (!session_knows_use(session))
		return 0;
	memset(findings, 0, FINDING_COUNT * sizeof(*findings));
	figures[FINDING_PAGEABLE] = (struct found){totals->pageable_calls, totals->pageable_ns};
	figures[FINDING_SYNCHRONOUS] =
		(struct found){totals->synchronous_calls, totals->synchronous_ns};
	apply_rules(findings, figures, -1, time_of_devices(session));
	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(session, device);

		memset(figures, 0, sizeof(figures));
		if (!use || !(devices >> device & 1))
			continue;
		fill_of_device(figures, session, device);
		apply_rules(findings, figures, device, use_time(use));
	}
	name_part(findings);
	for (unsigned i = 0; i < FINDING_COUNT; i++)
		if (findings[i].time) {
			findings[i].advice = advice_of(session, &findings[i]);
			findings[count++] = findings[i];
		}
	qsort(findings, count, sizeof(*findings), compare);
	return count;
}
