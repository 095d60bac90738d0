/* SPDX-License-Identifier: MIT */
/*
 * `ktime export`, and what it writes. Each writer takes an open session that it only reads, and
 * returns 0 or -errno with a one-line reason in `message`.
 */
#ifndef KTIME_REPORT_EXPORT_EXPORT_H
#define KTIME_REPORT_EXPORT_EXPORT_H

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

#include "report/session/session.h"

/* An Nsight Systems SQLite export of the session's trace; `path` is an empty file. */
int export_sqlite(struct session *session, const char *path, char *message, size_t size);
/* The trace in the trace event format that chrome://tracing and Perfetto load. */
int export_chrome(struct session *session, FILE *file, char *message, size_t size);
/* Everything that the session holds. */
int export_json(struct session *session, FILE *file, char *message, size_t size);

extern const struct option export_options[];
/* Returns the process's exit status. */
int command_export(int argc, char **argv);

#endif
