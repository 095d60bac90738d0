/* SPDX-License-Identifier: MIT */
/* The fuzzed reader of merged profiles. */
#ifndef KTIME_TESTS_FUZZ_MERGED_H
#define KTIME_TESTS_FUZZ_MERGED_H

#include "report/session/session.h"

/* Prints what a profile knows of its processes, and merges it with another one and with itself,
 * twice; what comes of it is printed too. */
void merged_read(const struct session *session);
/* Writes a merged profile to `path`: two ranks with collectives, traces, NVTX ranges and counters.
 * 0 or -errno. */
int merged_make(const char *path);

#endif
