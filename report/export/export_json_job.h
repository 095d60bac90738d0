/* SPDX-License-Identifier: MIT */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_JOB_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_JOB_H

#include <cjson/cJSON.h>

#include "report/session/session.h"

/* A process's place in its job. */
cJSON *json_rank(const struct process_rank *rank);
/* The processes of a merged profile, which the caller deletes; NULL if memory is out. */
cJSON *json_job(const struct session *session);

#endif
