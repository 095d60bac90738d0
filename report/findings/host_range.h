/* SPDX-License-Identifier: MIT */
/* Where the host's time went by NVTX ranges, which say in the program's own words what it did while
 * the GPU was idle. */
#ifndef KTIME_REPORT_FINDINGS_HOST_RANGE_H
#define KTIME_REPORT_FINDINGS_HOST_RANGE_H

#include <stdint.h>

#include "report/findings/functions.h"
#include "report/ranges/range_tree.h"

/* A range without those inside of it; nanoseconds. */
struct host_range {
	const struct nvtx_range *range; /* NULL: there is none */
	const struct nvtx_range *in;	/* the range around it; NULL: none */
	uint64_t time;			/* of the host */
	uint64_t around;		/* of the host in `in`, with all that is inside of it */
	uint64_t gpu;	  /* of the operations that were launched in the range by its thread */
	uint64_t outside; /* of those launched outside of ranges, if several threads launched */
};

/* The session's ranges as a tree, to be freed with range_tree_free(); empty where there are none,
 * or memory is out. */
struct range_tree finding_ranges(const struct session *session);

/*
 * The range in which the host spent most time beyond the GPU time that it launched there. Times of
 * threads that were in ranges of one name at once add up. None where memory is out, or no range is.
 */
struct host_range host_range_find(const struct session *session, const struct range_tree *tree);

/* The range that has most of the functions' calls, without those in ranges inside of it. */
struct call_range {
	const struct nvtx_range *range; /* NULL: there is none */
	uint64_t calls;
};
struct call_range call_range_find(const struct session *session, const struct range_tree *tree,
				  const struct functions *functions);

#endif
