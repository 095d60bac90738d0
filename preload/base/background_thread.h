/* SPDX-License-Identifier: MIT */
/* ktime's own threads. */
#ifndef KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H
#define KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H

/* Starts a detached thread that takes none of the program's signals; 0 or -errno. Any thread. */
int background_thread_start(void *(*run)(void *));
/*
 * Calls a function on a thread with the stack of a main thread, and waits for its end; 0 or -errno.
 * For others' code, which may use more than ktime's threads have (1 MiB, with the libraries'
 * thread-local variables), and may handle the signals of its own accesses. Any thread.
 */
int background_thread_call(void *(*run)(void *), void *argument);

#endif
