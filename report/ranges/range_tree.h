/* SPDX-License-Identifier: MIT */
/*
 * The NVTX ranges of a session as a tree: a range inside of another one is its child. What the
 * session holds by thread is one node here unless the threads are to be told apart. Ranges that
 * were closed while nothing was recorded are not in it. One thread at a time.
 */
#ifndef KTIME_REPORT_RANGES_RANGE_TREE_H
#define KTIME_REPORT_RANGES_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/items.h"

#define RANGE_NO_PARENT SIZE_MAX

/* GPU operations and how long they took together, in nanoseconds. */
struct range_sum {
	double operations;
	uint64_t time;
	bool estimated;	 /* from a sample of them */
	double variance; /* ns^2: the square of half the interval of an estimate; 0: not known */
};

struct range_node {
	const struct nvtx_range *range; /* the first of those that are one here */
	size_t parent;			/* its index, which is lower; or RANGE_NO_PARENT */
	unsigned depth;
	uint64_t calls, total, minimum, maximum; /* on the host; ns */
	uint32_t known;				 /* enum figure_known */
	uint64_t open;				 /* how many of the calls were open at the end */
	size_t first_part, part_count;		 /* which of the tree's parts are its own */
	/* Launches in it, and in those inside of it, of graphs whose nodes count elsewhere. */
	uint64_t launches;
	struct range_sum own, all; /* launched in the range alone, and also in those inside of it */
};

struct range_tree {
	struct range_node *nodes;
	size_t count;
	const struct nvtx_part **parts; /* by their nodes */
	struct entry *ranges; /* while it is built: nodes by the offsets of their ranges */
};

/*
 * Whether an operation's row counts, and what a call of it takes on average, in nanoseconds, for
 * those that were not timed; `argument` is the caller's.
 */
typedef bool range_filter(const struct row *row, double *average, void *argument);

/*
 * What a part of a range counts for, `average` being what a call takes that was not timed. A graph
 * launch whose nodes were recorded is in their rows already; one of which nothing was, is not, but
 * for the share that counts in the ranges that its nodes were captured in. Where no node of the run
 * was recorded, the time of graphs is that of their launches.
 */
struct range_sum range_part_sum(const struct session *session, const struct nvtx_part *part,
				const struct row *row, double average);

/* 0 or -ENOMEM. To be freed also if it fails. */
int range_tree_build(struct range_tree *tree, const struct session *session, bool by_thread,
		     range_filter *shows, void *argument);
void range_tree_free(struct range_tree *tree);

/* The tree's nodes from the top down, each followed by those inside of it, among those of one
 * parent the one with most GPU time first. The caller frees them; NULL if memory is out. */
size_t *range_order(const struct range_tree *tree);

#endif
