/* SPDX-License-Identifier: MIT */
/* NVTX ranges: the GPU's time by range, and nvprof's section. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/names/cut_name.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* Rows of a report that was not asked for a number of them. Chosen. */
#define ROWS_MOST 40

struct printer {
	struct ranges ranges;
	const struct report *report;
};

static bool shows(const struct row *row, double *average, void *argument)
{
	struct filter *filter = argument;

	*average = row_average(filter->session, row);
	return filter_shows(filter, row->kind, row->name, row->device);
}

static const char *name_or_unnamed(const struct printer *printer, uint64_t offset)
{
	const char *name = session_string(printer->report->session, offset);

	return *name ? name : "<unnamed>";
}

char *range_full_name(const struct filter *filter, const struct nvtx_range *range)
{
	const char *domain = session_string(filter->session, range->domain);
	const char *name = session_string(filter->session, range->name);
	char *text;

	if (asprintf(&text, "%s%s%s%s", domain, *domain ? "@" : "", *name ? name : "<unnamed>",
		     range->style == RANGE_START_END ? " (start/end)" : "") < 0)
		return NULL;
	if (filter->options->name_most)
		cut_middle(text, filter->options->name_most);
	return text;
}

/* Graphs that were launched in a range and count in those that their nodes were captured in. */
enum { WITH_LAUNCHES = 1 };

static const struct column columns[] = {
	{"GPU(%)", "GPU(%)", .kind = CELL_PERCENT, .width = 7},
	{"GPU time", "GPU time", .kind = CELL_TIME, .width = 8},
	{"Own", "Own", .kind = CELL_TIME, .width = 8},
	{"GPU ops", "Operations", .kind = CELL_REAL, .width = 8},
	{NULL, "Own operations", .kind = CELL_REAL},
	{"Host", NULL, .page = "Host time", .kind = CELL_TIME, .width = 8},
	{NULL, "Time", .kind = CELL_TIME},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Avg", NULL, .page = "Host avg", .kind = CELL_TIME, .width = 8},
	{"Launched", "Graph launches", .kind = CELL_COUNT, .width = 8, .parts = WITH_LAUNCHES},
	{NULL, "Style", .kind = CELL_WORD},
	{NULL, "Depth", .kind = CELL_COUNT},
	{NULL, "Domain", .kind = CELL_TEXT},
	{NULL, "Range", .kind = CELL_TEXT},
	{"Range", NULL, .name = true, .head = true},
};

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct ranges *ranges = sheet->argument;
	const struct range_node *node = &ranges->tree.nodes[ranges->order[row]];
	const double time = (double)node->all.time, whole = (double)ranges->gpu_time;

	cell_real(&cells[0], ranges->gpu_time > 0 ? 100.0 * time / whole : 0);
	cell_count(&cells[1], node->all.time);
	cell_count(&cells[2], node->own.time);
	cell_real(&cells[3], node->all.operations);
	cell_real(&cells[4], node->own.operations);
	cells[1].mark = cells[3].mark = node->all.estimated ? '~' : '\0';
	cells[2].mark = node->own.estimated ? '~' : '\0';
	cells[1].error = sqrt(node->all.variance);
	cells[2].error = sqrt(node->own.variance);
	cell_count(&cells[6], node->total);
	cell_count(&cells[7], node->calls);
	if (node->calls) {
		cell_count(&cells[5], node->total);
		cell_count(&cells[8], node->total / node->calls);
	}
	if (node->launches)
		cell_count(&cells[9], node->launches);
	cell_text(&cells[10], node->range->style == RANGE_START_END ? "start/end" : "push/pop");
	cell_count(&cells[11], node->depth);
	cell_text(&cells[12], session_string(ranges->filter->session, node->range->domain));
	cell_text(&cells[13], session_string(ranges->filter->session, node->range->name));
	cell_own(&cells[14], range_full_name(ranges->filter, node->range));
	cells[14].depth = node->depth;
}

void ranges_sheet(struct sheet *sheet, const struct ranges *ranges)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = fill_row, .argument = ranges,
				.rows = ranges->tree.count, .tree = true};
	for (size_t i = 0; i < ranges->tree.count; i++)
		sheet->parts |= ranges->tree.nodes[i].launches ? WITH_LAUNCHES : 0;
}

static void write_tree(struct printer *printer)
{
	const struct options *options = printer->report->options;
	size_t count = printer->ranges.tree.count;
	size_t most = options->top ? options->top : options->csv ? count : ROWS_MOST;
	struct sheet sheet;

	ranges_sheet(&sheet, &printer->ranges);
	sheet.rows = count < most ? count : most;
	sheet.has_units = options->csv;
	sheet.bold = options->colour;
	fprintf(printer->report->file, "\n%sNVTX ranges:\n",
		options->quiet ? "" : printer->report->prefix);
	for (unsigned i = 0; i < sheet.column_count; i++)
		if (options->unit <= UNIT_NS || options->csv)
			sheet.units[i] =
				1 + (options->unit <= UNIT_NS ? options->unit : (int)UNIT_NS);
	report_sheet(printer->report, &sheet);
	if (count > most)
		fprintf(printer->report->file, "(%zu more ranges: --top %zu shows all)\n",
			count - most, count);
}

/* The table's row of a name, which is taken over; NULL: memory is out. */
static struct table_row *row_named(struct table *table, enum row_kind kind, char *name)
{
	struct table_row *rows = table->rows;
	size_t i = 0;

	while (name && i < table->collected &&
	       (rows[i].kind != kind || strcmp(rows[i].name, name) != 0))
		i++;
	if (name && i == table->collected) {
		rows = grow(rows, i * sizeof(*rows), (i + 1) * sizeof(*rows));
		if (rows) {
			table->rows = rows;
			rows[table->collected++] = (struct table_row){
				.name = name, .kind = kind, .minimum = UINT64_MAX};
			return &rows[i];
		}
	}
	free(name);
	return name && rows ? &rows[i] : NULL;
}

static void add_times(struct table_row *sum, uint64_t calls, uint64_t total, uint64_t minimum,
		      uint64_t maximum)
{
	sum->calls += calls;
	sum->timed = sum->counted = sum->calls;
	sum->total += total;
	LOWER(sum->minimum, minimum);
	RAISE(sum->maximum, maximum);
}

/* Adds what was done in a node itself to the tables of its sections. */
static int add_parts(struct printer *printer, const struct range_node *node, struct table *tables)
{
	for (size_t i = 0; i < node->part_count; i++) {
		const struct nvtx_part *part = printer->ranges.tree.parts[node->first_part + i];
		const struct row *row = session_row_at(printer->report->session, part->row);
		enum table_section section = table_section_of(printer->report->session, row);
		struct table_row *sum;
		double average;

		if (section == TABLE_SECTIONS || !shows(row, &average, printer->ranges.filter))
			continue;
		sum = row_named(&tables[section], row->kind,
				table_row_name(printer->ranges.filter, row));
		if (!sum)
			return -ENOMEM;
		add_times(sum, to_unsigned(part->calls + part->untimed + 0.5),
			  part->total + to_unsigned(part->untimed * average + 0.5),
			  part->known & MINIMUM_KNOWN ? part->minimum : UINT64_MAX, part->maximum);
		sum->estimated |= part->estimated || part->untimed > 0;
		if (part->untimed > 0 || (part->estimated && !(part->variance > 0)))
			sum->error = NAN;
		sum->error = sqrt(sum->error * sum->error + part->variance);
	}
	return 0;
}

/* Whether two nodes are one range to nvprof, which does not tell the ways into a range apart. */
static bool is_alike(const struct range_node *one, const struct range_node *other)
{
	return one->range->thread == other->range->thread &&
	       one->range->domain == other->range->domain && one->range->name == other->range->name;
}

static int add_range(const struct printer *printer, struct table *table,
		     const struct range_node *node)
{
	const char *name = name_or_unnamed(printer, node->range->name);
	struct table_row *sum = row_named(table, ROW_RANGE, visible_text(name));

	if (sum)
		add_times(sum, node->calls, node->total,
			  node->known & MINIMUM_KNOWN ? node->minimum : UINT64_MAX, node->maximum);
	return sum ? 0 : -ENOMEM;
}

/* Marks the nodes that are this range, or inside of it. */
static void mark(const struct range_tree *tree, const struct range_node *range, bool *inside)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct range_node *node = &tree->nodes[i];

		inside[i] = is_alike(node, range) ||
			    (node->parent != RANGE_NO_PARENT && inside[node->parent]);
	}
}

static int write_block(struct printer *printer, const struct range_node *range, bool *inside)
{
	const struct range_tree *tree = &printer->ranges.tree;
	struct table tables[TABLE_SECTIONS] = {{.rows = NULL}};
	int error = 0;

	mark(tree, range, inside);
	for (size_t i = 0; i < tree->count && !error; i++)
		if (is_alike(&tree->nodes[i], range))
			error = add_range(printer, &tables[TABLE_RANGE], &tree->nodes[i]);
	for (size_t i = 0; i < tree->count && !error; i++)
		if (inside[i])
			error = add_parts(printer, &tree->nodes[i], tables);
	for (unsigned section = 0; section < TABLE_SECTIONS; section++)
		table_sort(&tables[section], printer->report->options);
	if (!error)
		summary_write_range(tables, printer->report->options, printer->report->file);
	for (unsigned section = 0; section < TABLE_SECTIONS; section++)
		table_free(&tables[section]);
	return error;
}

static bool is_same_domain(const struct nvtx_range *one, const struct nvtx_range *other)
{
	return one->thread == other->thread && one->domain == other->domain;
}

/* The first node that is not written yet, of the domain of the last one if there is one, else of
 * its thread, else of any; NULL: all are written. */
static const struct range_node *next_node(const struct range_tree *tree, const bool *written,
					  const struct nvtx_range *last)
{
	const struct range_node *of_thread = NULL, *of_any = NULL;

	for (size_t i = 0; i < tree->count; i++) {
		const struct range_node *node = &tree->nodes[i];

		if (written[i])
			continue;
		if (last && is_same_domain(node->range, last))
			return node;
		if (!of_thread && last && node->range->thread == last->thread)
			of_thread = node;
		of_any = of_any ? of_any : node;
	}
	return of_thread ? of_thread : of_any;
}

/* Threads, their domains, and their ranges, each in the order in which they came. */
static int write_blocks(struct printer *printer)
{
	const struct report *report = printer->report;
	const struct range_tree *tree = &printer->ranges.tree;
	bool *inside = calloc(tree->count, sizeof(*inside));
	bool *written = calloc(tree->count, sizeof(*written));
	const struct nvtx_range *last = NULL;
	const struct range_node *node;
	int error = inside && written ? 0 : -ENOMEM;

	while (!error && (node = next_node(tree, written, last))) {
		const struct nvtx_range *range = node->range;

		fputc('\n', report->file);
		if (!last)
			report_begin(report, "NVTX result:\n");
		if (!last || range->thread != last->thread)
			report_begin(report, "  Thread \"<unnamed>\" (id = %u)\n", range->thread);
		if (!last || !is_same_domain(range, last))
			visible_line(report->file, "%s    Domain \"%s\"", report->prefix,
				     name_or_unnamed(printer, range->domain));
		visible_line(report->file, "%s      Range \"%s\"", report->prefix,
			     name_or_unnamed(printer, range->name));
		last = range;
		error = write_block(printer, node, inside);
		for (size_t i = 0; i < tree->count; i++)
			written[i] |= is_alike(&tree->nodes[i], node);
	}
	free(inside);
	free(written);
	return error;
}

static uint64_t gpu_time(const struct filter *filter)
{
	struct table table;
	uint64_t total;

	if (table_collect(&table, filter->session, filter->options, TABLE_GPU, TABLE_ALL_DEVICES,
			  false))
		return 0;
	total = table.total;
	table_free(&table);
	return total;
}

int ranges_collect(struct ranges *ranges, struct filter *filter, bool by_thread)
{
	int error;

	*ranges = (struct ranges){.filter = filter};
	error = range_tree_build(&ranges->tree, filter->session, by_thread, shows, filter);
	ranges->gpu_time = gpu_time(filter);
	ranges->order = error ? NULL : range_order(&ranges->tree);
	if (!error && !ranges->order)
		error = -ENOMEM;
	if (error)
		ranges_free(ranges);
	return error;
}

/* The time of a row's name in ranges. */
struct ranged {
	struct entry entry; /* by the kind and the name */
	uint64_t time;
};

static int sum_ranged(struct entry **all, const struct ranges *ranges, const struct nvtx_part *part)
{
	const struct session *session = ranges->filter->session;
	const struct row *row = session_row_at(session, part->row);
	const uint64_t key[ENTRY_NUMBERS] = {row->kind, row->name};
	struct ranged *ranged;
	double average;

	if (!shows(row, &average, ranges->filter))
		return 0;
	ranged = entry_of(all, key, sizeof(*ranged));
	if (!ranged)
		return -ENOMEM;
	ranged->time += range_part_sum(session, part, row, average).time;
	return 0;
}

int ranges_outside(const struct ranges *ranges, struct table *table)
{
	const struct filter *filter = ranges->filter;
	struct entry *all = NULL;
	int error = table_collect(table, filter->session, filter->options, TABLE_GPU,
				  TABLE_ALL_DEVICES, false);

	for (size_t i = 0; i < ranges->tree.count && !error; i++) {
		const struct range_node *node = &ranges->tree.nodes[i];

		for (size_t j = 0; j < node->part_count && !error; j++)
			error = sum_ranged(&all, ranges, ranges->tree.parts[node->first_part + j]);
	}
	for (size_t i = 0; i < table->count && !error; i++) {
		struct table_row *row = &table->rows[i];
		const uint64_t key[ENTRY_NUMBERS] = {row->kind, row->first->name};
		const struct ranged *ranged = entry_of(&all, key, 0);

		if (ranged)
			row->total -= ranged->time < row->total ? ranged->time : row->total;
	}
	entries_free(&all);
	return error;
}

void ranges_free(struct ranges *ranges)
{
	range_tree_free(&ranges->tree);
	free(ranges->order);
}

int ranges_write(struct report *report)
{
	bool blocks = report->options->nvtx_kernels || report->options->format == FORMAT_NVPROF;
	struct printer printer = {.report = report};
	int error;

	if (!session_next_item(report->session, SEGMENT_RANGES, NULL))
		return 0;
	error = ranges_collect(&printer.ranges, &report->filter, blocks);
	if (error)
		return error;
	if (blocks)
		error = write_blocks(&printer);
	else
		write_tree(&printer);
	ranges_free(&printer.ranges);
	return error;
}
