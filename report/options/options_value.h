/* SPDX-License-Identifier: MIT */
/* Reading the value of an option; for the options' own sources. */
#ifndef KTIME_REPORT_OPTIONS_OPTIONS_VALUE_H
#define KTIME_REPORT_OPTIONS_OPTIONS_VALUE_H

#include <stddef.h>

#include "report/options/options.h"

/* Where the line goes that says what is wrong. */
struct message {
	char *text;
	size_t size;
};

/* Writes the line; returns -EINVAL. */
int options_refuse(const struct message *message, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Stores an option's value (NULL if it takes none); 0 or -EINVAL with a message. */
int options_apply(struct options *options, const struct option_entry *entry, const char *value,
		  const struct message *message);

#endif
