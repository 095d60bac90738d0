/* SPDX-License-Identifier: MIT */
/*
 * Where a table is written: a buffer that hands on what it holds when it is full. It needs neither
 * malloc nor stdio, so that it serves the report after a signal too.
 */
#ifndef KTIME_REPORT_SHEET_OUT_H
#define KTIME_REPORT_SHEET_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct out {
	char *buffer;
	size_t size, length;
	size_t taken; /* bytes that were handed on */
	/* Takes the bytes; false: nothing more is to be written. */
	bool (*take)(void *target, const char *bytes, size_t length);
	void *target;
	bool failed;
};

/* One that writes to a stream. */
#define OUT_TO_FILE(file)                                                                          \
	{                                                                                          \
		.buffer = (char[1024]){0}, .size = 1024, .take = out_take_file, .target = file     \
	}
bool out_take_file(void *file, const char *bytes, size_t length);

void out_bytes(struct out *out, const char *bytes, size_t length);
void out_text(struct out *out, const char *text);
/* Text from outside: see visible.h. */
void out_visible(struct out *out, const char *text);
/* The same with some characters as HTML's entities. */
void out_entities(struct out *out, const char *text, const char *special);
void out_blanks(struct out *out, int count);
/* At most 500 bytes. */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands on what there is. The last call. */
void out_flush(struct out *out);

#endif
