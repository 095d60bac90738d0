/* SPDX-License-Identifier: MIT */
/* NVTX ranges: the GPU's time by range, and nvprof's section. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "report/session/memory.h"

/* Rows of a report that was not asked for a number of them. Chosen. */
#define ROWS_MOST 40

struct printer {
	struct ranges ranges;
	const struct report *report;
};

static bool shows(const struct row *row, double *average, void *argument)
{
	struct ranges *ranges = argument;

	*average = row_average(ranges->session, row);

	return filter_shows(&ranges->filter, row->kind, row->name, row->device);
}

static const char *name_or_unnamed(const struct printer *printer, uint64_t offset)
{
	const char *name = session_string(printer->ranges.session, offset);

	return *name ? name : "<unnamed>";
}

/* "name", "domain@name", as --nvtx-include takes them, or "name (start/end)"; NULL if memory is
 * out.
 */
static char *full_name(const struct ranges *ranges, const struct nvtx_range *range)
{
	const char *domain = session_string(ranges->session, range->domain);
	const char *name = session_string(ranges->session, range->name);
	char *text;

	if (asprintf(&text, "%s%s%s%s", domain, *domain ? "@" : "", *name ? name : "<unnamed>",
		     range->style == RANGE_START_END ? " (start/end)" : "") < 0)
		return NULL;
	if (ranges->options->name_most)
		filter_cut(text, ranges->options->name_most);
	return text;
}

static const struct column columns[] = {
	{"GPU(%)", "GPU(%)", .kind = CELL_PERCENT, .width = 7},
	{"GPU time", "GPU time", .kind = CELL_TIME, .width = 8},
	{"Own", "Own", .kind = CELL_TIME, .width = 8},
	{"GPU ops", "Operations", .kind = CELL_REAL, .width = 8},
	{NULL, "Own operations", .kind = CELL_REAL},
	{"Host", NULL, .page = "Time", .kind = CELL_TIME, .width = 8},
	{NULL, "Time", .kind = CELL_TIME},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Avg", NULL, .kind = CELL_TIME, .width = 8},
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
	cell_count(&cells[6], node->total);
	cell_count(&cells[7], node->calls);
	if (node->calls) {
		cell_count(&cells[5], node->total);
		cell_count(&cells[8], node->total / node->calls);
	}
	cell_text(&cells[9], node->range->style == RANGE_START_END ? "start/end" : "push/pop");
	cell_count(&cells[10], node->depth);
	cell_text(&cells[11], session_string(ranges->session, node->range->domain));
	cell_text(&cells[12], session_string(ranges->session, node->range->name));
	cell_own(&cells[13], full_name(ranges, node->range));
	cells[13].depth = node->depth;
}

void ranges_sheet(struct sheet *sheet, const struct ranges *ranges)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = fill_row, .argument = ranges,
				.rows = ranges->tree.count, .tree = true};
}

static void write_tree(struct printer *printer)
{
	const struct options *options = printer->ranges.options;
	size_t count = printer->ranges.tree.count;
	size_t most = options->top ? options->top : options->csv ? count : ROWS_MOST;
	struct sheet sheet;

	ranges_sheet(&sheet, &printer->ranges);
	sheet.rows = count < most ? count : most;
	sheet.form = options->csv ? SHEET_CSV : SHEET_TEXT;
	sheet.has_units = options->csv;
	sheet.bold = options->colour;
	fprintf(printer->report->file, "\n%sNVTX ranges:\n",
		options->quiet ? "" : printer->report->prefix);
	for (unsigned i = 0; i < sheet.column_count; i++)
		if (options->unit <= UNIT_NS || options->csv)
			sheet.units[i] =
				1 + (options->unit <= UNIT_NS ? options->unit : (int)UNIT_NS);
	sheet_write(&sheet, printer->report->file);
	if (count > most)
		fprintf(printer->report->file, "(%zu more ranges: --top %zu shows all)\n",
			count - most, count);
}

/* Adds a part of a row to the table's row of its name. */
static int add_part(struct printer *printer, struct table *table, const struct nvtx_part *part,
		    const struct row *row, double average)
{
	struct table_row *sum = table->rows;
	struct table_row *end = table->rows + table->collected;
	char *name = table_row_name(&printer->ranges.filter, row);

	if (!name)
		return -ENOMEM;
	while (sum < end && (sum->kind != row->kind || strcmp(sum->name, name) != 0))
		sum++;
	if (sum < end) {
		free(name);
	} else {
		struct table_row *rows = grow(table->rows, table->collected * sizeof(*rows),
					      (table->collected + 1) * sizeof(*rows));

		if (!rows) {
			free(name);
			return -ENOMEM;
		}
		table->rows = rows;
		sum = &rows[table->collected++];
		*sum = (struct table_row){.name = name, .kind = row->kind, .minimum = UINT64_MAX};
	}
	sum->calls += to_unsigned(part->calls + part->untimed + 0.5);
	sum->timed = sum->counted = sum->calls;
	sum->total += part->total + to_unsigned(part->untimed * average + 0.5);
	sum->estimated |= part->estimated || part->untimed > 0;
	if (part->known & MINIMUM_KNOWN && part->minimum < sum->minimum)
		sum->minimum = part->minimum;
	if (part->maximum > sum->maximum)
		sum->maximum = part->maximum;
	return 0;
}

/* Adds what was done in a node itself to the tables of its sections. */
static int add_parts(struct printer *printer, const struct range_node *node, struct table *tables)
{
	int error = 0;

	for (size_t i = 0; i < node->part_count && !error; i++) {
		const struct nvtx_part *part = printer->ranges.tree.parts[node->first_part + i];
		const struct row *row = session_row_at(printer->ranges.session, part->row);
		enum table_section section = table_section_of(printer->ranges.session, row);
		double average;

		if (section != TABLE_SECTIONS && shows(row, &average, printer))
			error = add_part(printer, &tables[section], part, row, average);
	}
	return error;
}

/* Whether two nodes are one range to nvprof, which does not tell the ways into a range apart. */
static bool is_alike(const struct range_node *one, const struct range_node *other)
{
	return one->range->thread == other->range->thread &&
	       one->range->domain == other->range->domain && one->range->name == other->range->name;
}

static int add_range_row(const struct printer *printer, struct table *table,
			 const struct range_node *node)
{
	struct table_row *row = table->rows;

	if (!row) {
		row = calloc(1, sizeof(*row));
		if (!row)
			return -ENOMEM;
		table->rows = row;
		row->name = visible_text(name_or_unnamed(printer, node->range->name));
		if (!row->name)
			return -ENOMEM;
		row->minimum = UINT64_MAX;
		table->collected = 1;
	}
	row->calls += node->calls;
	row->timed = row->counted = row->calls;
	row->total += node->total;
	if (node->known & MINIMUM_KNOWN && node->minimum < row->minimum)
		row->minimum = node->minimum;
	if (node->maximum > row->maximum)
		row->maximum = node->maximum;
	return 0;
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
			error = add_range_row(printer, &tables[TABLE_RANGE], &tree->nodes[i]);
	for (size_t i = 0; i < tree->count && !error; i++)
		if (inside[i])
			error = add_parts(printer, &tree->nodes[i], tables);
	for (unsigned section = 0; section < TABLE_SECTIONS; section++)
		table_sort(&tables[section], printer->ranges.options);
	if (!error)
		summary_write_range(tables, printer->ranges.options, printer->report->file);
	for (unsigned section = 0; section < TABLE_SECTIONS; section++)
		table_free(&tables[section]);
	return error;
}

/* Threads, their domains, and their ranges, each in the order in which they came. */
static int write_blocks(struct printer *printer)
{
	const struct range_tree *tree = &printer->ranges.tree;
	bool *inside = calloc(tree->count, sizeof(*inside));
	bool *written = calloc(tree->count, sizeof(*written));
	const struct nvtx_range *thread = NULL, *domain = NULL;
	size_t left = tree->count, next;
	int error = inside && written ? 0 : -ENOMEM;

	while (left > 0 && !error) {
		const struct range_node *range;

		/* The next of this domain, else of this thread, else of any. */
		next = SIZE_MAX;
		for (size_t i = 0; i < tree->count && next == SIZE_MAX && domain; i++)
			if (!written[i] && tree->nodes[i].range->thread == thread->thread &&
			    tree->nodes[i].range->domain == domain->domain)
				next = i;
		for (size_t i = 0; i < tree->count && next == SIZE_MAX && thread; i++)
			if (!written[i] && tree->nodes[i].range->thread == thread->thread)
				next = i;
		for (size_t i = 0; i < tree->count && next == SIZE_MAX; i++)
			if (!written[i])
				next = i;
		range = &tree->nodes[next];
		if (!thread)
			fprintf(printer->report->file, "\n%sNVTX result:\n",
				printer->report->prefix);
		else
			fputc('\n', printer->report->file);
		if (!thread || range->range->thread != thread->thread)
			report_begin(printer->report, "  Thread \"<unnamed>\" (id = %u)\n",
				     range->range->thread);
		if (!thread || range->range->thread != thread->thread ||
		    range->range->domain != domain->domain) {
			report_begin(printer->report, "    Domain \"");
			visible_write(name_or_unnamed(printer, range->range->domain),
				      printer->report->file);
			fputs("\"\n", printer->report->file);
		}
		thread = domain = range->range;
		report_begin(printer->report, "      Range \"");
		visible_write(name_or_unnamed(printer, range->range->name), printer->report->file);
		fputs("\"\n", printer->report->file);
		error = write_block(printer, range, inside);
		for (size_t i = 0; i < tree->count; i++)
			if (!written[i] && is_alike(&tree->nodes[i], range)) {
				written[i] = true;
				left--;
			}
	}
	free(inside);
	free(written);
	return error;
}

static uint64_t gpu_time(const struct ranges *ranges)
{
	struct table table;
	uint64_t total;

	if (table_collect(&table, ranges->session, ranges->options, TABLE_GPU, TABLE_ALL_DEVICES,
			  false))
		return 0;
	total = table.total;
	table_free(&table);
	return total;
}

int ranges_collect(struct ranges *ranges, const struct session *session,
		   const struct options *options, bool by_thread)
{
	int error;

	*ranges = (struct ranges){.session = session, .options = options};
	error = filter_init(&ranges->filter, session, options);
	if (error)
		return error;
	error = range_tree_build(&ranges->tree, session, by_thread, shows, ranges);
	ranges->gpu_time = gpu_time(ranges);
	ranges->order = error ? NULL : range_order(&ranges->tree);
	if (!error && !ranges->order)
		error = -ENOMEM;
	if (error)
		ranges_free(ranges);
	return error;
}

void ranges_free(struct ranges *ranges)
{
	range_tree_free(&ranges->tree);
	free(ranges->order);
	filter_free(&ranges->filter);
}

int ranges_write(const struct report *report)
{
	bool blocks = report->options->nvtx_kernels || report->options->format == FORMAT_NVPROF;
	struct printer printer = {.report = report};
	int error;

	if (!session_next_item(report->session, SEGMENT_RANGES, NULL))
		return 0;
	error = ranges_collect(&printer.ranges, report->session, report->options, blocks);
	if (error)
		return error;
	if (blocks)
		error = write_blocks(&printer);
	else
		write_tree(&printer);
	ranges_free(&printer.ranges);
	return error;
}
