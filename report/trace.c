/* SPDX-License-Identifier: MIT */
/* nvprof's traces: every operation, in the order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "report/filename.h"
#include "report/number.h"
#include "report/report.h"
#include "report/table.h"

/* Device names are cut to the width of their column, as nvprof does. */
#define DEVICE_WIDTH 15

struct display_name {
	uint64_t name; /* offset in the session */
	char *text;
	bool shown; /* the filters let it through */
	UT_hash_handle hh;
};

struct trace {
	const struct session *session;
	const struct options *options;
	FILE *file;
	const struct trace_record **records;
	size_t count;
	struct display_name *names;
	struct filter filter;
	uint64_t zero;	  /* of the Start column */
	bool gpu, memory; /* which columns there are */
	enum time_unit start_unit, duration_unit;
	enum size_unit static_unit, dynamic_unit, size_unit, rate_unit;
};

static struct display_name *find_name(struct trace *trace, uint64_t offset, enum row_kind kind,
				      int device)
{
	struct display_name *name;

	HASH_FIND(hh, trace->names, &offset, sizeof(offset), name);
	if (name)
		return name;
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	name->name = offset;
	name->text = row_display_name(trace->session, trace->options, kind, offset);
	if (!name->text)
		goto fail;
	HASH_ADD(hh, trace->names, name, sizeof(name->name), name);
	if (!name->hh.tbl)
		goto fail;
	name->shown = filter_passes(&trace->filter, kind, name->text, device);
	return name;
fail:
	free(name->text);
	free(name);
	return NULL;
}

static bool is_memory(const struct trace_record *record)
{
	return record->kind == ROW_MEMCPY || record->kind == ROW_MEMSET ||
	       record->kind == ROW_MOVEMENT;
}

static uint64_t duration(const struct trace_record *record)
{
	return record->end - record->start;
}

/* Bytes per second, by way of microseconds: nvprof's last digit depends on it. */
static double throughput(const struct trace_record *record)
{
	double seconds = (double)duration(record) * 1e-3 * 1e-6;

	return seconds > 0 ? (double)record->bytes / seconds : 0;
}

static int compare_start(const void *left, const void *right)
{
	const struct trace_record *a = *(const struct trace_record *const *)left;
	const struct trace_record *b = *(const struct trace_record *const *)right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* A call before what it starts, and both in the order of their making. */
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return 0;
}

static int collect(struct trace *trace, bool gpu, bool api)
{
	const struct trace_record *record;
	size_t capacity = 0;

	session_for_each_trace (trace->session, record) {
		struct display_name *name;

		if (!(gpu && row_is_gpu(record->kind)) && !(api && row_is_api(record->kind)))
			continue;
		name = find_name(trace, record->name, record->kind, record->device);
		if (!name)
			return -ENOMEM;
		if (!name->shown || !filter_passes(&trace->filter, ROW_OTHER, "", record->device))
			continue;
		if (trace->count == capacity) {
			const struct trace_record **grown;

			capacity = capacity ? capacity * 2 : 1024;
			grown = realloc(trace->records, capacity * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			trace->records = grown;
		}
		trace->records[trace->count++] = record;
	}
	if (trace->count > 0)
		qsort(trace->records, trace->count, sizeof(*trace->records), compare_start);
	return 0;
}

/* What the columns are like depends on everything that is in them. */
static void choose_columns(struct trace *trace)
{
	int unit = trace->options->unit;
	uint64_t start = 0, longest = 0, static_shared = 0, dynamic_shared = 0, bytes = 0;
	double rate = 0;
	size_t i;

	trace->zero = session_header(trace->session)->trace_start;
	if (trace->count > 0 && (!trace->zero || trace->zero > trace->records[0]->start))
		trace->zero = trace->records[0]->start;
	for (i = 0; i < trace->count; i++) {
		const struct trace_record *record = trace->records[i];

#define LARGEST(variable, value)                                                                   \
	do {                                                                                       \
		if ((value) > (variable))                                                          \
			(variable) = (value);                                                      \
	} while (0)
		LARGEST(start, record->start - trace->zero);
		LARGEST(longest, duration(record));
		LARGEST(static_shared, record->static_shared);
		LARGEST(dynamic_shared, record->dynamic_shared);
		if (row_is_gpu(record->kind))
			trace->gpu = true;
		if (is_memory(record)) {
			trace->memory = true;
			LARGEST(bytes, record->bytes);
			LARGEST(rate, throughput(record));
		}
#undef LARGEST
	}
	if (unit == UNIT_AUTO || unit == UNIT_COLUMN) {
		trace->start_unit = number_time_unit(start);
		trace->duration_unit = number_time_unit(longest);
	} else {
		trace->start_unit = trace->duration_unit = (enum time_unit)unit;
	}
	trace->static_unit = number_size_unit((double)static_shared);
	trace->dynamic_unit = number_size_unit((double)dynamic_shared);
	trace->size_unit = number_size_unit((double)bytes);
	trace->rate_unit = number_size_unit(rate);
}

/* "Device", as nvprof writes the kinds of memory; `none` where it is not known. */
static const char *memory_name(char *text, uint8_t kind, const char *none)
{
	if (kind == MEMORY_UNKNOWN || kind >= MEMORY_KINDS)
		return none;
	strcpy(text, memory_kind_name(kind));
	text[0] = (char)(text[0] - 'a' + 'A');
	return text;
}

static void device_name(const struct trace *trace, int device, char *text, size_t size)
{
	if (device < 0 || device >= SESSION_DEVICES)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.63s (%d)",
			 session_header(trace->session)->devices[device].name, device);
}

/* A context's or stream's number, or the name that the user gave to it. */
static void id_name(const struct trace *trace, const char *pattern, uint32_t id, char *text,
		    size_t size)
{
	char message[8];
	char *name = pattern ? filename_expand(pattern, session_header(trace->session)->pid, id,
					       message, sizeof(message))
			     : NULL;

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%u", id);
	free(name);
}

/* Kernels carry their correlation id, launches the kernel that they launched. */
static void write_name(struct trace *trace, const struct trace_record *record, bool ids)
{
	const struct display_name *name =
		find_name(trace, record->name, record->kind, record->device);

	fputs(name ? name->text : "", trace->file);
	if (!ids)
		return;
	if (record->kind == ROW_KERNEL)
		fprintf(trace->file, " [%u]", record->correlation);
	if (row_is_api(record->kind) && record->kernel) {
		name = find_name(trace, record->kernel, ROW_KERNEL, -1);
		fprintf(trace->file, " (%s [%u])", name ? name->text : "", record->correlation);
	}
}

static void write_text_gpu_columns(const struct trace *trace, const struct trace_record *record)
{
	const struct options *options = trace->options;
	char grid[40] = "-", block[40] = "-", registers[12] = "-", static_shared[NUMBER_SIZE] = "-",
	     dynamic_shared[NUMBER_SIZE] = "-", size[NUMBER_SIZE] = "-", rate[NUMBER_SIZE] = "-",
	     source[12], destination[12], device[80] = "-", context[64] = "-", stream[64] = "-";
	bool own_units = options->unit == UNIT_AUTO;

	if (record->kind == ROW_KERNEL) {
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
	if (is_memory(record) && own_units) {
		number_size(size, record->bytes);
		if (duration(record))
			number_throughput(rate, throughput(record));
	} else if (is_memory(record)) {
		number_size_in(size, (double)record->bytes, trace->size_unit);
		if (duration(record))
			number_size_in(rate, throughput(record), trace->rate_unit);
	}
	if (row_is_gpu(record->kind)) {
		device_name(trace, record->device, device, sizeof(device));
		id_name(trace, options->context_name, record->context, context, sizeof(context));
		id_name(trace, options->stream_name, record->stream, stream, sizeof(stream));
	}
	fprintf(trace->file, "  %19s  %14s  %8s  %8s  %8s", grid, block, registers, static_shared,
		dynamic_shared);
	if (trace->memory)
		fprintf(trace->file, "  %8s  %10s  %10s  %10s", size, rate,
			memory_name(source, record->source_kind, "-"),
			memory_name(destination, record->destination_kind, "-"));
	fprintf(trace->file, "  %*.*s  %8s  %8s", DEVICE_WIDTH, DEVICE_WIDTH, device, context,
		stream);
}

static void write_text_heading(const struct trace *trace)
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

static void write_text_record(struct trace *trace, const struct trace_record *record)
{
	char start[NUMBER_SIZE], length[NUMBER_SIZE];
	uint64_t since = record->start - trace->zero;

	if (trace->options->unit == UNIT_AUTO)
		fprintf(trace->file, "%8s  %8s", number_time(start, since),
			number_time(length, duration(record)));
	else
		fprintf(trace->file, "%8s  %8s", number_time_in(start, since, trace->start_unit),
			number_time_in(length, duration(record), trace->duration_unit));
	if (trace->gpu)
		write_text_gpu_columns(trace, record);
	fputs("  ", trace->file);
	write_name(trace, record, true);
	fputc('\n', trace->file);
}

static void write_csv_heading(const struct trace *trace)
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

static void write_csv_memory(const struct trace *trace, const struct trace_record *record)
{
	const uint8_t kinds[] = {record->source_kind, record->destination_kind};
	char text[NUMBER_SIZE], name[12];
	unsigned i;

	if (!is_memory(record)) {
		fputs(",,,,", trace->file);
		return;
	}
	fprintf(trace->file, ",%s", number_size_csv(text, (double)record->bytes, trace->size_unit));
	fprintf(trace->file, ",%s",
		duration(record) ? number_size_csv(text, throughput(record), trace->rate_unit)
				 : "");
	for (i = 0; i < 2; i++) {
		const char *kind = memory_name(name, kinds[i], NULL);

		fprintf(trace->file, kind ? ",\"%s\"" : ",%s", kind ? kind : "");
	}
}

static void write_csv_gpu_columns(const struct trace *trace, const struct trace_record *record)
{
	char static_shared[NUMBER_SIZE], dynamic_shared[NUMBER_SIZE], text[80];
	FILE *file = trace->file;

	if (record->kind == ROW_KERNEL)
		fprintf(file, ",%u,%u,%u,%u,%u,%u,%u,%s,%s", record->grid[0], record->grid[1],
			record->grid[2], record->block[0], record->block[1], record->block[2],
			record->registers,
			number_size_csv(static_shared, record->static_shared, trace->static_unit),
			number_size_csv(dynamic_shared, record->dynamic_shared,
					trace->dynamic_unit));
	else
		fputs(",,,,,,,,,", file);
	if (trace->memory)
		write_csv_memory(trace, record);
	if (!row_is_gpu(record->kind)) {
		fputs(",,,", file);
		return;
	}
	fputc(',', file);
	device_name(trace, record->device, text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	id_name(trace, trace->options->context_name, record->context, text, sizeof(text));
	csv_write_text(text, file);
	fputc(',', file);
	id_name(trace, trace->options->stream_name, record->stream, text, sizeof(text));
	csv_write_text(text, file);
}

static void write_csv_record(struct trace *trace, const struct trace_record *record)
{
	char start[NUMBER_SIZE], length[NUMBER_SIZE];
	const struct display_name *name =
		find_name(trace, record->name, record->kind, record->device);

	fprintf(trace->file, "%s,%s",
		number_time_csv(start, record->start - trace->zero, trace->start_unit),
		number_time_csv(length, duration(record), trace->duration_unit));
	if (trace->gpu)
		write_csv_gpu_columns(trace, record);
	fputc(',', trace->file);
	csv_write_text(name ? name->text : "", trace->file);
	fprintf(trace->file, ",%u\n", record->correlation);
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

int trace_write(const struct session *session, const struct options *options, bool gpu, bool api,
		FILE *file)
{
	struct trace trace = {.session = session, .options = options, .file = file};
	struct display_name *name, *next;
	size_t i;
	int error = filter_init(&trace.filter, options);

	if (error)
		return error;
	error = collect(&trace, gpu, api);
	if (error)
		goto out;
	choose_columns(&trace);
	if (gpu && !trace.gpu)
		fputs("No kernels were profiled.\n", file);
	if (trace.count > 0 && options->csv)
		write_csv_heading(&trace);
	else if (trace.count > 0)
		write_text_heading(&trace);
	for (i = 0; i < trace.count; i++) {
		if (options->csv)
			write_csv_record(&trace, trace.records[i]);
		else
			write_text_record(&trace, trace.records[i]);
	}
	if (trace.gpu && !options->csv && !options->quiet)
		write_legend(&trace);
	if (api && !gpu && trace.count == 0)
		fputs("No API activities were profiled.\n", file);
out:
	HASH_ITER (hh, trace.names, name, next) {
		HASH_DEL(trace.names, name);
		free(name->text);
		free(name);
	}
	free(trace.records);
	filter_free(&trace.filter);
	return error;
}
