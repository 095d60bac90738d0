/* SPDX-License-Identifier: MIT */
/* Mapped files that another process may cut: what session_fault() looks after. */
#ifndef KTIME_REPORT_SESSION_FAULT_H
#define KTIME_REPORT_SESSION_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Has it cover the addresses of a mapping, by their beginning, or no longer. */
void fault_cover(const void *base, size_t size);
void fault_uncover(const void *base);
/* Whether one of its pages was replaced. */
bool fault_happened(const void *base);

#endif
