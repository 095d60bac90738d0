/* SPDX-License-Identifier: MIT */
/* A file of Perfetto's format as text: a packet a line, fields by their numbers. */
#ifndef KTIME_TESTS_UNIT_PERFETTO_TEXT_H
#define KTIME_TESTS_UNIT_PERFETTO_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * "8:1000 10:#1 11{9:1 23:"text"}"; fails the test where the file is not whole. Numbers of 2^24 and
 * more are made of the process: they are counted as they come, from #1.
 */
void perfetto_text(const char *bytes, size_t size, FILE *file);

#endif
