/* SPDX-License-Identifier: MIT */
/* JSON, written to a stream as it is made. What cannot be written is an error of the stream. */
#ifndef KTIME_REPORT_EXPORT_JSON_H
#define KTIME_REPORT_EXPORT_JSON_H

#include "report/session/session.h"

/* All but the file begins as zeros. */
struct json {
	FILE *file;
	const struct session *session; /* whose texts are written; NULL: nobody's */
	int error;		       /* for the caller, who ends a document with it */
	bool comma;		       /* a comma comes before the next value */
	bool line;		       /* the next value, or the end, stands on a line of its own */
	const char *pending;	       /* an object that is written with its first member */
	unsigned depth;
	char ends[16]; /* brackets of what is open */
};

/* What `file` gets next: an object, an array or a value; `name`: in an object; NULL: in an array,
 * or outside of all. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
/* An object that is left out if nothing is in it. */
void json_object_if_any(struct json *json, const char *name);
void json_end(struct json *json);
/* The next value, or the end, stands on a line of its own. */
void json_line(struct json *json);

/* A number in all its digits, or with as many as it takes; null: it is none. */
void json_unsigned(struct json *json, const char *name, uint64_t value);
void json_real(struct json *json, const char *name, double value);
/* Nanoseconds as microseconds with three decimals. */
void json_microseconds(struct json *json, const char *name, uint64_t nanoseconds);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* A text, in which bytes that are no UTF-8 become U+FFFD, and what a terminal would not just show
 * is escaped. */
void json_text(struct json *json, const char *name, const char *text);
/* Three numbers in an array. */
void json_extent(struct json *json, const char *name, const uint32_t extent[3]);
/* The text at an offset of the session. */
void json_string(struct json *json, const char *name, uint64_t offset);

extern const char *const json_kind_names[ROW_KINDS];
/* A device and its peaks; its energy and clocks. */
void json_device(struct json *json, const struct device_info *info, int ordinal);
void json_energy(struct json *json, const char *name, const struct device_energy *energy);

#endif
