/* SPDX-License-Identifier: MIT */
#include "report/energy/energy_text.h"

#include "report/energy/energy.h"

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
