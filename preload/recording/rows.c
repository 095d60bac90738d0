/* SPDX-License-Identifier: MIT */
#include "preload/recording/rows.h"

#include <string.h>

#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/handles/graph_contents.h"
#include "report/session/estimate.h"

static struct row *api_rows[API_COUNT];

struct row *rows_of(struct operation *operation, int device)
{
	struct row *row;

	if (device < 0 || device >= SESSION_DEVICES)
		device = 0;
	row = operation->rows[device];
	if (!row || session_row_lost(run.session, row)) {
		row = session_row(run.session, operation->kind, operation->name, device);
		operation->rows[device] = row;
		if (operation->version_of)
			operation->version_of->rows[device] = row;
		run.header->devices[device].used = 1;
		if (row)
			row->overhead = operation->overhead;
		if (row && operation->kind == ROW_GRAPH) {
			const struct graph_contents *contents = load_acquire(&operation->contents);

			row->nodes = contents ? contents->nodes : 0;
			if (operation->kernels_listed)
				row->kernels_listed =
					session_intern(run.session, operation->kernels_listed);
		}
	}
	if (!row)
		run_count(COUNTER_rows_lost, 1);
	return row;
}

bool rows_lack_records(const struct operation *operation, int device)
{
	const struct row *row = operation->rows[device];

	if (!row || row->calls + row->calls_outside == 0)
		return rows_were_called(operation);
	return row->cupti.count - row->graph_records < row->calls + row->calls_outside ||
	       load_relaxed(&operation->lost[device]) > 0;
}

const char *rows_call_name(unsigned api, enum row_kind *kind)
{
	bool of_runtime = false;
	const char *name = api_name(api, &of_runtime);

	*kind = of_runtime ? ROW_RUNTIME_API : ROW_DRIVER_API;
	return name;
}

static struct row *api_row(unsigned api)
{
	enum row_kind kind;
	const char *name;

	if (api >= API_COUNT)
		return NULL;
	name = rows_call_name(api, &kind);
	if ((!api_rows[api] || session_row_lost(run.session, api_rows[api])) && name &&
	    run_wants_calls(kind))
		api_rows[api] = session_row(run.session, kind, name, -1);
	return api_rows[api];
}

/* Adds what a row's rates are made of: a record's bytes, or the threads of its launch and their
 * shape. */
static void add_size(struct row *row, const struct activity *activity)
{
	uint64_t blocks = (uint64_t)activity->grid[0] * activity->grid[1] * activity->grid[2];
	uint32_t threads = activity->block[0] * activity->block[1] * activity->block[2];
	bool is_kernel = activity->kind == ACTIVITY_KERNEL;

	session_add_size(&row->cupti, is_kernel ? blocks * threads : activity->bytes,
			 activity->end - activity->start);
	if (is_kernel && threads)
		session_add_shape(row, &(struct launch_shape){.threads = threads,
							      .registers = activity->registers,
							      .shared = activity->static_shared +
									activity->dynamic_shared,
							      .launches = 1,
							      .blocks = blocks});
}

void rows_take(const struct seen *seen)
{
	run_count(COUNTER_cupti_records, seen->counted);
	if (!seen->timed || !seen->row)
		return;
	session_add_sample(run.session, &seen->row->cupti, seen->nanoseconds);
	if (!seen->activity)
		return;
	add_size(seen->row, seen->activity);
	if (seen->activity->graph_node) {
		seen->row->graph_records++;
		run_count(COUNTER_graph_nodes, 1);
	}
}

/* A first launch that took this much longer than the second one is taken to include the module's
 * load. Chosen: loads of kernels took 40 us to 5 ms (H200). */
#define LOAD_LEAST_NS 10000u

/* Leaves out the first launch of a row, unless it is all that there is; whether it did. */
static bool leave_out_load(struct row *row, const struct in_flight *second)
{
	struct histogram *histogram = session_histogram(run.session, row->events.histogram);

	if (row->events.count != 1 || row->events.total <= second->by_events + LOAD_LEAST_NS)
		return false;
	if (histogram)
		memset(histogram, 0, sizeof(*histogram));
	row->events = (struct figures){.histogram = row->events.histogram};
	estimate_forget_timed(&row->estimate);
	row->gated = row->may_wait = row->beside = row->queued = 0;
	row->untimed[UNTIMED_FIRST_LAUNCH]++;
	run_count(COUNTER_timed_by_events, UINT64_MAX);
	return true;
}

bool rows_were_queued;

bool rows_add_event_time(struct row *row, const struct in_flight *operation)
{
	bool left_out = operation->operation->first_alone && leave_out_load(row, operation);

	operation->operation->first_alone = row->events.count == 0 && operation->first;
	session_add_weighted(run.session, &row->events, operation->by_events,
			     estimate_whole_calls(&row->estimate, operation->weight));
	estimate_timed(&row->estimate, operation->place, operation->weight, operation->by_events);
	session_add_size(&row->events, operation->bytes, operation->by_events);
	row->queued += operation->queued;
	rows_were_queued |= operation->queued && row->overhead == OVERHEAD_KERNEL;
	return left_out;
}

bool rows_has_activity(const struct call_record *record)
{
	enum row_kind kind;

	if (!rows_call_name(record->api, &kind))
		return false;
	return (plan.driver_records && kind == ROW_DRIVER_API) ||
	       (plan.runtime_records && (record->flags & CALL_API_ONLY) && !record->operation &&
		kind == ROW_RUNTIME_API && record->api < API_RUNTIME(0));
}

void rows_count_call(const struct call_record *record, const struct range_place *place)
{
	struct row *row = api_row(record->api);
	uint64_t duration = clock_ticks_to_ns(&run.scale, record->duration);
	uint32_t stands_for;

	if (!row || rows_has_activity(record))
		return;
	row->calls++;
	if (record->flags & CALL_FAILED)
		row->failed++;
	if (!record->duration)
		return;
	stands_for = record->flags & CALL_STANDS_FOR_MORE ? RECORDED_CALLS : 1;
	session_add_weighted(run.session, &row->cupti, duration, stands_for);
	ranges_add(place, row, duration, stands_for, CLOCK_NONE);
	if (stands_for > 1)
		estimate_timed(&row->estimate, estimate_call(&row->estimate, stands_for),
			       stands_for, duration);
}

void rows_add_outside(struct operation *operation, int device, uint64_t calls)
{
	struct row *row = calls > 0 ? rows_of(operation, device) : NULL;

	if (!row)
		return;
	row->calls_outside += calls;
	run_count(COUNTER_operations_outside, calls);
}

/* Empties a count of dropped calls. */
static uint32_t take(_Atomic uint32_t *count)
{
	/* Most are 0, and a load takes less. */
	return load_relaxed(count) ? atomic_exchange_explicit(count, 0, memory_order_relaxed) : 0;
}

static void take_lost(struct operation *operation, int device)
{
	uint32_t lost = take(&operation->lost[device]);
	uint32_t outside = take(&operation->lost_outside[device]);
	struct row *row = NULL;

	if ((lost || outside) && run_wants_device(device))
		row = rows_of(operation, device);
	if (!row)
		return;
	row->calls += lost;
	row->untimed[UNTIMED_RING_FULL] += lost;
	row->calls_outside += outside;
	run_count(COUNTER_operations, lost);
	run_count(COUNTER_operations_outside, outside);
}

static _Atomic uint64_t lost_taken; /* the reporter reads it */

void rows_take_lost(void)
{
	/* Acquire: with those of the operations. */
	uint64_t lost = load_acquire(&operation_lost_calls);

	if (lost == load_relaxed(&lost_taken))
		return;
	operations_for_each (operation)
		for (int device = 0; device < SESSION_DEVICES; device++)
			take_lost(operation, device);
	store_relaxed(&lost_taken, lost);
}

uint64_t rows_lost_untaken(void)
{
	uint64_t taken = load_relaxed(&lost_taken);

	return load_relaxed(&operation_lost_calls) - taken;
}

bool rows_were_called(const struct operation *operation)
{
	bool called = operation->calls > 0;

	for (unsigned device = 0; device < SESSION_DEVICES && !called; device++)
		called = load_relaxed(&operation->lost[device]) > 0 ||
			 (operation->rows[device] && operation->rows[device]->calls > 0);
	return called;
}

void rows_add_calls(unsigned api, uint64_t calls)
{
	struct row *row = calls > 0 ? api_row(api) : NULL;

	if (row)
		row->calls += calls;
}

/*
 * Adds the time of an API row's count-only calls, estimated by the calls that were recorded to
 * stand for them. First calls and others that would have been recorded anyway are no measure of
 * them.
 */
static void add_count_only(struct row *row)
{
	uint64_t count_only = row->calls - row->cupti.count;
	struct estimated estimated = estimate_of(&row->estimate, count_only);
	double part = (double)count_only / (double)row->cupti.count;

	if (!(estimated.total > 0)) {
		estimated.total = (double)row->cupti.total * part;
		estimated.squares = row->cupti.squares * part;
	}
	row->cupti.total += (uint64_t)estimated.total;
	row->cupti.squares += estimated.squares;
	row->cupti.count = row->calls;
}

/* CUPTI records a copy without peer access as two, by way of the host (driver 580; nsys shows the
 * same). */
static void warn_of_staged_copies(void)
{
	struct operation *copies = operation_fixed(OPERATION_COPY_PTOP);
	uint64_t staged = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		if (copies->rows[device])
			staged += copies->rows[device]->calls - copies->rows[device]->cupti.count;
	/* If records were dropped, some may be of such copies: then the difference says nothing. */
	if (staged > 0 && staged <= copies->calls &&
	    run.header->counters[COUNTER_cupti_dropped] == 0)
		session_note(
			run.session,
			"Copies between devices without peer access: CUPTI records two copies, "
			"to and from the host; the row PtoP has the whole copies, timed by "
			"events.");
}

void rows_finish(void)
{
	struct row *row;

	session_for_each_row (run.session, row)
		if (row_is_api(row->kind) && row->cupti.count > 0 && row->cupti.count < row->calls)
			add_count_only(row);
	if (plan_is_cupti())
		warn_of_staged_copies();
}
