/* SPDX-License-Identifier: MIT */
/*
 * Virtual time, in nanoseconds.
 *
 * A thread's clock advances by a fixed cost per call that submits work, and to the end of what it
 * waits for. Calls that only ask, and events, cost nothing: a tool that adds them changes no
 * figure. A stream's work starts where the work before it ended, and at the thread's clock only
 * when the stream was idle since a wait: a pair of events around an operation thus measures the
 * operation's time and the bias of its kind, whatever the host does meanwhile.
 *
 * Work is finished for a query when some thread's clock has passed its end. A query that finds it
 * unfinished moves the device on by SIM_POLL_NS, so that polling ends.
 */
#ifndef SIM_DRIVER_TIMELINE_H
#define SIM_DRIVER_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

enum timeline_cost {
	TIMELINE_SUBMIT_NS = 2000, /* host time of a call that submits work */
	TIMELINE_CALL_NS = 500,	   /* what records say of a call that costs nothing */
};

/* The calling thread's clock. */
uint64_t timeline_host_ns(void);
void timeline_spend_host(uint64_t ns);
/* Takes the calling thread to where the process is. */
void timeline_catch_up(void);

/* What a call costs the host beyond that, by SIM_CALL_NS; 0 for most. */
uint64_t timeline_call_cost_ns(const char *entry);

/*
 * For programs that say what the host does between calls, and for a build of ktime that takes its
 * times from here: the calling thread's clock, or the device's if it has submitted no work; and the
 * host's own time, up to a certain moment or for a while. Without the driver's lock.
 */
__attribute__((visibility("default"))) uint64_t sim_clock_ns(void);
__attribute__((visibility("default"))) void sim_clock_wait_until(uint64_t ns);
__attribute__((visibility("default"))) void sim_clock_spend(uint64_t ns);

/* When a call that began at start_ns and ends now ends in its record. */
uint64_t timeline_call_end_ns(uint64_t start_ns);

/*
 * A point in a stream: its time, the last host function that has to return before it, and the hold
 * (hold.h) that has to end before it and then moves the time on.
 */
struct moment {
	uint64_t ns;
	uint64_t host;
	uint64_t hold;
};

/* Makes the time final where the hold has ended. */
void timeline_settle(struct moment *moment);

/* Moves the moment on to the other where that is later. */
void timeline_follow(struct moment *moment, const struct moment *other);

/* The calling thread waits for the moment, without the driver's lock where that takes long. */
void timeline_wait(struct moment moment);

/* Whether the moment is past; moves the device on where it is not. */
bool timeline_finished(const struct moment *moment);

/* As timeline_finished, and moves nothing. */
bool timeline_passed(const struct moment *moment);

/* The furthest that any thread has seen; a step further if advance. */
uint64_t timeline_device_ns(bool advance);

#endif
