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

/*
 * What ktime's own threads do by system calls that a program's sandbox may refuse, or end the
 * process for: opening a file, asking the kernel about memory. They ask here before, and do without
 * once the program is about to sandbox itself.
 */

/* False: there are to be no such calls any more. Otherwise sandbox_calls_end() follows them. */
bool sandbox_calls_begin(void);
void sandbox_calls_end(void);
/* No such call begins from now on. Waits for those of other threads, 0.1 s at most. */
void sandbox_close(void);

/*
 * For ktime's threads, at their begin and end. A sanitizer sees what a library that is not built
 * with it does through libc's functions, but neither its atomics nor its stores: the thread
 * sanitizer would report races between memory that one thread allocated and another one's strlen,
 * the memory sanitizer bytes that were never written, and the program would end with an error.
 * Where ktime is built with a sanitizer itself, it is to be seen.
 */

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED true
#endif
#elif defined(__SANITIZE_THREAD__)
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* There if the program is built with one of the two. */
#define SANITIZER_CALL(name, parameters) extern void name parameters __attribute__((weak));
SANITIZER_CALL(AnnotateIgnoreReadsBegin, (const char *file, int line))
SANITIZER_CALL(AnnotateIgnoreReadsEnd, (const char *file, int line))
SANITIZER_CALL(AnnotateIgnoreWritesBegin, (const char *file, int line))
SANITIZER_CALL(AnnotateIgnoreWritesEnd, (const char *file, int line))
SANITIZER_CALL(__msan_scoped_disable_interceptor_checks, (void))
SANITIZER_CALL(__msan_scoped_enable_interceptor_checks, (void))
#undef SANITIZER_CALL

static inline void sanitizer_ignore_begin(void)
{
	if (!SANITIZED && AnnotateIgnoreReadsBegin && AnnotateIgnoreWritesBegin) {
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
		AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	}
	if (!SANITIZED && __msan_scoped_disable_interceptor_checks)
		__msan_scoped_disable_interceptor_checks();
}

static inline void sanitizer_ignore_end(void)
{
	if (!SANITIZED && __msan_scoped_enable_interceptor_checks)
		__msan_scoped_enable_interceptor_checks();
	if (!SANITIZED && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesEnd) {
		AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	}
}

/* Around what is read on purpose while another thread may write it: a figure of one moment. */
static inline void sanitizer_ignore_reads_begin(void)
{
	if (AnnotateIgnoreReadsBegin)
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}

static inline void sanitizer_ignore_reads_end(void)
{
	if (AnnotateIgnoreReadsEnd)
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

#endif
