/* SPDX-License-Identifier: MIT */
#include "preload/collector/records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "cupti/cupti.h"
#include "preload/base/plan.h"
#include "preload/base/pointer_map.h"
#include "preload/base/run.h"
#include "preload/collector/cost.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/calibration.h"
#include "preload/handles/graph.h"
#include "preload/launch/window.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/timeline/timeline.h"
#include "report/session/entries.h"

/* The operations of the kernel names in CUPTI's records, and whether these names can be trusted. */
static struct {
	struct pointer_map operations; /* by the address of CUPTI's name */
	uint32_t generation;
	bool kept_order; /* each record so far was the next one of its thread's calls */
	bool are_wrong;	 /* a kernel's record had another kernel's name */
} kernel_names = {.generation = 1, .kept_order = true};

/* The latest start of any record's work, nanoseconds, and whether it has come since the launches
 * were settled last. */
static struct {
	uint64_t start;
	bool is_new;
} newest;

/* The operation of a kernel's name. CUPTI keeps a name at one address as long as the kernel
 * exists. */
static struct operation *operation_of_name(const char *name)
{
	struct operation *operation = NULL;

	if (!name)
		return operation_fixed(OPERATION_UNKNOWN_KERNEL);
	operation = pointer_map_find(&kernel_names.operations, (uintptr_t)name,
				     kernel_names.generation);
	if (operation && strcmp(operation->name, name) == 0)
		return operation;
	if (operation) /* the address now holds another name: forget all */
		kernel_names.generation++;
	operation = operation_named(ROW_KERNEL, name);
	pointer_map_add(&kernel_names.operations, (uintptr_t)name, operation,
			kernel_names.generation);
	return operation;
}

static struct operation *operation_of_record(const struct activity *activity)
{
	static const enum fixed_operation copies[COPY_KINDS] = {
		[COPY_HTOD] = OPERATION_COPY_HTOD, [COPY_DTOH] = OPERATION_COPY_DTOH,
		[COPY_HTOA] = OPERATION_COPY_HTOA, [COPY_ATOH] = OPERATION_COPY_ATOH,
		[COPY_ATOA] = OPERATION_COPY_ATOA, [COPY_ATOD] = OPERATION_COPY_ATOD,
		[COPY_DTOA] = OPERATION_COPY_DTOA, [COPY_DTOD] = OPERATION_COPY_DTOD,
		[COPY_HTOH] = OPERATION_COPY_HTOH, [COPY_PTOP] = OPERATION_COPY_PTOP,
	};

	if (activity->kind == ACTIVITY_KERNEL)
		return operation_of_name(activity->name);
	if (activity->kind == ACTIVITY_MEMSET)
		return operation_fixed(OPERATION_MEMSET);
	if (activity->kind == ACTIVITY_MEMCPY_PEER)
		return operation_fixed(OPERATION_COPY_PTOP);
	return operation_fixed(activity->copy_kind < COPY_KINDS ? copies[activity->copy_kind]
								: OPERATION_COPY_HTOH);
}

static bool is_in_window(const struct activity *activity)
{
	return run_wants_device((int)activity->device) &&
	       window_was_open(activity->start + (uint64_t)cupti_clock_behind);
}

/*
 * When a launch is taken as complete. On the device it has ended when a later launch in its stream
 * begins, but records of its parallel branches may arrive later: it is kept for this many later
 * launches, or for this many nanoseconds of later work. Chosen.
 */
#define LATER_LAUNCHES	  16u
#define LATE_NS		  1000000000u
/* For the last launch of its stream: its next node may start only after a long one has ended.
 * Chosen. */
#define LONGEST_NODE_NS	  30000000000u
/* For this long after the last known node of the last launch of its stream more nodes may come: a
 * flush hands out the records of what has finished. Chosen: FLUSH_NS (drain.c). */
#define OPEN_NS		  200000000u
/* How many launches are kept whose call is not known yet; nothing is reported of them. Chosen. */
#define MOST_UNIDENTIFIED 1024u

struct launch {
	struct entry entry; /* by correlation id */
	uint32_t device;
	uint64_t start, end;
	struct in_flight *call; /* NULL: not known yet */
	struct launches *list;
	struct launch *prev, *next;
};

/* The launches of one stream, in order. */
struct launches {
	struct entry entry; /* by context id and stream id */
	struct launch *first;
	unsigned count;
};

static struct {
	struct entry *by_correlation;
	struct entry *by_stream;
	struct launches unidentified; /* whose calls are not known yet */
} launches;

static void add(struct launches *list, struct launch *launch)
{
	launch->list = list;
	list->count++;
	DL_APPEND(list->first, launch);
}

static void take_out(struct launch *launch)
{
	launch->list->count--;
	DL_DELETE(launch->list->first, launch);
}

static void free_if_empty(struct launches *list)
{
	if (list == &launches.unidentified || list->count > 0)
		return;
	HASH_DEL(launches.by_stream, &list->entry);
	free(list);
}

/* A launch whose nodes were recorded one by one is complete: from its first node's start to its
 * last one's end. */
static void take_graph_launch(const struct launch *launch)
{
	struct in_flight *call = launch->call;
	const struct seen seen = {
		.operation = call->operation,
		.call = call,
		.row = call->reported ? rows_of(call->operation, (int)launch->device) : NULL,
		.nanoseconds = launch->end - launch->start,
		.reported = call->reported,
		.timed = call->reported,
	};

	call->holds_more = true;
	rows_take(&seen);
	/* Its nodes count in other ranges. */
	if (seen.row && seen.row->ranged > 0)
		ranges_add(&call->ranges, seen.row, seen.nanoseconds, 1, CLOCK_CUPTI);
	calls_take_record(&seen);
}

static void end(struct launch *launch)
{
	struct launches *list = launch->list;

	if (list != &launches.unidentified)
		take_graph_launch(launch);
	take_out(launch);
	free_if_empty(list);
	HASH_DEL(launches.by_correlation, &launch->entry);
	free(launch);
}

/* The launch that a node's record belongs to, by its correlation id; NULL if memory is out. */
static struct launch *launch_of(const struct activity *activity)
{
	const uint64_t key[ENTRY_NUMBERS] = {activity->correlation};
	struct launch *launch = entry_of(&launches.by_correlation, key, 0);

	if (launch)
		return launch;
	if (launches.unidentified.count == MOST_UNIDENTIFIED)
		end(launches.unidentified.first);
	launch = entry_of(&launches.by_correlation, key, sizeof(*launch));
	if (!launch)
		return NULL;
	launch->device = activity->device;
	launch->start = activity->start;
	add(&launches.unidentified, launch);
	return launch;
}

/* Finds a launch's call by a node's record. The driver runs parallel branches of a graph in streams
 * of its own, which have no calls; the first node in the launch's stream identifies the call. */
static bool identify(struct launch *launch, struct match_stream *stream,
		     const struct activity *activity)
{
	const uint64_t key[ENTRY_NUMBERS] = {activity->context, activity->stream};
	struct launches *list = entry_of(&launches.by_stream, key, sizeof(*list));

	if (!list)
		return false;
	launch->call = match_record(stream, &(struct match_key){.thread = activity->buffer_thread,
								.start = activity->start});
	if (!launch->call) {
		free_if_empty(list);
		return false;
	}
	take_out(launch);
	add(list, launch);
	if (list->count > LATER_LAUNCHES + 1)
		end(list->first);
	return true;
}

struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity,
				      const struct in_flight **call)
{
	struct launch *launch = launch_of(activity);
	bool identified;

	if (!launch)
		return NULL;
	LOWER(launch->start, activity->start);
	RAISE(launch->end, activity->end);
	identified = launch->list == &launches.unidentified && stream &&
		     identify(launch, stream, activity);
	*call = launch->call;
	return identified ? launch->call : NULL;
}

static bool is_last(const struct launch *launch)
{
	return launch->list == &launches.unidentified || !launch->next;
}

uint64_t graph_launches_open_since(uint64_t now)
{
	uint64_t first = UINT64_MAX;

	for (const struct entry *entry = launches.by_correlation; entry; entry = entry->hh.next) {
		const struct launch *launch = (const struct launch *)entry;

		if (is_last(launch) && launch->end + OPEN_NS > now && launch->start < first)
			first = launch->start;
	}
	return first;
}

void graph_launches_settle(uint64_t newest)
{
	struct entry *entry, *next;

	HASH_ITER (hh, launches.by_correlation, entry, next) {
		struct launch *launch = (struct launch *)entry;

		if (launch->end + (is_last(launch) ? LONGEST_NODE_NS : LATE_NS) < newest)
			end(launch);
	}
}

bool records_calls_are_late;

static void note_wrong_names(void)
{
	kernel_names.are_wrong = true;
	session_note(
		run.session,
		"CUPTI gave a kernel the name of one that was unloaded: times of some kernels may "
		"be in each other's rows if records were lost or threads launched into one stream "
		"at once, as records are matched by the order of the launches from then on.");
}

static bool is_order_known(void)
{
	const uint64_t *counters = run.header->counters;

	return kernel_names.kept_order && !records_calls_are_late && !calls_given_up &&
	       !rows_lost_untaken() && !counters[COUNTER_cupti_dropped] &&
	       !counters[COUNTER_cupti_unread];
}

/*
 * From the first unloading of a module on CUPTI may give a kernel that was loaded at an unloaded
 * one's handle the old name (operation.h). Each record goes to a launch of its name until one shows
 * that they are wrong: as the launch that is next has another name though nothing was lost, or as
 * the name has more records than launches.
 */
static bool is_name_wrong(const struct match_stream *stream, const struct match_key *key,
			  const struct operation *operation, uint32_t device)
{
	const struct in_flight *next;

	if (!operation_names_reused || !plan_matches())
		return false;
	next = match_next(stream, key);
	return next && next->operation != operation &&
	       (is_order_known() ||
		(!records_calls_are_late && !rows_lack_records(operation, (int)device)));
}

/* `operation`: NULL for a graph and its nodes. */
static struct match_key key_of(const struct activity *activity, const struct operation *operation)
{
	return (struct match_key){
		.thread = activity->buffer_thread,
		.start = activity->start,
		.operation = operation,
		.bytes = operation && operation->kind == ROW_KERNEL ? 0 : activity->bytes,
	};
}

/* The call of an operation's record, or NULL. */
static struct in_flight *call_of(const struct activity *activity, const struct operation *operation)
{
	struct match_key key = key_of(activity, operation), any_kernel = key;
	struct match_stream *stream = matcher_find(activity->context, activity->stream, &key);

	if (!stream)
		return NULL;
	any_kernel.operation = NULL;
	any_kernel.kernel = true;
	if (operation->kind == ROW_KERNEL && activity->name && !kernel_names.are_wrong &&
	    is_name_wrong(stream, &any_kernel, operation, activity->device))
		note_wrong_names();
	if (operation->kind == ROW_KERNEL && (!activity->name || kernel_names.are_wrong))
		return match_record(stream, &any_kernel);
	return match_record(stream, &key);
}

/* Identifies the record of an operation that was launched by itself, not by a graph. */
static void identify_operation(struct seen *seen, bool matches)
{
	seen->operation = operation_of_record(seen->activity);
	seen->call = call_of(seen->activity, seen->operation);
	kernel_names.kept_order = kernel_names.kept_order && seen->call && !seen->call->ambiguous;
	if (seen->call)
		seen->operation = seen->call->operation;
	seen->must_match = matches;
	/* Without its call, a record tells the kernel only by a name that may be wrong. */
	seen->shown = seen->call || seen->operation->kind != ROW_KERNEL || matches ||
		      !operation_names_reused;
	seen->counted = seen->timed = true;
}

/* Identifies the record of a graph's node; the graph launch holds the call. Without matching,
 * whether the record is complete is known only once the launch is. */
static void identify_node(struct seen *seen, bool matches)
{
	const struct activity *activity = seen->activity;
	const struct match_key key = key_of(activity, NULL);
	struct match_stream *stream = matcher_find(activity->context, activity->stream, &key);

	seen->operation = operation_of_record(activity);
	seen->counted = seen->timed = matches;
	if (matches)
		seen->call = graph_launches_node(stream, activity, &seen->launch);
	seen->shown = true;
}

/* Whether any graph launch was hooked, also one that was dropped. If so, the graph rows have all
 * launches. */
static bool graph_was_launched(void)
{
	static bool seen;

	for (const struct operation *operation = operation_first(); !seen && operation;
	     operation = operation->next)
		seen = operation->kind == ROW_GRAPH && rows_were_called(operation);
	return seen;
}

/* Identifies the record of a whole graph launch, whose nodes have no records. */
static void identify_graph(struct seen *seen)
{
	const struct activity *activity = seen->activity;
	const struct match_key key = key_of(activity, NULL);
	struct match_stream *stream = matcher_find(activity->context, activity->stream, &key);

	seen->call = stream ? match_record(stream, &key) : NULL;
	seen->operation =
		seen->call ? seen->call->operation : operation_fixed(OPERATION_UNKNOWN_GRAPH);
	seen->must_match = seen->shown = seen->counted = true;
	/* Without a call it is of a launch that is counted already, unless none was hooked. */
	seen->timed = seen->call || !graph_was_launched();
}

/*
 * Whether a row has as many records as calls. Records that follow lost ones are known by their
 * start alone, and a launch outside of the profiling window, or one that CUPTI was started in, may
 * start in it: its record has then another call's place, whose own comes too.
 */
static bool is_full(const struct row *row)
{
	return row && row->calls + row->calls_outside > 0 &&
	       row->cupti.count - row->graph_records >= row->calls;
}

/* Decides what uses a record (row, ranges, busy time): as for the call that it is matched with or,
 * if there is none, by the start of its work. */
static void place(struct seen *seen)
{
	const struct activity *activity = seen->activity;
	bool complete = plan_is_complete();

	seen->reported =
		seen->call ? seen->call->reported : !ranges_are_chosen() && is_in_window(activity);
	if (seen->reported && seen->must_match && !seen->call)
		run_count(COUNTER_unmatched_records, 1);
	if (seen->reported && seen->shown && (seen->timed || (activity->graph_node && complete)))
		seen->row = rows_of(seen->operation, (int)activity->device);
	if (seen->must_match && activity->kind != ACTIVITY_GRAPH && is_full(seen->row) &&
	    (kernel_names.are_wrong || window_changed_between(0, UINT64_MAX)))
		seen->reported = false;
	seen->shown = seen->shown && seen->reported;
	seen->counted = seen->counted && seen->shown;
	seen->timed = seen->timed && seen->counted;
	/* What is in no range that the user chose is not reported, and keeps the device busy all
	 * the same. */
	seen->busy =
		(complete || (plan_has_windows() && seen->host_call)) &&
		(seen->shown || (!seen->reported && ranges_are_chosen() && is_in_window(activity)));
	if (!seen->shown)
		seen->row = NULL;
}

static void note_ranged(struct row *graph)
{
	if (graph)
		graph->ranged = 1;
}

/* What a graph's node did belongs to the push/pop range that it was made in; if it was made in
 * none, to that of the launch; and to the start/end ranges of both in any case. */
static void add_to_ranges(const struct seen *seen, struct node_place made)
{
	struct range_place place = seen->launch->ranges;

	if (made.path != PATHS_OUTSIDE)
		place.range = ranges_in_path(made.thread, made.path).range;
	place.started |= made.started;
	ranges_add(&place, seen->row, seen->nanoseconds, 1, CLOCK_CUPTI);
	/* The launch's own range says so. */
	if (made.path != PATHS_OUTSIDE)
		note_ranged(rows_of(seen->launch->operation, (int)seen->activity->device));
}

/* Takes a record of work on the device: identifies it and gives it to all that use it. */
static void take_work(const struct activity *activity, bool matches)
{
	struct seen seen = {.activity = activity, .nanoseconds = activity->end - activity->start};
	struct node_place made = {0};

	if (activity->kind == ACTIVITY_GRAPH)
		identify_graph(&seen);
	else if (activity->graph_node)
		identify_node(&seen, matches);
	else
		identify_operation(&seen, matches);
	if (!activity->graph_node)
		seen.launch = seen.call;
	else if (matches || trace_wanted())
		made = graph_node_place(activity, seen.launch ? seen.launch->started : 0);
	seen.made_in = made.path;
	if (matcher_trusts_clock && (seen.launch || !matches))
		seen.host_call = seen.launch ? seen.launch->host_call : CALL_BY_TIME;
	seen.before = concurrency_add(activity);
	place(&seen);
	cost_take(&seen);
	rows_take(&seen);
	if (seen.timed && seen.row && seen.launch)
		add_to_ranges(&seen, made);
	if (seen.busy)
		timeline_take(&seen);
	if (trace_wanted())
		trace_take(&seen);
	if (seen.shown && !matches && activity->kind != ACTIVITY_GRAPH)
		recording_take(&seen);
	/* A graph's call waits for its last node. */
	if (!activity->graph_node)
		calls_take_record(&seen);
}

static void take_unified_memory(const struct activity *activity)
{
	static const char *const names[] = {
		[UNIFIED_MEMORY_HTOD] = "[CUDA unified memory HtoD]",
		[UNIFIED_MEMORY_DTOH] = "[CUDA unified memory DtoH]",
		[UNIFIED_MEMORY_GPU_PAGE_FAULT] = "[CUDA unified memory GPU page faults]",
		[UNIFIED_MEMORY_DTOD] = "[CUDA unified memory DtoD]",
	};
	unsigned kind = activity->unified_memory_kind;
	uint32_t device = activity->device;
	struct row *row;

	if (kind >= sizeof(names) / sizeof(names[0]) || !names[kind])
		return;
	if (device == ACTIVITY_HOST)
		device = activity->source_device == ACTIVITY_HOST ? activity->destination_device
								  : activity->source_device;
	if (!run_wants_device((int)device))
		return;
	row = session_row(run.session, ROW_MOVEMENT, names[kind],
			  device < SESSION_DEVICES ? (int)device : 0);
	if (!row)
		return;
	session_add_sample(run.session, &row->cupti, activity->end - activity->start);
	session_add_bytes(row, activity->bytes);
}

/*
 * Recording a runtime call that does next to nothing doubles its time, and programs make thousands
 * of them between two launches (PyTorch: cudaGetDevice). After this many calls of less than
 * CHEAP_NS on average CUPTI stops recording the function, unless a trace wants all calls; for at
 * most CHEAP_ROWS functions. Chosen.
 */
#define MOST_CHEAP_CALLS 2000
#define CHEAP_NS	 2000
#define CHEAP_ROWS	 32

static unsigned cheap_rows;

static void note_cheap(struct row *row, uint32_t callback)
{
	if (row->calls != MOST_CHEAP_CALLS || cheap_rows == CHEAP_ROWS ||
	    row->cupti.total / row->cupti.count >= CHEAP_NS)
		return;
	cupti_skip_call(callback);
	row->more_calls = 1;
	cheap_rows++;
}

static void take_other(const struct activity *activity)
{
	const char *name = NULL;
	enum row_kind kind = ROW_OVERHEAD;
	struct range_place place = {.included = true};
	struct row *row;

	if (activity->kind == ACTIVITY_OVERHEAD) {
		name = overhead_kind_name(activity->overhead_kind);
	} else {
		kind = activity->kind == ACTIVITY_RUNTIME_API ? ROW_RUNTIME_API : ROW_DRIVER_API;
		name = run_wants_calls(kind) ? api_call_name(activity) : NULL;
		/* This is the collector thread, whose calls are ktime's. */
		if (name && kind == ROW_DRIVER_API &&
		    (driver_is_called(name) || activity->thread == (uint32_t)pthread_self()))
			return;
		place = trace_place_of(activity);
		if (!place.included)
			return;
	}
	row = name && *name ? session_row(run.session, kind, name, -1) : NULL;
	if (!row)
		return;
	row->calls++;
	row->failed += kind != ROW_OVERHEAD && activity->result != 0;
	session_add_sample(run.session, &row->cupti, activity->end - activity->start);
	ranges_add(&place, row, activity->end - activity->start, 1, CLOCK_NONE);
	if (kind != ROW_OVERHEAD && trace_wanted())
		trace_api_record(name, kind, activity);
	if (activity->kind == ACTIVITY_RUNTIME_API && !trace_wanted())
		note_cheap(row, activity->callback);
}

static void note_start(uint64_t start)
{
	RAISE(newest.start, start);
	newest.is_new = true;
}

void records_take(const struct activity *activity, void *unused)
{
	const bool matches = plan_matches();

	(void)unused;
	if (activity->kind == ACTIVITY_UNKNOWN) {
		run_count(COUNTER_cupti_unknown, 1);
		return;
	}
	if (activity->kind == ACTIVITY_KERNEL && !matches)
		window_check_record(activity);
	if (!activity->valid) {
		/* Those of the last launch before the recording was turned off have none. */
		run_count(COUNTER_cupti_invalid, matches);
		return;
	}
	switch (activity->kind) {
	case ACTIVITY_KERNEL:
	case ACTIVITY_MEMCPY:
	case ACTIVITY_MEMCPY_PEER:
	case ACTIVITY_MEMSET:
	case ACTIVITY_GRAPH:
		note_start(activity->start);
		if (!activity->graph_node && calibration_made(activity))
			calibration_take(activity);
		else
			take_work(activity, matches);
		break;
	case ACTIVITY_UNIFIED_MEMORY:
		if (!ranges_are_chosen() &&
		    window_was_open(activity->start + (uint64_t)cupti_clock_behind))
			take_unified_memory(activity);
		break;
	default:
		if (window_was_open(activity->start + (uint64_t)cupti_clock_behind))
			take_other(activity);
	}
}

static void say_not_split(uint64_t graphs, const char *why)
{
	if (graphs)
		session_note(run.session,
			     "NVTX ranges: the time of %llu CUDA graph%s whose nodes were made in "
			     "ranges is in the ranges of the launches instead: %s.",
			     (unsigned long long)graphs, graphs > 1 ? "s" : "", why);
}

/* Whether nodes of some graph count in the ranges that they were made in, with a time. */
static bool is_any_split(void)
{
	bool split = false;

	operations_for_each (operation)
		for (int device = 0; device < SESSION_DEVICES; device++)
			split |= operation->rows[device] && operation->rows[device]->ranged > 0;
	return split && run.header->counters[COUNTER_graph_nodes] > 0;
}

void records_say_of_ranges(void)
{
	const struct graph_range_counts *counts = &graph_range_counts;

	if (!counts->records && graph_was_launched() && !is_any_split())
		say_not_split(counts->graphs - counts->variable - counts->unknown - counts->unfit,
			      "no record of CUPTI's says when a node ran");
	say_not_split(counts->variable, "only the device knows which nodes run");
	say_not_split(counts->unknown + counts->unfit,
		      "CUPTI's records do not say which node they are of");
	if (graph_nodes_lost)
		session_note(run.session,
			     "NVTX ranges: %llu nodes of CUDA graphs were too many at a time to "
			     "remember their ranges: their time is in those of the launches.",
			     (unsigned long long)graph_nodes_lost);
}

void records_settle(void)
{
	if (newest.is_new)
		graph_launches_settle(newest.start);
	newest.is_new = false;
}

void records_finish(void)
{
	graph_launches_settle(UINT64_MAX);
}
