/* SPDX-License-Identifier: MIT */
/*
 * Which kinds of activity records are collected, and for whom. CUPTI knows one set for the whole
 * process; ktime and the program each have their own here, and each sees the other's nowhere.
 */
#ifndef KTIME_CUPTI_KINDS_H
#define KTIME_CUPTI_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/library.h"

/* Turns a kind on for ktime. CUPTI is called under a lock that no callback takes. Any thread. */
CUptiResult kinds_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* The same for migrations to and from the host and page faults. */
CUptiResult kinds_enable_unified_memory(const struct cupti_functions *cupti);
/* Leaves a runtime call out of ktime's records from here on. Any thread. */
void kinds_skip_call(const struct cupti_functions *cupti, uint32_t callback);
/* Whether ktime wants a kind. */
bool kinds_of_ktime(CUpti_ActivityKind kind);

/*
 * The same for the program, by the call that it made: what CUPTI answered, or success where the
 * kind is on, or stays on, for ktime's sake.
 */
CUptiResult kinds_program_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind,
				 CUptiResult (*enable)(CUpti_ActivityKind));
CUptiResult kinds_program_disable(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* The program turned a kind on for a context; its records are the program's until disabled. */
void kinds_program_noted(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* The program flushed: what it turned off before is complete. */
void kinds_program_flushed(void);

/* Whether the program has any kind on now, and whether it ever had. Lock-free, as the next two. */
bool kinds_program_any(void);
bool kinds_program_ever(void);
/* Whether the record is one that the program would have had without ktime. */
bool kinds_program_wants(const struct activity *activity);
/* Whether the record is one that ktime reads, or of a kind that nobody asked for. */
bool kinds_ktime_wants(const struct activity *activity);

/*
 * After cuptiFinalize: nothing is on any more. What ktime reads stays known, for the records that
 * have come in by then. Calls nothing. Any thread.
 */
void kinds_clear(void);
/* In a forked child: forgets everything, whichever thread of the parent held the lock. */
void kinds_reset(void);

#endif
