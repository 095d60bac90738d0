/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <math.h>

#include "report/energy/energy.h"
#include "report/html/html.h"

/* Bytes of the page. Chosen: it stays under 1 MB. */
#define PAGE_BYTES 900000
/* The ratio, to either side, at which its bar is full. Chosen. */
#define RATIO_MOST 2.0

struct comparison_page {
	const struct comparison *comparison;
	const struct comparison_side *sides;
};

static const char *const verdict_classes[VERDICT_COUNT] = {
	[VERDICT_SAME] = "same",	[VERDICT_FASTER] = "faster",
	[VERDICT_SLOWER] = "slower",	[VERDICT_LESS_TIME] = "faster",
	[VERDICT_MORE_TIME] = "slower", [VERDICT_CANNOT_TELL] = "unknown",
	[VERDICT_UNTIMED] = "unknown",	[VERDICT_ONLY_A] = "unknown",
	[VERDICT_ONLY_B] = "unknown",
};

static int write_sides(FILE *file, void *argument)
{
	const struct comparison_page *page = argument;

	comparison_print_sides(page->sides, file);
	return 0;
}

static int write_lines(FILE *file, void *argument)
{
	const struct comparison_page *page = argument;

	comparison_print_lines(page->comparison, file);
	return 0;
}

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

static void write_row(struct html *html, struct sheet *sheet, const struct comparison_row *row,
		      size_t index)
{
	const struct change *change = comparison_change(row);
	const char *class = verdict_classes[row->verdict];
	const struct cell *cells = sheet_cells(sheet, index);
	char text[NUMBER_SIZE];

	html_row(html, comparison_name(row));
	fprintf(html->file, "<td class=\"verdict %s\">%s</td>", class, verdict_text(row->verdict));
	html_number(html, isnan(change->ratio) ? -1 : change->ratio,
		    number_ratio(text, change->ratio));
	write_bar(html, change, class);
	fprintf(html->file, "<td class=\"number\">%s</td>", change_interval(text, change));
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (is_of_side(sheet, i))
			html_number(html, cells[i].known ? cells[i].real : -1,
				    sheet_shown(sheet, i, &cells[i], text));
	fputs("</tr>\n", html->file);
}

static void write_table(struct html *html, const struct comparison *comparison, const char *id,
			const char *title, size_t first, size_t last)
{
	struct sheet sheet = comparison_sheet(comparison, SHEET_HTML);
	size_t i;

	if (first == last)
		return;
	fprintf(html->file, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", id, id);
	fprintf(html->file, "<h2 id=\"%s-title\">%s</h2>\n", id, title);
	html_table_begin(
		html, id[0] == 'g' ? "gpu-table" : "api-table", "comparison sortable filterable",
		"Those whose time differs most come first; bars to the right: B takes longer, "
		"full at twice the time, with the 95 % interval",
		"Name|Verdict|#Ratio|-B beside A|-#95 %|#Calls A|#Calls B|#Time A|#Time B|#Avg "
		"A|#Avg B");
	for (i = first; i < last && ftell(html->file) < PAGE_BYTES; i++)
		write_row(html, &sheet, &comparison->rows[i], i);
	html_table_end(html);
	if (i < last)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more rows are not in this page: <code>ktime "
			"diff</code> prints them.</p>\n",
			last - i);
	fputs("</section>\n", html->file);
}

static void begin_device(struct html *html, int device, const char *what)
{
	fprintf(html->file, "<tr><th scope=\"row\">GPU %d: %s</th>", device, what);
}

/* The row's end: how B differs, in percent or, of shares, in points. */
static void end_device(struct html *html, bool known, double change, const char *unit)
{
	char text[32];

	snprintf(text, sizeof(text), "%+.1f %s", change, unit);
	/* What is not known comes behind whatever a change can be. */
	html_number(html, known ? change : -1000, known ? text : "-");
	fputs("</tr>\n", html->file);
}

static void end_ratio(struct html *html, double a, double b)
{
	end_device(html, a > 0 && b > 0, a > 0 ? 100 * (b / a - 1) : 0, "%");
}

static void write_clocks(struct html *html, int device, const char *what,
			 const struct clock_range *a, const struct clock_range *b)
{
	if (!a->samples && !b->samples)
		return;
	begin_device(html, device, what);
	html_clock(html, a);
	html_clock(html, b);
	end_ratio(html, clock_average(a), clock_average(b));
}

static void write_amounts(struct html *html, int device, const char *what, double a, double b,
			  const char *unit)
{
	char text[ENERGY_TEXT_SIZE];

	if (!(a > 0) && !(b > 0))
		return;
	begin_device(html, device, what);
	html_number(html, a > 0 ? a : -1, a > 0 ? energy_text(text, a, unit) : "-");
	html_number(html, b > 0 ? b : -1, b > 0 ? energy_text(text, b, unit) : "-");
	end_ratio(html, a, b);
}

static void write_share(struct html *html, const struct device_energy *energy,
			enum clock_reason reason)
{
	double share = 100 * clock_reason_share(energy, reason);
	bool known = energy->samples > energy->idle;
	char text[32];

	snprintf(text, sizeof(text), "%.1f %%", share);
	html_number(html, known ? share : -1, known ? text : "-");
}

static void write_reasons(struct html *html, int device, const struct device_energy *a,
			  const struct device_energy *b)
{
	bool known = a->samples > a->idle && b->samples > b->idle;

	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		char what[96];

		if (!a->reasons[i] && !b->reasons[i])
			continue;
		snprintf(what, sizeof(what), "samples with clocks limited by %s",
			 clock_reason_text(i));
		begin_device(html, device, what);
		write_share(html, a, i);
		write_share(html, b, i);
		end_device(html, known, 100 * (clock_reason_share(b, i) - clock_reason_share(a, i)),
			   "points");
	}
}

static bool both_have_energy(const struct comparison *comparison, int device)
{
	const struct profile_energies *a = comparison->energies_a, *b = comparison->energies_b;

	return a && b && energy_is_known(&a->devices[device]) &&
	       energy_is_known(&b->devices[device]);
}

static bool both_have_memory(const struct comparison *comparison, int device)
{
	return comparison->memory_a && comparison->memory_b && comparison->memory_a[device] &&
	       comparison->memory_b[device];
}

static void write_memory(struct html *html, const struct comparison *comparison, int device)
{
	uint64_t a = comparison->memory_a[device], b = comparison->memory_b[device];
	char text[NUMBER_SIZE];

	begin_device(html, device, "memory held at most");
	html_number(html, (double)a, number_bytes_about(text, a));
	html_number(html, (double)b, number_bytes_about(text, b));
	end_ratio(html, (double)a, (double)b);
}

static void write_energy(struct html *html, const struct comparison *comparison, int device)
{
	const struct profile_energies *all_a = comparison->energies_a,
				      *all_b = comparison->energies_b;
	const struct device_energy *a = &all_a->devices[device], *b = &all_b->devices[device];

	write_clocks(html, device, "SM clock", &a->sm, &b->sm);
	write_clocks(html, device, "memory clock", &a->memory, &b->memory);
	write_reasons(html, device, a, b);
	write_amounts(html, device, "mean power", energy_power(a), energy_power(b), "W");
	write_amounts(html, device, "energy of a run", a->joules / (double)all_a->runs,
		      b->joules / (double)all_b->runs, "J");
}

/* Of both sides, whether they differ or not: a reader looks here for why a kernel is slower. */
static void write_devices(struct html *html, const struct comparison *comparison)
{
	int device = 0;

	while (device < SESSION_DEVICES && !both_have_energy(comparison, device) &&
	       !both_have_memory(comparison, device))
		device++;
	if (device == SESSION_DEVICES)
		return;
	fputs("<section id=\"devices\" aria-labelledby=\"devices-title\">\n<h2 "
	      "id=\"devices-title\">Memory, energy and clocks</h2>\n",
	      html->file);
	html_table_begin(html, "devices-table", "sortable",
			 "Memory of the allocation calls; clocks on average, and from the least to "
			 "the most; what limited them; energy with all else that ran on the device",
			 "What|#A|#B|#B beside A");
	for (; device < SESSION_DEVICES; device++) {
		if (both_have_memory(comparison, device))
			write_memory(html, comparison, device);
		if (both_have_energy(comparison, device))
			write_energy(html, comparison, device);
	}
	html_table_end(html);
	fputs("</section>\n", html->file);
}

static int write_page(FILE *file, void *argument)
{
	struct comparison_page *page = argument;
	const struct comparison *comparison = page->comparison;
	struct html html = {.file = file};
	int error;

	html_begin(&html, "Two programs compared");
	fputs("<header>\n<h1>Two programs compared</h1>\n", file);
	error = html_lines(&html, write_sides, page);
	fputs("</header>\n<main id=\"main\">\n<section id=\"summary\" "
	      "aria-labelledby=\"summary-title\">\n<h2 id=\"summary-title\">Summary</h2>\n",
	      file);
	if (!error)
		error = html_lines(&html, write_lines, page);
	fputs("</section>\n", file);
	write_devices(&html, comparison);
	write_table(&html, comparison, "gpu", "GPU activities", 0, comparison->gpu_count);
	write_table(&html, comparison, "api", "API calls", comparison->gpu_count,
		    comparison->count);
	fputs("</main>\n", file);
	html_end(&html);
	return error ? error : html.error;
}

int comparison_page_write(const struct comparison *comparison,
			  const struct comparison_side sides[2], const struct options *options,
			  char *message, size_t size)
{
	struct comparison_page page = {comparison, sides};

	return html_file(options->html, options->force_overwrite, write_page, &page, message, size);
}
