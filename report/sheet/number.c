/* SPDX-License-Identifier: MIT */
#include "report/sheet/number.h"

#include <math.h>
#include <string.h>

#include "report/session/estimate.h"

/* Factors, as nvprof has them: 261,965 ns are 261.97us only when they are multiplied by 1e-3. */
static const double time_units[] = {1e-9, 1e-6, 1e-3, 1};
const char *const time_unit_names[] = {"s", "ms", "us", "ns"};
static const double size_units[] = {1, 1024, 1024 * 1024, 1024 * 1024 * 1024};
const char *const size_unit_names[] = {"B", "KB", "MB", "GB"};

/*
 * A number in at most 6, 7 or 8 characters: as many decimals as fit, or the exponential form from
 * `most` up.
 */
static void fill(char *text, double value, int width, double most, const char *unit)
{
	static const char *const exponential[] = {"%.0e%s", "%.1e%s", "%.2e%s"};
	static const char *const fraction[] = {"%.4f%s", "%.5f%s", "%.6f%s"};
	static const char *const fixed[] = {"%#.5g%s", "%#.6g%s", "%#.7g%s"};
	const char *const *format = value >= most ? exponential : value < 1 ? fraction : fixed;

	snprintf(text, NUMBER_SIZE, format[width - 6], value, unit);
}

enum time_unit number_time_unit(uint64_t nanoseconds)
{
	if (nanoseconds < 1000)
		return UNIT_NS;
	if (nanoseconds < 1000000)
		return UNIT_US;
	return nanoseconds < 1000000000 ? UNIT_MS : UNIT_S;
}

const char *number_time(char *text, uint64_t nanoseconds)
{
	enum time_unit unit = number_time_unit(nanoseconds);
	const char *name = time_unit_names[unit];

	if (unit == UNIT_NS)
		snprintf(text, NUMBER_SIZE, "%d%s", (int)nanoseconds, name);
	else
		fill(text, (double)nanoseconds * time_units[unit], 8 - (int)strlen(name), 1000,
		     name);
	return text;
}

/* Without the unit, which is a nanosecond or a byte if `whole`. */
static const char *in_unit(char *text, double value, bool whole)
{
	if (whole && value < 1000)
		snprintf(text, NUMBER_SIZE, "%.0f", value);
	else if (value < 0.01)
		snprintf(text, NUMBER_SIZE, "%.2e", value);
	else
		fill(text, value, 8, 1000, "");
	return text;
}

const char *number_time_in(char *text, uint64_t nanoseconds, enum time_unit unit)
{
	return in_unit(text, (double)nanoseconds * time_units[unit], unit == UNIT_NS);
}

const char *number_time_csv(char *text, uint64_t nanoseconds, enum time_unit unit)
{
	if (unit == UNIT_NS && nanoseconds < 1000)
		snprintf(text, NUMBER_SIZE, "%d", (int)nanoseconds);
	else
		snprintf(text, NUMBER_SIZE, "%f", (double)nanoseconds * time_units[unit]);
	return text;
}

enum size_unit number_size_unit(double bytes)
{
	enum size_unit unit = SIZE_B;

	while (unit < SIZE_GB && bytes / size_units[unit] >= 1000)
		unit++;
	return unit;
}

static const char *size_or_rate(char *text, double bytes, double most, bool whole, const char *per)
{
	enum size_unit unit = number_size_unit(bytes);
	char name[8];

	snprintf(name, sizeof(name), "%s%s", size_unit_names[unit], per);
	if (unit == SIZE_B && whole)
		snprintf(text, NUMBER_SIZE, "%.0f%s", bytes, name);
	else
		fill(text, bytes / size_units[unit], unit == SIZE_B ? 7 : 6, most, name);
	return text;
}

const char *number_size(char *text, uint64_t bytes)
{
	return size_or_rate(text, (double)bytes, 1000, true, "");
}

const char *number_throughput(char *text, double bytes_per_second)
{
	/* Unlike a size it goes on without an exponent: 3725.3GB/s, but 1e+05GB/s. */
	return size_or_rate(text, bytes_per_second, 10000, false, "/s");
}

const char *number_size_in(char *text, double bytes, enum size_unit unit)
{
	return in_unit(text, bytes / size_units[unit], unit == SIZE_B);
}

const char *number_size_csv(char *text, double bytes, enum size_unit unit)
{
	snprintf(text, NUMBER_SIZE, unit == SIZE_B ? "%.0f" : "%f", bytes / size_units[unit]);
	return text;
}

/* How many decimals make a value's significant digits, 2 or 3, as many as asked for. */
static int decimals(double value, int digits)
{
	/* From here on a value is rounded to 10. */
	double ten = digits > 2 ? 9.995 : 9.95;
	int whole = value < ten ? 1 : value < 10 * ten ? 2 : 3;

	return digits > whole ? digits - whole : 0;
}

/* The unit of a time in words, and its decimals. */
static enum time_unit about(double nanoseconds, int digits, int *places)
{
	enum time_unit unit = number_time_unit(to_unsigned(nanoseconds * 1.0005));

	*places = unit == UNIT_NS ? 0 : decimals(nanoseconds * time_units[unit], digits);
	return unit;
}

const char *number_about(char *text, double nanoseconds, int digits)
{
	int places;
	enum time_unit unit = about(nanoseconds, digits, &places);

	snprintf(text, NUMBER_SIZE, "%.*f %s", places, nanoseconds * time_units[unit],
		 time_unit_names[unit]);
	return text;
}

uint64_t number_step(uint64_t nanoseconds)
{
	uint64_t step = 1;

	while (nanoseconds / step >= 1000)
		step *= 10;
	return step;
}

const char *number_steps(char *text, uint64_t steps, uint64_t step)
{
	return number_about(text, (double)(steps * step), steps >= 100 ? 3 : steps >= 10 ? 2 : 1);
}

const char *number_time_rounded(char *text, uint64_t nanoseconds)
{
	int places;
	enum time_unit unit = about((double)nanoseconds, 3, &places);

	snprintf(text, NUMBER_SIZE, "%.*f%s", places, (double)nanoseconds * time_units[unit],
		 time_unit_names[unit]);
	return text;
}

const char *number_range(char *text, double nanoseconds, double error)
{
	int places;
	enum time_unit unit = about(nanoseconds, 3, &places);

	snprintf(text, NUMBER_SIZE, "%.*f ± %.*f %s", places, nanoseconds * time_units[unit],
		 places, error * time_units[unit], time_unit_names[unit]);
	return text;
}

const char *number_bytes_about(char *text, uint64_t bytes)
{
	enum size_unit unit = number_size_unit((double)bytes);
	double value = (double)bytes / size_units[unit];

	snprintf(text, NUMBER_SIZE, "%.*f %s", unit == SIZE_B ? 0 : decimals(value, 2), value,
		 size_unit_names[unit]);
	return text;
}

const char *number_group_thousands(char *text, const char *number)
{
	size_t whole = strspn(number, "0123456789");
	char *write = text;

	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			*write++ = ',';
		*write++ = number[i];
	}
	strcpy(write, number + whole);
	return text;
}

const char *number_count(char *text, uint64_t count)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	return number_group_thousands(text, digits);
}

const char *number_figure(char *text, const struct figure *figure, double value)
{
	switch (figure->unit) {
	case FIGURE_UNIT_NS:
		return number_about(text, value, 3);
	case FIGURE_UNIT_BYTES:
		return number_bytes_about(text, to_unsigned(value));
	default:
		return number_count(text, to_unsigned(value + 0.5));
	}
}

const char *number_rate(char *text, double value)
{
	int decimals = value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : 4;

	if (!(value > 0))
		strcpy(text, "-");
	else if (value >= 1e6 || value < 1e-3)
		snprintf(text, NUMBER_SIZE, "%.2e", value);
	else
		snprintf(text, NUMBER_SIZE, "%.*f", decimals, value);
	return text;
}

const char *number_ratio(char *text, double ratio)
{
	if (isnan(ratio))
		return strcpy(text, "-");
	snprintf(text, NUMBER_SIZE, ratio < 1000 ? "%.3f" : "%.0e", ratio);
	return text;
}

const char *number_percent(char *text, double percent)
{
	if (percent > 0)
		snprintf(text, NUMBER_SIZE, "%.1f%%", percent);
	else
		strcpy(text, "-");
	return text;
}
