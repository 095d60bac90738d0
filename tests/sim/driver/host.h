/* SPDX-License-Identifier: MIT */
/*
 * Host functions run on a thread of the driver's, one after the other, while the program goes on:
 * one may wait for what the program does after it. Work behind it in its stream is done at once
 * all the same, but counts as finished only when it has returned.
 */
#ifndef SIM_DRIVER_HOST_H
#define SIM_DRIVER_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Each has a number, from 1, in the order of the calls. */
void host_enqueue(void (*function)(void *), void *argument);
uint64_t host_last(void);

/* Whether the calling thread is in one, which must not call the driver. */
bool host_is_calling(void);

/* Whether the function of that number has returned, as all before it have then. */
bool host_done(uint64_t number);

/* Waits for it, without the driver's lock. */
void host_wait(uint64_t number);

#endif
