/* SPDX-License-Identifier: MIT */
/*
 * ktime's own threads. Whoever starts one, it has nothing of that thread's: the default scheduling
 * policy, the processors that the process had when libktime.so was loaded, and all signals blocked,
 * so that one that the program takes itself, as by sigwait() or signalfd(), does not come here. A
 * thread that inherited SCHED_FIFO and one processor from a program that computes there without a
 * pause would never run.
 *
 * All are started with ktime: a program that has sandboxed itself later may not be able to start
 * one, or be ended for it.
 */
#ifndef KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H
#define KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a detached thread, which has this name; 0 or -errno. One thread at a time calls this. */
int background_thread_start(void *(*run)(void *), const char *name);
/*
 * Waits until all threads have begun, this long at most: until then they are libc's, which makes
 * system calls for them and ends the process if one is refused, as by the filter of a program that
 * sandboxes itself.
 */
void background_threads_wait(uint64_t nanoseconds);

/* Blocks signals in the calling thread, as in ktime's: for others' threads that it starts. */
void background_thread_block_signals(sigset_t *before);

/*
 * Whether the signal that the calling thread has got, of those that a thread's own instructions
 * raise, was sent to the process and came to a thread of ktime's because the program blocks it.
 * Then it is sent once more, for the program to take, and stays blocked in this thread. For signal
 * handlers, with the handler's arguments.
 */
bool background_thread_returns_signal(int signal, siginfo_t *info, void *context);

/*
 * A thread for work that comes up later, which other work must not wait for. `for_others`: others'
 * code is called in it, and has the stack of a main thread. 0 or -errno. Once.
 */
int spare_thread_start(bool for_others);
/* Has it call a function; 0, or -EBUSY while it is in an earlier call, or -EAGAIN where there is no
 * such thread. One thread at a time calls this. */
int spare_thread_call(void (*function)(void *), void *argument);
/* Waits until it has returned from its last call; false if it has not at `end`, CLOCK_MONOTONIC in
 * nanoseconds. */
bool spare_thread_wait(uint64_t end);

#endif
