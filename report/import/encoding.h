/* SPDX-License-Identifier: MIT */
/* Text in any encoding that profilers, their users' editors and shells write, as UTF-8. */
#ifndef KTIME_REPORT_IMPORT_ENCODING_H
#define KTIME_REPORT_IMPORT_ENCODING_H

#include <stddef.h>

/*
 * UTF-16 and UTF-8 are told by a byte order mark, UTF-16 without one by its zero bytes; what is not
 * UTF-8 is Latin-1. Returns the text without mark and zero bytes, which ends with a zero that
 * *length does not count and which the caller frees. NULL: memory is out.
 */
char *text_as_utf8(const char *bytes, size_t size, size_t *length);

#endif
