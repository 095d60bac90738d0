/* SPDX-License-Identifier: MIT */
/* Energy and clocks in the report. */
#ifndef KTIME_REPORT_ENERGY_ENERGY_TEXT_H
#define KTIME_REPORT_ENERGY_ENERGY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* Two lines for each device that was used, after `prefix`; nothing where --energy was not given. */
void energy_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file);
/* One record for each of these devices, with a line of names; nothing if there is none. */
void energy_write_csv(const struct session *session, const struct options *options, FILE *file);

/* Whether energy and clocks of a device were asked for, and the user wants the device. */
bool energy_is_shown(const struct session *session, const struct options *options, int device);
/* "1755 MHz (1410 to 1980)"; there is a sample. */
void clock_write(const struct clock_range *clock, FILE *file);
/* Whether a sample had a reason; "62.1 % of 118 samples by software power cap, 3.4 % by sync
 * boost", of a device whose clocks are. */
bool clocks_are_limited(const struct device_energy *energy);
void clock_reasons_write(const struct device_energy *energy, FILE *file);

#define ENERGY_TEXT_SIZE 32
/* "3.42 kJ", with three digits. */
const char *energy_text(char text[ENERGY_TEXT_SIZE], double value, const char *unit);

#endif
