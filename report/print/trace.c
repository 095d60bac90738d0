/* SPDX-License-Identifier: MIT */
/* nvprof's traces: every operation, in the order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/print/report.h"
#include "report/print/trace.h"
#include "report/session/grow.h"

const char *trace_name(struct trace *trace, uint64_t offset, enum row_kind kind)
{
	const char *name = filter_name(&trace->filter, kind, offset);

	return name ? name : "";
}

bool trace_is_memory(const struct trace_record *record)
{
	return record->kind == ROW_MEMCPY || record->kind == ROW_MEMSET ||
	       record->kind == ROW_MOVEMENT;
}

bool trace_has_grid(const struct trace_record *record)
{
	return record->kind == ROW_KERNEL && record->grid[0] > 0;
}

uint64_t trace_duration(const struct trace_record *record)
{
	return record->end > record->start ? record->end - record->start : 0;
}

/* Bytes per second, by way of microseconds: nvprof's last digit depends on it. */
double trace_throughput(const struct trace_record *record)
{
	double seconds = (double)trace_duration(record) * 1e-3 * 1e-6;

	return seconds > 0 ? (double)record->bytes / seconds : 0;
}

const char *trace_memory_name(char text[12], uint8_t kind, const char *none)
{
	if (kind == MEMORY_UNKNOWN || kind >= MEMORY_KINDS)
		return none;
	strcpy(text, memory_kind_name(kind));
	text[0] = (char)(text[0] - 'a' + 'A');
	return text;
}

void trace_device_name(const struct trace *trace, const struct trace_record *record, int most,
		       char *text, size_t size)
{
	const struct job_process *owner = session_trace_process(trace->session, record);
	char ordinal[16], rank[16] = "";
	int device = record->device;

	snprintf(text, size, "-");
	if (device < 0 || device >= SESSION_DEVICES)
		return;
	if (owner)
		most -= snprintf(rank, sizeof(rank),
				 "%d: ", owner->rank.rank >= 0 ? owner->rank.rank : owner->pid);
	most -= snprintf(ordinal, sizeof(ordinal), " (%d)", device);
	snprintf(text, size, "%s%.*s%s", rank, most < 63 ? most : 63,
		 session_header(trace->session)->devices[device].name, ordinal);
}

void trace_id_name(const struct trace *trace, const char *pattern, uint32_t id, char *text,
		   size_t size)
{
	char message[8];
	const struct session_header *header = session_header(trace->session);
	const struct name_codes codes = {header->pid, header->rank.rank, id};
	char *name = pattern ? filename_expand(pattern, &codes, message, sizeof(message)) : NULL;

	if (name) {
		snprintf(text, size, "%s", name);
		visible_replace(text, strlen(text));
	} else {
		snprintf(text, size, "%u", id);
	}
	free(name);
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

static int add_record(struct trace *trace, size_t *capacity, const struct trace_record *record)
{
	if (trace->count == *capacity) {
		const struct trace_record **grown;

		*capacity = *capacity ? *capacity * 2 : 1024;
		grown = grow(trace->records, trace->count * sizeof(*grown),
			     *capacity * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		trace->records = grown;
	}
	trace->records[trace->count++] = record;
	return 0;
}

static int collect_part(struct trace *trace, size_t *capacity, const struct trace_part *part,
			bool gpu, bool api)
{
	int error = 0;

	for (size_t i = 0; i < part->count && !error; i++) {
		const struct trace_record *record = &part->records[i];
		bool of_host = row_is_api(record->kind) || record->kind == ROW_RANGE;

		if (record->kind >= ROW_KINDS ||
		    (!(gpu && row_is_gpu(record->kind)) && !(api && of_host)))
			continue;
		if (!filter_name(&trace->filter, record->kind, record->name))
			error = -ENOMEM;
		else if (filter_shows(&trace->filter, record->kind, record->name, record->device))
			error = add_record(trace, capacity, record);
	}
	return error;
}

/* The parts are held until the session is closed: they are sorted, and written, as a whole. */
static int collect(struct trace *trace, bool gpu, bool api)
{
	struct trace_part part = {.records = NULL};
	size_t capacity = 0;
	int error = 0;

	while (!error && session_next_trace_part(trace->session, &part))
		error = collect_part(trace, &capacity, &part, gpu, api);
	if (!error && trace->count > 0)
		qsort(trace->records, trace->count, sizeof(*trace->records), compare_start);
	return error;
}

/* What the columns are like depends on everything that is in them. */
static void choose_columns(struct trace *trace)
{
	int unit = trace->options->unit;
	uint64_t start = 0, longest = 0, static_shared = 0, dynamic_shared = 0, bytes = 0;
	double rate = 0;

	trace->zero = session_header(trace->session)->trace_start;
	if (trace->count > 0 && (!trace->zero || trace->zero > trace->records[0]->start))
		trace->zero = trace->records[0]->start;
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record *record = trace->records[i];

#define LARGEST(variable, value)                                                                   \
	do {                                                                                       \
		if ((value) > (variable))                                                          \
			(variable) = (value);                                                      \
	} while (0)
		LARGEST(start, record->start - trace->zero);
		LARGEST(longest, trace_duration(record));
		LARGEST(static_shared, record->static_shared);
		LARGEST(dynamic_shared, record->dynamic_shared);
		if (row_is_gpu(record->kind))
			trace->gpu = true;
		else
			trace->api = true;
		if (trace_is_memory(record)) {
			trace->memory = true;
			LARGEST(bytes, record->bytes);
			LARGEST(rate, trace_throughput(record));
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

int trace_write(const struct session *session, const struct options *options, bool gpu, bool api,
		FILE *file)
{
	struct trace trace = {.session = session, .options = options, .file = file};
	int error = filter_init(&trace.filter, session, options);

	if (error)
		return error;
	error = collect(&trace, gpu, api);
	if (error)
		goto out;
	choose_columns(&trace);
	if (gpu && !trace.gpu)
		fputs("No kernels were profiled.\n", file);
	if (trace.count > 0 && options->csv)
		trace_write_csv(&trace);
	else if (trace.count > 0)
		trace_write_text(&trace);
	if (api && !trace.api)
		fputs("No API activities were profiled.\n", file);
out:
	free(trace.records);
	filter_free(&trace.filter);
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
