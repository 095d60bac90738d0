/* SPDX-License-Identifier: MIT */
#include "preload/recording/launch_costs.h"

#include "preload/handles/graph_contents.h"

/*
 * In nanoseconds (H200, driver 580, CUPTI 13.0). The program waits for the call where the device
 * has nothing to do meanwhile; else it costs the device's time alone.
 *
 * Started and not recording: a loop of empty kernels went from 3.45 to 4.0 us a launch, in some
 * runs by more than 1 us; a graph of 203 nodes that the host waited for at each launch from 671 to
 * 770 us; one of 100 empty kernels, queued, from 51.1 to 52.2 us, and to 61.4 if it was made before
 * CUPTI was started.
 */
#define CALL_STANDING_NS	2000.0
#define NODE_STANDING_NS	500.0
#define QUEUED_STANDING_NS	100.0
#define NODE_QUEUED_STANDING_NS 12.0
#define NODE_QUEUED_LATE_NS	100.0
/* Recording: as much again in the call; on the device as cost.c has it. A node: see docs/design.md.
 */
#define CALL_RECORDING_NS	2000.0
#define KERNEL_RECORDING_NS	300.0
#define COPY_RECORDING_NS	1300.0
#define NODE_RECORDING_NS	1200.0
/* A graph of 1,000 nodes, 300 of them copies and memsets, went from 2.48 to 2.56 ms with these
 * alone recorded. */
#define NODE_COPY_NS		300.0

/* How many of an operation's launches the device was idle before, as its event pairs say. */
static double idle_part(const struct operation *operation)
{
	uint64_t pairs = 0, idle = 0;

	for (unsigned device = 0; device < SESSION_DEVICES; device++) {
		const struct row *row = operation->rows[device];

		if (!row)
			continue;
		pairs += row->events.count;
		idle += row->gated + row->may_wait;
	}
	return idle < pairs ? (double)idle / (double)pairs : 1;
}

static void add_graph(struct launch_costs *costs, const struct operation *operation, double idle,
		      double launches, bool late)
{
	const struct graph_contents *contents =
		atomic_load_explicit(&operation->contents, memory_order_acquire);
	double nodes = contents ? contents->recorded : 1;
	double queued = late ? NODE_QUEUED_LATE_NS : NODE_QUEUED_STANDING_NS;
	double copies = contents ? contents->copies : 0;

	costs->standing += launches * idle * (CALL_STANDING_NS + nodes * NODE_STANDING_NS);
	costs->standing += launches * (1 - idle) * nodes * queued;
	costs->copies += launches * copies * NODE_COPY_NS;
	costs->recording += launches * (nodes - copies) * NODE_RECORDING_NS;
}

static void add_other(struct launch_costs *costs, const struct operation *operation, double idle,
		      double launches)
{
	double queued = operation->kind == ROW_MEMCPY ? COPY_RECORDING_NS : KERNEL_RECORDING_NS;
	double recording = launches * (idle * CALL_RECORDING_NS + (1 - idle) * queued);

	costs->standing += launches * (idle * CALL_STANDING_NS + (1 - idle) * QUEUED_STANDING_NS);
	if (operation->kind == ROW_KERNEL)
		costs->recording += recording;
	else
		costs->copies += recording;
}

struct launch_costs launch_costs_take(bool late)
{
	struct launch_costs costs = {0};

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		uint64_t launches = operation->calls - operation->calls_costed;

		operation->calls_costed = operation->calls;
		if (!launches)
			continue;
		costs.launches += launches;
		if (operation->kind == ROW_GRAPH)
			add_graph(&costs, operation, idle_part(operation), (double)launches, late);
		else
			add_other(&costs, operation, idle_part(operation), (double)launches);
	}
	return costs;
}
