/* SPDX-License-Identifier: MIT */
#include "report/energy/energy.h"

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

const char *energy_text(char text[ENERGY_TEXT_SIZE], double value, const char *unit)
{
	static const char *const prefixes[] = {"m", "", "k", "M", "G"};
	unsigned i = 0;

	value *= 1000;
	/* 999.5 would be written as 1000. */
	for (; value >= 999.5 && i < sizeof(prefixes) / sizeof(prefixes[0]) - 1; i++)
		value /= 1000;
	snprintf(text, ENERGY_TEXT_SIZE, "%.*f %s%s",
		 value < 9.995	 ? 2
		 : value < 99.95 ? 1
				 : 0,
		 value, prefixes[i], unit);
	return text;
}

bool energy_is_shown(const struct session *session, const struct options *options, int device)
{
	const struct device_info *info = &session_header(session)->devices[device];

	return info->energy.state != ENERGY_NOT_ASKED && info->used &&
	       options->devices >> device & 1;
}

void clock_write(const struct clock_range *clock, FILE *file)
{
	fprintf(file, "%.0f MHz", clock_average(clock));
	if (clock->minimum != clock->maximum)
		fprintf(file, " (%u to %u)", clock->minimum, clock->maximum);
}

static void write_clock(const struct clock_range *clock, const char *start, FILE *file)
{
	if (!clock->samples)
		return;
	fprintf(file, "%s clock ", start);
	clock_write(clock, file);
}

static void write_energy(const struct device_energy *energy, FILE *file)
{
	char joules[ENERGY_TEXT_SIZE], time[ENERGY_TEXT_SIZE], power[ENERGY_TEXT_SIZE];

	if (!energy->duration) {
		fputs("energy not known", file);
		return;
	}
	fprintf(file, "%s%s in %s (%s), with all else that ran on it",
		energy->source == ENERGY_FROM_POWER ? "about " : "",
		energy_text(joules, energy->joules, "J"),
		energy_text(time, (double)energy->duration / 1e9, "s"),
		energy_text(power, energy_power(energy), "W"));
}

void clock_reasons_write(const struct device_energy *energy, FILE *file)
{
	unsigned long long samples = energy->samples - energy->idle;
	unsigned written = 0;

	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		if (!energy->reasons[i])
			continue;
		fprintf(file, "%s%.1f %%", written ? ", " : "",
			100 * clock_reason_share(energy, i));
		if (!written++)
			fprintf(file, " of %llu sample%s", samples, samples == 1 ? "" : "s");
		fprintf(file, " by %s", clock_reason_text(i));
	}
}

bool clocks_are_limited(const struct device_energy *energy)
{
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		if (energy->reasons[i])
			return true;
	return false;
}

static void write_reasons(const struct device_energy *energy, const char *prefix, int device,
			  FILE *file)
{
	if (!clocks_are_limited(energy))
		return;
	fprintf(file, "%sGPU %d: clocks limited in ", prefix, device);
	clock_reasons_write(energy, file);
	fputs(".\n", file);
}

static void write_device(const struct device_energy *energy, const char *prefix, int device,
			 FILE *file)
{
	fprintf(file, "%sGPU %d: ", prefix, device);
	if (!energy_is_known(energy)) {
		fprintf(file, "energy and clocks not known: %s", energy_missing(energy));
		if (energy->result)
			fprintf(file, " (error %d)", energy->result);
		fputs(".\n", file);
		return;
	}
	write_energy(energy, file);
	write_clock(&energy->sm, "; SM", file);
	write_clock(&energy->memory, energy->sm.samples ? ", memory" : "; memory", file);
	fputs(".\n", file);
	write_reasons(energy, prefix, device, file);
}

void energy_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file)
{
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (energy_is_shown(session, options, device))
			write_device(&session_header(session)->devices[device].energy, prefix,
				     device, file);
}

static void write_csv_clock(const struct clock_range *clock, FILE *file)
{
	if (clock->samples)
		fprintf(file, ",%u,%.1f,%u", clock->minimum, clock_average(clock), clock->maximum);
	else
		fputs(",,,", file);
}

static void write_csv_device(const struct device_energy *energy, int device, FILE *file)
{
	fprintf(file, "%d,", device);
	if (energy->duration)
		fprintf(file, "%.3f,%.6f,%.3f", energy->joules, (double)energy->duration / 1e9,
			energy_power(energy));
	else
		fputs(",,", file);
	write_csv_clock(&energy->sm, file);
	write_csv_clock(&energy->memory, file);
	fprintf(file, ",%llu,%llu", (unsigned long long)energy->samples,
		(unsigned long long)energy->idle);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		fprintf(file, ",%.2f", 100 * clock_reason_share(energy, i));
	fputc('\n', file);
}

void energy_write_csv(const struct session *session, const struct options *options, FILE *file)
{
	bool begun = false;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!energy_is_shown(session, options, device))
			continue;
		if (!begun) {
			fputs("\"Device\",\"Energy(J)\",\"Time(s)\",\"Power(W)\",\"SM Min(MHz)\","
			      "\"SM Avg(MHz)\",\"SM Max(MHz)\",\"Memory Min(MHz)\","
			      "\"Memory Avg(MHz)\",\"Memory Max(MHz)\",\"Samples\",\"Idle\"",
			      file);
			for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
				fprintf(file, ",\"%s(%%)\"", clock_reason_text(i));
			fputc('\n', file);
		}
		begun = true;
		write_csv_device(&session_header(session)->devices[device].energy, device, file);
	}
}
