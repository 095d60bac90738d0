/* SPDX-License-Identifier: MIT */
/* Energy and clocks of a device: what the readings of a run add up to. Keeps no state of its own.
 */
#ifndef KTIME_REPORT_ENERGY_ENERGY_H
#define KTIME_REPORT_ENERGY_ENERGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/session/items.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/* The parts of a reading that were had. */
enum {
	READING_ENERGY = 1,
	READING_POWER = 2,
	READING_SM = 4,
	READING_MEMORY = 8,
	READING_REASONS = 16
};
struct energy_reading {
	unsigned parts;
	uint64_t time;	      /* ns, of a clock that never goes back */
	uint64_t millijoules; /* since the driver was loaded */
	unsigned milliwatts;
	unsigned sm_mhz, memory_mhz;
	uint64_t reasons; /* NVML's bits */
};

/* The last reading that told the energy, or the power. */
struct energy_meter {
	uint64_t time, millijoules;
	unsigned milliwatts;
	struct energy_curve *curve; /* gets what is added too; may be NULL */
};

/* The first reading of a device: decides where its energy is from, and says nothing of its clocks.
 */
void energy_begin(struct device_energy *energy, struct energy_meter *meter,
		  const struct energy_reading *first);
/*
 * A further one. After one without energy the next has the time since. What a device used until its
 * sum went back, as at a reset, is not known, and its time is left out.
 */
void energy_add(struct device_energy *energy, struct energy_meter *meter,
		const struct energy_reading *reading);
/* A device's energy over time; NULL if there is none, as in a profile of several processes. */
const struct energy_curve *energy_curve_of(const struct session *session, int device);
/* How many of its steps have something. */
unsigned energy_curve_steps(const struct energy_curve *curve);
/* Mean watts and MHz of a step; NaN: not known. */
double energy_step_watts(const struct energy_step *step);
double energy_step_sm_mhz(const struct energy_step *step);
/* Adds another run's figures of the device. */
void energy_join(struct device_energy *energy, const struct device_energy *other);

/* Whether there is anything to show but why there is nothing. */
bool energy_is_known(const struct device_energy *energy);
/* Why there is nothing; never NULL. */
const char *energy_missing(const struct device_energy *energy);
/* Watts over the time that was read; 0: not known. */
double energy_power(const struct device_energy *energy);
/* MHz on average; 0: not known. */
double clock_average(const struct clock_range *clock);
/* The part, up to 1, of the samples in which the device was not idle that had the reason. */
double clock_reason_share(const struct device_energy *energy, enum clock_reason reason);
/* "software power cap", "software_power_cap" */
extern const char *const clock_reason_texts[CLOCK_REASON_COUNT],
	*const clock_reason_keys[CLOCK_REASON_COUNT];

/* Two lines for each device that was used, after `prefix`; nothing where --energy was not given. */
void energy_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file);
/* As CSV: a line of names, and a record for each device that energy_write() has lines of; nothing
 * if there is none. */
void energy_write_csv(const struct session *session, const struct options *options, FILE *file);

#define ENERGY_TEXT_SIZE 48
/* "3.42 kJ", with three digits. */
const char *energy_text(char text[ENERGY_TEXT_SIZE], double value, const char *unit);
/* "1755 MHz (1410 to 1980)"; there is a sample. */
const char *clock_text(char text[ENERGY_TEXT_SIZE], const struct clock_range *clock);

/* The sheet of these devices, as CSV and in a page. */
struct energy_table {
	const struct device_info *info;
	int devices[SESSION_DEVICES];
};
void energy_sheet(struct sheet *sheet, struct energy_table *table, const struct session *session,
		  const struct options *options);

#endif
