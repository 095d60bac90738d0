/* SPDX-License-Identifier: MIT */
/* What the program held of memory, as JSON. */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_MEMORY_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_MEMORY_H

#include <cjson/cJSON.h>

#include "report/session/session.h"

/* An object for each kind of memory on each device; one for each origin of allocations. */
cJSON *json_memory(const struct session *session);
cJSON *json_memory_sites(const struct session *session);

#endif
