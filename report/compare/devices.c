/* SPDX-License-Identifier: MIT */
#include "report/compare/devices.h"

#include <math.h>

#include "report/energy/energy.h"
#include "report/session/layout.h"

/* Figures of a device: bytes, MHz, percent of the samples, W, and J of a run. */
enum {
	MEMORY, /* the most at once */
	SM_CLOCK,
	MEMORY_CLOCK,
	REASONS, /* why clocks are not the highest: enum clock_reason is added */
	POWER = REASONS + CLOCK_REASON_COUNT,
	ENERGY,
	QUANTITIES
};

/* Their names in a page and in a line, and from which difference on, in percent, the line has them.
 * Chosen: on one machine runs of one program stay below. Of the shares of samples see below. */
static const struct {
	const char *name, *text, *unit;
	double differs;
} quantities[QUANTITIES] = {
	[MEMORY] = {"memory held at most", "memory at most", "", 1},
	[SM_CLOCK] = {"SM clock", "SM clock", " MHz", 1},
	[MEMORY_CLOCK] = {"memory clock", "memory clock", " MHz", 1},
	[POWER] = {"mean power", "", "", INFINITY}, /* is said with the energy */
	[ENERGY] = {"energy of a run", "energy", " a run", 5},
};

/* In points. Chosen, too. */
#define SHARE_DIFFERS 5

static bool is_share(unsigned quantity)
{
	return quantity >= REASONS && quantity < POWER;
}

static double quantity_of(const struct profile *profile, int device, unsigned quantity)
{
	const struct device_energy *energy = &profile->energies[device];
	double value;

	switch (quantity) {
	case MEMORY:
		value = (double)profile->memory_peaks[device];
		break;
	case SM_CLOCK:
		value = clock_average(&energy->sm);
		break;
	case MEMORY_CLOCK:
		value = clock_average(&energy->memory);
		break;
	case POWER:
		value = energy_power(energy);
		break;
	case ENERGY:
		value = energy->duration ? energy->joules / (double)profile->energy_runs : 0;
		break;
	default:
		return energy->samples > energy->idle
			       ? 100 * clock_reason_share(energy, quantity - REASONS)
			       : NAN;
	}
	return value > 0 ? value : NAN;
}

/* Both sides' values, NAN where one is not known. False: there is nothing to compare. */
static bool take_values(const struct comparison *comparison, int device, unsigned quantity,
			double values[2])
{
	values[0] = quantity_of(comparison->a, device, quantity);
	values[1] = quantity_of(comparison->b, device, quantity);
	if (quantity == MEMORY)
		return values[0] > 0 && values[1] > 0;
	return energy_is_known(&comparison->a->energies[device]) &&
	       energy_is_known(&comparison->b->energies[device]) &&
	       (values[0] > 0 || values[1] > 0);
}

/* In percent, or in points of shares. */
static double change_of(unsigned quantity, const double values[2])
{
	return is_share(quantity) ? values[1] - values[0] : 100 * (values[1] / values[0] - 1);
}

/* Without the unit of MHz and percent. */
static const char *value_text(char text[ENERGY_TEXT_SIZE], unsigned quantity, double value)
{
	switch (quantity) {
	case MEMORY:
		return number_bytes_about(text, (uint64_t)value);
	case POWER:
	case ENERGY:
		return energy_text(text, value, quantity == POWER ? "W" : "J");
	default:
		snprintf(text, ENERGY_TEXT_SIZE, "%.*f", is_share(quantity), value);
		return text;
	}
}

static void print_quantity(const struct comparison *comparison, int device, unsigned quantity,
			   const double values[2], FILE *file)
{
	char texts[2][ENERGY_TEXT_SIZE];
	double power[2];

	value_text(texts[0], quantity, values[0]);
	value_text(texts[1], quantity, values[1]);
	if (is_share(quantity)) {
		fprintf(file, "clocks limited by %s in %s and %s %% of the samples",
			clock_reason_texts[quantity - REASONS], texts[0], texts[1]);
		return;
	}
	fprintf(file, "%s %s and %s%s", quantities[quantity].text, texts[0], texts[1],
		quantities[quantity].unit);
	if (quantity != ENERGY) {
		fprintf(file, " (%+.1f %%)", change_of(quantity, values));
		return;
	}
	take_values(comparison, device, POWER, power);
	fprintf(file, " (%s and %s)", value_text(texts[0], POWER, power[0]),
		value_text(texts[1], POWER, power[1]));
}

static void print_device(const struct comparison *comparison, int device, FILE *file)
{
	double values[2], sm = 1;
	bool any = false;

	for (unsigned i = 0; i < QUANTITIES; i++) {
		if (!take_values(comparison, device, i, values) ||
		    !(fabs(change_of(i, values)) >=
		      (is_share(i) ? SHARE_DIFFERS : quantities[i].differs)))
			continue;
		if (any)
			fputs(", ", file);
		else
			fprintf(file, "GPU %d, A and B: ", device);
		any = true;
		print_quantity(comparison, device, i, values, file);
		if (i == SM_CLOCK)
			sm = values[0] / values[1];
	}
	if (sm != 1)
		fprintf(file, ". By the SM clock alone a kernel may take %.1f %% %s in B",
			100 * fabs(sm - 1), sm > 1 ? "longer" : "less");
	if (any)
		fputs(".\n", file);
}

void devices_print(const struct comparison *comparison, FILE *file)
{
	for (int device = 0; device < SESSION_DEVICES; device++)
		print_device(comparison, device, file);
}

/* What the sides know of each device; null: nothing. */
static void add_devices(struct json *json, const struct comparison *comparison, bool energy)
{
	const struct profile *sides[] = {comparison->a, comparison->b};

	json_array(json, energy ? "energy" : "memory");
	for (int device = 0; device < SESSION_DEVICES; device++) {
		bool known[2];

		for (int i = 0; i < 2; i++)
			known[i] = energy ? energy_is_known(&sides[i]->energies[device])
					  : sides[i]->memory_peaks[device] > 0;
		if (!known[0] && !known[1])
			continue;
		json_object(json, NULL);
		json_real(json, "device", device);
		for (int i = 0; i < 2; i++) {
			const char *name = i ? "b" : "a";

			if (!known[i])
				json_null(json, name);
			else if (energy)
				json_energy(json, name, &sides[i]->energies[device]);
			else
				json_unsigned(json, name, sides[i]->memory_peaks[device]);
		}
		json_end(json);
	}
	json_end(json);
}

void devices_add_json(const struct comparison *comparison, struct json *json)
{
	add_devices(json, comparison, false);
	add_devices(json, comparison, true);
}

/* Clocks with the least and the most. */
static void write_side(struct html *html, const struct profile *profile, int device,
		       unsigned quantity, double value)
{
	const struct device_energy *energy = &profile->energies[device];
	char text[ENERGY_TEXT_SIZE], share[ENERGY_TEXT_SIZE + 2];

	if (isnan(value)) {
		html_number(html, -1, "-");
		return;
	}
	if (quantity == SM_CLOCK || quantity == MEMORY_CLOCK)
		clock_text(text, quantity == SM_CLOCK ? &energy->sm : &energy->memory);
	else
		value_text(text, quantity, value);
	snprintf(share, sizeof(share), "%s %%", text);
	html_number(html, value, is_share(quantity) ? share : text);
}

/* Shares differ in points, all else in percent. */
static void write_quantity(struct html *html, const struct comparison *comparison, int device,
			   unsigned quantity, const double values[2])
{
	const bool share = is_share(quantity), known = !isnan(values[0]) && !isnan(values[1]);
	const double change = change_of(quantity, values);
	char text[32];

	fprintf(html->file, "<tr><th scope=\"row\">GPU %d: %s%s</th>", device,
		share ? "samples with clocks limited by " : quantities[quantity].name,
		share ? clock_reason_texts[quantity - REASONS] : "");
	write_side(html, comparison->a, device, quantity, values[0]);
	write_side(html, comparison->b, device, quantity, values[1]);
	snprintf(text, sizeof(text), "%+.1f %s", change, share ? "points" : "%");
	/* What is not known comes behind whatever a change can be. */
	html_number(html, known ? change : -1000, known ? text : "-");
	fputs("</tr>\n", html->file);
}

bool devices_are_known(const struct comparison *comparison)
{
	double values[2];

	for (unsigned i = 0; i < SESSION_DEVICES * QUANTITIES; i++)
		if (take_values(comparison, (int)(i / QUANTITIES), i % QUANTITIES, values))
			return true;
	return false;
}

/* Of both sides, whether they differ or not: a reader looks here for why a kernel is slower. */
void devices_write_section(const struct comparison *comparison, struct html *html)
{
	double values[2];

	if (!devices_are_known(comparison))
		return;
	fputs("<section id=\"devices\" aria-labelledby=\"devices-title\">\n<h2 "
	      "id=\"devices-title\">Memory, energy and clocks</h2>\n",
	      html->file);
	html_table_begin(html, "devices-table", "sortable",
			 "Memory of the allocation calls; clocks on average, and from the least to "
			 "the most; what limited them; energy with all else that ran on the device",
			 "What|#A|#B|#Change");
	for (int device = 0; device < SESSION_DEVICES; device++)
		for (unsigned i = 0; i < QUANTITIES; i++)
			if (take_values(comparison, device, i, values))
				write_quantity(html, comparison, device, i, values);
	html_table_end(html);
	fputs("</section>\n", html->file);
}
