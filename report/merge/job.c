/* SPDX-License-Identifier: MIT */
#include "report/merge/job.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

struct node {
	uint64_t name; /* offset of a string: the same text has one offset */
	UT_hash_handle hh;
};

size_t job_nodes(const struct session *session)
{
	const struct job_process *process;
	struct node *nodes = NULL, *node, *next;
	size_t count;

	session_for_each_process(session, process)
	{
		HASH_FIND(hh, nodes, &process->hostname, sizeof(node->name), node);
		node = node ? NULL : calloc(1, sizeof(*node));
		if (!node)
			continue;
		node->name = process->hostname;
		HASH_ADD(hh, nodes, name, sizeof(node->name), node);
		if (!node->hh.tbl)
			free(node);
	}
	count = HASH_COUNT(nodes);
	HASH_ITER (hh, nodes, node, next) {
		HASH_DEL(nodes, node);
		free(node);
	}
	return count;
}

int job_missing(const struct session *session, struct rank_range **ranges, size_t *count)
{
	/* A damaged file may claim any size. */
	int32_t size = session_header(session)->rank.world_size;
	const struct job_process *process;
	unsigned char *there;

	*ranges = NULL;
	*count = 0;
	if (size <= 0 || size > 1 << 24)
		return 0;
	there = calloc((size_t)size, 1);
	*ranges = there ? calloc((size_t)size / 2 + 1, sizeof(**ranges)) : NULL;
	if (!*ranges) {
		free(there);
		return -ENOMEM;
	}
	session_for_each_process(session,
				 process) if (process->rank.rank >= 0 && process->rank.rank < size)
		there[process->rank.rank] = 1;
	for (int rank = 0; rank < size; rank++) {
		if (there[rank])
			continue;
		if (rank == 0 || there[rank - 1])
			(*ranges)[(*count)++].first = rank;
		(*ranges)[*count - 1].last = rank;
	}
	free(there);
	return 0;
}

uint64_t job_own_work(const struct job_process *process)
{
	return process->gpu > process->collectives ? process->gpu - process->collectives : 0;
}

uint64_t job_idle(const struct job_process *process)
{
	return process->device_time > process->busy ? process->device_time - process->busy : 0;
}

double job_imbalance(const struct job_row *row)
{
	return row->total > 0 ? (double)row->maximum * (double)row->processes / row->total : 1;
}

static int compare_own_work(const void *left, const void *right)
{
	const struct job_process *a = *(const struct job_process *const *)left;
	const struct job_process *b = *(const struct job_process *const *)right;
	uint64_t own_a = job_own_work(a), own_b = job_own_work(b);

	if (own_a != own_b)
		return own_a > own_b ? -1 : 1;
	if (a->rank.rank != b->rank.rank)
		return a->rank.rank < b->rank.rank ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

const struct job_process **job_slowest_first(const struct session *session, size_t *count)
{
	const struct job_process *process, **processes;
	size_t all = 0;

	*count = 0;
	session_for_each_process(session, process) all++;
	processes = calloc(all + 1, sizeof(*processes));
	if (!processes)
		return NULL;
	/* Some may come while they are read. */
	session_for_each_process(session, process) if (*count < all) processes[(*count)++] =
		process;
	if (*count > 0)
		qsort(processes, *count, sizeof(*processes), compare_own_work);
	return processes;
}

static int compare_total(const void *left, const void *right)
{
	const struct job_row *a = *(const struct job_row *const *)left;
	const struct job_row *b = *(const struct job_row *const *)right;

	return a->total != b->total ? (a->total > b->total ? -1 : 1)
				    : (a->name < b->name ? -1 : a->name > b->name);
}

const struct job_row **job_longest_first(const struct session *session, bool of_ranges,
					 size_t *count)
{
	const struct job_row *row, **rows;
	size_t all = 0;

	*count = 0;
	session_for_each_job_row(session, row) all++;
	rows = calloc(all + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	session_for_each_job_row(session,
				 row) if (*count < all && (of_ranges ? row->kind == ROW_RANGE
								     : row_is_gpu(row->kind)))
		rows[(*count)++] = row;
	if (*count > 0)
		qsort(rows, *count, sizeof(*rows), compare_total);
	return rows;
}
