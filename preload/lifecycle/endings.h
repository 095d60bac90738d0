/* SPDX-License-Identifier: MIT */
/*
 * The ways a program ends, and fork: each leads to one report, made while the driver still
 * answers.
 */
#ifndef KTIME_PRELOAD_LIFECYCLE_ENDINGS_H
#define KTIME_PRELOAD_LIFECYCLE_ENDINGS_H

/* Fatal signals, fork, and a first handler for exit. Once, when ktime starts. */
void ending_register(void);
/* The handlers for exit and quick_exit that come before the driver's. Once, at the first work. */
void ending_register_at_exit(void);

#endif
