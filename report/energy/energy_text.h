/* SPDX-License-Identifier: MIT */
/* Energy and clocks in the report. */
#ifndef KTIME_REPORT_ENERGY_ENERGY_TEXT_H
#define KTIME_REPORT_ENERGY_ENERGY_TEXT_H

#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* Two lines for each device that was used, after `prefix`; nothing where --energy was not given. */
void energy_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file);
/* One record for each of these devices, with a line of names; nothing if there is none. */
void energy_write_csv(const struct session *session, const struct options *options, FILE *file);

#define ENERGY_TEXT_SIZE 32
/* "3.42 kJ", with three digits. */
const char *energy_text(char text[ENERGY_TEXT_SIZE], double value, const char *unit);

#endif
