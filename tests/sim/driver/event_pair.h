/* SPDX-License-Identifier: MIT */
/*
 * What a stream's event pairs hold beyond what operation.h says of the kind of work: by
 * SIM_STARVED_NS, if the device waits between the first event and the work; by SIM_QUEUED_NS around
 * what runs as a kernel, if the device does not wait for the host right before the pair, and comes
 * from no operation whose pair is behind a wait for a word.
 */
#ifndef SIM_DRIVER_EVENT_PAIR_H
#define SIM_DRIVER_EVENT_PAIR_H

#include <stdbool.h>
#include <stdint.h>

/* What the stream was given last: work; a wait; an event; work behind an event; the event behind
 * that. */
enum pair_step { PAIR_NONE, PAIR_WAIT, PAIR_BEGUN, PAIR_WORK, PAIR_ENDED };

struct event_pair {
	enum pair_step step;
	bool gated;	   /* a wait is right before its first event */
	uint64_t hold;	   /* by that; 0: none */
	bool behind_gated; /* directly behind another such pair */
	bool queued;	   /* unless the device waits at the hold */
	bool device_idle;  /* the device waits for the host */
};

/* The stream waits for a word; hold: 0 where it finds it written. */
void event_pair_wait(struct event_pair *pair, uint64_t hold);

/* How much later than what is before it the event is. */
uint64_t event_pair_event(struct event_pair *pair);

/* By how much the work begins later. `busy`: the device has other work of the stream to do. */
uint64_t event_pair_work(struct event_pair *pair, bool kernel, bool busy);

#endif
