/* SPDX-License-Identifier: MIT */
/* ktime's own threads. */
#ifndef KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H
#define KTIME_PRELOAD_BASE_BACKGROUND_THREAD_H

/* Starts a detached thread that takes none of the program's signals; 0 or -errno. Any thread. */
int background_thread_start(void *(*run)(void *));

#endif
