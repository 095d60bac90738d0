/* SPDX-License-Identifier: MIT */
/*
 * The environment that a process was started with. A program may clear or overwrite its own, and
 * change its directory, before it uses CUDA; what it sets itself until then counts.
 */
#ifndef KTIME_REPORT_SESSION_ENVIRONMENT_H
#define KTIME_REPORT_SESSION_ENVIRONMENT_H

/* Remembers the variables that ktime may ask for, and the directory if `options`, one of them, is
 * set. To be called when the process starts; no memory of the heap is asked for. */
void environment_save(const char *options);
/* A variable, as it is now or else as it was then; NULL if it was not set either. */
const char *environment_get(const char *name);
/* The directory then, if the process has another one now; else NULL: relative names are right. */
const char *environment_directory(void);

#endif
