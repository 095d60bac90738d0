/* SPDX-License-Identifier: MIT */
/* A row of a session as a JSON object: both clocks, their agreement, and what was not timed. */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_ROW_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_ROW_H

#include <cjson/cJSON.h>

#include "report/rates/rates.h"
#include "report/session/session.h"

/* For kinds and clocks of a file, which may be any number; never NULL. */
const char *json_kind_name(unsigned kind);
const char *json_clock_name(unsigned clock);

/* `work`: what a kernel was declared to do. The caller deletes it; NULL where memory is out. */
cJSON *json_row(const struct session *session, const struct row *row, const char *name,
		const struct row_work *work);

#endif
