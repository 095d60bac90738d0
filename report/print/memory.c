/* SPDX-License-Identifier: MIT */
/* What the program held of memory: a line of every report, and the tables of --memory. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/names/cut_name.h"
#include "report/print/report.h"
#include "report/session/estimate.h"

#define SITES_SHOWN 20 /* origins in a table for reading. Chosen. */
#define PLACE_SIZE  64

/* All kinds together, on all devices and the host. */
struct memory_totals {
	uint64_t allocations, held, held_count;
	/* What was held at some time: of a part of a run, also what was allocated before. */
	uint64_t all;
};

static struct memory_totals totals_of(const struct session *session)
{
	struct memory_totals totals = {0};
	const struct memory_use *use;

	session_for_each_memory_use (session, use) {
		if (use->kind == ALLOCATION_TOTAL)
			continue;
		totals.allocations += use->allocations;
		totals.held += use->held;
		totals.held_count += use->held_count;
		totals.all += use->held_count + use->frees;
	}
	RAISE(totals.all, totals.allocations);
	return totals;
}

static int number_of(const struct job_process *process)
{
	return process->rank.rank >= 0 ? process->rank.rank : process->pid;
}

/* " (rank 3 on node7 and 2 more)": the processes of a merged profile that held so much of a device.
 */
static void write_holders(const struct session *session, uint64_t peak, FILE *file)
{
	const struct job_process *process, *first = NULL;
	size_t count = 0;

	session_for_each_process (session, process) {
		if (process->memory_peak != peak)
			continue;
		if (!count++ || number_of(process) < number_of(first))
			first = process;
	}
	if (!first)
		return;
	fprintf(file, " (%s %d on ", first->rank.rank >= 0 ? "rank" : "process", number_of(first));
	visible_write(session_string(session, first->hostname), file);
	if (count > 1)
		fprintf(file, " and %zu more", count - 1);
	fputc(')', file);
}

/* "96 MB on device 0 at 1.21 s", of a merged profile "96 MB on device 0 (rank 3 on node7)";
 * "8 MB of managed memory". */
static void write_peak(const struct session *session, const struct memory_use *use, FILE *file)
{
	const uint64_t start = session_header(session)->start_realtime;
	char text[NUMBER_SIZE];

	fputs(number_bytes_about(text, use->peak), file);
	if (use->kind != ALLOCATION_TOTAL)
		fprintf(file, " of %s", allocation_texts[use->kind]);
	if (use->device >= 0)
		fprintf(file, " on device %d", use->device);
	if (use->kind != ALLOCATION_TOTAL)
		return;
	if (session_header(session)->processes)
		write_holders(session, use->peak, file);
	else if (use->peak_time >= start)
		fprintf(file, " at %s", number_about(text, (double)(use->peak_time - start), 3));
}

/* That what PyTorch keeps for its next tensors is no leak. Its kernels are known by their names. */
static const char *held_by(const struct session *session)
{
	const struct row *row;

	if (session_header(session)->finished == RUN_WHOLE)
		session_for_each_row (session, row)
			if (row->kind == ROW_KERNEL &&
			    strstr(session_string(session, row->name), "2at6native"))
				return " (PyTorch's cache: the driver frees it)";
	return "";
}

/* "; 3 of 120 allocations held at exit, 24 MB; 40 allocations a second" */
static void write_totals(const struct session *session, const struct memory_totals *totals,
			 FILE *file)
{
	const struct session_header *header = session_header(session);
	double wall = (double)header->counters[COUNTER_wall_ns];
	/* Of a shorter run the rate says nothing. */
	double rate = wall >= 1e9 ? 1e9 * (double)totals->allocations / wall : 0;
	char held[NUMBER_SIZE], count[NUMBER_SIZE];

	number_count(count, totals->all);
	if (totals->held_count)
		fprintf(file, "; %s%s of %s allocations %s", header->processes ? "in all " : "",
			number_count(held, totals->held_count), count,
			header->finished == RUN_WHOLE ? "held at exit" : "held");
	else
		fprintf(file, "; all %s allocations freed", count);
	if (totals->held_count)
		fprintf(file, ", %s%s", number_bytes_about(held, totals->held), held_by(session));
	if (rate >= 1)
		fprintf(file, "; %s allocation%s a second%s",
			number_count(count, to_unsigned(rate)), to_unsigned(rate) == 1 ? "" : "s",
			header->processes ? " in each" : "");
}

void memory_line_write(const struct session *session, const char *prefix, FILE *file)
{
	static const enum allocation_kind kinds[] = {ALLOCATION_TOTAL, ALLOCATION_MANAGED,
						     ALLOCATION_PINNED, ALLOCATION_REGISTERED};
	const struct memory_totals totals = totals_of(session);
	const uint64_t graphs = session_header(session)->counters[COUNTER_memory_graphs];
	const struct memory_use *use;
	const char *separator = "";
	char count[NUMBER_SIZE];

	if (!totals.all && !graphs)
		return;
	fprintf(file, "%sMemory: ", prefix);
	if (totals.all)
		fprintf(file, "%sat most ",
			session_header(session)->processes ? "of one process " : "");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		session_for_each_memory_use (session, use) {
			if (use->kind != kinds[i])
				continue;
			fputs(separator, file);
			separator = ", ";
			write_peak(session, use, file);
		}
	if (totals.all)
		write_totals(session, &totals, file);
	if (graphs)
		fprintf(file, "%s%s allocation%s by launches of graphs, which %s not followed",
			totals.all ? "; " : "", number_count(count, graphs), graphs == 1 ? "" : "s",
			graphs == 1 ? "is" : "are");
	fputs(".\n", file);
}

bool memory_held_text(const struct session *session, char text[MEMORY_HELD_SIZE])
{
	const struct memory_totals totals = totals_of(session);
	char held[NUMBER_SIZE], all[NUMBER_SIZE], bytes[NUMBER_SIZE];

	if (!totals.held_count || session_header(session)->finished != RUN_WHOLE)
		return false;
	snprintf(text, MEMORY_HELD_SIZE, "%s of %s allocations held at exit, %s%s",
		 number_count(held, totals.held_count), number_count(all, totals.all),
		 number_bytes_about(bytes, totals.held), held_by(session));
	return true;
}

/* What was largest at the peak, and then in the end. */
static int compare_sites(const void *one, const void *other)
{
	const struct memory_site *a = *(const struct memory_site *const *)one;
	const struct memory_site *b = *(const struct memory_site *const *)other;

	return IN_ORDER(b->at_peak, a->at_peak) ?: IN_ORDER(b->held, a->held) ?: IN_ORDER(a, b);
}

int memory_collect(struct memory_tables *tables, const struct session *session)
{
	*tables = (struct memory_tables){.session = session};
	tables->uses = session_items(session, SEGMENT_MEMORY, &tables->use_count);
	tables->sites = session_items(session, SEGMENT_MEMORY_SITES, &tables->site_count);
	if (!tables->uses || !tables->sites) {
		memory_free(tables);
		return -ENOMEM;
	}
	qsort(tables->sites, tables->site_count, sizeof(*tables->sites), compare_sites);
	return 0;
}

static bool is_same(const struct memory_use *a, const struct memory_use *b)
{
	return a->device == b->device && a->peak == b->peak && a->held == b->held &&
	       a->allocations == b->allocations;
}

void memory_leave_out_same(struct memory_tables *tables)
{
	size_t count = 0;

	for (size_t i = 0; i < tables->use_count; i++) {
		bool same = false;

		for (size_t j = 0; j < count && tables->uses[i]->kind == ALLOCATION_TOTAL; j++)
			same |= is_same(tables->uses[j], tables->uses[i]);
		if (!same)
			tables->uses[count++] = tables->uses[i];
	}
	tables->use_count = count;
}

void memory_free(struct memory_tables *tables)
{
	free(tables->uses);
	free(tables->sites);
}

/* "device memory on device 0" */
static void print_place(char text[PLACE_SIZE], uint32_t kind, int32_t device)
{
	const char *what = kind == ALLOCATION_TOTAL ? "together" : allocation_texts[kind];

	if (device >= 0)
		snprintf(text, PLACE_SIZE, "%s on device %d", what, device);
	else
		snprintf(text, PLACE_SIZE, "%s", what);
}

/* Where the memory is: the first columns of both sheets. */
static void fill_place(const struct sheet *sheet, struct cell *cells, uint32_t kind, int32_t device)
{
	cell_text(&cells[0],
		  sheet->form == SHEET_HTML ? allocation_texts[kind] : allocation_keys[kind]);
	if (device >= 0)
		cell_count(&cells[1], (uint64_t)device);
}

#define PLACE_COLUMNS                                                                              \
	{NULL, "Memory", .page = "Memory", .head = true},                                          \
	{                                                                                          \
		NULL, "Device", .page = "GPU", .kind = CELL_INTEGER                                \
	}
#define SIZE  .kind = CELL_SIZE_ABOUT, .width = 8
#define COUNT .kind = CELL_COUNT, .width = 11

static const struct column use_columns[] = {
	PLACE_COLUMNS,
	{"Held", "Held", .page = "", SIZE},
	{NULL, "Held Number", COUNT},
	{"Peak", "Peak", SIZE},
	{NULL, NULL, .page = "Of the device", .kind = CELL_PERCENT},
	{"At", "Peak At (ns)", .page = "", .kind = CELL_TIME_ABOUT, .width = 8},
	{NULL, NULL, .page = "Peak at", .kind = CELL_TIME},
	{NULL, NULL, .page = "Held in the end", SIZE},
	{NULL, NULL, .page = "Not freed", COUNT},
	{"Allocations", "Allocations", COUNT},
	{NULL, "Allocated", .page = "Allocated", SIZE},
	{"Freed", "Freed", .page = "Frees", COUNT},
	{"", NULL, .page = ""},
};

static void fill_use(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct memory_tables *tables = sheet->argument;
	const struct session_header *header = session_header(tables->session);
	const struct memory_use *use = tables->uses[row];
	bool on_device = use->device >= 0 && use->device < SESSION_DEVICES;
	uint64_t memory = on_device ? header->devices[use->device].memory : 0;
	bool timed = use->peak_time >= header->start_realtime;
	uint64_t peak_at = timed ? use->peak_time - header->start_realtime : 0;
	char place[PLACE_SIZE];

	fill_place(sheet, cells, use->kind, use->device);
	cell_count(&cells[2], use->held);
	cell_count(&cells[3], use->held_count);
	cell_count(&cells[4], use->peak);
	if (memory)
		cell_real(&cells[5], 100 * (double)use->peak / (double)memory);
	cell_count(&cells[6], peak_at);
	if (timed && use->peak)
		cell_count(&cells[7], peak_at);
	cell_count(&cells[8], use->held);
	cell_count(&cells[9], use->held_count);
	cell_count(&cells[10], use->allocations);
	cell_count(&cells[11], use->allocated);
	cell_count(&cells[12], use->frees);
	print_place(place, use->kind, use->device);
	cell_print(&cells[13], "%s", place);
}

void memory_use_sheet(struct sheet *sheet, const struct memory_tables *tables)
{
	*sheet = (struct sheet){SHEET_OF(use_columns), .row = fill_use, .argument = tables,
				.rows = tables->use_count};
}

/* What some of the sites have. */
enum { WITH_OPERATIONS = 1, WITH_RANGES = 2 };

static const struct column site_columns[] = {
	PLACE_COLUMNS,
	{NULL, "Thread", .kind = CELL_INTEGER},
	{NULL, "Range", .kind = CELL_TEXT},
	{NULL, "After", .kind = CELL_TEXT},
	{NULL, "Size", SIZE},
	{"At peak", "At Peak", .page = "At the peak", SIZE},
	{"Number", "At Peak Number", .page = "Of them", COUNT},
	{NULL, NULL, .page = "Size of each", SIZE},
	{"Held", "Held", .page = "Held in the end", SIZE},
	{NULL, "Held Number", .page = "Not freed", COUNT},
	{"Allocations", "Allocations", COUNT},
	{NULL, "Allocated", SIZE},
	{"Each", NULL, .page = "", SIZE},
	{"", NULL, .page = ""},
	{NULL, NULL, .page = "Launched before", .name = true, .parts = WITH_OPERATIONS},
	{NULL, NULL, .page = "NVTX range", .name = true, .parts = WITH_RANGES},
	{NULL, NULL, .page = "Thread", .kind = CELL_INTEGER},
};

/* Letters of what was launched before. Chosen: few lines of a page's table. */
#define OPERATION_MOST 80

/* "device memory on device 0, thread 17, in train/forward, after [CUDA memcpy HtoD]" */
static void print_origin(struct cell *cell, const struct memory_site *site, const char *range,
			 const char *operation)
{
	char place[PLACE_SIZE], thread[32] = "";

	print_place(place, site->kind, site->device);
	if (site->thread)
		snprintf(thread, sizeof(thread), ", thread %u", site->thread);
	cell_print(cell, "%s%s%s%s%s%s", place, thread, *range ? ", in " : "", range,
		   *operation ? ", after " : "", operation);
}

static void fill_site(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct memory_tables *tables = sheet->argument;
	const struct memory_site *site = tables->sites[row];
	const char *range = session_string(tables->session, site->range);
	const char *operation = session_string(tables->session, site->operation);
	char *plain;

	fill_place(sheet, cells, site->kind, site->device);
	cell_count(&cells[2], site->thread);
	cell_text(&cells[3], range);
	cell_text(&cells[4], operation);
	cell_count(&cells[5], site->size);
	cell_count(&cells[6], site->at_peak);
	cell_count(&cells[7], site->at_peak_count);
	cell_count(&cells[8], site->size);
	cell_count(&cells[9], site->held);
	cell_count(&cells[10], site->held_count);
	cell_count(&cells[11], site->allocations);
	cell_count(&cells[12], site->allocated);
	cell_count(&cells[13], site->size);
	if (!site->size)
		cell_text(&cells[13], "several");
	print_origin(&cells[14], site, range, operation);
	plain = idle_plain_name(operation);
	if (plain)
		cut_middle(plain, OPERATION_MOST);
	cell_own(&cells[15], plain);
	cell_text(&cells[16], range);
	cell_count(&cells[17], site->thread ? site->thread : UINT64_MAX);
	if (!site->thread)
		cell_text(&cells[17], "several");
}

void memory_sites_sheet(struct sheet *sheet, const struct memory_tables *tables)
{
	*sheet = (struct sheet){SHEET_OF(site_columns), .row = fill_site, .argument = tables,
				.rows = tables->site_count};
	for (size_t i = 0; i < tables->site_count; i++) {
		const struct memory_site *site = tables->sites[i];

		if (*session_string(tables->session, site->operation))
			sheet->parts |= WITH_OPERATIONS;
		if (*session_string(tables->session, site->range))
			sheet->parts |= WITH_RANGES;
	}
}

int memory_table_write(const struct report *report)
{
	struct memory_tables tables;
	struct sheet use, sites;
	int error;

	if (!totals_of(report->session).all)
		return 0;
	error = memory_collect(&tables, report->session);
	if (error)
		return error;
	if (!report->options->csv)
		memory_leave_out_same(&tables);
	memory_use_sheet(&use, &tables);
	memory_sites_sheet(&sites, &tables);
	use.title = session_header(report->session)->processes
			    ? "Memory, its peak that of one process:"
			    : "Memory:";
	sites.title = "Largest at the peak:";
	if (!report->options->csv && sites.rows > SITES_SHOWN)
		sites.rows = SITES_SHOWN;
	report_sheet(report, &use);
	/* A merged profile does not tell. */
	if (report->options->csv || sites.rows)
		report_sheet(report, &sites);
	if (sites.rows < tables.site_count)
		fprintf(report->file, "%zu more (--csv lists them)\n",
			tables.site_count - sites.rows);
	memory_free(&tables);
	return 0;
}
