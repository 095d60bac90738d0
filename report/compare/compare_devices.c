/* SPDX-License-Identifier: MIT */
#include "report/compare/compare_devices.h"

#include <math.h>

#include "report/energy/energy.h"
#include "report/energy/energy_text.h"
#include "report/export/export_json_device.h"
#include "report/export/json.h"
#include "report/print/number.h"
#include "report/session/session.h"

/* What is shown: memory, clocks and energy that differ by these parts, shares of samples that
 * differ by so much. Chosen: on one machine runs of one program stay below. */
#define MEMORY_DIFFERS 0.01
#define CLOCK_DIFFERS  0.01
#define ENERGY_DIFFERS 0.05
#define SHARE_DIFFERS  0.05

struct device_pair {
	const struct device_energy *a, *b;
	uint64_t memory_a, memory_b; /* 0: not known */
	double runs_a, runs_b;
	const char *start; /* of what comes next: the line's, or a comma */
	int device;
	FILE *file;
};

static bool differs(double a, double b, double part)
{
	return a > 0 && b > 0 && fabs(b / a - 1) >= part;
}

/* The line as far as it goes before the next part of it. */
static void begin(struct device_pair *pair)
{
	if (pair->start)
		fputs(pair->start, pair->file);
	else
		fprintf(pair->file, "GPU %d, A and B: ", pair->device);
	pair->start = ", ";
}

static void print_memory(struct device_pair *pair)
{
	double a = (double)pair->memory_a, b = (double)pair->memory_b;
	char text_a[NUMBER_SIZE], text_b[NUMBER_SIZE];

	if (!differs(a, b, MEMORY_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "memory at most %s and %s (%+.1f %%)",
		number_bytes_about(text_a, pair->memory_a),
		number_bytes_about(text_b, pair->memory_b), 100 * (b / a - 1));
}

static void print_clock(struct device_pair *pair, const struct clock_range *clock_a,
			const struct clock_range *clock_b, const char *name)
{
	double a = clock_average(clock_a), b = clock_average(clock_b);

	if (!differs(a, b, CLOCK_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "%s clock %.0f and %.0f MHz (%+.1f %%)", name, a, b, 100 * (b / a - 1));
}

static void print_reasons(struct device_pair *pair)
{
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		double a = clock_reason_share(pair->a, i), b = clock_reason_share(pair->b, i);

		if (!(fabs(b - a) >= SHARE_DIFFERS))
			continue;
		begin(pair);
		fprintf(pair->file, "clocks limited by %s in %.1f and %.1f %% of the samples",
			clock_reason_text(i), 100 * a, 100 * b);
	}
}

static void print_energy(struct device_pair *pair)
{
	double a = pair->a->joules / pair->runs_a, b = pair->b->joules / pair->runs_b;
	char text_a[ENERGY_TEXT_SIZE], text_b[ENERGY_TEXT_SIZE];

	if (!pair->a->duration || !pair->b->duration || !differs(a, b, ENERGY_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "energy %s and %s a run", energy_text(text_a, a, "J"),
		energy_text(text_b, b, "J"));
	fprintf(pair->file, " (%s and %s)", energy_text(text_a, energy_power(pair->a), "W"),
		energy_text(text_b, energy_power(pair->b), "W"));
}

static void print_device(struct device_pair *pair)
{
	double a = clock_average(&pair->a->sm), b = clock_average(&pair->b->sm);

	print_memory(pair);
	print_clock(pair, &pair->a->sm, &pair->b->sm, "SM");
	print_clock(pair, &pair->a->memory, &pair->b->memory, "memory");
	print_reasons(pair);
	print_energy(pair);
	if (!pair->start)
		return;
	fputc('.', pair->file);
	if (differs(a, b, CLOCK_DIFFERS))
		fprintf(pair->file, " By the SM clock alone a kernel may take %.1f %% %s in B.",
			100 * fabs(a / b - 1), a > b ? "longer" : "less");
	fputc('\n', pair->file);
}

static uint64_t memory_of(const uint64_t *peaks, int device)
{
	return peaks ? peaks[device] : 0;
}

void comparison_print_devices(const struct comparison *comparison, FILE *file)
{
	static const struct profile_energies none = {.runs = 1};
	const struct profile_energies *a = comparison->energies_a, *b = comparison->energies_b;

	if (!a || !b)
		a = b = &none;
	for (int device = 0; device < SESSION_DEVICES; device++)
		print_device(
			&(struct device_pair){.a = &a->devices[device],
					      .b = &b->devices[device],
					      .memory_a = memory_of(comparison->memory_a, device),
					      .memory_b = memory_of(comparison->memory_b, device),
					      .runs_a = (double)a->runs,
					      .runs_b = (double)b->runs,
					      .device = device,
					      .file = file});
}

static const struct device_energy *energy_of(const struct profile_energies *energies, int device)
{
	return energies && energy_is_known(&energies->devices[device]) ? &energies->devices[device]
								       : NULL;
}

static void add_side(cJSON *object, const char *name, const struct device_energy *energy)
{
	if (energy)
		cJSON_AddItemToObject(object, name, json_energy(energy));
	else
		cJSON_AddNullToObject(object, name);
}

cJSON *comparison_energy_json(const struct comparison *comparison)
{
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_energy *a = energy_of(comparison->energies_a, device);
		const struct device_energy *b = energy_of(comparison->energies_b, device);
		cJSON *object;

		if (!a && !b)
			continue;
		object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "device", device);
		add_side(object, "a", a);
		add_side(object, "b", b);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static void add_bytes(cJSON *object, const char *name, uint64_t bytes)
{
	if (bytes)
		json_add_unsigned(object, name, bytes);
	else
		cJSON_AddNullToObject(object, name);
}

cJSON *comparison_memory_json(const struct comparison *comparison)
{
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES; device++) {
		uint64_t a = memory_of(comparison->memory_a, device);
		uint64_t b = memory_of(comparison->memory_b, device);
		cJSON *object;

		if (!a && !b)
			continue;
		object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "device", device);
		add_bytes(object, "a", a);
		add_bytes(object, "b", b);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}
