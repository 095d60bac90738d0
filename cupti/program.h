/* SPDX-License-Identifier: MIT */
/*
 * The clock that a program gives CUPTI for the times in its records
 * (cuptiActivityRegisterTimestampCallback). PyTorch's profiler gives it the processor's cycle
 * counter. CUPTI has one clock for the whole process, and with that one a kernel of 4.5 us was
 * recorded with 9.5 (H200, CUPTI 13.0). So while ktime collects, CUPTI does not get the program's
 * clock: ktime's records stay in nanoseconds, and the times in records for the program are
 * converted here.
 */
#ifndef KTIME_CUPTI_PROGRAM_H
#define KTIME_CUPTI_PROGRAM_H

#include <cupti.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the program's clock; NULL for none. This and program_clock_read() call the clock, with no
 * lock held, on any thread, as CUPTI would. All functions here: any thread. */
void program_clock_set(CUpti_TimestampCallbackFunc clock);
/* The program's clock, or NULL if it uses CUPTI's. */
CUpti_TimestampCallbackFunc program_clock(void);

/* CUPTI's default clock, which it keeps while ktime collects: CLOCK_REALTIME in nanoseconds. */
uint64_t program_clock_of_cupti(void);

/* Reads both clocks, to convert the records that follow. Does nothing without a clock of the
 * program. */
void program_clock_read(void);

/* Converts `time` on CUPTI's clock to the program's clock, by two readings of both clocks. */
struct clock_reading {
	uint64_t cupti, program;
};

uint64_t program_clock_at(const struct clock_reading *earlier, const struct clock_reading *later,
			  uint64_t time);

/*
 * Forwarding records to a program that uses CUPTI itself: it gets each record that it would get
 * without ktime, in its own buffers, through its own callbacks. CUPTI fills only ktime's buffers,
 * from which the program's are filled here. So the program's buffers hold no record that it did not
 * ask for, and none is requested while it has nothing enabled.
 *
 * No lock is held while a callback of the program runs.
 */

struct program_callbacks {
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;
};
/* Sets the program's callbacks; the last ones registered count, as in CUPTI. Any thread. */
void forward_register(struct program_callbacks callbacks);
/* The program's callbacks, both NULL if it has none. Any thread. */
struct program_callbacks forward_registered(void);

/*
 * Requests a buffer from the program if it has activity kinds enabled and there is none. CUPTI
 * would do that at its next record, and some profilers check that a buffer was requested before
 * they look for completed ones.
 */
void forward_prepare(void);
/* Copies the records that the program asked for out of a buffer that CUPTI has filled. Any
 * thread. */
void forward_records(uint8_t *data, size_t valid);
/* Hands over the part-filled buffer; to be called when the program flushes. */
void forward_flush(void);
/* Hands over a buffer of the program that CUPTI had got before ktime was there and has completed
 * now, without the records that the program did not ask for. */
void forward_foreign(CUcontext context, uint32_t stream_id, uint8_t *data, size_t size,
		     size_t valid);

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
