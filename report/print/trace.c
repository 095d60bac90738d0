/* SPDX-License-Identifier: MIT */
/* nvprof's traces: every operation, in the order of time. */
#include <errno.h>
#include <stdlib.h>

#include "report/options/filename.h"
#include "report/print/report.h"
#include "report/session/memory.h"

/* Device names are cut to the width of their column, as nvprof does, but not their ordinals. */
#define DEVICE_WIDTH 15

struct trace {
	struct report *report;
	const struct trace_record **records; /* in the order of time */
	size_t count, room;
	uint64_t zero;	       /* of the Start column */
	bool gpu, api, memory; /* which kinds of records there are */
};

/* Parts of the sheet. */
enum { GPU = 1, MEMORY = 2 };

static const struct column columns[] = {
	{"Start", "Start", .kind = CELL_TIME, .width = 8},
	{"Duration", "Duration", .kind = CELL_TIME, .width = 8},
	{"Grid Size", NULL, .width = 19, .parts = GPU},
	{"Block Size", NULL, .width = 14, .parts = GPU},
	{NULL, "Grid X", .kind = CELL_COUNT, .parts = GPU},
	{NULL, "Grid Y", .kind = CELL_COUNT, .parts = GPU},
	{NULL, "Grid Z", .kind = CELL_COUNT, .parts = GPU},
	{NULL, "Block X", .kind = CELL_COUNT, .parts = GPU},
	{NULL, "Block Y", .kind = CELL_COUNT, .parts = GPU},
	{NULL, "Block Z", .kind = CELL_COUNT, .parts = GPU},
	{"Regs*", "Registers Per Thread", .kind = CELL_COUNT, .width = 8, .parts = GPU},
	{"SSMem*", "Static SMem", .kind = CELL_SIZE, .width = 8, .parts = GPU},
	{"DSMem*", "Dynamic SMem", .kind = CELL_SIZE, .width = 8, .parts = GPU},
	{"Size", "Size", .kind = CELL_SIZE, .width = 8, .parts = MEMORY},
	{"Throughput", "Throughput", .kind = CELL_THROUGHPUT, .width = 10, .parts = MEMORY},
	{"SrcMemType", "SrcMemType", .width = 10, .parts = MEMORY},
	{"DstMemType", "DstMemType", .width = 10, .parts = MEMORY},
	{"Device", "Device", .width = DEVICE_WIDTH, .parts = GPU},
	{"Context", "Context", .width = 8, .parts = GPU},
	{"Stream", "Stream", .width = 8, .parts = GPU},
	{"Name", "Name", .name = true},
	{NULL, "Correlation_ID", .kind = CELL_COUNT},
};

/* One that only events timed has no launch's grid. */
static void fill_launch(struct cell *cells, const struct trace_record *record)
{
	if (record->kind != ROW_KERNEL || record->grid[0] == 0)
		return;
	cell_print(cells++, "(%u %u %u)", record->grid[0], record->grid[1], record->grid[2]);
	cell_print(cells++, "(%u %u %u)", record->block[0], record->block[1], record->block[2]);
	for (unsigned i = 0; i < 3; i++)
		cell_count(cells++, record->grid[i]);
	for (unsigned i = 0; i < 3; i++)
		cell_count(cells++, record->block[i]);
	cell_count(cells++, record->registers);
	cell_count(cells++, record->static_shared);
	cell_count(cells, record->dynamic_shared);
}

/* "Device", as nvprof writes the kinds of memory. */
static void fill_memory_kind(struct cell *cell, uint8_t kind)
{
	if (kind == MEMORY_UNKNOWN || kind >= MEMORY_KINDS)
		return;
	cell_print(cell, "%s", memory_kind_name(kind));
	cell->small[0] = (char)(cell->small[0] - 'a' + 'A');
}

static void fill_memory(struct cell *cells, const struct trace_record *record, uint64_t duration)
{
	/* Bytes per second, by way of microseconds: nvprof's last digit depends on it. */
	double seconds = (double)duration * 1e-3 * 1e-6;

	if (!row_is_memory(record->kind))
		return;
	cell_count(cells++, record->bytes);
	if (duration)
		cell_real(cells, (double)record->bytes / seconds);
	fill_memory_kind(++cells, record->source_kind);
	fill_memory_kind(++cells, record->destination_kind);
}

/* "Tesla V100 (0)", "3: Tesla V100 (0)" of rank 3 in a merged profile. In text the name is cut so
 * that the ordinal stays. */
static void fill_device(struct cell *cell, const struct trace *trace,
			const struct trace_record *record, int most)
{
	const struct job_process *owner = session_trace_process(trace->report->session, record);
	char ordinal[16], rank[16] = "";
	int device = record->device;

	cell_text(cell, "-");
	if (device < 0 || device >= SESSION_DEVICES)
		return;
	if (owner)
		most -= snprintf(rank, sizeof(rank),
				 "%d: ", owner->rank.rank >= 0 ? owner->rank.rank : owner->pid);
	most -= snprintf(ordinal, sizeof(ordinal), " (%d)", device);
	cell_print(cell, "%s%.*s%s", rank, most < 63 ? most : 63,
		   session_header(trace->report->session)->devices[device].name, ordinal);
}

/* A context's or stream's number, or the name that the user gave to it. */
static void fill_id(struct cell *cell, const struct trace *trace, const char *pattern, uint32_t id)
{
	char message[8];
	const struct session_header *header = session_header(trace->report->session);
	const struct name_codes codes = {header->pid, header->rank.rank, id};
	char *name = pattern ? filename_expand(pattern, &codes, message, sizeof(message)) : NULL;

	if (name)
		cell_print(cell, "%.63s", name);
	else
		cell_print(cell, "%u", id);
	free(name);
}

/* A record's name as it is printed; "" if memory is out. */
static const char *name_at(struct trace *trace, uint64_t offset, enum row_kind kind)
{
	const char *name = filter_name(&trace->report->filter, kind, offset);

	return name ? name : "";
}

/* In text kernels carry their correlation id, launches the kernel that they launched. */
static void fill_name(struct cell *cell, struct trace *trace, const struct trace_record *record,
		      bool text)
{
	const char *domain, *name;

	if (record->kind == ROW_RANGE) {
		domain = session_string(trace->report->session, record->kernel);
		cell_print(cell, "[Range] %s%s%s", domain, *domain ? "@" : "",
			   session_string(trace->report->session, record->name));
		return;
	}
	name = name_at(trace, record->name, record->kind);
	if (text && record->kind == ROW_KERNEL)
		cell_print(cell, "%s [%u]", name, record->correlation);
	else if (text && row_is_api(record->kind) && record->kernel)
		cell_print(cell, "%s (%s [%u])", name, name_at(trace, record->kernel, ROW_KERNEL),
			   record->correlation);
	else
		cell_text(cell, name);
}

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	struct trace *trace = *(struct trace *const *)sheet->argument;
	const struct trace_record *record = trace->records[row];
	uint64_t duration = record->end > record->start ? record->end - record->start : 0;
	bool text = sheet->form != SHEET_CSV;

	cell_count(&cells[0], record->start - trace->zero);
	cell_count(&cells[1], duration);
	fill_launch(&cells[2], record);
	fill_memory(&cells[13], record, duration);
	if (row_is_gpu(record->kind)) {
		fill_device(&cells[17], trace, record, text ? DEVICE_WIDTH : 80);
		fill_id(&cells[18], trace, trace->report->options->context_name, record->context);
		fill_id(&cells[19], trace, trace->report->options->stream_name, record->stream);
	}
	fill_name(&cells[20], trace, record, text);
	cell_count(&cells[21], record->correlation);
}

static int compare_start(const void *left, const void *right)
{
	const struct trace_record *a = *(const struct trace_record *const *)left;
	const struct trace_record *b = *(const struct trace_record *const *)right;

	/* A call before what it starts, and both in the order of their making. */
	return IN_ORDER(a->start, b->start) ?: IN_ORDER(a->correlation, b->correlation);
}

static int add_record(struct trace *trace, const struct trace_record *record)
{
	if (!LIST_HAS_ROOM(trace->records, trace->count, trace->room))
		return -ENOMEM;
	trace->records[trace->count++] = record;
	return 0;
}

/* The parts are held until the session is closed: they are sorted, and written, as a whole. */
static int collect(struct trace *trace, bool gpu, bool api)
{
	struct filter *filter = &trace->report->filter;
	struct trace_part part = {.records = NULL};
	int error = 0;

	while (!error && session_next_trace_part(trace->report->session, &part))
		for (size_t i = 0; i < part.count && !error; i++) {
			const struct trace_record *record = &part.records[i];
			bool of_host = row_is_api(record->kind) || record->kind == ROW_RANGE;

			if (record->kind >= ROW_KINDS ||
			    (!(gpu && row_is_gpu(record->kind)) && !(api && of_host)))
				continue;
			if (!filter_name(filter, record->kind, record->name))
				error = -ENOMEM;
			else if (filter_shows(filter, record->kind, record->name, record->device))
				error = add_record(trace, record);
		}
	if (!error && trace->count > 0)
		qsort(trace->records, trace->count, sizeof(*trace->records), compare_start);
	return error;
}

static const char legend[] =
	"\nRegs: registers of each thread, those that the hardware takes among them.\n"
	"SSMem: shared memory of each block that the kernel declares.\n"
	"DSMem: shared memory of each block that the launch asks for.\n"
	"SrcMemType, DstMemType: the kind of memory that is read from and written to.\n"
	"Start: time since the first record, or since the profile began.\n";

static void write_records(struct trace *trace)
{
	const struct options *options = trace->report->options;
	struct sheet sheet = {SHEET_OF(columns),
			      .row = fill_row,
			      .argument = &trace,
			      .rows = trace->count,
			      .form = sheet_form_of(options),
			      .parts = (trace->gpu ? GPU : 0) | (trace->memory ? MEMORY : 0),
			      .note = trace->gpu && !options->quiet ? legend : NULL};

	trace->zero = session_header(trace->report->session)->trace_start;
	if (!trace->zero || trace->zero > trace->records[0]->start)
		trace->zero = trace->records[0]->start;
	sheet_choose_units(&sheet, options->unit, 0, trace->count);
	report_sheet(trace->report, &sheet);
}

int trace_write(struct report *report, bool gpu, bool api)
{
	struct trace trace = {.report = report};
	int error = collect(&trace, gpu, api);

	if (error)
		goto out;
	for (size_t i = 0; i < trace.count; i++) {
		trace.gpu |= row_is_gpu(trace.records[i]->kind);
		trace.api |= !row_is_gpu(trace.records[i]->kind);
		trace.memory |= row_is_memory(trace.records[i]->kind);
	}
	if (report->options->top && trace.count > report->options->top)
		trace.count = report->options->top;
	if (gpu && !trace.gpu)
		fputs("No kernels were profiled.\n", report->file);
	if (trace.count > 0)
		write_records(&trace);
	if (api && !trace.api)
		fputs("No API activities were profiled.\n", report->file);
out:
	free(trace.records);
	return error;
}

void trace_size_write(const struct session *session, const char *prefix, FILE *file)
{
	const uint64_t *counters = session_header(session)->counters;
	uint64_t kept = counters[COUNTER_trace_records], lost = counters[COUNTER_trace_lost];
	char text[NUMBER_SIZE], all[NUMBER_SIZE];

	if (kept + lost == 0)
		return;
	fprintf(file, "%sTrace: %s", prefix, number_count(text, kept));
	if (lost > 0)
		fprintf(file, " of %s", number_count(all, kept + lost));
	fprintf(file, " record%s kept, %s.\n", kept + lost == 1 ? "" : "s",
		number_bytes_about(text, kept * sizeof(struct trace_record)));
}
