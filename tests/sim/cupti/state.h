/* SPDX-License-Identifier: MIT */
/* What the simulated CUPTI was asked for, and what a test sets in it: it is found by dlsym. */
#ifndef SIM_CUPTI_STATE_H
#define SIM_CUPTI_STATE_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/cupti/driver.h"

#define CALLS_MAX	     1024
/* CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER and _PER_THREAD_ACTIVITY_BUFFER: not in older
 * headers. */
#define ATTRIBUTE_ZEROED     5
#define ATTRIBUTE_PER_THREAD 9

struct sim_cupti {
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;
	CUpti_TimestampCallbackFunc clock;
	_Atomic bool kinds[CUPTI_ACTIVITY_KIND_COUNT];
	_Atomic unsigned kernels_enabled;     /* how often */
	_Atomic bool calls_off[2][CALLS_MAX]; /* of the driver, of the runtime */
	uint8_t zeroed;			      /* whether it was told that buffers come cleared */
	size_t dropped;			      /* not yet asked about */
	unsigned flushes, forced_flushes, finalized;

	/*
	 * A test's own driver in place of libcuda. Buffers then go back at once and in the thread
	 * that fills them, and hold what the test records alone.
	 */
	const struct cupti_driver *driver;
	unsigned dirty;		      /* buffers that came to such a test with something in them */
	bool shared_buffers;	      /* not one for each thread */
	CUptiResult attribute_answer; /* of asking about that, and of telling it */
	CUptiResult answer; /* of every call that can fail, while it is not CUPTI_SUCCESS */
	CUpti_ActivityKind refused_kind;
	/* Called within cuptiActivityEnable and cuptiFinalize; NULL for nothing. */
	void (*enabling)(void), (*finalizing)(void);
	/* Adds a record whose kind is on. */
	void (*record)(const void *record, size_t size);
};

extern struct sim_cupti sim_cupti;

#endif
