/* SPDX-License-Identifier: MIT */
#include "report/compare/compare_energy.h"

#include <math.h>

#include "report/energy/energy.h"
#include "report/energy/energy_text.h"
#include "report/export/export_json_device.h"
#include "report/session/session.h"

/* What is shown: clocks and energy that differ by these parts, shares of samples that differ by so
 * much. Chosen: on one machine runs of one program stay below. */
#define CLOCK_DIFFERS  0.01
#define ENERGY_DIFFERS 0.05
#define SHARE_DIFFERS  0.05

struct energy_pair {
	const struct device_energy *a, *b;
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
static void begin(struct energy_pair *pair)
{
	if (pair->start)
		fputs(pair->start, pair->file);
	else
		fprintf(pair->file, "GPU %d, A and B: ", pair->device);
	pair->start = ", ";
}

static void print_clock(struct energy_pair *pair, const struct clock_range *clock_a,
			const struct clock_range *clock_b, const char *name)
{
	double a = clock_average(clock_a), b = clock_average(clock_b);

	if (!differs(a, b, CLOCK_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "%s clock %.0f and %.0f MHz (%+.1f %%)", name, a, b, 100 * (b / a - 1));
}

static void print_reasons(struct energy_pair *pair)
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

static void print_energy(struct energy_pair *pair)
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

static void print_device(struct energy_pair *pair)
{
	double a = clock_average(&pair->a->sm), b = clock_average(&pair->b->sm);

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

void comparison_print_energy(const struct comparison *comparison, FILE *file)
{
	const struct profile_energies *a = comparison->energies_a, *b = comparison->energies_b;

	for (int device = 0; device < SESSION_DEVICES && a && b; device++)
		print_device(&(struct energy_pair){.a = &a->devices[device],
						   .b = &b->devices[device],
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
