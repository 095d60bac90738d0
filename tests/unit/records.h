/* SPDX-License-Identifier: MIT */
/* Tables of activity records, in tab-separated text. */
#ifndef KTIME_TESTS_UNIT_RECORDS_H
#define KTIME_TESTS_UNIT_RECORDS_H

#include <stddef.h>

#include "report/session/session.h"

/*
 * Reads a table into a new session, in the file `output` or, where that is NULL, in memory: rows,
 * and a trace record for each line. The first line names the columns, in any order: type, name,
 * start_ns, end_ns, device, context, stream, correlation, bytes, grid, block, registers,
 * static_smem, dynamic_smem, src_kind, dst_kind; only the first four have to be there. The table
 * has no names of devices: each is a "Tesla V100". 0 or -errno; -EINVAL with a one-line message
 * that names the line.
 */
int records_read(struct session **session, const char *path, const char *output, char *message,
		 size_t size);

#endif
