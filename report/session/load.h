/* SPDX-License-Identifier: MIT */
/* Opening a session file, with a message where that fails. */
#ifndef KTIME_REPORT_SESSION_LOAD_H
#define KTIME_REPORT_SESSION_LOAD_H

#include <stddef.h>

#include "report/session/session.h"

/* Opens a session file; 0, or -errno with a one-line message. */
int session_load(struct session **session, const char *path, char *message, size_t size);

#endif
