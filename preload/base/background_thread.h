/* SPDX-License-Identifier: MIT */
/*
 * ktime's own threads. They inherit nothing from the program's thread that starts them: they have
 * the default scheduling policy, the processors that the process had when libktime.so was loaded,
 * and all signals blocked, so that a signal that the program waits for by sigwait() or signalfd()
 * is not delivered to them. A thread that inherited SCHED_FIFO and one processor from a program
 * that computes there without a pause would never run.
 *
 * All are started when ktime starts: once a program has sandboxed itself (as by a seccomp filter),
 * clone(2) may fail or end the process.
 */
#ifndef KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H
#define KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a detached thread with this name; 0 or -errno. Not to be called by two threads at once. */
int background_thread_start(void *(*run)(void *), const char *name);
/*
 * Waits, for this many nanoseconds at most, until all of ktime's threads run ktime's code. To be
 * called before the program sandboxes itself: libc makes system calls while it starts a thread, and
 * ends the process if the sandbox refuses one.
 */
void background_threads_wait(uint64_t nanoseconds);

/* Blocks all signals in the calling thread that ktime's threads block, so that the threads that
 * CUPTI starts from it inherit that; the mask so far goes to `before`. */
void background_thread_block_signals(sigset_t *before);

/*
 * For handlers of SIGSEGV and the like, which ktime's threads do not block, with the handler's
 * arguments. Whether the calling thread is ktime's and got the signal only because it was sent to
 * the process while the program's threads block it. If so, the signal is blocked in this thread and
 * sent to the process again, for the program to take.
 */
bool background_thread_returns_signal(int signal, siginfo_t *info, void *context);

/*
 * Starts the spare thread, for long work that comes up later and that ktime's other threads must
 * not wait for. `for_others`: it will call other libraries' code (CUPTI's), and so gets a stack as
 * large as a main thread's. 0 or -errno. To be called once at most.
 */
int spare_thread_start(bool for_others);
/* Has the spare thread call a function, without waiting. 0, -EBUSY while it is in an earlier call,
 * or -EAGAIN if it was not started. Not to be called by two threads at once. */
int spare_thread_call(void (*function)(void *), void *argument);
/* Waits until the spare thread has returned from its last call; false if it has not by `end`, in
 * nanoseconds of CLOCK_MONOTONIC. */
bool spare_thread_wait(uint64_t end);

/*
 * Some system calls of ktime's threads, such as opening a file, may be refused by a program's
 * sandbox, or make it end the process. The threads make them only between sandbox_calls_begin() and
 * sandbox_calls_end(), and none after the program has begun to sandbox itself.
 */

/* False: such system calls are not allowed any more. If true, call sandbox_calls_end() after them.
 */
bool sandbox_calls_begin(void);
void sandbox_calls_end(void);
/* Makes sandbox_calls_begin() return false from now on, and waits, for 0.1 s at most, for the
 * system calls that other threads have begun. */
void sandbox_close(void);

/*
 * Tell the program's thread or memory sanitizer to ignore the calling thread; for ktime's threads,
 * at their start and end. A sanitizer intercepts the libc calls of a library that was built without
 * it, but does not see its atomics and stores: it would report data races and uninitialised bytes
 * that are none, and the program would end with an error. If ktime itself is built with a
 * sanitizer, these functions do nothing.
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

/* The sanitizers' functions: weak, as they exist only in a program built with that sanitizer. */
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

/* Around a read, without a lock, of a value that another thread may write meanwhile, where any
 * recent value will do: the thread sanitizer would report a race. */
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
