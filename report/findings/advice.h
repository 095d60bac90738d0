/* SPDX-License-Identifier: MIT */
/* What would help against a finding, by what the program is and where its idle time is. */
#ifndef KTIME_REPORT_FINDINGS_ADVICE_H
#define KTIME_REPORT_FINDINGS_ADVICE_H

#include "report/findings/findings.h"

/* Gaps of at least this length on average are no matter of single launches: the program does work
 * of its own in them. Chosen. */
#define FINDING_LONG_WORK_NS 1000000u

/* Whether copies can be of pinned memory, so that nobody is told to pin it: the program holds some,
 * and no asynchronous function copied other memory. Of synchronous ones the kind is not kept. */
bool holds_pinned(const struct session *session);
/* Whether the program is Python, of a job's processes the first. */
bool runs_python(const struct session *session);
const char *finding_advice(const struct session *session, const struct finding *finding);

#endif
