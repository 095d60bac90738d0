/* SPDX-License-Identifier: MIT */
/* Why kernels are not recorded for a while. */
#ifndef KTIME_CUPTI_PAUSE_REASON_H
#define KTIME_CUPTI_PAUSE_REASON_H

/* Kernels are recorded while none of these stops it. */
enum pause_reason {
	PAUSE_BETWEEN_WINDOWS,
	PAUSE_FOR_COUNTERS, /* of a launch */
	PAUSE_REASONS
};

#endif
