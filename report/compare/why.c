/* SPDX-License-Identifier: MIT */
#include "report/compare/why.h"

#include <math.h>
#include <string.h>

#include "report/compare/cause.h"
#include "report/findings/functions.h"
#include "report/names/visible.h"
#include "report/session/estimate.h"

/* A part that changed by less of what all of them changed by is in the rest. Chosen. */
#define LEAST_SHARE 0.05

/* A row, or what is copied, explains a part that it has so much of. Chosen. */
#define MOST_OF	    0.5

static void write_change(double change, FILE *file)
{
	char text[NUMBER_SIZE];

	fprintf(file, "%c%s", change < 0 ? '-' : '+', number_about(text, fabs(change), 3));
}

/* " (cudaMalloc +10.1 ms, could be chance)": calls that a program makes before its first operation
 * or after its last, if they changed by about as much; and why the verdict on them is none. */
static void write_calls(const struct comparison *comparison, double part, FILE *file)
{
	for (size_t i = comparison->gpu_count; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const char *name = comparison_name(row);
		const char *why = comparison_is_of_single_runs(comparison)
					  ? NULL /* as of the run: it is said once of all */
					  : comparison_why_unsure(comparison, row);
		double share = row->change / part;

		if (share < MOST_OF || share > 1 / MOST_OF ||
		    !(function_is(FUNCTION_MEMORY, name) || function_is(FUNCTION_LOAD, name)))
			continue;
		fputs(" (", file);
		visible_write(name, file);
		fputc(' ', file);
		write_change(row->change, file);
		if (why)
			fprintf(file, ", %s", why);
		fputc(')', file);
		return;
	}
}

/* " (copies: 128 MB -> 64 MB)", if copies make most of the change, and move more or less. */
static void write_copies(const struct comparison *comparison, double part, FILE *file)
{
	static const char copy[] = "[CUDA memcpy";
	char texts[2][NUMBER_SIZE];
	double bytes[2] = {0}, change = 0;

	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		struct moved moved[2];

		if (strncmp(comparison_name(row), copy, sizeof(copy) - 1))
			continue;
		if (!comparison_moved(row, moved))
			return;
		bytes[0] += moved[0].bytes;
		bytes[1] += moved[1].bytes;
		change += row->change;
	}
	if (!(change / part >= MOST_OF) || (bytes[1] > bytes[0]) != (part > 0) ||
	    !change_is_beyond(&(struct change){.ratio = bytes[1] / bytes[0]},
			      comparison->threshold))
		return;
	fprintf(file, " (copies: %s -> %s)",
		number_bytes_about(texts[0], to_unsigned(bytes[0] + 0.5)),
		number_bytes_about(texts[1], to_unsigned(bytes[1] + 0.5)));
}

static void write_part(const struct comparison *comparison, const struct part *part, FILE *file)
{
	fprintf(file, "%s ", part->text);
	write_change(part->change, file);
	if (part->cause) {
		fputs(" (mostly ", file);
		visible_write(part->cause, file);
		fputc(')', file);
	} else if (part->kind == PART_BUSY) {
		write_copies(comparison, part->change, file);
	} else {
		write_calls(comparison, part->change, file);
	}
}

static void write_parts(const struct comparison *comparison, const struct parts *parts, FILE *file)
{
	const bool less = parts->whole < 0;
	char text[NUMBER_SIZE];
	double rest = parts->whole;

	if (fabs(parts->whole) < LEAST_SHARE * parts->sum)
		fputs("The whole run takes as long", file);
	else
		fprintf(file, "The whole run takes %s %s",
			number_about(text, fabs(parts->whole), 3), less ? "less" : "longer");
	for (size_t i = 0; i < PART_COUNT; i++) {
		if (fabs(parts->parts[i].change) < LEAST_SHARE * parts->sum)
			break;
		fputs(i ? ", " : ": ", file);
		write_part(comparison, &parts->parts[i], file);
		rest -= parts->parts[i].change;
	}
	if (fabs(rest) >= 1) {
		fputs(", the rest ", file);
		write_change(rest, file);
	}
	fputc('.', file);
}

/* Whether the run, or its parts, changed by more than the threshold, and not by chance. */
static bool are_told(const struct comparison *comparison, const struct parts *parts)
{
	return parts->known && !change_may_be_none(&comparison->wall) &&
	       (change_is_beyond(&comparison->wall, comparison->threshold) ||
		parts->sum > comparison->threshold * comparison->wall_a);
}

void why_write(const struct comparison *comparison, FILE *file)
{
	bool any;

	if (comparison->a->damaged || comparison->b->damaged)
		return;
	any = cause_write(comparison, file);
	if (are_told(comparison, &comparison->parts)) {
		fputs(any ? "\n" : "", file);
		write_parts(comparison, &comparison->parts, file);
	}
}
