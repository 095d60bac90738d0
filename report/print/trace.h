/* SPDX-License-Identifier: MIT */
/* What the text and the CSV of a trace share; for the trace's own sources. */
#ifndef KTIME_REPORT_PRINT_TRACE_H
#define KTIME_REPORT_PRINT_TRACE_H

#include <stdio.h>

#include "report/sheet/number.h"
#include "report/options/options.h"
#include "report/session/session.h"
#include "report/print/table.h"

struct trace {
	const struct session *session;
	const struct options *options;
	FILE *file;
	const struct trace_record **records; /* in the order of time */
	size_t count;
	struct filter filter;
	uint64_t zero;	       /* of the Start column */
	bool gpu, api, memory; /* which kinds of records there are */
	enum time_unit start_unit, duration_unit;
	enum size_unit static_unit, dynamic_unit, size_unit, rate_unit;
};

/* A record's name as it is printed; "" if memory is out. */
const char *trace_name(struct trace *trace, uint64_t offset, enum row_kind kind);
bool trace_is_memory(const struct trace_record *record);
/* Whether a record has a launch's grid: one that only events timed has not. */
bool trace_has_grid(const struct trace_record *record);
uint64_t trace_duration(const struct trace_record *record);
/* Bytes per second; 0 for a record without a duration. */
double trace_throughput(const struct trace_record *record);
/* "Device", as nvprof writes the kinds of memory; `none` if it is not known. */
const char *trace_memory_name(char text[12], uint8_t kind, const char *none);
/* "Tesla V100 (0)", "3: Tesla V100 (0)" of rank 3 in a merged profile: the name is cut where it
 * would be longer than `most`, the ordinal stays. */
void trace_device_name(const struct trace *trace, const struct trace_record *record, int most,
		       char *text, size_t size);
/* A context's or stream's number, or the name that the user gave to it. */
void trace_id_name(const struct trace *trace, const char *pattern, uint32_t id, char *text,
		   size_t size);

void trace_write_text(struct trace *trace);
void trace_write_csv(struct trace *trace);

#endif
