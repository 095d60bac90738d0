/* SPDX-License-Identifier: MIT */
/* What of a run was before the first operation of its GPUs, and after their last: how long, and
 * what the host did there as far as its calls tell. */
#ifndef KTIME_REPORT_FINDINGS_OUTSIDE_H
#define KTIME_REPORT_FINDINGS_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* One of the two parts; nanoseconds. */
struct outside {
	uint64_t time;
	const struct row *call; /* NULL: no call is known to have had much of it */
	uint64_t in_call;
	bool certain;	  /* that the call was in this part */
	uint64_t no_call; /* at least so long the host was in no CUDA call; 0: that is not known */
};

/* Fills in both parts of a run, before the devices' work and after it. `devices`: a bit for each to
 * look at. False: it is not known when they worked first and last. */
bool outside_find(const struct session *session, uint64_t devices, struct outside *before,
		  struct outside *after);

#endif
