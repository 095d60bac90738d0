/* SPDX-License-Identifier: MIT */
#include "report/export/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

static void put(struct json *json, const char *text)
{
	fputs_unlocked(text, json->file);
}

/* What stands before a value. */
static void begin_value(struct json *json, const char *name)
{
	const char *pending = json->pending;

	if (pending) {
		json->pending = NULL;
		json_object(json, pending);
	}
	if (json->comma)
		putc_unlocked(',', json->file);
	if (json->line)
		putc_unlocked('\n', json->file);
	json->comma = true;
	json->line = false;
	if (!name)
		return;
	putc_unlocked('"', json->file);
	put(json, name);
	put(json, "\":");
}

static void open_value(struct json *json, const char *name, char begin, char end)
{
	begin_value(json, name);
	putc_unlocked(begin, json->file);
	json->comma = false;
	json->ends[json->depth++] = end;
}

void json_object(struct json *json, const char *name)
{
	open_value(json, name, '{', '}');
}

void json_array(struct json *json, const char *name)
{
	open_value(json, name, '[', ']');
}

void json_object_if_any(struct json *json, const char *name)
{
	json->pending = name;
}

void json_end(struct json *json)
{
	if (json->pending) {
		json->pending = NULL;
		return;
	}
	if (json->line)
		putc_unlocked('\n', json->file);
	putc_unlocked(json->ends[--json->depth], json->file);
	json->comma = true;
	json->line = false;
}

void json_line(struct json *json)
{
	json->line = true;
}

static void put_unsigned(struct json *json, uint64_t value)
{
	char digits[20];
	size_t place = sizeof(digits);

	do
		digits[--place] = (char)('0' + value % 10);
	while (value /= 10);
	fwrite_unlocked(digits + place, 1, sizeof(digits) - place, json->file);
}

void json_unsigned(struct json *json, const char *name, uint64_t value)
{
	begin_value(json, name);
	put_unsigned(json, value);
}

void json_real(struct json *json, const char *name, double value)
{
	char text[32];

	begin_value(json, name);
	if (!isfinite(value)) {
		put(json, "null");
		return;
	}
	snprintf(text, sizeof(text), "%.15g", value);
	if (fabs(strtod(text, NULL) - value) > fabs(value) * DBL_EPSILON)
		snprintf(text, sizeof(text), "%.17g", value);
	put(json, text);
}

void json_microseconds(struct json *json, const char *name, uint64_t nanoseconds)
{
	const unsigned rest = (unsigned)(nanoseconds % 1000);
	const char decimals[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				 (char)('0' + rest % 10)};

	json_unsigned(json, name, nanoseconds / 1000);
	fwrite_unlocked(decimals, 1, sizeof(decimals), json->file);
}

void json_bool(struct json *json, const char *name, bool value)
{
	begin_value(json, name);
	put(json, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
	begin_value(json, name);
	put(json, "null");
}

/* One that JSON cannot have as it is, or a terminal would not just show. */
static void put_escaped(struct json *json, uint32_t character)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	const char *letter = character < 0x80 ? strchr(letters, (int)character) : NULL;

	if (letter)
		fprintf(json->file, "\\%c", escapes[letter - letters]);
	else if (character < 0x10000)
		fprintf(json->file, "\\u%04x", character);
	else
		fprintf(json->file, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
			0xdc00 + (character & 0x3ff));
}

void json_text(struct json *json, const char *name, const char *text)
{
	begin_value(json, name);
	putc_unlocked('"', json->file);
	while (*text) {
		uint32_t character;
		size_t length = 0;

		/* As a rule that is all. */
		while (text[length] >= ' ' && text[length] < 0x7f && text[length] != '"' &&
		       text[length] != '\\')
			length++;
		fwrite_unlocked(text, 1, length, json->file);
		text += length;
		if (!*text)
			break;
		length = visible_character(text, &character);
		if (!length)
			put(json, "\xef\xbf\xbd");
		else if (character == '"' || character == '\\' || visible_is_hidden(character))
			put_escaped(json, character);
		else
			fwrite_unlocked(text, 1, length, json->file);
		text += length ? length : 1;
	}
	putc_unlocked('"', json->file);
}

void json_extent(struct json *json, const char *name, const uint32_t extent[3])
{
	json_array(json, name);
	for (int axis = 0; axis < 3; axis++)
		json_unsigned(json, NULL, extent[axis]);
	json_end(json);
}

void json_string(struct json *json, const char *name, uint64_t offset)
{
	json_text(json, name, session_string(json->session, offset));
}
