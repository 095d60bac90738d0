/* SPDX-License-Identifier: MIT */
/*
 * A libcupti for unit tests: it keeps what it was asked for, and hands out the records that a test
 * gives it as CUPTI would, in buffers that it requests and completes. Found through CUDA_HOME.
 */
#ifndef KTIME_TESTS_UNIT_FAKE_CUPTI_H
#define KTIME_TESTS_UNIT_FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cupti.h>

#define FAKE_KINDS	64
#define FAKE_CALLBACKS	600
/* CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, _PER_THREAD_ACTIVITY_BUFFER: not in older
 * headers.
 */
#define FAKE_ZEROED	5
#define FAKE_PER_THREAD 9

struct fake_cupti {
	uint32_t version; /* FAKE_CUPTI_VERSION in the environment, else 130000 */
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;
	CUpti_TimestampCallbackFunc clock;
	bool kinds[FAKE_KINDS];
	bool call_off[FAKE_CALLBACKS]; /* runtime calls turned off in the runtime kind */
	uint64_t now;		       /* what cuptiGetTimestamp says */
	uint8_t per_thread;	       /* whether each thread has buffers of its own */
	uint8_t zeroed;		       /* whether it was told that buffers come cleared */
	unsigned dirty;		       /* buffers that did not */
	CUptiResult attribute_answer;  /* of asking about that, and of telling it */
	size_t dropped;		       /* what cuptiActivityGetNumDroppedRecords will say once */
	unsigned flushes, forced_flushes, finalized;
	CUptiResult answer; /* of every call that can fail, while it is not CUPTI_SUCCESS */
	uint32_t refused_kind;
	/* Called within cuptiActivityEnable and cuptiFinalize; NULL for nothing. */
	void (*enabling)(void), (*finalizing)(void);

	uint8_t *buffer; /* the one being filled */
	size_t size, used;
	size_t lost; /* records that came while a buffer was refused */

	/* Adds a record whose kind is on; completes the buffer where it is full. */
	void (*record)(const void *record, size_t size);
	/* Completes the buffer being filled, without requesting another. */
	void (*complete)(void);
};

#endif
