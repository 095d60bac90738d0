/* SPDX-License-Identifier: MIT */
#include "tests/unit/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS(X)                                                                                 \
	X(type)                                                                                    \
	X(name)                                                                                    \
	X(start_ns)                                                                                \
	X(end_ns)                                                                                  \
	X(device)                                                                                  \
	X(context)                                                                                 \
	X(stream)                                                                                  \
	X(correlation)                                                                             \
	X(bytes)                                                                                   \
	X(grid)                                                                                    \
	X(block)                                                                                   \
	X(registers)                                                                               \
	X(static_smem)                                                                             \
	X(dynamic_smem)                                                                            \
	X(src_kind)                                                                                \
	X(dst_kind)

#define COLUMN_ENUM(name) COLUMN_##name,
#define COLUMN_NAME(name) #name,
enum column { COLUMNS(COLUMN_ENUM) COLUMN_COUNT };
static const char *const column_names[] = {COLUMNS(COLUMN_NAME)};

#define DEVICE_NAME "Tesla V100"

struct reader {
	struct session *session;
	int places[COLUMN_COUNT]; /* of a column in a line; -1: not there */
	const char *cells[COLUMN_COUNT];
	const char *bad; /* the column that could not be read */
};

/* Splits a line at its tabs into cells that the columns find by their place. */
static void split_line(struct reader *reader, char *line)
{
	int place = 0, i;

	for (i = 0; i < COLUMN_COUNT; i++)
		reader->cells[i] = "";
	line[strcspn(line, "\r\n")] = '\0';
	for (; line; place++) {
		char *cell = strsep(&line, "\t");

		for (i = 0; i < COLUMN_COUNT; i++)
			if (reader->places[i] == place)
				reader->cells[i] = cell;
	}
}

static bool read_heading(struct reader *reader, char *line)
{
	int place = 0, i;

	for (i = 0; i < COLUMN_COUNT; i++)
		reader->places[i] = -1;
	line[strcspn(line, "\r\n")] = '\0';
	for (; line; place++) {
		const char *cell = strsep(&line, "\t");

		for (i = 0; i < COLUMN_COUNT; i++)
			if (strcmp(cell, column_names[i]) == 0)
				reader->places[i] = place;
	}
	for (i = COLUMN_type; i <= COLUMN_end_ns; i++)
		if (reader->places[i] < 0)
			return false;
	return true;
}

static uint64_t read_number(struct reader *reader, enum column column, uint64_t most)
{
	const char *text = reader->cells[column];
	unsigned long long value;
	char *end;

	if (!*text)
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end || errno || *text == '-' || value > most)
		reader->bad = column_names[column];
	return value;
}

static void read_extent(struct reader *reader, enum column column, uint32_t extent[3])
{
	const char *text = reader->cells[column];
	int length = -1;

	if (*text &&
	    (sscanf(text, "%ux%ux%u%n", &extent[0], &extent[1], &extent[2], &length) != 3 ||
	     text[length]))
		reader->bad = column_names[column];
}

static uint8_t read_memory_kind(struct reader *reader, enum column column)
{
	const char *text = reader->cells[column];
	uint8_t kind;

	if (!*text)
		return MEMORY_UNKNOWN;
	for (kind = 0; kind < MEMORY_KINDS; kind++)
		if (strcmp(text, memory_kind_name(kind)) == 0)
			return kind;
	reader->bad = column_names[column];
	return MEMORY_UNKNOWN;
}

/* The kind of a line's row, and the row's name in `name`. */
static enum row_kind read_kind(struct reader *reader, char *name, size_t size)
{
	const char *type = reader->cells[COLUMN_type];
	const char *given = reader->cells[COLUMN_name];

	if (strcmp(type, "memcpy") == 0) {
		snprintf(name, size, "[CUDA memcpy %s]", given);
		return ROW_MEMCPY;
	}
	if (strcmp(type, "memset") == 0) {
		snprintf(name, size, "[CUDA memset]");
		return ROW_MEMSET;
	}
	snprintf(name, size, "%s", given);
	if (strcmp(type, "kernel") == 0)
		return ROW_KERNEL;
	if (strcmp(type, "held") == 0)
		return (enum row_kind)TRACE_HELD;
	if (strcmp(type, "api") == 0)
		return strncmp(given, "cuda", 4) == 0 ? ROW_RUNTIME_API : ROW_DRIVER_API;
	reader->bad = column_names[COLUMN_type];
	return ROW_OTHER;
}

static void add_sizes(struct row *row, const struct trace_record *record)
{
	uint64_t blocks = (uint64_t)record->grid[0] * record->grid[1] * record->grid[2];
	uint32_t threads = record->block[0] * record->block[1] * record->block[2];

	if (record->kind == ROW_MEMCPY || record->kind == ROW_MEMSET)
		session_add_bytes(row, record->bytes);
	session_add_size(&row->cupti, record->kind == ROW_KERNEL ? blocks * threads : record->bytes,
			 record->end - record->start);
	if (threads)
		session_add_shape(
			row, &(struct launch_shape){threads, record->registers,
						    record->static_shared + record->dynamic_shared,
						    0, 1, blocks});
}

static int add_record(struct reader *reader, char *name, size_t size)
{
	struct session *session = reader->session;
	struct trace_record record = {.clock = CLOCK_CUPTI};
	struct row *row;

	record.kind = read_kind(reader, name, size);
	record.start = read_number(reader, COLUMN_start_ns, UINT64_MAX);
	record.end = read_number(reader, COLUMN_end_ns, UINT64_MAX);
	record.device = row_is_api(record.kind)
				? -1
				: (int32_t)read_number(reader, COLUMN_device, SESSION_DEVICES - 1);
	record.context = (uint32_t)read_number(reader, COLUMN_context, UINT32_MAX);
	record.stream = (uint32_t)read_number(reader, COLUMN_stream, UINT32_MAX);
	record.correlation = (uint32_t)read_number(reader, COLUMN_correlation, UINT32_MAX);
	record.bytes = read_number(reader, COLUMN_bytes, UINT64_MAX);
	read_extent(reader, COLUMN_grid, record.grid);
	read_extent(reader, COLUMN_block, record.block);
	record.registers = (uint32_t)read_number(reader, COLUMN_registers, UINT32_MAX);
	record.static_shared = (uint32_t)read_number(reader, COLUMN_static_smem, UINT32_MAX);
	record.dynamic_shared = (uint32_t)read_number(reader, COLUMN_dynamic_smem, UINT32_MAX);
	record.source_kind = read_memory_kind(reader, COLUMN_src_kind);
	record.destination_kind = read_memory_kind(reader, COLUMN_dst_kind);
	if (record.end < record.start)
		reader->bad = column_names[COLUMN_end_ns];
	if (!*reader->cells[COLUMN_name])
		reader->bad = column_names[COLUMN_name];
	if (reader->bad)
		return -EINVAL;

	if (record.kind == TRACE_HELD)
		return session_trace(session, &record);
	row = session_row(session, record.kind, name, record.device);
	if (!row)
		return -ENOMEM;
	row->calls++;
	session_add_sample(session, &row->cupti, record.end - record.start);
	add_sizes(row, &record);
	record.name = row->name;
	if (record.device >= 0) {
		struct device_info *device = &session_header(session)->devices[record.device];

		device->used = 1;
		strcpy(device->name, DEVICE_NAME);
	}
	if (row_is_gpu(record.kind))
		session_count(session, COUNTER_cupti_records, 1);
	return session_trace(session, &record);
}

int records_read(struct session **result, const char *path, const char *output, char *message,
		 size_t size)
{
	struct reader reader = {.session = NULL};
	FILE *file = fopen(path, "re");
	char *line = NULL, *name = NULL;
	size_t capacity = 0, number = 1;
	ssize_t length;
	int error = 0;

	*result = NULL;
	if (!file) {
		error = -errno;
		snprintf(message, size, "%s: %s", path, strerror(-error));
		return error;
	}
	if (output)
		unlink(output);
	error = session_create(&reader.session, output, output ? SESSION_TRACE : 0);
	if (error) {
		snprintf(message, size, "%s: %s", path, strerror(-error));
		goto out;
	}
	/* Another process's records, if any process's. */
	session_header(reader.session)->pid = 0;
	session_header(reader.session)->finished = 1;
	session_header(reader.session)->trace_on = 1;
	session_header(reader.session)->cupti_active = 1;
	if (getline(&line, &capacity, file) < 0 || !read_heading(&reader, line)) {
		snprintf(message, size, "%s: no table of records (its first line names no columns)",
			 path);
		error = -EINVAL;
		goto out;
	}
	while (!error && (length = getline(&line, &capacity, file)) >= 0) {
		/* The longest row name is the line itself and what a copy puts around it. */
		char *grown = realloc(name, (size_t)length + sizeof("[CUDA memcpy ]"));

		number++;
		if (!grown) {
			error = -ENOMEM;
			break;
		}
		name = grown;
		split_line(&reader, line);
		if (*reader.cells[COLUMN_type])
			error = add_record(&reader, name,
					   (size_t)length + sizeof("[CUDA memcpy ]"));
	}
	if (reader.bad)
		snprintf(message, size, "%s: line %zu: bad %s", path, number, reader.bad);
	else if (error)
		snprintf(message, size, "%s: line %zu: %s", path, number, strerror(-error));
out:
	if (error)
		session_close(reader.session);
	else
		*result = reader.session;
	free(name);
	free(line);
	fclose(file);
	return error;
}
