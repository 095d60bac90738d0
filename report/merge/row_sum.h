/* SPDX-License-Identifier: MIT */
/* Adding a row of one profile to a row of another. */
#ifndef KTIME_REPORT_MERGE_ROW_SUM_H
#define KTIME_REPORT_MERGE_ROW_SUM_H

#include "report/session/session.h"

/* Adds all but the times; `clock` is the one that the row of `source` shows. */
void row_sum_counts(struct session *session, struct row *to, const struct session *source,
		    const struct row *from, enum clock_source clock);
/* Adds the times that one clock took. */
void row_sum_figures(struct session *session, struct figures *to, const struct session *source,
		     const struct figures *from);

#endif
