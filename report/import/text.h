/* SPDX-License-Identifier: MIT */
/* The tables of nvprof, nsys and ktime in a text of any encoding. */
#ifndef KTIME_REPORT_IMPORT_TEXT_H
#define KTIME_REPORT_IMPORT_TEXT_H

#include "report/import/profile.h"

/*
 * Reads the part of that number, from 1, of the runs and processes in the text; of a text that has
 * one, that one. 0: there must be one. What was passed over and what is damaged is said in the
 * profile. 0 or -errno with a message that begins with the path.
 */
int import_text(struct profile *profile, const char *bytes, size_t size, unsigned part,
		const char *path, char *message, size_t message_size);

#endif
