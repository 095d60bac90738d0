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
