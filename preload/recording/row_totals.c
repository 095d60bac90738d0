/* SPDX-License-Identifier: MIT */
#include "preload/recording/row_totals.h"

#include <math.h>
#include <stdlib.h>
#include <uthash.h>

struct total {
	uint64_t nodes, estimated_nodes;
	uint64_t unknown; /* operations of whose time nothing is known */
	double time, error;
	bool sampled;
};

struct key {
	struct operation *operation;
	uint32_t device, unused;
};

struct row_total {
	struct key key;
	struct total total;
	UT_hash_handle link;
};

static struct session *session;
static struct row *(*row_of)(struct operation *operation, int device);
static struct row_total *entries;

void row_totals_start(struct session *the_session,
		      struct row *(*the_row_of)(struct operation *operation, int device))
{
	session = the_session;
	row_of = the_row_of;
}

void row_totals_begin(void)
{
	struct row_total *found, *next;

	HASH_ITER (link, entries, found, next)
		found->total = (struct total){.time = 0};
}

static struct total *total_of(struct operation *operation, uint32_t device, bool add)
{
	struct key key = {.operation = operation, .device = device};
	struct row_total *found = NULL;

	HASH_FIND(link, entries, &key, sizeof(key), found);
	if (found || !add)
		return found ? &found->total : NULL;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->key = key;
	HASH_ADD(link, entries, key, sizeof(found->key), found);
	if (!found->link.tbl) {
		free(found);
		return NULL;
	}
	return &found->total;
}

void row_totals_count(struct operation *operation, uint32_t device, uint64_t nodes, bool unknown)
{
	struct total *total = total_of(operation, device, true);

	if (!total)
		return;
	total->nodes += nodes;
	if (unknown)
		total->unknown += nodes;
}

void row_totals_estimate_count(struct operation *operation, uint32_t device, uint64_t nodes)
{
	struct total *total = total_of(operation, device, true);

	if (total)
		total->estimated_nodes += nodes;
}

void row_totals_add(struct operation *operation, uint32_t device, const struct estimated *time,
		    bool sampled)
{
	struct total *total = total_of(operation, device, true);

	if (!total)
		return;
	total->time += time->total;
	/* A NAN stays one. */
	total->error = sqrt(total->error * total->error + time->error * time->error);
	total->sampled |= sampled;
}

void row_totals_unknown(struct operation *operation, uint32_t device, uint64_t calls)
{
	struct total *total = total_of(operation, device, false);

	if (total)
		total->unknown += calls;
}

/* If there are some of whose time nothing is known they are taken to be like the others. */
static void complete(struct total *total, uint64_t calls)
{
	uint64_t known = calls > total->unknown ? calls - total->unknown : 0;

	if (!total->unknown)
		return;
	total->sampled = true;
	total->error = NAN;
	total->time = known ? total->time * (double)calls / (double)known : 0;
}

void row_totals_end(void)
{
	struct row_total *found, *next;
	uint64_t nodes = 0;

	HASH_ITER (link, entries, found, next) {
		struct total *total = &found->total;
		struct row *row = row_of(found->key.operation, (int)found->key.device);

		if (!row)
			continue;
		if (total->estimated_nodes > total->nodes) {
			row->node_calls_estimated = total->estimated_nodes - total->nodes;
			total->nodes = total->estimated_nodes;
		}
		complete(total, row->calls + total->nodes);
		row->node_calls = total->nodes;
		row->windows_error = total->error;
		row->windows_total = total->sampled ? total->time : 0;
		nodes += total->nodes;
	}
	session_header(session)->counters[COUNTER_graph_node_calls] = nodes;
}
