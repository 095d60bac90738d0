/* SPDX-License-Identifier: MIT */
/* The totals of rows whose operations were partly recorded in windows: the sum over the graphs that
 * have the row's operation as a node, and over its launches by itself. For the collector thread
 * only. */
#ifndef KTIME_PRELOAD_RECORDING_ROW_TOTALS_H
#define KTIME_PRELOAD_RECORDING_ROW_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/handles/operation.h"
#include "report/session/estimate.h"

/* `row_of` gives the row of an operation on a device; NULL if there is no room for it. */
void row_totals_start(struct session *session,
		      struct row *(*row_of)(struct operation *operation, int device));
/* Between these two calls all totals are made anew; the second stores them in the rows. */
void row_totals_begin(void);
void row_totals_end(void);
/* Adds nodes that ran, counted; `unknown`: of their time nothing is known. */
void row_totals_count(struct operation *operation, uint32_t device, uint64_t nodes, bool unknown);
/* Nodes that ran, estimated, those that were counted among them. */
void row_totals_estimate_count(struct operation *operation, uint32_t device, uint64_t nodes);
/* Operations launched by themselves of whose time nothing is known, though that of others in the
 * row is. */
void row_totals_unknown(struct operation *operation, uint32_t device, uint64_t calls);
/* Adds a time; `sampled`: not all that it is of was recorded. */
void row_totals_add(struct operation *operation, uint32_t device, const struct estimated *time,
		    bool sampled);

#endif
