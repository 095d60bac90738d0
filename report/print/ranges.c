/* SPDX-License-Identifier: MIT */
/* NVTX ranges: the GPU's time by range, and nvprof's section. */
#include "report/print/ranges.h"

#include "report/ranges/range_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "report/session/grow.h"

/* Rows of a report that was not asked for a number of them. Chosen. */
#define ROWS_MOST 40

struct printer {
	struct ranges ranges;
	const char *prefix;
	FILE *file;
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

char *ranges_name(const struct ranges *ranges, const struct nvtx_range *range)
{
	const char *domain = session_string(ranges->session, range->domain);
	const char *name = session_string(ranges->session, range->name);
	char *text;

	if (asprintf(&text, "%s%s%s%s", domain, *domain ? "@" : "", *name ? name : "<unnamed>",
		     range->style == RANGE_START_END ? " (start/end)" : "") < 0)
		return NULL;
	return text;
}

static int write_name(const struct printer *printer, const struct nvtx_range *range)
{
	char *text = ranges_name(&printer->ranges, range);

	if (!text)
		return -ENOMEM;
	if (printer->ranges.options->name_most)
		filter_cut(text, printer->ranges.options->name_most);
	visible_write(text, printer->file);
	fputc('\n', printer->file);
	free(text);
	return 0;
}

double ranges_share(const struct ranges *ranges, const struct range_node *node)
{
	return ranges->gpu_time > 0 ? 100.0 * (double)node->all.time / (double)ranges->gpu_time : 0;
}

static const char *time_text(const struct printer *printer, char *text, uint64_t nanoseconds)
{
	int unit = printer->ranges.options->unit;

	if (unit == UNIT_AUTO || unit == UNIT_COLUMN)
		return number_time(text, nanoseconds);
	return number_time_in(text, nanoseconds, (enum time_unit)unit);
}

static int write_row(const struct printer *printer, const struct range_node *node)
{
	FILE *file = printer->file;
	char text[NUMBER_SIZE];

	fprintf(file, "%6.2f%%", ranges_share(&printer->ranges, node));
	fprintf(file, " %s%8s", node->all.estimated ? "~" : " ",
		time_text(printer, text, node->all.time));
	fprintf(file, " %s%8s", node->own.estimated ? "~" : " ",
		time_text(printer, text, node->own.time));
	fprintf(file, " %s%8.0f", node->all.estimated ? "~" : " ", node->all.operations);
	fprintf(file, "  %8s", node->calls ? time_text(printer, text, node->total) : "-");
	fprintf(file, "  %8llu", (unsigned long long)node->calls);
	fprintf(file, "  %8s  %*s",
		node->calls ? time_text(printer, text, node->total / node->calls) : "-",
		(int)(2 * node->depth), "");
	return write_name(printer, node->range);
}

static int write_csv_row(const struct printer *printer, const struct range_node *node)
{
	enum time_unit unit = (enum time_unit)printer->ranges.options->unit;
	FILE *file = printer->file;
	char text[NUMBER_SIZE];

	if (unit > UNIT_NS)
		unit = UNIT_NS;
	fprintf(file, "%f,%s,", ranges_share(&printer->ranges, node),
		number_time_csv(text, node->all.time, unit));
	fprintf(file, "%s,%.0f,%.0f,", number_time_csv(text, node->own.time, unit),
		node->all.operations, node->own.operations);
	fprintf(file, "%s,%llu,", number_time_csv(text, node->total, unit),
		(unsigned long long)node->calls);
	fprintf(file, "%s,", node->range->style == RANGE_START_END ? "start/end" : "push/pop");
	fprintf(file, "%u,", node->depth);
	csv_write_text(session_string(printer->ranges.session, node->range->domain), file);
	fputc(',', file);
	csv_write_text(session_string(printer->ranges.session, node->range->name), file);
	fputc('\n', file);
	return 0;
}

static int write_tree(struct printer *printer)
{
	const struct options *options = printer->ranges.options;
	size_t *order = range_order(&printer->ranges.tree), count = printer->ranges.tree.count;
	size_t most = options->top ? options->top : options->csv ? count : ROWS_MOST;
	enum time_unit unit = options->unit > UNIT_NS ? UNIT_NS : (enum time_unit)options->unit;
	FILE *file = printer->file;
	int error = 0;

	if (!order)
		return -ENOMEM;
	fprintf(file, "\n%sNVTX ranges:\n", options->quiet ? "" : printer->prefix);
	if (options->csv)
		fprintf(file,
			"\"GPU(%%)\",\"GPU time\",\"Own\",\"Operations\",\"Own "
			"operations\",\"Time\","
			"\"Calls\",\"Style\",\"Depth\",\"Domain\",\"Range\"\n%%,%s,%s,,,%s,,,,,\n",
			number_time_unit_name(unit), number_time_unit_name(unit),
			number_time_unit_name(unit));
	else
		fprintf(file, "%s%7s  %8s  %8s  %8s  %8s  %8s  %8s  Range%s\n",
			options->colour ? "\033[1m" : "", "GPU(%)", "GPU time", "Own", "GPU ops",
			"Host", "Calls", "Avg", options->colour ? "\033[0m" : "");
	for (size_t i = 0; i < count && i < most && !error; i++)
		error = (options->csv ? write_csv_row
				      : write_row)(printer, &printer->ranges.tree.nodes[order[i]]);
	if (count > most)
		fprintf(file, "(%zu more ranges: --top %zu shows all)\n", count - most, count);
	free(order);
	return error;
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
		*sum = (struct table_row){
			.name = name, .kind = row->kind, .minimum = part->minimum};
	}
	sum->calls += to_unsigned(part->calls + part->untimed + 0.5);
	sum->timed = sum->counted = sum->calls;
	sum->total += part->total + to_unsigned(part->untimed * average + 0.5);
	sum->estimated |= part->estimated || part->untimed > 0;
	if (part->minimum < sum->minimum)
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
	if (node->minimum < row->minimum)
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
		summary_write_range(tables, printer->ranges.options, printer->file);
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
			fprintf(printer->file, "\n%sNVTX result:\n", printer->prefix);
		else
			fputc('\n', printer->file);
		if (!thread || range->range->thread != thread->thread)
			fprintf(printer->file, "%s  Thread \"<unnamed>\" (id = %u)\n",
				printer->prefix, range->range->thread);
		if (!thread || range->range->thread != thread->thread ||
		    range->range->domain != domain->domain) {
			fprintf(printer->file, "%s    Domain \"", printer->prefix);
			visible_write(name_or_unnamed(printer, range->range->domain),
				      printer->file);
			fputs("\"\n", printer->file);
		}
		thread = domain = range->range;
		fprintf(printer->file, "%s      Range \"", printer->prefix);
		visible_write(name_or_unnamed(printer, range->range->name), printer->file);
		fputs("\"\n", printer->file);
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
	if (error)
		ranges_free(ranges);
	return error;
}

void ranges_free(struct ranges *ranges)
{
	range_tree_free(&ranges->tree);
	filter_free(&ranges->filter);
}

int ranges_write(const struct session *session, const struct options *options, const char *prefix,
		 FILE *file)
{
	bool blocks = options->nvtx_kernels || options->format == FORMAT_NVPROF;
	struct printer printer = {.prefix = prefix, .file = file};
	int error;

	if (!session_next_nvtx_range(session, NULL))
		return 0;
	error = ranges_collect(&printer.ranges, session, options, blocks);
	if (error)
		return error;
	error = blocks ? write_blocks(&printer) : write_tree(&printer);
	ranges_free(&printer.ranges);
	return error;
}
