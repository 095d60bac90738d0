/* SPDX-License-Identifier: MIT */
/* What a merged profile says of all processes together, beside their rows. */
#ifndef KTIME_REPORT_MERGE_MERGE_HEADER_H
#define KTIME_REPORT_MERGE_MERGE_HEADER_H

#include "report/session/session.h"

/* Adds a profile's counters, devices, their use, and warnings. */
void merge_header(struct session *merged, const struct session *session);
/* Adds the causes of idle time. -ENOMEM. */
int merge_idle(struct session *merged, const struct session *session);

/* The zero of the merged trace is the earliest of all, each moved by `shift` ns. */
void merge_trace_start(struct session *merged, const struct session *session, int64_t shift);

#endif
