/* SPDX-License-Identifier: MIT */
/* How many bytes the copies of a device move at a time, from copies in the order of their starts.
 */
#ifndef KTIME_REPORT_TIMELINE_RUNNING_COPIES_H
#define KTIME_REPORT_TIMELINE_RUNNING_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ending;

struct running_copies {
	uint64_t bytes; /* of the copies that run, modulo 2^64 */
	struct ending *endings;
	size_t count, room;
};

/*
 * Ends the copy that ends first, if it does at `time` or before: false if none does. `*end` is
 * when, and running->bytes what is left.
 */
bool running_copies_end(struct running_copies *running, uint64_t time, uint64_t *end);
/* Begins a copy, after all that ended by then. 0 or -ENOMEM. */
int running_copies_begin(struct running_copies *running, uint64_t end, uint64_t bytes);
void running_copies_free(struct running_copies *running);

#endif
