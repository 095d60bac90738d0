/* SPDX-License-Identifier: MIT */
/*
 * What `ktime export` writes. Each takes an open session that it only reads, and returns 0 or
 * -errno with a one-line reason in `message`.
 */
#ifndef KTIME_REPORT_EXPORT_EXPORT_H
#define KTIME_REPORT_EXPORT_EXPORT_H

#include <stddef.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* An Nsight Systems SQLite export of the session's trace; `path` is an empty file. */
int export_sqlite(struct session *session, const struct options *options, const char *path,
		  char *message, size_t size);
/* The trace in the trace event format that chrome://tracing and Perfetto load. */
int export_chrome(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size);
/* The trace in Perfetto's own format: packets that can be put behind those of other processes. */
int export_perfetto(struct session *session, const struct options *options, FILE *file,
		    char *message, size_t size);
/* Everything that the session holds, with the rates of what the options declare. */
int export_json(struct session *session, const struct options *options, FILE *file, char *message,
		size_t size);

/* `ktime export`: returns the process's exit status. */
int command_export(const struct options *options, const char *const *files, size_t count);

#endif
