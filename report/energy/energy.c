/* SPDX-License-Identifier: MIT */
#include "report/energy/energy.h"

#include <stddef.h>

static const unsigned reason_bits[] = {
#define REASON_BIT(name, bit, key, text) bit,
	CLOCK_REASONS(REASON_BIT)
#undef REASON_BIT
};

static void remember(struct energy_meter *meter, const struct energy_reading *reading)
{
	meter->time = reading->time;
	meter->millijoules = reading->millijoules;
	meter->milliwatts = reading->milliwatts;
}

void energy_begin(struct device_energy *energy, struct energy_meter *meter,
		  const struct energy_reading *first)
{
	energy->source = first->parts & READING_ENERGY	? ENERGY_FROM_COUNTER
			 : first->parts & READING_POWER ? ENERGY_FROM_POWER
							: ENERGY_FROM_NOTHING;
	remember(meter, first);
}

static void add_energy(struct device_energy *energy, struct energy_meter *meter,
		       const struct energy_reading *reading)
{
	uint64_t time = reading->time - meter->time;
	double millijoules;

	if (energy->source == ENERGY_FROM_COUNTER && reading->parts & READING_ENERGY) {
		bool back = reading->millijoules < meter->millijoules;

		time = back ? 0 : time;
		millijoules = back ? 0 : (double)(reading->millijoules - meter->millijoules);
	} else if (energy->source == ENERGY_FROM_POWER && reading->parts & READING_POWER) {
		millijoules = ((double)meter->milliwatts + (double)reading->milliwatts) / 2 *
			      (double)time / 1e9;
	} else {
		return;
	}
	energy->joules += millijoules / 1000;
	energy->duration += time;
	remember(meter, reading);
}

static void add_clock(struct clock_range *clock, unsigned mhz)
{
	if (clock->samples == 0 || mhz < clock->minimum)
		clock->minimum = mhz;
	if (mhz > clock->maximum)
		clock->maximum = mhz;
	clock->sum += mhz;
	clock->samples++;
}

void energy_add(struct device_energy *energy, struct energy_meter *meter,
		const struct energy_reading *reading)
{
	uint64_t reasons = reading->parts & READING_REASONS ? reading->reasons : 0;

	add_energy(energy, meter, reading);
	if (!(reading->parts & (READING_SM | READING_MEMORY | READING_REASONS)))
		return;
	energy->samples++;
	if (reasons & CLOCK_IDLE) {
		energy->idle++;
		return;
	}
	if (reading->parts & READING_SM)
		add_clock(&energy->sm, reading->sm_mhz);
	if (reading->parts & READING_MEMORY)
		add_clock(&energy->memory, reading->memory_mhz);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		energy->reasons[i] += (reasons & reason_bits[i]) != 0;
}

static void join_clock(struct clock_range *clock, const struct clock_range *other)
{
	if (other->samples == 0)
		return;
	if (clock->samples == 0 || other->minimum < clock->minimum)
		clock->minimum = other->minimum;
	if (other->maximum > clock->maximum)
		clock->maximum = other->maximum;
	clock->sum += other->sum;
	clock->samples += other->samples;
}

void energy_join(struct device_energy *energy, const struct device_energy *other)
{
	if (!energy_is_known(other))
		return;
	energy->state = other->state;
	energy->source = other->source;
	energy->duration += other->duration;
	energy->joules += other->joules;
	energy->samples += other->samples;
	energy->idle += other->idle;
	join_clock(&energy->sm, &other->sm);
	join_clock(&energy->memory, &other->memory);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		energy->reasons[i] += other->reasons[i];
}

bool energy_is_known(const struct device_energy *energy)
{
	return energy->duration > 0 || energy->samples > 0;
}

const char *energy_missing(const struct device_energy *energy)
{
	static const char *const texts[] = {
#define STATE_TEXT(name, text) text,
		ENERGY_STATES(STATE_TEXT)
#undef STATE_TEXT
	};

	/* A damaged file may hold anything. */
	return texts[energy->state < ENERGY_STATE_COUNT ? energy->state : 0];
}

double energy_power(const struct device_energy *energy)
{
	return energy->duration ? energy->joules * 1e9 / (double)energy->duration : 0;
}

double clock_average(const struct clock_range *clock)
{
	return clock->samples ? (double)clock->sum / (double)clock->samples : 0;
}

double clock_reason_share(const struct device_energy *energy, enum clock_reason reason)
{
	return energy->samples > energy->idle
		       ? (double)energy->reasons[reason] / (double)(energy->samples - energy->idle)
		       : 0;
}

const char *clock_reason_text(enum clock_reason reason)
{
	static const char *const texts[] = {
#define REASON_TEXT(name, bit, key, text) text,
		CLOCK_REASONS(REASON_TEXT)
#undef REASON_TEXT
	};

	return texts[reason];
}

const char *clock_reason_key(enum clock_reason reason)
{
	static const char *const keys[] = {
#define REASON_KEY(name, bit, key, text) key,
		CLOCK_REASONS(REASON_KEY)
#undef REASON_KEY
	};

	return keys[reason];
}
