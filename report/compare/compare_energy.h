/* SPDX-License-Identifier: MIT */
/* Energy and clocks of both sides of a comparison. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_ENERGY_H
#define KTIME_REPORT_COMPARE_COMPARE_ENERGY_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "report/compare/compare.h"

/* A line for each device whose clocks, their reasons or whose energy differ. */
void comparison_print_energy(const struct comparison *comparison, FILE *file);
/* An array of the devices that a side knows them of; the caller deletes it. NULL: memory is out. */
cJSON *comparison_energy_json(const struct comparison *comparison);

#endif
