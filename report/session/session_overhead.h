/* SPDX-License-Identifier: MIT */
/* What the event pairs of a row hold beside its operations. */
#ifndef KTIME_REPORT_SESSION_SESSION_OVERHEAD_H
#define KTIME_REPORT_SESSION_SESSION_OVERHEAD_H

#include "report/session/session.h"

/*
 * ns that are to be taken off each of the row's event times: the overhead of its kind, and what
 * pairs of queued operations hold more, by how many of the row's pairs are such. Takes no lock and
 * allocates nothing.
 */
double row_overhead(const struct session_header *header, const struct row *row);
/* Takes it off a row, and off its histograms where it has any. Allocates nothing. */
void row_subtract_overhead(const struct session *session, struct row *row);
/* Its standard error, ns. */
double row_overhead_error(const struct session_header *header, const struct row *row);

#endif
