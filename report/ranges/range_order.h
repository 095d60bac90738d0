/* SPDX-License-Identifier: MIT */
/* The order in which a tree of NVTX ranges is printed. */
#ifndef KTIME_REPORT_RANGES_RANGE_ORDER_H
#define KTIME_REPORT_RANGES_RANGE_ORDER_H

#include "report/ranges/range_tree.h"

/* The tree's nodes from the top down, each followed by those inside of it, among those of one
 * parent the one with most GPU time first. The caller frees them; NULL if memory is out. */
size_t *range_order(const struct range_tree *tree);

#endif
