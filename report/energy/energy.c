/* SPDX-License-Identifier: MIT */
#include "report/energy/energy.h"

#include <math.h>
#include <string.h>

#include "report/session/layout.h"

/* Holds all reasons. */
#define REASONS_SIZE 640

static const unsigned reason_bits[] = {
#define REASON_BIT(name, bit, key, text) bit,
	CLOCK_REASONS(REASON_BIT)
#undef REASON_BIT
};
#define REASON_TEXT(name, bit, key, text) text,
const char *const clock_reason_texts[CLOCK_REASON_COUNT] = {CLOCK_REASONS(REASON_TEXT)};
#define REASON_KEY(name, bit, key, text) key,
const char *const clock_reason_keys[CLOCK_REASON_COUNT] = {CLOCK_REASONS(REASON_KEY)};

/* How long a step is at first. Chosen: NVML is read as often. */
#define STEP_NS 100000000u

static void double_steps(struct energy_curve *curve)
{
	for (unsigned i = 0; i < ENERGY_STEPS; i++) {
		struct energy_step whole = {0};

		for (unsigned j = 2 * i; j < 2 * i + 2 && j < ENERGY_STEPS; j++) {
			whole.joules += curve->steps[j].joules;
			whole.covered += curve->steps[j].covered;
			whole.sm_mhz += curve->steps[j].sm_mhz;
			whole.samples += curve->steps[j].samples;
		}
		curve->steps[i] = whole;
	}
	curve->length *= 2;
}

/* The step of a time; the last one if it is the end of all. */
static struct energy_step *step_at(struct energy_curve *curve, uint64_t time)
{
	uint64_t after = time > curve->begin ? time - curve->begin : 0;

	while (after > ENERGY_STEPS * curve->length)
		double_steps(curve);
	after /= curve->length;
	return &curve->steps[after < ENERGY_STEPS ? after : ENERGY_STEPS - 1];
}

static void begin_steps(struct energy_curve *curve, uint64_t time)
{
	memset(curve->steps, 0, sizeof(curve->steps));
	curve->begin = time;
	curve->length = STEP_NS;
}

/* Energy that was used evenly from one time to another. */
static void add_to_steps(struct energy_curve *curve, uint64_t from, uint64_t to, double joules)
{
	const uint64_t all = to - from;

	step_at(curve, to);
	while (from < to) {
		struct energy_step *step = step_at(curve, from);
		uint64_t end = curve->begin + ((uint64_t)(step - curve->steps) + 1) * curve->length;
		uint64_t part = (end < to ? end : to) - from;

		step->joules += joules * (double)part / (double)all;
		step->covered += part;
		from += part;
	}
}

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
	if (meter->curve)
		begin_steps(meter->curve, first->time);
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
	if (meter->curve)
		add_to_steps(meter->curve, reading->time - time, reading->time, millijoules / 1000);
	remember(meter, reading);
}

static void add_clock(struct clock_range *clock, unsigned mhz)
{
	if (clock->samples == 0 || mhz < clock->minimum)
		clock->minimum = mhz;
	clock->known = MINIMUM_KNOWN;
	RAISE(clock->maximum, mhz);
	clock->sum += mhz;
	clock->samples++;
}

void energy_add(struct device_energy *energy, struct energy_meter *meter,
		const struct energy_reading *reading)
{
	uint64_t reasons = reading->parts & READING_REASONS ? reading->reasons : 0;

	add_energy(energy, meter, reading);
	if (meter->curve && reading->parts & READING_SM) {
		struct energy_step *step = step_at(meter->curve, reading->time);

		step->sm_mhz += reading->sm_mhz;
		step->samples++;
	}
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
	if (other->sm.samples)
		figures_merge(figures_of(SCOPE_CLOCK_RANGE), &energy->sm, &other->sm);
	if (other->memory.samples)
		figures_merge(figures_of(SCOPE_CLOCK_RANGE), &energy->memory, &other->memory);
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		energy->reasons[i] += other->reasons[i];
}

const struct energy_curve *energy_curve_of(const struct session *session, int device)
{
	const struct energy_curve *curve;

	session_for_each_item (session, SEGMENT_ENERGY, curve)
		if (curve->device == device && curve->length)
			return curve;
	return NULL;
}

unsigned energy_curve_steps(const struct energy_curve *curve)
{
	unsigned count = ENERGY_STEPS;

	while (count && !curve->steps[count - 1].covered && !curve->steps[count - 1].samples)
		count--;
	return count;
}

double energy_step_watts(const struct energy_step *step)
{
	return step->covered ? step->joules * 1e9 / (double)step->covered : NAN;
}

double energy_step_sm_mhz(const struct energy_step *step)
{
	return step->samples ? (double)step->sm_mhz / step->samples : NAN;
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

/* Whether energy and clocks of a device were asked for, and the user wants the device. */
static bool energy_is_shown(const struct session *session, const struct options *options,
			    int device)
{
	const struct device_info *info = &session_header(session)->devices[device];

	return info->energy.state != ENERGY_NOT_ASKED && info->used &&
	       options->devices >> device & 1;
}

const char *clock_text(char text[ENERGY_TEXT_SIZE], const struct clock_range *clock)
{
	int length = snprintf(text, ENERGY_TEXT_SIZE, "%.0f MHz", clock_average(clock));

	if (clock->minimum != clock->maximum)
		snprintf(text + length, ENERGY_TEXT_SIZE - (size_t)length, " (%u to %u)",
			 clock->minimum, clock->maximum);
	return text;
}

static void write_clock(const struct clock_range *clock, const char *start, FILE *file)
{
	char text[ENERGY_TEXT_SIZE];

	if (clock->samples)
		fprintf(file, "%s clock %s", start, clock_text(text, clock));
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

/* "62.1 % of 118 samples by software power cap, 3.4 % by sync boost"; "": none had a reason. */
static const char *reasons_text(char text[REASONS_SIZE], const struct device_energy *energy)
{
	unsigned long long samples = energy->samples - energy->idle;
	size_t length = 0;

	*text = '\0';
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		char of[48] = "";

		if (!energy->reasons[i])
			continue;
		if (!length)
			snprintf(of, sizeof(of), " of %llu sample%s", samples,
				 samples == 1 ? "" : "s");
		length +=
			(size_t)snprintf(text + length, REASONS_SIZE - length, "%s%.1f %%%s by %s",
					 length ? ", " : "", 100 * clock_reason_share(energy, i),
					 of, clock_reason_texts[i]);
	}
	return text;
}

static void write_device(const struct device_energy *energy, const char *prefix, int device,
			 FILE *file)
{
	char reasons[REASONS_SIZE];

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
	if (*reasons_text(reasons, energy))
		fprintf(file, "%sGPU %d: clocks limited in %s.\n", prefix, device, reasons);
}

void energy_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file)
{
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (energy_is_shown(session, options, device))
			write_device(&session_header(session)->devices[device].energy, prefix,
				     device, file);
}

#define REASON_COLUMN(name, bit, key, text) {NULL, text "(%)", .kind = CELL_REAL, .decimals = 2},
static const struct column columns[] = {
	{NULL, "Device", .page = "GPU", .kind = CELL_INTEGER, .head = true},
	{NULL, "Energy(J)", .page = "Energy", .kind = CELL_REAL, .decimals = 3},
	{NULL, NULL, .page = "Time", .kind = CELL_TIME},
	{NULL, "Time(s)", .kind = CELL_REAL, .decimals = 6},
	{NULL, "Power(W)", .page = "Mean power", .kind = CELL_REAL, .decimals = 3},
	{NULL, "SM Min(MHz)", .kind = CELL_COUNT},
	{NULL, "SM Avg(MHz)", .page = "SM clock", .kind = CELL_REAL, .decimals = 1},
	{NULL, "SM Max(MHz)", .kind = CELL_COUNT},
	{NULL, "Memory Min(MHz)", .kind = CELL_COUNT},
	{NULL, "Memory Avg(MHz)", .page = "Memory clock", .kind = CELL_REAL, .decimals = 1},
	{NULL, "Memory Max(MHz)", .kind = CELL_COUNT},
	{NULL, "Samples", .kind = CELL_COUNT},
	{NULL, "Idle", .kind = CELL_COUNT},
	{NULL, NULL, .page = "Clocks limited"},
	CLOCK_REASONS(REASON_COLUMN)};

/* A figure of a page in words: "609 J". */
static void fill_about(struct cell *cell, const char *about, double value, const char *unit)
{
	char text[ENERGY_TEXT_SIZE];

	cell_print(cell, "%s%s", about, energy_text(text, value, unit));
}

static void fill_clock(struct cell cells[3], const struct clock_range *clock, bool page)
{
	if (!clock->samples)
		return;
	cell_count(&cells[0], clock->minimum);
	cell_real(&cells[1], clock_average(clock));
	cell_count(&cells[2], clock->maximum);
	if (page)
		cell_text(&cells[1], clock_text(cells[1].small, clock));
}

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct energy_table *table = sheet->argument;
	const struct device_energy *energy = &table->info[table->devices[row]].energy;
	bool page = sheet->form == SHEET_HTML;
	char reasons[REASONS_SIZE];

	cell_count(&cells[0], (uint64_t)table->devices[row]);
	if (energy->duration) {
		cell_real(&cells[1], energy->joules);
		cell_count(&cells[2], energy->duration);
		cell_real(&cells[3], (double)energy->duration / 1e9);
		cell_real(&cells[4], energy_power(energy));
	}
	if (energy->duration && page) {
		fill_about(&cells[1], energy->source == ENERGY_FROM_POWER ? "about " : "",
			   energy->joules, "J");
		fill_about(&cells[4], "", energy_power(energy), "W");
	}
	fill_clock(&cells[5], &energy->sm, page);
	fill_clock(&cells[8], &energy->memory, page);
	cell_count(&cells[11], energy->samples);
	cell_count(&cells[12], energy->idle);
	if (!energy_is_known(energy))
		cell_print(&cells[13], "not known: %s", energy_missing(energy));
	else if (*reasons_text(reasons, energy))
		cell_print(&cells[13], "%s", reasons);
	else
		cell_text(&cells[13], energy->samples > energy->idle ? "never" : "-");
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		cell_real(&cells[14 + i], 100 * clock_reason_share(energy, i));
}

void energy_sheet(struct sheet *sheet, struct energy_table *table, const struct session *session,
		  const struct options *options)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = fill_row, .argument = table};
	table->info = session_header(session)->devices;
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (energy_is_shown(session, options, device))
			table->devices[sheet->rows++] = device;
}

void energy_write_csv(const struct session *session, const struct options *options, FILE *file)
{
	struct energy_table table;
	struct sheet sheet;

	energy_sheet(&sheet, &table, session, options);
	sheet.form = SHEET_CSV;
	if (sheet.rows)
		sheet_write(&sheet, file);
}
