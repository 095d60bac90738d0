/* SPDX-License-Identifier: MIT */
/*
 * What the launch path reads of the process, and who may write it; the code of that path is kept
 * together too. A program that fills the caches between two launches evicts ktime's lines; each
 * cache line and page that a launch then has to fetch costs more than the instructions do.
 */
#ifndef KTIME_PRELOAD_BASE_LAUNCH_STATE_H
#define KTIME_PRELOAD_BASE_LAUNCH_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * For declarations of process-wide state and tables: the linker places what is in one section side
 * by side. The visibility must stand in the declaration, else the compiler reads the variable's
 * address from the global offset table first.
 */
#define LAUNCH_SECTION	    __attribute__((section("launch_words"), visibility("hidden")))
#define LAUNCH_TABLE	    __attribute__((section("launch_table"), visibility("hidden")))
/* For a static table, which has no declaration in a header. */
#define LAUNCH_STATIC_TABLE __attribute__((section("launch_table")))
/* For functions of the launch path: the linker groups hot functions. */
#define LAUNCH_PATH	    __attribute__((hot))
/* For functions that the launch path rarely calls: the compiler moves the code around such a call
 * out of the hot function. */
#define LAUNCH_COLD	    __attribute__((cold))

/* Bytes, on x86-64 and on most aarch64 processors. */
#define CACHE_LINE	    64

/* Lies in one cache line. The atomic members may change at any time, on any thread; the others do
 * not change after the start. */
struct launch_state {
	_Atomic int needs;     /* why calls need call records: enum plan_need; base/plan.c */
	_Atomic int lifecycle; /* enum lifecycle_state; lifecycle/ alone writes it */
	/* Changes whenever a module is unloaded or an executable graph destroyed, and whenever a
	 * context or stream ends, and when CUPTI is started. The driver may reuse handles, so what
	 * a thread cached under an older generation is invalid. handles/ writes them. */
	_Atomic uint32_t operation_generation, stream_generation;
	_Atomic int captures;	    /* stream captures in progress; handles/stream.c */
	_Atomic bool window_open;   /* the profiling window; launch/window.c */
	_Atomic bool gates_watched; /* the reporter polls the gates; events/gates.c */
	/* CUPTI's activity records are the clock of the rows; if false, CUDA events are, though a
	 * CUPTI that was started within a budget of the user's times some calls. base/plan.c */
	_Atomic bool cupti;
	/* ktime records event pairs around calls: as the only clock, or to check CUPTI's times.
	 * base/plan.c writes it. */
	bool events;
};
extern struct launch_state launch_state LAUNCH_SECTION;

#endif
