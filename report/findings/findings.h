/* SPDX-License-Identifier: MIT */
/* What a profile's figures say about how the program uses the GPUs, and what would help: rules with
 * thresholds, in one table. */
#ifndef KTIME_REPORT_FINDINGS_FINDINGS_H
#define KTIME_REPORT_FINDINGS_FINDINGS_H

#include <stdint.h>

#include "report/session/session.h"

/*
 * X(name, key in JSON, least part of a device's time in percent, what was found, what would help)
 *
 * What was found stands behind its count, if it has one, and before its time. Copies that make the
 * host wait are those of the whole program, and so is each count; every other rule is held to each
 * device, and found on the one where it has the longest time. The thresholds are
 * chosen, those of nsys's expert rules for low use and long gaps; a time under a millisecond is
 * never a finding.
 */
#define FINDINGS(X)                                                                                \
	X(PAGEABLE, "pageable copies", 1, "asynchronous copies of pageable memory",                \
	  "pin the buffer (cudaHostAlloc), or the call waits for the copy")                        \
	X(SYNCHRONOUS, "synchronous copies", 5,                                                    \
	  "synchronous copies and memsets kept the host waiting",                                  \
	  "the Async functions and pinned memory let it go on")                                    \
	X(WAITING, "synchronizing calls", 10, "synchronizing calls, the GPU idle after them",      \
	  "wait less often, or launch the next work before waiting")                               \
	X(GAP, "long gap", 5, "the longest time that the GPU waited for the program",              \
	  "--idle says between which operations")                                                  \
	X(LAUNCH_BOUND, "launch-bound", 10, "kernels under 5 us, launch-bound: the GPU idle",      \
	  "a CUDA graph, or fewer and larger kernels")                                             \
	X(MEMORY, "allocation", 1, "calls that allocate or free memory, the GPU idle meanwhile",   \
	  "a memory pool (cudaMallocAsync), or buffers that are kept")                             \
	X(OVERLAP, "no overlap", 10, "copies and kernels that never ran at once",                  \
	  "copy in a stream of its own from pinned memory")                                        \
	X(LOADING, "loading", 5, "first launches and loading of code, the GPU idle meanwhile",     \
	  "load it before (CUDA_MODULE_LOADING=EAGER), or keep the process")                       \
	X(LOW_USE, "low use", 50, "the GPU was idle",                                              \
	  "larger batches, or fewer launches: CUDA graphs, fewer and larger kernels")

#define FINDING_ENUM(name, key, least, what, advice) FINDING_##name,
enum finding_kind { FINDINGS(FINDING_ENUM) FINDING_COUNT };
#undef FINDING_ENUM

struct finding {
	enum finding_kind kind;
	const char *key, *what, *advice;
	uint64_t count; /* 0: not counted */
	uint64_t time;	/* nanoseconds */
	double percent; /* of the device's time from its first to its last operation; else of all
			 * devices'. 0: it is no part of that, as calls of several threads, and
			 * those before the first operation, can take longer. */
	int device;	/* -1: of the whole program */
	/* How much of the time is that of another finding of the device too, and where: "after
	 * synchronizing calls". NULL: none. */
	const char *part;
	uint64_t part_time;
	unsigned devices; /* how many the rule finds it on */
};

/* Fills in what is found, the longest time first; returns how many there are. None if the profile
 * does not know how busy the devices were. `devices`: a bit for each device to check. */
unsigned findings_of(const struct session *session, uint64_t devices,
		     struct finding findings[FINDING_COUNT]);

#endif
