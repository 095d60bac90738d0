/* SPDX-License-Identifier: MIT */
/*
 * Keeps the code of the launch path together, and the process-wide data that it reads. A program
 * that fills the caches between two launches evicts ktime's lines; each cache line and page that a
 * launch then has to fetch costs more than the instructions do.
 */
#ifndef KTIME_PRELOAD_BASE_LAUNCH_SECTION_H
#define KTIME_PRELOAD_BASE_LAUNCH_SECTION_H

/*
 * For declarations of process-wide variables and tables: the linker places what is in one section
 * side by side. The visibility must stand in the declaration, else the compiler reads the
 * variable's address from the global offset table first.
 */
#define LAUNCH_STATE	    __attribute__((section("launch_state"), visibility("hidden")))
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

#endif
