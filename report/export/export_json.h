/* SPDX-License-Identifier: MIT */
/* What other outputs have in common with the export as JSON. */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_H

#include "report/export/json.h"
#include "report/session/session.h"

/* For the kind of a row or record of a file, which may be any number; never NULL. */
const char *json_kind_name(unsigned kind);
/* A device and its peaks; its energy and clocks. The caller deletes them; NULL if memory is out. */
cJSON *json_device(const struct device_info *info, int ordinal);
cJSON *json_energy(const struct device_energy *energy);

#endif
