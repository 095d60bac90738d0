/* SPDX-License-Identifier: MIT */
/* Copies between host and device that are so slow for their size that their memory seems to be
 * pageable. */
#ifndef KTIME_REPORT_RATES_SLOW_COPIES_H
#define KTIME_REPORT_RATES_SLOW_COPIES_H

#include "report/session/session.h"

struct slow_copies {
	uint64_t time, at_peak;	      /* on the GPU, and at the link's peak; ns */
	double least, most;	      /* percent of the peak, by direction */
	const struct device_info *of; /* whose link it is */
};

/* False: there are none, or the link is not known. */
bool slow_copies_find(const struct session *session, struct slow_copies *copies);

#endif
