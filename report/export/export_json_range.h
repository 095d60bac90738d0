/* SPDX-License-Identifier: MIT */
/* An NVTX range as JSON. */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_RANGE_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_RANGE_H

#include <cjson/cJSON.h>

#include "report/export/export_trace.h"
#include "report/ranges/range_tree.h"

/* "push/pop" or "start/end" */
const char *json_range_style(unsigned style);
/* A node of the tree, with what was done in it; the caller's. `names` is the export's cache. */
cJSON *json_range(const struct range_tree *tree, size_t node, const struct session *session,
		  struct trace_name **names);

#endif
