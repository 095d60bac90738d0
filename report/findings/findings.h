/* SPDX-License-Identifier: MIT */
/* What a profile's figures say about how the program uses the GPUs, and what would help: rules with
 * thresholds, in one table. */
#ifndef KTIME_REPORT_FINDINGS_FINDINGS_H
#define KTIME_REPORT_FINDINGS_FINDINGS_H

#include <stdint.h>

#include "report/findings/functions.h"
#include "report/findings/host_range.h"
#include "report/findings/range_times.h"
#include "report/findings/uneven.h"
#include "report/session/session.h"

/*
 * X(name, key in JSON, least part of the time in percent, what was found, what would help)
 *
 * What was found stands behind its count, if it has one, and before its time; @ is where the
 * functions stand that made the calls, # where the number of gaps does. Copies that make the
 * host wait are those of the whole program, and so is each count; every other rule is held to each
 * device, and found on the one where it has the longest time. In a job they are held to all devices
 * of all processes together, as a number may be another device in each of them, and all times are
 * means of a process. The part is one of the device's time from its first operation to its last, in
 * a job of a process's, and of what is outside of that (HOST_MEMORY, BEFORE, AFTER) one of the run.
 * The thresholds are chosen, those of nsys's expert rules for long gaps; a time under a millisecond
 * is never a finding.
 */
#define FINDINGS(X)                                                                                \
	X(PAGEABLE, "pageable copies", 1, "asynchronous copies of pageable memory",                \
	  "pin the buffer (cudaHostAlloc), or the call waits for the copy")                        \
	X(SYNCHRONOUS, "synchronous copies", 5,                                                    \
	  "synchronous copies and memsets@ kept the host waiting",                                 \
	  "the Async functions and pinned memory let the host go on")                              \
	X(WAITING, "synchronizing calls", 10,                                                      \
	  "synchronizing calls@, the GPU idle from their end to the next launch",                  \
	  "wait less often, or launch the next work before waiting")                               \
	X(GAP, "long gap", 5, "the longest time that the GPU waited for the program",              \
	  "do that work in another thread, or while the GPU has other work")                       \
	X(LAUNCH_BOUND, "launch-bound", 10, "kernels under 5 us, launch-bound: the GPU idle",      \
	  "a CUDA graph, or fewer and larger kernels")                                             \
	X(MEMORY, "allocation", 1, "calls that allocate or free memory@, the GPU idle meanwhile",  \
	  "a memory pool (cudaMallocAsync), or buffers that are kept")                             \
	X(HOST_MEMORY, "memory calls", 10, "calls that allocate or free memory@ kept the host",    \
	  "allocate once, or from a pool (cudaMallocAsync)")                                       \
	X(OVERLAP, "no overlap", 10, "copies while no kernel ran", "")                             \
	X(LOADING, "loading", 5, "first launches and loading of code@, the GPU idle meanwhile",    \
	  "load it before (CUDA_MODULE_LOADING=EAGER), or keep the process")                       \
	X(UNEVEN, "uneven", 1, "the work is uneven", "divide it evenly")                           \
	X(FP32_MATRIX, "FP32 matrix products", 20,                                                 \
	  "kernels of FP32 matrix products outside of the tensor cores",                           \
	  "half precision, if the program bears the rounding")                                     \
	X(LOW_USE, "low use", 20, "the GPU was idle", "")                                          \
	X(BEFORE, "start", 10, "the start, before the GPU's first operation",                      \
	  "a program's first calls make the context and load code, which a process that goes "     \
	  "on pays once")                                                                          \
	X(AFTER, "end", 10, "the end, after the GPU's last operation",                             \
	  "look at what the host does there (perf; its CUDA calls: --keep-trace all)")

#define FINDING_ENUM(name, key, least, what, advice) FINDING_##name,
enum finding_kind { FINDINGS(FINDING_ENUM) FINDING_COUNT };
#undef FINDING_ENUM

/* The largest cause of idle time, of LOW_USE; of BEFORE and AFTER the call that took most. */
struct finding_cause {
	uint64_t time, gaps; /* 0: it is not known */
	enum idle_cause cause;
	uint64_t name; /* IDLE_CALL: offset of the function's name */
};

/* Idle time between two operations, by the offsets of their names; ns. */
struct finding_gap {
	uint64_t time, before, after;
};

struct finding {
	enum finding_kind kind;
	const char *key, *what, *advice;
	uint64_t count; /* 0: not counted */
	uint64_t time;	/* nanoseconds */
	double percent; /* of what the rule is about. 0: it is no part of that, as calls of several
			 * threads, and those before the first operation, can take longer. */
	int device;	/* -1: of the whole program, or of the job */
	unsigned devices; /* how many the rule finds it on */
	/* Which functions the calls were made by; none where that is not known. */
	struct functions functions;
	bool counted; /* their calls are the count */
	struct finding_cause cause;
	struct finding_gap gap;		/* of GAP and WAITING: the longest */
	struct range_times range_times; /* by the trace, if it tells */
	struct host_range range; /* where the host was meanwhile; of the first about idle time */
	struct call_range
		calls_in;     /* where most of the calls were; NULL: in no range, or not half */
	uint64_t gaps;	      /* of WAITING: the times in which the GPU was idle; 0: not known */
	uint64_t no_call;     /* of BEFORE and AFTER: at least so long no CUDA call was made */
	bool possible;	      /* of these: the cause's call may have been elsewhere */
	bool own_work;	      /* of WAITING: the program worked long after each call */
	bool kernels_less;    /* of OVERLAP: of the two it is the kernels' time */
	bool has_tf32;	      /* of FP32_MATRIX: the device's tensor cores do that */
	bool shared;	      /* by all processes of a job, which have one device */
	struct uneven uneven; /* of UNEVEN */
};

/* Whether its percentage is one of the whole run. */
bool finding_is_of_run(const struct finding *finding);
/* Whether it is about what was before the GPU's first operation or after its last; all of them. */
bool finding_is_outside(const struct finding *finding);
bool findings_are_outside(const struct finding *findings, unsigned count);
/* Whether one is about work of the program's own, which a profiler of the processor shows. */
bool findings_have_host_work(const struct finding *findings, unsigned count);
/* Fills in what is found, the longest time first; returns how many there are. None if the profile
 * does not know how busy the devices were. `devices`: a bit for each device to check. */
unsigned findings_of(const struct session *session, uint64_t devices,
		     struct finding findings[FINDING_COUNT]);
/* What is uneven in a job, if that is found; else a row of NULL. */
struct uneven finding_uneven(const struct session *session);

#endif
