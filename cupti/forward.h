/* SPDX-License-Identifier: MIT */
/*
 * Forwarding records to a program that uses CUPTI itself: it gets each record that it would get
 * without ktime, in its own buffers, through its own callbacks. CUPTI fills only ktime's buffers,
 * from which the program's are filled here. So the program's buffers hold no record that it did not
 * ask for, and none is requested while it has nothing enabled.
 *
 * No lock is held while a callback of the program runs.
 */
#ifndef KTIME_CUPTI_FORWARD_H
#define KTIME_CUPTI_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/library.h"

/* Sets the program's callbacks; the last ones registered count, as in CUPTI. Any thread. */
void forward_register(CUpti_BuffersCallbackRequestFunc requested,
		      CUpti_BuffersCallbackCompleteFunc completed);
/* The program's callbacks; false if it has none. Any thread. */
bool forward_registered(CUpti_BuffersCallbackRequestFunc *requested,
			CUpti_BuffersCallbackCompleteFunc *completed);

/*
 * Requests a buffer from the program if it has activity kinds enabled and there is none. CUPTI
 * would do that at its next record, and some profilers check that a buffer was requested before
 * they look for completed ones.
 */
void forward_prepare(void);
/* Copies the records that the program asked for out of a buffer that CUPTI has filled. Any
 * thread. */
void forward_records(const struct cupti_functions *cupti, uint8_t *data, size_t valid);
/* Hands over the part-filled buffer; to be called when the program flushes. */
void forward_flush(void);
/* Hands over a buffer of the program that CUPTI had got before ktime was there and has completed
 * now, without the records that the program did not ask for. */
void forward_foreign(const struct cupti_functions *cupti, CUcontext context, uint32_t stream_id,
		     uint8_t *data, size_t size, size_t valid);

/* The number of records that CUPTI reported as dropped when ktime asked, kept for when the program
 * asks. */
void forward_note_dropped(size_t count);
size_t forward_take_dropped(void);

/* To be called after cuptiFinalize(): forgets the program's buffer, callbacks and clock, and calls
 * none of them. Any thread. */
void forward_clear(void);
/* For a forked child: forgets the same, and frees the lock, whichever thread of the parent
 * held it. */
void forward_reset(void);

#endif
