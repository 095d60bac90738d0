/* SPDX-License-Identifier: MIT */
/* Which activity kinds are enabled, and for whom. CUPTI has one set for the whole process; here
 * ktime and the program have one each, and neither notices the other's. */
#ifndef KTIME_CUPTI_KINDS_H
#define KTIME_CUPTI_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/library.h"

/* Enables a kind for ktime; CUPTI's result. CUPTI is called with a lock held that no callback
 * takes. Any thread. */
CUptiResult kinds_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* Stops recording kernels for ktime, or goes on with it: see pause_kernels(). CUPTI's result; if it
 * fails, the next pause or end of one tries again. Takes some 10 us. Any thread. */
CUptiResult kinds_pause(const struct cupti_functions *cupti, enum pause_reason reason, bool paused);
/* Whether kernels were ever paused. Any thread. */
bool kinds_were_paused(void);
/* Records copies between devices for ktime from now on, if their kind is enabled, or once it is:
 * see pause_ends_for_peer_copies(). CUPTI's result. Any thread. */
CUptiResult kinds_record_peer_copies(const struct cupti_functions *cupti);
/* Whether the program has a kind of kernels enabled, so that they are recorded in any case. */
bool kinds_program_has_kernels(void);
/*
 * Disables all of ktime's kinds for good, and enables none later: a subscriber of CUPTI's V2
 * interface has the process to itself. Any thread.
 */
void kinds_withdraw(const struct cupti_functions *cupti);
bool kinds_withdrawn(void);
/* Enables migrations to and from the host, and page faults, for ktime. */
CUptiResult kinds_enable_unified_memory(const struct cupti_functions *cupti);
/* Stops recording a runtime function for ktime. Any thread. */
void kinds_skip_call(const struct cupti_functions *cupti, uint32_t callback);
/* Whether ktime has enabled a kind. Any thread; takes a lock. */
bool kinds_of_ktime(CUpti_ActivityKind kind);

/* The program's calls to enable (with the function that it called) and disable a kind: CUPTI's
 * result, or success if the kind is on already, or stays on, for ktime. Any thread; take a lock. */
CUptiResult kinds_program_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind,
				 CUptiResult (*enable)(CUpti_ActivityKind));
CUptiResult kinds_program_disable(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* To be called after the program has enabled a kind for one context: records of the kind are
 * forwarded to it until it disables the kind. */
void kinds_program_noted(const struct cupti_functions *cupti, CUpti_ActivityKind kind);
/* To be called after the program has flushed CUPTI: it has got all records of kinds that it had
 * disabled, so they need not be forwarded any more. */
void kinds_program_flushed(void);

/* Whether the program has any kind enabled now, and whether it has had one. These and the next two
 * take no lock. */
bool kinds_program_any(void);
bool kinds_program_ever(void);
/* Whether the program would have got this record without ktime. */
bool kinds_program_wants(const struct activity *activity);
/* Whether ktime reads this record, or nobody asked for its kind. */
bool kinds_ktime_wants(const struct activity *activity);

/* To be called after cuptiFinalize(): no kind is enabled any more. ktime still reads the records
 * that have arrived. Calls nothing. Any thread. */
void kinds_clear(void);
/* For a forked child: forgets everything, and frees the lock, whichever thread of the parent held
 * it. */
void kinds_reset(void);

#endif
