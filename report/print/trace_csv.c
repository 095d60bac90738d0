/* SPDX-License-Identifier: MIT */
#include "report/print/report.h"
#include "report/print/trace.h"

static void write_heading(const struct trace *trace)
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

static void write_memory(const struct trace *trace, const struct trace_record *record)
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

static void write_gpu_columns(const struct trace *trace, const struct trace_record *record)
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
		write_memory(trace, record);
	if (!row_is_gpu(record->kind)) {
		fputs(",,,", file);
		return;
	}
	fputc(',', file);
	trace_device_name(trace, record->device, sizeof(text), text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	trace_id_name(trace, trace->options->context_name, record->context, text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	trace_id_name(trace, trace->options->stream_name, record->stream, text, sizeof(text));
	csv_write_text(text, file);
}

static void write_record(struct trace *trace, const struct trace_record *record)
{
	char start[NUMBER_SIZE], length[NUMBER_SIZE];

	fprintf(trace->file, "%s,%s",
		number_time_csv(start, record->start - trace->zero, trace->start_unit),
		number_time_csv(length, trace_duration(record), trace->duration_unit));
	if (trace->gpu)
		write_gpu_columns(trace, record);
	fputc(',', trace->file);
	csv_write_text(trace_name(trace, record->name, record->kind), trace->file);
	fprintf(trace->file, ",%u\n", record->correlation);
}

void trace_write_csv(struct trace *trace)
{
	write_heading(trace);
	for (size_t i = 0; i < trace->count; i++)
		write_record(trace, trace->records[i]);
}
