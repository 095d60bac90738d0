/* SPDX-License-Identifier: MIT */
/* The lines of a trace, as text and as CSV. */
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/trace.h"

/* Device names are cut to the width of their column, as nvprof does, but not their ordinals. */
#define DEVICE_WIDTH 15

/* A range's name with its domain's and what stands before it, cut if need be. */
#define RANGE_TEXT   1100

/* A record's name; that of an NVTX range is put together in `range`. */
static const char *name_of(struct trace *trace, const struct trace_record *record,
			   char range[RANGE_TEXT])
{
	const char *domain;

	if (record->kind != ROW_RANGE)
		return trace_name(trace, record->name, record->kind);
	domain = session_string(trace->session, record->kernel);
	snprintf(range, RANGE_TEXT, "[Range] %s%s%s", domain, *domain ? "@" : "",
		 session_string(trace->session, record->name));
	return range;
}

/* Kernels carry their correlation id, launches the kernel that they launched. */
static void write_name(struct trace *trace, const struct trace_record *record)
{
	char range[RANGE_TEXT];

	visible_write(name_of(trace, record, range), trace->file);
	if (record->kind == ROW_KERNEL)
		fprintf(trace->file, " [%u]", record->correlation);
	if (row_is_api(record->kind) && record->kernel)
		fprintf(trace->file, " (%s [%u])", trace_name(trace, record->kernel, ROW_KERNEL),
			record->correlation);
}

static void write_gpu_columns(const struct trace *trace, const struct trace_record *record)
{
	const struct options *options = trace->options;
	char grid[40] = "-", block[40] = "-", registers[12] = "-", static_shared[NUMBER_SIZE] = "-",
	     dynamic_shared[NUMBER_SIZE] = "-", size[NUMBER_SIZE] = "-", rate[NUMBER_SIZE] = "-",
	     source[12], destination[12], device[80] = "-", context[64] = "-", stream[64] = "-";
	bool own_units = options->unit == UNIT_AUTO;

	if (trace_has_grid(record)) {
		snprintf(grid, sizeof(grid), "(%u %u %u)", record->grid[0], record->grid[1],
			 record->grid[2]);
		snprintf(block, sizeof(block), "(%u %u %u)", record->block[0], record->block[1],
			 record->block[2]);
		snprintf(registers, sizeof(registers), "%u", record->registers);
		if (own_units) {
			number_size(static_shared, record->static_shared);
			number_size(dynamic_shared, record->dynamic_shared);
		} else {
			number_size_in(static_shared, record->static_shared, trace->static_unit);
			number_size_in(dynamic_shared, record->dynamic_shared, trace->dynamic_unit);
		}
	}
	if (trace_is_memory(record) && own_units) {
		number_size(size, record->bytes);
		if (trace_duration(record))
			number_throughput(rate, trace_throughput(record));
	} else if (trace_is_memory(record)) {
		number_size_in(size, (double)record->bytes, trace->size_unit);
		if (trace_duration(record))
			number_size_in(rate, trace_throughput(record), trace->rate_unit);
	}
	if (row_is_gpu(record->kind)) {
		trace_device_name(trace, record, DEVICE_WIDTH, device, sizeof(device));
		trace_id_name(trace, options->context_name, record->context, context,
			      sizeof(context));
		trace_id_name(trace, options->stream_name, record->stream, stream, sizeof(stream));
	}
	fprintf(trace->file, "  %19s  %14s  %8s  %8s  %8s", grid, block, registers, static_shared,
		dynamic_shared);
	if (trace->memory)
		fprintf(trace->file, "  %8s  %10s  %10s  %10s", size, rate,
			trace_memory_name(source, record->source_kind, "-"),
			trace_memory_name(destination, record->destination_kind, "-"));
	fprintf(trace->file, "  %*.*s  %8s  %8s", DEVICE_WIDTH, DEVICE_WIDTH, device, context,
		stream);
}

static void write_heading(const struct trace *trace)
{
	FILE *file = trace->file;

	fprintf(file, "%8s  %8s", "Start", "Duration");
	if (trace->gpu)
		fprintf(file, "  %19s  %14s  %8s  %8s  %8s", "Grid Size", "Block Size", "Regs*",
			"SSMem*", "DSMem*");
	if (trace->gpu && trace->memory)
		fprintf(file, "  %8s  %10s  %10s  %10s", "Size", "Throughput", "SrcMemType",
			"DstMemType");
	if (trace->gpu)
		fprintf(file, "  %*s  %8s  %8s", DEVICE_WIDTH, "Device", "Context", "Stream");
	fputs("  Name\n", file);
	if (trace->options->unit == UNIT_AUTO)
		return;
	fprintf(file, "%8s  %8s", number_time_unit_name(trace->start_unit),
		number_time_unit_name(trace->duration_unit));
	if (trace->gpu)
		fprintf(file, "  %19s  %14s  %8s  %8s  %8s", "", "", "",
			number_size_unit_name(trace->static_unit),
			number_size_unit_name(trace->dynamic_unit));
	if (trace->gpu && trace->memory)
		fprintf(file, "  %8s  %8s/s", number_size_unit_name(trace->size_unit),
			number_size_unit_name(trace->rate_unit));
	fputc('\n', file);
}

static void write_record(struct trace *trace, const struct trace_record *record)
{
	char start[NUMBER_SIZE], length[NUMBER_SIZE];
	uint64_t since = record->start - trace->zero;

	if (trace->options->unit == UNIT_AUTO)
		fprintf(trace->file, "%8s  %8s", number_time(start, since),
			number_time(length, trace_duration(record)));
	else
		fprintf(trace->file, "%8s  %8s", number_time_in(start, since, trace->start_unit),
			number_time_in(length, trace_duration(record), trace->duration_unit));
	if (trace->gpu)
		write_gpu_columns(trace, record);
	fputs("  ", trace->file);
	write_name(trace, record);
	fputc('\n', trace->file);
}

static void write_legend(const struct trace *trace)
{
	fputs("\nRegs: registers of each thread, those that the hardware takes among them.\n"
	      "SSMem: shared memory of each block that the kernel declares.\n"
	      "DSMem: shared memory of each block that the launch asks for.\n"
	      "SrcMemType, DstMemType: the kind of memory that is read from and written to.\n"
	      "Start: time since the first record, or since the profile began.\n",
	      trace->file);
}

void trace_write_text(struct trace *trace)
{
	write_heading(trace);
	for (size_t i = 0; i < trace->count; i++)
		write_record(trace, trace->records[i]);
	if (trace->gpu && !trace->options->quiet)
		write_legend(trace);
}

static void csv_write_heading(const struct trace *trace)
{
	FILE *file = trace->file;

	fputs("\"Start\",\"Duration\"", file);
	if (trace->gpu)
		fputs(",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
		      "\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\"",
		      file);
	if (trace->gpu && trace->memory)
		fputs(",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\"", file);
	if (trace->gpu)
		fputs(",\"Device\",\"Context\",\"Stream\"", file);
	fputs(",\"Name\",\"Correlation_ID\"\n", file);
	fprintf(file, "%s,%s", number_time_unit_name(trace->start_unit),
		number_time_unit_name(trace->duration_unit));
	if (trace->gpu)
		fprintf(file, ",,,,,,,,%s,%s", number_size_unit_name(trace->static_unit),
			number_size_unit_name(trace->dynamic_unit));
	if (trace->gpu && trace->memory)
		fprintf(file, ",%s,%s/s,,", number_size_unit_name(trace->size_unit),
			number_size_unit_name(trace->rate_unit));
	if (trace->gpu)
		fputs(",,,", file);
	fputs(",,\n", file);
}

static void csv_write_memory(const struct trace *trace, const struct trace_record *record)
{
	const uint8_t kinds[] = {record->source_kind, record->destination_kind};
	char text[NUMBER_SIZE], name[12];

	if (!trace_is_memory(record)) {
		fputs(",,,,", trace->file);
		return;
	}
	fprintf(trace->file, ",%s", number_size_csv(text, (double)record->bytes, trace->size_unit));
	fprintf(trace->file, ",%s",
		trace_duration(record)
			? number_size_csv(text, trace_throughput(record), trace->rate_unit)
			: "");
	for (unsigned i = 0; i < 2; i++) {
		const char *kind = trace_memory_name(name, kinds[i], NULL);

		fprintf(trace->file, kind ? ",\"%s\"" : ",%s", kind ? kind : "");
	}
}

static void csv_write_gpu_columns(const struct trace *trace, const struct trace_record *record)
{
	char static_shared[NUMBER_SIZE], dynamic_shared[NUMBER_SIZE], text[80];
	FILE *file = trace->file;

	if (trace_has_grid(record))
		fprintf(file, ",%u,%u,%u,%u,%u,%u,%u,%s,%s", record->grid[0], record->grid[1],
			record->grid[2], record->block[0], record->block[1], record->block[2],
			record->registers,
			number_size_csv(static_shared, record->static_shared, trace->static_unit),
			number_size_csv(dynamic_shared, record->dynamic_shared,
					trace->dynamic_unit));
	else
		fputs(",,,,,,,,,", file);
	if (trace->memory)
		csv_write_memory(trace, record);
	if (!row_is_gpu(record->kind)) {
		fputs(",,,", file);
		return;
	}
	fputc(',', file);
	trace_device_name(trace, record, sizeof(text), text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	trace_id_name(trace, trace->options->context_name, record->context, text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	trace_id_name(trace, trace->options->stream_name, record->stream, text, sizeof(text));
	csv_write_text(text, file);
}

static void csv_write_record(struct trace *trace, const struct trace_record *record)
{
	char start[NUMBER_SIZE], length[NUMBER_SIZE], range[RANGE_TEXT];

	fprintf(trace->file, "%s,%s",
		number_time_csv(start, record->start - trace->zero, trace->start_unit),
		number_time_csv(length, trace_duration(record), trace->duration_unit));
	if (trace->gpu)
		csv_write_gpu_columns(trace, record);
	fputc(',', trace->file);
	csv_write_text(name_of(trace, record, range), trace->file);
	fprintf(trace->file, ",%u\n", record->correlation);
}

void trace_write_csv(struct trace *trace)
{
	csv_write_heading(trace);
	for (size_t i = 0; i < trace->count; i++)
		csv_write_record(trace, trace->records[i]);
}
