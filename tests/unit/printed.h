/* SPDX-License-Identifier: MIT */
/* A report as text. */
#ifndef KTIME_TESTS_UNIT_PRINTED_H
#define KTIME_TESTS_UNIT_PRINTED_H

#include "report/session/session.h"

/* The report of a session under options as a user writes them; the caller frees it. */
char *printed(struct session *session, const char *words);

#endif
