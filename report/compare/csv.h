/* SPDX-License-Identifier: MIT */
/* Reading comma-separated values (RFC 4180). */
#ifndef KTIME_REPORT_COMPARE_CSV_H
#define KTIME_REPORT_COMPARE_CSV_H

#include <stddef.h>
#include <stdio.h>

/* One record at a time; zero it before the first. */
struct csv_reader {
	FILE *file;
	size_t line;	    /* where the record began, from 1 */
	size_t next_line;   /* lines read so far */
	char **fields;	    /* without their quotes; into `text` */
	size_t field_count; /* 1 for an empty line */
	size_t field_capacity;
	char *text;
	size_t length, text_capacity;
};

/* 1: the next record was read; 0: there is none; -errno; -E2BIG: longer than any record can be. */
int csv_read(struct csv_reader *reader);
void csv_free(struct csv_reader *reader);

#endif
