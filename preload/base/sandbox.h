/* SPDX-License-Identifier: MIT */
/*
 * What ktime's own threads do by system calls that a program's sandbox may refuse, or end the
 * process for: opening a file, asking the kernel about memory. They ask here before, and do without
 * once the program is about to sandbox itself.
 */
#ifndef KTIME_PRELOAD_BASE_SANDBOX_H
#define KTIME_PRELOAD_BASE_SANDBOX_H

#include <stdbool.h>

/* False: there are to be no such calls any more. Otherwise sandbox_calls_end() follows them. */
bool sandbox_calls_begin(void);
void sandbox_calls_end(void);
/* No such call begins from now on. Waits for those of other threads, 0.1 s at most. */
void sandbox_close(void);

#endif
