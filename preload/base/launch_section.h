/* SPDX-License-Identifier: MIT */
/*
 * Where the launch path's code and the process-wide data it reads lie. A program that uses the
 * caches for itself finds none of it there at its next launch: every line is then fetched from far,
 * and every page looked up anew, which takes longer than the instructions do.
 */
#ifndef KTIME_PRELOAD_BASE_LAUNCH_SECTION_H
#define KTIME_PRELOAD_BASE_LAUNCH_SECTION_H

/*
 * For variables, and for tables, where they are declared: the linker lays those of one section side
 * by side. That they are hidden has to be said there too, or each is looked up by its address.
 */
#define LAUNCH_STATE	 __attribute__((section("launch_state"), visibility("hidden")))
#define LAUNCH_TABLE	 __attribute__((section("launch_table"), visibility("hidden")))
/* For a table of one file's own. */
#define LAUNCH_OWN_TABLE __attribute__((section("launch_table")))
/* For functions: it puts these together. */
#define LAUNCH_PATH	 __attribute__((hot))
/* For what they seldom call: the compiler takes the way there out of them. */
#define LAUNCH_SELDOM	 __attribute__((cold))

#endif
