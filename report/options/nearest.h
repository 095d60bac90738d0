/* SPDX-License-Identifier: MIT */
/* The name that a misspelt word was probably meant to be. */
#ifndef KTIME_REPORT_OPTIONS_NEAREST_H
#define KTIME_REPORT_OPTIONS_NEAREST_H

#include <stddef.h>

/* Starts as {NULL, 0}; a name that is too far from the word is never taken. */
struct nearest {
	const char *name;
	unsigned distance;
};
void nearest_consider(struct nearest *nearest, const char *word, size_t length, const char *name);

#endif
