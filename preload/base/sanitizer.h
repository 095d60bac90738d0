/* SPDX-License-Identifier: MIT */
/*
 * For ktime's threads, at their begin and end. A sanitizer sees what a library that is not built
 * with it does through libc's functions, but neither its atomics nor its stores: the thread
 * sanitizer would report races between memory that one thread allocated and another one's strlen,
 * the memory sanitizer bytes that were never written, and the program would end with an error.
 * Where ktime is built with a sanitizer itself, it is to be seen.
 */
#ifndef KTIME_PRELOAD_BASE_SANITIZER_H
#define KTIME_PRELOAD_BASE_SANITIZER_H

#include <stdbool.h>

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
