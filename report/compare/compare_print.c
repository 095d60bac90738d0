/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <math.h>

#include "report/compare/devices.h"
#include "report/compare/headline.h"
#include "report/compare/next.h"
#include "report/compare/sides.h"
#include "report/session/estimate.h"
#include "report/session/layout.h"

/* The columns of all forms: CSV has the times of a side next to each other. */
enum {
	TYPE,
	CALLS_A,
	CALLS_B,
	TIME_A,
	TIME_B,
	AVERAGE_A,
	CSV_CALLS_B,
	CSV_TIME_B,
	AVERAGE_B,
	RATIO,
	INTERVAL,
	LOW,
	HIGH,
	PROBABILITY,
	VERDICT,
	NAME,
	NAME_B,
	BYTES_A,
	BYTES_B
};
/* Columns of comparisons with several runs a side alone. */
#define PART_RUNS 1
static const struct column columns[] = {
	[TYPE] = {"Type", "Type", .width = 16, .once = true},
	[CALLS_A] = {"Calls A", "Calls A", .kind = CELL_MEAN, .width = 8},
	[CALLS_B] = {"Calls B", NULL, .kind = CELL_MEAN, .width = 8},
	[TIME_A] = {"Time A", "Time A", .kind = CELL_MEAN_NS, .width = 8},
	[TIME_B] = {"Time B", NULL, .kind = CELL_MEAN_NS, .width = 8},
	[AVERAGE_A] = {"Avg A", "Avg A", .kind = CELL_MEAN_NS, .width = 8, .decimals = 3},
	[CSV_CALLS_B] = {NULL, "Calls B", .kind = CELL_MEAN},
	[CSV_TIME_B] = {NULL, "Time B", .kind = CELL_MEAN_NS},
	[AVERAGE_B] = {"Avg B", "Avg B", .kind = CELL_MEAN_NS, .width = 8, .decimals = 3},
	[RATIO] = {"Ratio", "Ratio", .kind = CELL_RATIO, .width = 6},
	[INTERVAL] = {"95 %", NULL, .width = 13, .parts = PART_RUNS},
	[LOW] = {NULL, "Low", .kind = CELL_RATIO},
	[HIGH] = {NULL, "High", .kind = CELL_RATIO},
	[PROBABILITY] = {NULL, "Probability", .kind = CELL_RATIO},
	[VERDICT] = {"Verdict", "Verdict", .width = -11, .most = VERDICT_SIZE},
	[NAME] = {"Name", "Name", .name = true},
	/* Of two versions of a kernel. */
	[NAME_B] = {.csv = "Name B"},
	[BYTES_A] = {.csv = "Bytes A", .kind = CELL_MEAN},
	[BYTES_B] = {.csv = "Bytes B", .kind = CELL_MEAN},
};

/* Of a run. */
static void fill_side(const struct comparison_row *row, bool is_b, struct cell *calls,
		      struct cell *time, struct cell *average)
{
	const struct profile_row *side = is_b ? row->b : row->a;

	if (!side)
		return;
	cell_real(calls, row->calls[is_b]);
	if (!side->timed)
		return;
	cell_real(time, row->times[is_b]);
	cell_real(average, side->average);
}

static const char *type_of(const struct comparison_row *row, enum sheet_form form)
{
	static const char *const types[][2] = {[SHEET_TEXT] = {"GPU activities:", "API calls:"},
					       [SHEET_CSV] = {"GPU activities", "API calls"},
					       [SHEET_HTML] = {"GPU", "API"},
					       [SHEET_JSON] = {"gpu", "api"},
					       [SHEET_MARKDOWN] = {"GPU", "API"}};

	return types[form][comparison_is_api(row)];
}

bool comparison_moved_text(const struct comparison *comparison, const struct comparison_row *row,
			   char text[MOVED_SIZE])
{
	char bytes[2][NUMBER_SIZE], rates[2][NUMBER_SIZE], ratio[NUMBER_SIZE];
	struct change amount = {0}, rate = {0};
	struct moved moved[2];
	bool more;

	if (!comparison_moved(row, moved))
		return false;
	amount.ratio = moved[1].bytes / moved[0].bytes;
	rate.ratio = moved[1].rate / moved[0].rate;
	more = change_is_beyond(&amount, comparison->threshold);
	/* Equal bytes in another time say no more than the verdict. */
	if (!more &&
	    (!verdict_is_change(row->verdict) || !change_is_beyond(&rate, comparison->threshold)))
		return false;
	for (int i = 0; i < 2; i++) {
		number_bytes_about(bytes[i], to_unsigned(moved[i].bytes + 0.5));
		number_rate(rates[i], moved[i].rate);
	}
	if (more)
		snprintf(text, MOVED_SIZE, "bytes %.16s -> %.16s (%.16s), %.16s -> %.16s GB/s",
			 bytes[0], bytes[1], number_ratio(ratio, amount.ratio), rates[0], rates[1]);
	else
		snprintf(text, MOVED_SIZE, "%.16s -> %.16s GB/s", rates[0], rates[1]);
	return true;
}

/* For a reader with what was moved. */
static void fill_name(const struct sheet *sheet, const struct comparison_row *row,
		      struct cell *cell)
{
	char moved[MOVED_SIZE];
	const bool csv = sheet->form == SHEET_CSV;

	cell_text(cell, csv ? comparison_name(row) : comparison_label(row));
	if (csv || !comparison_moved_text(sheet->argument, row, moved))
		return;
	cell_print(cell, "%s: %s", cell->text, moved);
}

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	char verdict[VERDICT_SIZE];
	const struct comparison *comparison = sheet->argument;
	const struct comparison_row *row = &comparison->rows[index];
	const struct change *change = &row->total;
	char text[NUMBER_SIZE];
	struct moved moved[2];

	cell_group(&cells[TYPE], comparison_is_api(row), type_of(row, sheet->form));
	fill_side(row, false, &cells[CALLS_A], &cells[TIME_A], &cells[AVERAGE_A]);
	fill_side(row, true, &cells[CALLS_B], &cells[TIME_B], &cells[AVERAGE_B]);
	cells[CSV_CALLS_B] = cells[CALLS_B];
	cells[CSV_TIME_B] = cells[TIME_B];
	cell_real(&cells[RATIO], change->ratio);
	cell_print(&cells[INTERVAL], "%s", change_interval(text, change));
	cell_real(&cells[LOW], change->low);
	cell_real(&cells[HIGH], change->high);
	cell_real(&cells[PROBABILITY], change->probability);
	if (sheet->form == SHEET_CSV)
		cell_text(&cells[VERDICT], verdict_text(row->verdict));
	else
		cell_print(&cells[VERDICT], "%s", comparison_row_verdict(comparison, row, verdict));
	fill_name(sheet, row, &cells[NAME]);
	cell_text(&cells[NAME_B], row->versions ? row->b->name : NULL);
	comparison_moved(row, moved);
	if (moved[0].bytes > 0)
		cell_real(&cells[BYTES_A], moved[0].bytes);
	if (moved[1].bytes > 0)
		cell_real(&cells[BYTES_B], moved[1].bytes);
}

struct sheet comparison_sheet(const struct comparison *comparison, enum sheet_form form)
{
	return (struct sheet){SHEET_OF(columns),
			      .row = fill_row,
			      .argument = comparison,
			      .rows = comparison->count,
			      .form = form,
			      .parts = comparison_is_of_single_runs(comparison) ? 0 : PART_RUNS};
}

static void print_ratio(const struct change *change, FILE *file)
{
	char text[NUMBER_SIZE];

	fprintf(file, ", ratio %s", number_ratio(text, change->ratio));
	if (!isnan(change->low))
		fprintf(file, " (95 %%: %s)", change_interval(text, change));
}

static void print_total(const struct comparison *comparison, FILE *file)
{
	const size_t untimed = comparison->verdicts[false][VERDICT_UNTIMED];
	char verdict[VERDICT_SIZE], totals[2][NUMBER_SIZE];

	number_time(totals[0], to_unsigned(comparison->gpu_a + 0.5));
	number_time(totals[1], to_unsigned(comparison->gpu_b + 0.5));
	fprintf(file, "All GPU activities: %s in A, %s in B", totals[0], totals[1]);
	print_ratio(&comparison->gpu, file);
	fprintf(file, ": %s", comparison_verdict(comparison, comparison->gpu_verdict, verdict));
	if (untimed)
		fprintf(file, ", without %zu untimed row%s", untimed, untimed == 1 ? "" : "s");
	fputc('\n', file);
}

static void print_wall(const struct comparison *comparison, FILE *file)
{
	char times[2][NUMBER_SIZE];

	fprintf(file, "Whole run, from the start of CUDA: %s in A, %s in B",
		number_about(times[0], comparison->wall_a, 3),
		number_about(times[1], comparison->wall_b, 3));
	print_ratio(&comparison->wall, file);
	fputc('\n', file);
}

/* "GPU rows: 1 same, 4 faster" */
static void print_verdicts_of(const struct comparison *comparison, bool api, FILE *file)
{
	const size_t *counts = comparison->verdicts[api];
	char verdict[VERDICT_SIZE];
	const char *separator = "";

	fputs(api ? "API rows: " : "GPU rows: ", file);
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (!counts[i])
			continue;
		fprintf(file, "%s%zu %s", separator, counts[i],
			comparison_verdict(comparison, i, verdict));
		separator = ", ";
	}
	fputs(*separator ? "" : "none", file);
}

/* Of kernels; what they move is told if it is known. */
static void print_versions(const struct comparison *comparison, FILE *file)
{
	size_t versions = 0;
	bool undeclared = false;
	struct moved moved[2];

	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		versions += row->versions != NULL;
		undeclared |= row->versions && row->a->blocks > 0 && row->b->blocks > 0 &&
			      !comparison_moved(row, moved);
	}
	if (versions)
		fprintf(file,
			" (%zu of these rows compare%s two versions of a kernel, whose names "
			"differ in template "
			"arguments or parameters%s)",
			versions, versions == 1 ? "s" : "",
			undeclared ? "; their data may differ too: --bytes declares it" : "");
}

static void print_verdicts(const struct comparison *comparison, FILE *file)
{
	print_verdicts_of(comparison, false, file);
	print_versions(comparison, file);
	if (comparison->count > comparison->gpu_count) {
		fputs("; ", file);
		print_verdicts_of(comparison, true, file);
	}
	fputc('\n', file);
}

static void print_basis(const struct comparison *comparison, FILE *file)
{
	double percent = comparison->threshold * 100;

	if (comparison_is_of_single_runs(comparison))
		fprintf(file,
			"One run a side: how much runs differ is not known, so each time may "
			"differ by chance; a row is judged by how much its calls differ. Faster, "
			"slower: by more than %g %%; under %g %%: by "
			"less; cannot tell: it could be either. Ratio: Time B / Time A.\n",
			percent, percent);
	else
		fprintf(file,
			"%zu and %zu runs. Faster, slower: by more than %g %%, wrong in at most 2 "
			"of 100 comparisons. Same: within %g %%. Ratio: Time B / Time A.\n",
			comparison->a->runs, comparison->b->runs, percent, percent);
}

/* Figures of rows that are shown by themselves, of a run. */
static void print_figures(const struct comparison *comparison, FILE *file)
{
	const struct figure *figures = figures_of(SCOPE_ROW)->figures;
	char texts[2][NUMBER_SIZE];

	for (unsigned i = 0; i < ROW_FIGURE_COUNT; i++) {
		double a = comparison->a->figures[i] / (double)comparison->a->runs;
		double b = comparison->b->figures[i] / (double)comparison->b->runs;

		if (a > 0 || b > 0)
			fprintf(file, "%s: %s in A, %s in B.\n", figures[i].text,
				number_figure(texts[0], &figures[i], a),
				number_figure(texts[1], &figures[i], b));
	}
}

/* How long all GPU activities took, the whole run, and the GPUs' idle time. */
static void print_totals(const struct comparison *comparison, const char *between, FILE *file)
{
	print_total(comparison, file);
	fputs(between, file);
	if (comparison->wall_a > 0 && comparison->wall_b > 0) {
		print_wall(comparison, file);
		fputs(between, file);
	}
	if (idle_print(&comparison->idle, comparison->threshold, file))
		fputs(between, file);
}

void comparison_print_lines(const struct comparison *comparison, const char *between, FILE *file)
{
	print_verdicts(comparison, file);
	fputs(between, file);
	print_basis(comparison, file);
	devices_print(comparison, file);
	print_figures(comparison, file);
}

/* Grows when a field changes its meaning or goes. */
#define FORMAT 1

/* A number that is none becomes null. */
static void add_change(struct json *json, const struct change *change)
{
	json_real(json, "ratio", change->ratio);
	json_real(json, "low", change->low);
	json_real(json, "high", change->high);
	json_real(json, "probability", change->probability);
}

static void add_side(struct json *json, const char *name, const struct profile_row *row)
{
	if (!row) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	json_array(json, "runs");
	for (const struct row_run *run = row->runs; run < row->runs + row->run_count; run++) {
		json_object(json, NULL);
		json_unsigned(json, "run", run->run);
		json_unsigned(json, "calls", run->calls);
		json_real(json, "total_ns", run->total);
		json_real(json, "average_ns", run->average);
		if (run->bytes > 0)
			json_real(json, "bytes", run->bytes);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void add_row(struct json *json, const struct comparison *comparison,
		    const struct comparison_row *row)
{
	const char *why = comparison_why_unsure(comparison, row);

	json_object(json, NULL);
	json_text(json, "type", type_of(row, SHEET_JSON));
	json_text(json, "name", comparison_name(row));
	if (row->versions)
		json_text(json, "name_b", row->b->name);
	add_side(json, "a", row->a);
	add_side(json, "b", row->b);
	json_object(json, "average");
	add_change(json, &row->average);
	json_end(json);
	json_object(json, "total");
	add_change(json, &row->total);
	json_end(json);
	json_text(json, "verdict", verdict_text(row->verdict));
	if (why)
		json_text(json, "why", why);
	json_end(json);
}

/* What was not read of the files, where there is such. */
static void add_unread(struct json *json, const struct comparison *comparison)
{
	const struct profile *sides[] = {comparison->a, comparison->b};

	if (!sides[0]->said_count && !sides[1]->said_count)
		return;
	json_bool(json, "damaged", sides[0]->damaged || sides[1]->damaged);
	json_array(json, "unread");
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->said_count; i++)
			json_text(json, NULL, sides[side]->said[i]);
	json_end(json);
}

void comparison_add_json(const struct comparison *comparison, const char *name, struct json *json)
{
	json_object(json, name);
	json_unsigned(json, "format", FORMAT);
	json_text(json, "verdict", comparison->headline);
	json_text(json, "why", comparison->why);
	json_text(json, "calls_differ", comparison->calls);
	json_unsigned(json, "runs_a", comparison->a->runs);
	json_unsigned(json, "runs_b", comparison->b->runs);
	json_real(json, "threshold_percent", comparison->threshold * 100);
	json_object(json, "gpu_total");
	json_real(json, "a_ns", comparison->gpu_a);
	json_real(json, "b_ns", comparison->gpu_b);
	add_change(json, &comparison->gpu);
	json_text(json, "verdict", verdict_text(comparison->gpu_verdict));
	json_end(json);
	json_object(json, "wall");
	json_real(json, "a_ns", comparison->wall_a > 0 ? comparison->wall_a : NAN);
	json_real(json, "b_ns", comparison->wall_b > 0 ? comparison->wall_b : NAN);
	add_change(json, &comparison->wall);
	json_end(json);
	idle_add_json(&comparison->idle, json);
	devices_add_json(comparison, json);
	add_unread(json, comparison);
	json_array(json, "rows");
	for (size_t i = 0; i < comparison->count; i++)
		add_row(json, comparison, &comparison->rows[i]);
	json_end(json);
	json_end(json);
}

/* `before` as of print_open(). In Markdown the command is code, in which nothing is special. */
static void print_more_runs(const struct comparison *comparison, const char *before, FILE *file)
{
	fprintf(file, "More runs tell:%s", *before ? "\n\n    " : " ");
	next_write(comparison, NEXT_RUNS, file);
	fputc('\n', file);
}

/* `before`: what parts lines, an empty line in Markdown. Below the rows; the command is there
 * unless it stands beside the verdict. */
static void print_open(const struct comparison *comparison, const char *before, FILE *file)
{
	const char *why = next_why_unsure(comparison);

	if (!why)
		return;
	fprintf(file, "%sCannot tell: %s.", before, why);
	fputc(headline_in_doubt(comparison) ? '\n' : ' ', file);
	if (!headline_in_doubt(comparison))
		print_more_runs(comparison, before, file);
}

/* Each line of a text by itself. */
static void print_paragraphs(const char *text, struct out *out)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		char *line = strndup(text, (size_t)(end - text));

		out_entities(out, line ?: "", MARKDOWN_SPECIAL);
		out_text(out, "\n\n");
		free(line);
		text = end + (*end != '\0');
	}
}

static void print_markdown(const struct comparison *comparison, FILE *file)
{
	struct out out = OUT_TO_FILE(file);

	out_text(&out, "**");
	out_entities(&out, comparison->headline, MARKDOWN_SPECIAL);
	out_text(&out, "**\n\n");
	out_flush(&out);
	if (headline_in_doubt(comparison)) {
		print_more_runs(comparison, "\n", file);
		fputc('\n', file);
	}
	print_paragraphs(comparison->why, &out);
	print_paragraphs(comparison->calls, &out);
	out_flush(&out);
	print_totals(comparison, "\n", file);
	comparison_print_lines(comparison, "\n", file);
	print_open(comparison, "\n", file);
}

void comparison_print(const struct comparison *comparison, enum sheet_form form, FILE *file)
{
	struct sheet sheet = comparison_sheet(comparison, form);
	struct json json = {.file = file};

	if (form == SHEET_JSON) {
		comparison_add_json(comparison, NULL, &json);
		fputc('\n', file);
		return;
	}
	if (form == SHEET_MARKDOWN)
		print_markdown(comparison, file);
	if (form == SHEET_TEXT) {
		fprintf(file, "%s\n", comparison->headline);
		if (headline_in_doubt(comparison))
			print_more_runs(comparison, "", file);
		if (*comparison->why)
			fprintf(file, "%s\n", comparison->why);
		if (*comparison->calls)
			fprintf(file, "%s\n", comparison->calls);
		sides_print(comparison, file);
		fputc('\n', file);
	}
	sheet_write(&sheet, file);
	if (form == SHEET_TEXT) {
		fputc('\n', file);
		print_totals(comparison, "", file);
		comparison_print_lines(comparison, "", file);
		print_open(comparison, "", file);
	}
}
