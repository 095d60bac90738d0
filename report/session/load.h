/* SPDX-License-Identifier: MIT */
/* Opening whatever a report can be printed from. */
#ifndef KTIME_REPORT_SESSION_LOAD_H
#define KTIME_REPORT_SESSION_LOAD_H

#include <stddef.h>

#include "report/session/session.h"

/* Opens a session file or a table of records; 0, or -errno with a one-line message. */
int session_load(struct session **session, const char *path, char *message, size_t size);

#endif
