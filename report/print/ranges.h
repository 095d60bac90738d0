/* SPDX-License-Identifier: MIT */
/* The NVTX ranges of a report, with the GPU time of what was launched in them. One thread at a
 * time.
 */
#ifndef KTIME_REPORT_PRINT_RANGES_H
#define KTIME_REPORT_PRINT_RANGES_H

#include "report/print/filter.h"
#include "report/ranges/range_tree.h"
#include "report/sheet/sheet.h"

struct ranges {
	const struct session *session;
	const struct options *options;
	struct filter filter;
	struct range_tree tree;
	size_t *order;	   /* of the tree's nodes, as they are printed */
	uint64_t gpu_time; /* of all operations, in ranges or not; ns */
};

/* `by_thread`: what several threads did in ranges of one name is told apart. 0 or -errno; free it
 * with ranges_free(). */
int ranges_collect(struct ranges *ranges, const struct session *session,
		   const struct options *options, bool by_thread);
void ranges_free(struct ranges *ranges);
/* The sheet of the tree. */
void ranges_sheet(struct sheet *sheet, const struct ranges *ranges);

#endif
