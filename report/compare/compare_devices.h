/* SPDX-License-Identifier: MIT */
/* Memory, energy and clocks of both sides of a comparison, by device. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_DEVICES_H
#define KTIME_REPORT_COMPARE_COMPARE_DEVICES_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "report/compare/compare.h"

/* A line for each device whose memory at most, clocks, their reasons or energy differ. */
void comparison_print_devices(const struct comparison *comparison, FILE *file);
/* An array of the devices that a side knows them of; the caller deletes it. NULL: memory is out. */
cJSON *comparison_energy_json(const struct comparison *comparison);
/* The same of the most memory that a side held. */
cJSON *comparison_memory_json(const struct comparison *comparison);

#endif
