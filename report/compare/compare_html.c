/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/devices.h"
#include "report/compare/headline.h"
#include "report/compare/labels.h"
#include "report/compare/next.h"
#include "report/compare/sides.h"
#include "report/html/html.h"
#include "report/session/text.h"

/* Bytes of the page. Chosen: it stays under 1 MB. */
#define PAGE_BYTES			 900000
/* The ratio, to either side, at which its bar is full. Chosen. */
#define RATIO_MOST			 4.0

#define VERDICT_CLASS(name, text, class) class,
static const char *const verdict_classes[] = {VERDICTS(VERDICT_CLASS)};
#undef VERDICT_CLASS

/* Columns of the sheet that both sides have: calls and times. */
static bool is_of_side(const struct sheet *sheet, unsigned column)
{
	uint8_t kind = sheet->columns[column].kind;

	return column_shows(sheet, column) && (kind == CELL_MEAN || kind == CELL_MEAN_NS);
}

/* From the middle to the right if B takes longer, by the logarithm of the ratio; a line for the
 * interval. In percent of the width. */
static double place(double ratio)
{
	double part = ratio > 0 ? log(ratio) / log(RATIO_MOST) : -1;

	return 50 + 50 * (part > 1 ? 1 : part < -1 ? -1 : part);
}

static void write_bar(struct html *html, const struct change *change, const char *class)
{
	double at = place(change->ratio);

	fputs("<td class=\"change\">", html->file);
	if (!isnan(change->ratio)) {
		fprintf(html->file,
			"<svg class=\"ratio\" aria-hidden=\"true\"><rect class=\"%s\" x=\"%.2f%%\" "
			"width=\"%.2f%%\" y=\"25%%\" height=\"50%%\"/><rect class=\"axis\" "
			"x=\"50%%\" width=\"1\" height=\"100%%\"/>",
			class, at < 50 ? at : 50, fabs(at - 50));
		if (!isnan(change->low))
			fprintf(html->file,
				"<line class=\"interval\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" "
				"y2=\"50%%\"/>",
				place(change->low), place(change->high));
		fputs("</svg>", html->file);
	}
	fputs("</td>", html->file);
}

/* The text with arrows that no end of a line takes apart; the caller frees it. */
static char *with_arrows(const char *text)
{
	static const char plain[] = " -> ", arrow[] = " → ";
	char *copy = malloc(strlen(text) / strlen(plain) * strlen(arrow) + strlen(text) + 1);
	char *end = copy;

	for (const char *at; copy && (at = strstr(text, plain)); text = at + strlen(plain)) {
		end = mempcpy(end, text, (size_t)(at - text));
		end = stpcpy(end, arrow);
	}
	if (copy)
		strcpy(end, text);
	return copy;
}

static void write_text(struct html *html, const char *text)
{
	char *copy = with_arrows(text);

	if (!copy)
		html->error = -ENOMEM;
	html_text(html, copy ?: text);
	free(copy);
}

/* A row's name: what is short of it, or of two versions of a kernel, unfolds to all of it. */
static void write_name(struct html *html, const struct comparison_row *row, const char *label)
{
	const char *a = comparison_name(row), *b = row->versions ? row->b->name : "";
	const bool folded = strlen(a) > LABEL_MOST || strlen(b) > LABEL_MOST;

	fputs(folded ? "<details><summary>" : "", html->file);
	/* The arrow is not of the name. */
	(row->versions ? write_text : html_text)(html, label);
	fputs(folded	      ? "</summary>\n<p class=\"full-name\">"
	      : row->versions ? "<small>A: "
			      : "",
	      html->file);
	if (folded || row->versions)
		html_text(html, a);
	if (row->versions) {
		fputs(folded ? " → " : "<br>B: ", html->file);
		html_text(html, b);
	}
	fputs(folded ? "</p></details>" : row->versions ? "</small>" : "", html->file);
}

static void write_row(struct html *html, struct sheet *sheet, const struct comparison_row *row,
		      size_t index, const char *label, bool several)
{
	const struct change *change = &row->total;
	const char *class = verdict_classes[row->verdict];
	const struct cell *cells = sheet_cells(sheet, index);
	char text[NUMBER_SIZE], moved[MOVED_SIZE], verdict[VERDICT_SIZE];

	fputs("<tr><th scope=\"row\" class=\"name\">", html->file);
	write_name(html, row, label);
	if (comparison_moved_text(sheet->argument, row, moved)) {
		fputs("<small>", html->file);
		write_text(html, moved);
		fputs("</small>", html->file);
	}
	fputs("</th>", html->file);
	fprintf(html->file, "<td class=\"verdict %s\">", class);
	html_text(html, comparison_row_verdict(sheet->argument, row, verdict));
	fputs("</td>", html->file);
	html_number(html, isnan(change->ratio) ? -1 : change->ratio,
		    number_ratio(text, change->ratio));
	write_bar(html, change, class);
	if (several)
		fprintf(html->file, "<td class=\"number\">%s</td>", change_interval(text, change));
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (is_of_side(sheet, i))
			html_number(html, cells[i].known ? cells[i].real : -1,
				    sheet_shown(sheet, i, &cells[i], text));
	fputs("</tr>\n", html->file);
}

#define COLUMNS_OF_SIDES "|#Calls A|#Calls B|#Time A|#Time B|#Avg A|#Avg B"

static void write_table(struct html *html, const struct comparison *comparison, char **labels,
			const char *id, const char *title, size_t first, size_t last)
{
	const bool several = !comparison_is_of_single_runs(comparison);
	struct sheet sheet = comparison_sheet(comparison, SHEET_HTML);
	const size_t *verdicts = comparison->verdicts[id[0] != 'g'];
	const bool unsure = verdicts[VERDICT_CANNOT_TELL] > 0;
	bool changed = id[0] == 'g';
	char caption[512];
	size_t i;

	if (first == last)
		return;
	for (enum verdict verdict = 0; verdict < VERDICT_COUNT; verdict++)
		changed |= verdicts[verdict] && verdict_is_change(verdict);
	snprintf(caption, sizeof(caption),
		 "Those whose time differs most come first; ratio: Time B / Time A; bars: to the "
		 "left B takes less time, to the right more; a full bar: a quarter, or four "
		 "times%s%s%s",
		 several ? ", with the 95 % interval" : "", unsure ? ". Cannot tell: " : "",
		 unsure ? next_why_unsure(comparison) : "");
	fprintf(html->file, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", id, id);
	fprintf(html->file, "<h2 id=\"%s-title\">%s</h2>\n", id, title);
	html_table_begin(html, id[0] == 'g' ? "gpu-table" : "api-table",
			 "comparison sortable filterable", caption,
			 several ? "Name|Verdict|#Ratio|-Change|-#95 %" COLUMNS_OF_SIDES
				 : "Name|Verdict|#Ratio|-Change" COLUMNS_OF_SIDES);
	for (i = first; i < last && ftell(html->file) < PAGE_BYTES; i++)
		write_row(html, &sheet, &comparison->rows[i], i, labels[i], several);
	sheet_clear(&sheet);
	html_table_end(html);
	if (changed)
		html_fold(html, i - first);
	else
		html_fold_dull(html, i - first, ", none faster or slower");
	if (i < last)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more rows are not in this page: <code>ktime "
			"diff</code> prints them.</p>\n",
			last - i);
	fputs("</section>\n", html->file);
}

/* A question that the page leaves open, and the command that answers it. */
static void write_open(struct html *html, const struct comparison *comparison, const char *what,
		       enum next next)
{
	char *command = NULL;
	size_t size;
	FILE *file = open_memstream(&command, &size);

	if (file)
		next_write(comparison, next, file);
	if (text_close(file, &command)) {
		html->error = -ENOMEM;
	} else {
		fprintf(html->file, "<p class=\"remark\">%s: <code>", what);
		html_text(html, command);
		fputs("</code></p>\n", html->file);
	}
	free(command);
}

static void write_all_open(struct html *html, const struct comparison *comparison)
{
	char text[NEXT_SIZE];

	for (enum next next = 0; next < NEXT_COUNT; next++) {
		const char *what = next_what(comparison, next, text);

		/* More runs stand beside the verdict then. */
		if (what && !(next == NEXT_RUNS && headline_in_doubt(comparison)))
			write_open(html, comparison, what, next);
	}
}

/* A time of both sides, "270 ms → 243 ms", and how it changed. */
static void write_times(struct html *html, const char *what, double a, double b,
			const struct change *change, const char *more)
{
	char times[2][NUMBER_SIZE], value[2 * NUMBER_SIZE + 8];
	char text[CHANGE_SIZE], note[256];
	double low = change->low, high = change->high;

	if (!(a > 0) || !(b > 0))
		return;
	snprintf(value, sizeof(value), "%s → %s", number_about(times[0], a, 3),
		 number_about(times[1], b, 3));
	/* Of a factor that is told as above 1, as the title tells it. */
	if (change->ratio < 1) {
		low = 1 / change->high;
		high = 1 / change->low;
	}
	snprintf(note, sizeof(note), "%s", change_text(text, change->ratio));
	if (!isnan(low))
		snprintf(note + strlen(note), sizeof(note) - strlen(note), " (95 %%: %.3f to %.3f)",
			 low, high);
	snprintf(note + strlen(note), sizeof(note) - strlen(note), "%s", more);
	html_fact(html, what, "value", value, note);
}

/* The row whose time differs most, which comes first. */
static void write_most(struct html *html, const struct comparison *comparison, char **labels)
{
	const struct comparison_row *row = comparison->rows;
	char times[2][NUMBER_SIZE], verdict[VERDICT_SIZE], note[2 * NUMBER_SIZE + 64], *label;

	if (!comparison->gpu_count || row->verdict == VERDICT_UNTIMED ||
	    row->verdict == VERDICT_SAME)
		return;
	for (int i = 0; i < 2; i++)
		number_about(times[i], row->times[i], 3);
	snprintf(note, sizeof(note), "%s%s%s: %s", row->a ? times[0] : "",
		 row->a && row->b ? " → " : "", row->b ? times[1] : "",
		 comparison_row_verdict(comparison, row, verdict));
	label = row->versions ? with_arrows(labels[0]) : NULL;
	html_fact(html, "Time differs most in", "value name", label ?: labels[0], note);
	free(label);
}

static void write_figures(struct html *html, const struct comparison *comparison, char **labels)
{
	const size_t untimed = comparison->verdicts[false][VERDICT_UNTIMED];
	const enum verdict verdict = comparison->gpu_verdict;
	char text[VERDICT_SIZE], more[128] = "";

	/* The other verdicts are told by the factor. */
	if (!verdict_is_of_speed(verdict))
		snprintf(more, sizeof(more), ": %s", comparison_verdict(comparison, verdict, text));
	if (untimed)
		snprintf(more + strlen(more), sizeof(more) - strlen(more),
			 ", without %zu untimed row%s", untimed, untimed == 1 ? "" : "s");
	fputs("<dl class=\"figures\">\n", html->file);
	write_times(html, "GPU time", comparison->gpu_a, comparison->gpu_b, &comparison->gpu, more);
	write_times(html, "Whole run, from the start of CUDA", comparison->wall_a,
		    comparison->wall_b, &comparison->wall, "");
	idle_write_figure(&comparison->idle, html);
	write_most(html, comparison, labels);
	fputs("</dl>\n", html->file);
}

static void print_with_arrows(struct html *html, const char *line, FILE *file)
{
	char *copy = with_arrows(line);

	if (!copy)
		html->error = -ENOMEM;
	else if (*copy)
		fprintf(file, "%s\n", copy);
	free(copy);
}

/* What makes the difference, and the sides, whose commands are as they were typed. */
static int write_head(struct html *html, const struct comparison *comparison)
{
	struct html_lines lines;

	if (html_lines_begin(&lines)) {
		print_with_arrows(html, comparison->why, lines.file);
		print_with_arrows(html, comparison->calls, lines.file);
		sides_print(comparison, lines.file);
	}
	return html_lines_end(html, &lines, "ul");
}

/* The verdict with its figures is the title, and what most of the change is stands below. */
static void write_verdict(struct html *html, char *headline)
{
	char *rest = strstr(headline, "): ");

	if (rest) {
		rest[1] = '\0';
		rest += 3;
		*rest -= *rest >= 'a' && *rest <= 'z' ? 'a' - 'A' : 0;
	}
	fputs("<header>\n<h1>", html->file);
	html_text(html, headline);
	fputs(rest ? "</h1>\n<p class=\"change\">" : "</h1>\n", html->file);
	html_text(html, rest ? rest : "");
	fputs(rest ? "</p>\n" : "", html->file);
}

static int write_page(FILE *file, void *argument)
{
	const struct comparison *comparison = argument;
	char **labels = labels_make(comparison);
	char *title = with_arrows(comparison->headline);
	struct html html = {.file = file};
	struct html_lines lines;
	int error;

	if (!labels || !title) {
		labels_free(labels, comparison);
		free(title);
		return -ENOMEM;
	}
	html_begin(&html, title);
	write_verdict(&html, title);
	free(title);
	if (headline_in_doubt(comparison))
		write_open(&html, comparison, "More runs tell", NEXT_RUNS);
	error = write_head(&html, comparison);
	fputs("</header>\n", file);
	html_navigation(
		&html,
		(const struct html_link[]){
			{"summary", "Summary"},
			{comparison->gpu_count ? "gpu" : NULL, "GPU activities"},
			{comparison->idle.count ? "idle" : NULL, "Why the GPU was idle"},
			{devices_are_known(comparison) ? "devices" : NULL,
			 "Memory, energy and clocks"},
			{comparison->count > comparison->gpu_count ? "api" : NULL, "API calls"},
		},
		5);
	fputs("<main id=\"main\">\n<section id=\"summary\" "
	      "aria-labelledby=\"summary-title\">\n<h2 id=\"summary-title\">Summary</h2>\n",
	      file);
	write_figures(&html, comparison, labels);
	if (!error && html_lines_begin(&lines))
		comparison_print_lines(comparison, "", lines.file);
	if (!error)
		error = html_lines_end(&html, &lines, "ul");
	write_all_open(&html, comparison);
	fputs("</section>\n", file);
	write_table(&html, comparison, labels, "gpu", "GPU activities", 0, comparison->gpu_count);
	idle_write_section(&comparison->idle, &html);
	devices_write_section(comparison, &html);
	write_table(&html, comparison, labels, "api", "API calls", comparison->gpu_count,
		    comparison->count);
	fputs("</main>\n", file);
	html_end(&html);
	labels_free(labels, comparison);
	return error ? error : html.error;
}

int comparison_page_write(const struct comparison *comparison, const struct options *options,
			  char *message, size_t size)
{
	return html_file(options->html, options->force_overwrite, write_page, (void *)comparison,
			 message, size);
}
