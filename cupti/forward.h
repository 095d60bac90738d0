/* SPDX-License-Identifier: MIT */
/*
 * What a program that uses CUPTI itself gets of the records: each one that it would have had
 * without ktime, in buffers of its own, through its own callbacks. CUPTI fills only ktime's
 * buffers; the program's are filled here from those. So none of the program's buffers holds a
 * record that it did not ask for, and none is requested while it has nothing turned on.
 *
 * No lock is held while a callback of the program's runs.
 */
#ifndef KTIME_CUPTI_FORWARD_H
#define KTIME_CUPTI_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/library.h"

/* The program's callbacks; the last registered ones count, as in CUPTI. Any thread. */
void forward_register(CUpti_BuffersCallbackRequestFunc requested,
		      CUpti_BuffersCallbackCompleteFunc completed);
/* The program's callbacks; false where it has none. Any thread. */
bool forward_registered(CUpti_BuffersCallbackRequestFunc *requested,
			CUpti_BuffersCallbackCompleteFunc *completed);

/*
 * Requests a buffer from the program if it wants records and none is at hand: CUPTI would at its
 * next record, and a profiler may ask what it gave out before it asks for what came back.
 */
void forward_prepare(void);
/* Copies the records that the program wants from a buffer that CUPTI filled. Any thread. */
void forward_records(const struct cupti_functions *cupti, uint8_t *data, size_t valid);
/* Hands the program what it has not got yet. Called by its own flush. */
void forward_flush(void);
/*
 * A buffer of the program's that CUPTI got before ktime was there and has completed now: takes out
 * what the program did not ask for and hands it over.
 */
void forward_foreign(const struct cupti_functions *cupti, CUcontext context, uint32_t stream_id,
		     uint8_t *data, size_t size, size_t valid);

/* Records that CUPTI says it dropped when ktime asked: the program is told at its own asking. */
void forward_note_dropped(size_t count);
size_t forward_take_dropped(void);

/* After cuptiFinalize: forgets the program's buffer, callbacks and clock; calls nothing. Any
 * thread.
 */
void forward_clear(void);
/* In a forked child: the same, whichever thread of the parent held the lock. */
void forward_reset(void);

#endif
