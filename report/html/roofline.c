/* SPDX-License-Identifier: MIT */
/*
 * What kernels do in a second, beside what their device can do: a table, and for each device a
 * roofline, the kernels by their FLOP for each byte of DRAM. Only of kernels whose work is known:
 * as it was declared by --bytes and --flops, or from hardware counters.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/plot.h"
#include "report/html/section.h"
#include "report/names/cut_name.h"
#include "report/session/items.h"

/* The picture's height and width. Chosen: a slope is seen to be one. */
#define HEIGHT	    280 /* pixels */
#define WIDTH_REM   60
/* Texts in the picture, their letters, and how far apart they are at least in pixels and percent of
 * the width. Chosen: they do not stand on each other on a wide page. */
#define NAMED_MOST  16
#define NAME_MOST   40
#define APART	    12
#define APART_SIDE  30
/* Bytes of the table. Chosen: a page stays under 1 MB. */
#define RATES_BYTES 60000

/* A kernel of known work: GB/s and GFLOP/s, 0: not known. */
struct work_row {
	const char *name, *from;
	int device;
	enum precision precision;
	double bandwidth, flops, intensity; /* FLOP for each byte */
	double of_dram;			    /* percent; 0: not known */
	const char *remark;		    /* why not */
	enum bound bound;
};

struct rooflines {
	struct page *page;
	struct rates_table table;
	struct work_row *rows;
	size_t count;
};

/* The counters that say what a launch did, by nvprof's names and by their own. */
enum counter {
	COUNTER_READ,
	COUNTER_WRITTEN,
	COUNTER_MOVED,
	COUNTER_SINGLE,
	COUNTER_DOUBLE,
	KNOWN
};
static const struct {
	const char *name;
	enum counter counter;
} counter_names[] = {
	{"dram_read_bytes", COUNTER_READ},     {"dram__bytes_read.sum", COUNTER_READ},
	{"dram_write_bytes", COUNTER_WRITTEN}, {"dram__bytes_write.sum", COUNTER_WRITTEN},
	{"dram__bytes.sum", COUNTER_MOVED},    {"flop_count_sp", COUNTER_SINGLE},
	{"flop_count_dp", COUNTER_DOUBLE},
};

/* On average for each launch; 0: not read. */
static void read_counters(const struct session *session, const struct row *row,
			  double values[KNOWN])
{
	const struct metric_values *metric;

	memset(values, 0, KNOWN * sizeof(*values));
	session_for_each_metric (session, metric) {
		const char *name = session_string(session, metric->name);

		if (!metric->count || session_row_at(session, metric->row) != row)
			continue;
		for (size_t i = 0; i < sizeof(counter_names) / sizeof(*counter_names); i++)
			if (strcmp(name, counter_names[i].name) == 0)
				values[counter_names[i].counter] =
					metric->total / (double)metric->count;
	}
	if (!values[COUNTER_MOVED])
		values[COUNTER_MOVED] = values[COUNTER_READ] + values[COUNTER_WRITTEN];
}

static struct work_row counted_work(const struct session *session, const struct row *row)
{
	struct work_row work = {.from = "counters", .remark = ""};
	double values[KNOWN], time = row_average(session, row);

	read_counters(session, row, values);
	if (!(time > 0))
		return work;
	work.precision =
		values[COUNTER_DOUBLE] > values[COUNTER_SINGLE] ? PRECISION_FP64 : PRECISION_FP32;
	work.flops = (values[COUNTER_SINGLE] + values[COUNTER_DOUBLE]) / time;
	work.bandwidth = values[COUNTER_MOVED] / time;
	if (peaks_of(rates_device(session, row)).dram > 0)
		work.of_dram = 100 * work.bandwidth / peaks_of(rates_device(session, row)).dram;
	return work;
}

/* The kernels of known work, the one with most time first. */
static int collect(struct rooflines *lines)
{
	lines->rows = calloc(lines->table.count + 1, sizeof(*lines->rows));
	for (size_t i = 0; i < lines->table.count && lines->rows; i++) {
		const struct rates_row *row = &lines->table.rows[i];
		const struct peaks peaks = peaks_of(row->device);
		struct work_row work = {.from = "declared",
					.precision = row->rates.precision,
					.bandwidth = row->rates.bandwidth.average,
					.flops = row->rates.flops.average,
					.of_dram = row->rates.bandwidth_percent,
					.remark = rate_remarks[row->rates.remark].text,
					.bound = row->rates.bound};

		/* In a damaged file a kernel may be of no device. */
		if (row->row->device < 0)
			continue;
		if (!row->work.bytes && !row->work.flops)
			work = counted_work(lines->page->session, row->row);
		if (!(work.bandwidth > 0) && !(work.flops > 0))
			continue;
		work.name = row->name;
		work.device = row->row->device;
		if (work.bandwidth > 0 && work.flops > 0) {
			work.intensity = work.flops / work.bandwidth;
			if (*work.from == 'c' && peaks.dram > 0 && peaks.flops[work.precision] > 0)
				work.bound =
					work.intensity * peaks.dram < peaks.flops[work.precision]
						? BOUND_MEMORY
						: BOUND_COMPUTE;
		}
		lines->rows[lines->count++] = work;
	}
	return lines->rows ? 0 : -ENOMEM;
}

static const struct column columns[] = {
	{"Name", .name = true, .head = true}, {"GPU", .kind = CELL_INTEGER},
	{"GFLOP/s", .kind = CELL_RATE},	      {"Of peak", .kind = CELL_SHARE},
	{"Precision", .kind = CELL_TEXT},     {"GB/s", .kind = CELL_RATE},
	{"Of DRAM", .kind = CELL_SHARE},      {"FLOP/byte", .kind = CELL_RATE},
	{"Bound by", .kind = CELL_TEXT},      {"Work from", .kind = CELL_TEXT},
};

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct rooflines *lines = sheet->argument;
	const struct work_row *row = &lines->rows[index];
	const struct session_header *header = session_header(lines->page->session);
	const struct peaks peaks = peaks_of(&header->devices[row->device]);

	cell_text(&cells[0], row->name);
	cell_count(&cells[1], (uint64_t)row->device);
	cell_real(&cells[2], row->flops);
	if (peaks.flops[row->precision] > 0)
		cell_real(&cells[3], 100 * row->flops / peaks.flops[row->precision]);
	cell_text(&cells[4], row->flops > 0 ? precision_names[row->precision] : "-");
	cell_real(&cells[5], row->bandwidth);
	cell_real(&cells[6], row->of_dram);
	if (*row->remark)
		cell_text(&cells[6], row->remark);
	cell_real(&cells[7], row->intensity);
	cell_text(&cells[8], rates_bound_texts[row->bound]);
	cell_text(&cells[9], row->from);
}

/* Widens a range so that it has a value, with some room. */
static void widen(struct axis *axis, double value)
{
	axis->low = axis->low > 0 && axis->low < value / 2 ? axis->low : value / 2;
	axis->high = axis->high > value * 2 ? axis->high : value * 2;
}

/* To the powers of ten around. */
static void round_out(struct axis *axis)
{
	axis->low = pow(10, floor(log10(axis->low)));
	axis->high = pow(10, ceil(log10(axis->high)));
}

struct roofline {
	struct html *html;
	struct axis x, y;
	struct peaks peaks;
	bool used[PRECISION_COUNT];
	/* Where texts stand: percent of the width, pixels from above. */
	struct place {
		double at, height;
	} named[NAMED_MOST];
	unsigned named_count;
};

/* Whether a text has room there, which it then takes. */
static bool take_place(struct roofline *line, double at, double height)
{
	for (unsigned i = 0; i < line->named_count; i++)
		if (fabs(line->named[i].height - height) < APART &&
		    fabs(line->named[i].at - at) < APART_SIDE)
			return false;
	if (line->named_count == NAMED_MOST)
		return false;
	line->named[line->named_count++] = (struct place){at, height};
	return true;
}

static void write_line(const struct roofline *line, double x1, double y1, double x2, double y2)
{
	fprintf(line->html->file,
		"<line class=\"roof\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>",
		axis_percent(&line->x, x1), axis_pixel(&line->y, y1), axis_percent(&line->x, x2),
		axis_pixel(&line->y, y2));
}

/* What DRAM lets through, up to the highest of the peaks, and these. */
static void write_roofs(struct roofline *line)
{
	const struct peaks *peaks = &line->peaks;
	double top = 0, from, middle;

	for (unsigned i = 0; i < PRECISION_COUNT; i++)
		if (line->used[i] && peaks->flops[i] > 0) {
			double balance =
				peaks->dram > 0 ? peaks->flops[i] / peaks->dram : line->x.low;

			top = peaks->flops[i] > top ? peaks->flops[i] : top;
			write_line(line, balance, peaks->flops[i], line->x.high, peaks->flops[i]);
			take_place(line, 99, axis_pixel(&line->y, peaks->flops[i]) - 8);
			fprintf(line->html->file,
				"<text x=\"99%%\" y=\"%.1f\" text-anchor=\"end\">%s %.0f "
				"GFLOP/s</text>",
				axis_pixel(&line->y, peaks->flops[i]) - 4, precision_names[i],
				peaks->flops[i]);
		}
	if (!(peaks->dram > 0) || !(top > 0))
		return;
	from = line->y.low / peaks->dram;
	from = from > line->x.low ? from : line->x.low;
	write_line(line, from, from * peaks->dram, top / peaks->dram, top);
	/* Below the middle of the line. */
	middle = sqrt(from * top / peaks->dram);
	fprintf(line->html->file, "<text x=\"%.2f%%\" y=\"%.1f\" dx=\"8\">DRAM %.0f GB/s</text>",
		axis_percent(&line->x, middle), axis_pixel(&line->y, middle * peaks->dram) + 18,
		peaks->dram);
}

static int write_kernel(struct roofline *line, const struct work_row *row)
{
	double at = axis_percent(&line->x, row->intensity),
	       height = axis_pixel(&line->y, row->flops);
	bool left = at > 60;
	char *name;

	fprintf(line->html->file, "<g><title>%.4g GFLOP/s, %.3g FLOP/byte: ", row->flops,
		row->intensity);
	html_text(line->html, row->name);
	fprintf(line->html->file,
		"</title><circle class=\"busy-kernels\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"5\"/>", at,
		height);
	if (take_place(line, at, height)) {
		name = strdup(row->name);
		if (!name)
			return -ENOMEM;
		cut_middle(name, NAME_MOST);
		fprintf(line->html->file, "<text x=\"%.2f%%\" dx=\"%d\" y=\"%.1f\"%s>", at,
			left ? -9 : 9, height + 4, left ? " text-anchor=\"end\"" : "");
		html_text(line->html, name);
		fputs("</text>", line->html->file);
		free(name);
	}
	fputs("</g>", line->html->file);
	return 0;
}

static void write_picture(const struct rooflines *lines, int device)
{
	const struct session_header *header = session_header(lines->page->session);
	struct roofline line = {.html = &lines->page->html,
				.x = {.log = true, .text = plot_number_text},
				.y = {.log = true, .pixels = HEIGHT, .text = plot_number_text},
				.peaks = peaks_of(&header->devices[device])};
	char label[96];
	size_t shown = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const struct work_row *row = &lines->rows[i];
		double peak = line.peaks.flops[row->precision];

		if (row->device != device || !(row->intensity > 0))
			continue;
		shown++;
		line.used[row->precision] = true;
		widen(&line.x, row->intensity);
		widen(&line.y, row->flops);
		if (peak > 0)
			widen(&line.y, peak);
		if (peak > 0 && line.peaks.dram > 0)
			widen(&line.x, peak / line.peaks.dram);
	}
	if (!shown)
		return;
	round_out(&line.x);
	round_out(&line.y);
	snprintf(label, sizeof(label), "Roofline of GPU %d; the table has the figures", device);
	fprintf(line.html->file, "<figure class=\"wide\" style=\"max-width:%drem\">\n", WIDTH_REM);
	plot_begin(line.html, &line.x, &line.y, label);
	write_roofs(&line);
	for (size_t i = 0; i < lines->count; i++)
		if (lines->rows[i].device == device && lines->rows[i].intensity > 0 &&
		    write_kernel(&line, &lines->rows[i]))
			line.html->error = -ENOMEM;
	plot_end(line.html, &line.y);
	fprintf(line.html->file,
		"<figcaption>GPU %d: GFLOP/s, by FLOP for each byte of DRAM; the lines are the "
		"device’s peaks</figcaption>\n</figure>\n",
		device);
}

static void write_rates(struct rooflines *lines)
{
	struct sheet sheet = {SHEET_OF(columns), .row = fill_row, .argument = lines,
			      .rows = lines->count, .room = RATES_BYTES};

	for (int device = 0; device < SESSION_DEVICES; device++)
		write_picture(lines, device);
	html_sheet(&lines->page->html, &sheet, "rates-table", "sortable",
		   "Kernels of known work, those with most time first");
	if (sheet.shown < sheet.rows)
		fprintf(lines->page->html.file,
			"<p class=\"left-out\">%zu more are not in this page.</p>\n",
			sheet.rows - sheet.shown);
}

int rates_section(struct page *page)
{
	struct rooflines lines = {.page = page};
	int error = rates_collect(&lines.table, &page->filter, true, false);

	if (!error)
		error = collect(&lines);
	if (!error && lines.count)
		write_rates(&lines);
	free(lines.rows);
	rates_free(&lines.table);
	return error;
}
