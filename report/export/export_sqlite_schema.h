/* SPDX-License-Identifier: MIT */
/*
 * The tables of an Nsight Systems SQLite export that a session can fill, with the columns of a
 * current one. Source: the schema in the Nsight Systems user guide ("SQLite Schema Reference") and
 * that of exports of the releases 2024.6 to 2026.1.
 */
#ifndef KTIME_REPORT_EXPORT_EXPORT_SQLITE_SCHEMA_H
#define KTIME_REPORT_EXPORT_EXPORT_SQLITE_SCHEMA_H

#define NSYS_SCHEMA_VERSION "3.24.14"
#define NSYS_SCHEMA_MAJOR   "3"
#define NSYS_SCHEMA_MINOR   "24"
#define NSYS_SCHEMA_MICRO   "14"

enum nsys_sqlite_table {
	NSYS_TABLE_STRINGS,
	NSYS_TABLE_KERNEL,
	NSYS_TABLE_MEMCPY,
	NSYS_TABLE_MEMSET,
	NSYS_TABLE_RUNTIME,
	NSYS_TABLE_GRAPH_TRACE,
	NSYS_TABLE_NVTX,
	NSYS_TABLE_GPU,
	NSYS_TABLE_CUDA_DEVICE,
	NSYS_TABLE_SYSTEM_ENV,
	NSYS_TABLE_SESSION_START,
	NSYS_TABLE_ANALYSIS_DETAILS,
	NSYS_TABLE_PROCESSES,
	NSYS_TABLE_THREAD_NAMES,
	NSYS_TABLE_CAPTURE,
	NSYS_TABLE_EXPORT,
	NSYS_TABLE_COPY_KINDS,
	NSYS_TABLE_MEMORY_KINDS,
	NSYS_TABLE_LAUNCH_TYPES,
	NSYS_TABLE_EVENT_CLASSES,
	NSYS_TABLE_EVENT_TYPES,
	NSYS_TABLE_COUNT
};

struct nsys_sqlite_schema {
	const char *name;
	const char *columns; /* for CREATE TABLE */
	const char *filled;  /* those that ktime has values for, in the order it inserts them */
};

extern const struct nsys_sqlite_schema nsys_sqlite_schema[NSYS_TABLE_COUNT];

#endif
