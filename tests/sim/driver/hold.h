/* SPDX-License-Identifier: MIT */
/*
 * Streams held by a wait for a word in memory that nobody has written yet. Their work is done at
 * once all the same, but counts as finished only after the word has been written, and its times
 * are known only then: a moment behind a hold is counted from the hold, and moves on with it.
 *
 * The hold ends where the thread that last used the stream was by its own clock at that use, so
 * figures do not depend on when the word is read. CUPTI's records are not held: they come at once,
 * with the times that the work would have had.
 *
 * The device comes to a hold when the work before it has ended. A use of the stream by a thread
 * whose clock has come there does what the device writes in front of the hold, so that the thread
 * can tell from the memory whether the device waits for it; at the latest the end of the hold does.
 * A word that the device writes in front of two holds gets the value of the later one last.
 */
#ifndef SIM_DRIVER_HOLD_H
#define SIM_DRIVER_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A wait: for 4 or 8 bytes, compared as `flags` (CUstreamWaitValue_flags) says. */
struct hold_wait {
	const void *address;
	uint64_t value;
	unsigned int flags;
	size_t size;
};

bool hold_satisfied(const struct hold_wait *wait);

/* A value of 4 or 8 bytes that the device writes. */
struct hold_write {
	void *address;
	uint64_t value;
	size_t size;
};

void hold_do_write(const struct hold_write *write);

/* Holds are numbered from 1. One behind another (0: none) ends after it. 0 without memory. */
uint64_t hold_begin(const struct hold_wait *wait, uint64_t at_ns, uint64_t behind);

/* What the device writes right before it waits at the hold; false without memory. */
bool hold_write_before(uint64_t number, const struct hold_write *write);

/* The stream is used, by a thread whose clock this is. */
void hold_used(uint64_t number, uint64_t host_ns);

/* Whether the device has come to the hold by the clock of the last use of the stream. */
bool hold_waited_at(uint64_t number);

/* Whether a hold has ended, and by how much it then moved on what is behind it. */
bool hold_ended(uint64_t number, uint64_t *moved_ns);

/* Waits until it has ended, without the driver's lock. */
void hold_wait_for(uint64_t number);

#endif
