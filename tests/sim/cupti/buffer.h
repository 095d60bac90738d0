/* SPDX-License-Identifier: MIT */
/*
 * The buffers that the tool gives and gets back.
 *
 * A buffer goes back once it is full, by CUPTI's own thread, or at a flush; and only when the
 * device has finished everything in it, but for a forced flush, where records of unfinished work
 * have no times. No lock is held while the tool's completion callback runs.
 */
#ifndef SIM_CUPTI_BUFFER_H
#define SIM_CUPTI_BUFFER_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void buffer_set_callbacks(CUpti_BuffersCallbackRequestFunc requested,
			  CUpti_BuffersCallbackCompleteFunc completed);

/*
 * Puts a record into the current buffer. end_ns is when the work it tells of ends. Records that
 * find no room are counted as dropped.
 */
void buffer_add(const void *record, size_t size, uint64_t end_ns);

/* The ends of the kernels of this call are lost: they are when their buffer goes back. */
void buffer_lose_ends(uint32_t correlation);

void buffer_flush(bool forced);
void buffer_flush_every(uint32_t milliseconds);

/* The records dropped since the last call. */
size_t buffer_dropped(void);
void buffer_drop(void);

/* Whether each thread fills a buffer of its own. */
bool buffer_by_thread(void);

CUptiResult buffer_next_record(uint8_t *buffer, size_t size, CUpti_Activity **record);

/* Whether records of overhead are wanted: one per buffer given back. */
void buffer_want_overhead(bool wanted);

#endif
