/* SPDX-License-Identifier: MIT */
#include "report/names/visible.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes a character takes that a terminal only shows; 0: the first byte is escaped. */
static size_t shown_length(const unsigned char *text)
{
	size_t length = *text >= 0xf0 && *text < 0xf5	? 4
			: *text >= 0xe0 && *text < 0xf0 ? 3
			: *text >= 0xc2 && *text < 0xe0 ? 2
							: 0;

	if (*text < 0x80)
		return *text >= 0x20 && *text != 0x7f;
	/* U+0080 to U+009F are control characters too. */
	if (text[0] == 0xc2 && text[1] < 0xa0)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

void visible_replace(char *text, size_t length)
{
	for (char *end = text + length; text < end;) {
		size_t shown = shown_length((const unsigned char *)text);

		if (shown == 0)
			*text = '?';
		text += shown > 0 ? shown : 1;
	}
}

void visible_write(const char *text, FILE *file)
{
	while (*text) {
		size_t length = shown_length((const unsigned char *)text);

		if (length > 0)
			fwrite(text, 1, length, file);
		else
			fprintf(file, "\\x%02x", (unsigned char)*text);
		text += length > 0 ? length : 1;
	}
}

char *visible_text(const char *text)
{
	size_t length = 0;
	const char *at;
	char *result;
	FILE *out;

	/* As a rule there is nothing to change. */
	for (at = text; *at; at += length) {
		length = shown_length((const unsigned char *)at);
		if (length == 0)
			break;
	}
	if (!*at)
		return strdup(text);
	out = open_memstream(&result, &length);
	if (!out)
		return NULL;
	visible_write(text, out);
	if (fclose(out) == 0)
		return result;
	free(result);
	return NULL;
}

void visible_line(FILE *file, const char *format, ...)
{
	char small[256], *text = NULL, *visible = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		visible = visible_text(text);
	/* In one piece: others may write to the same terminal. */
	if (visible) {
		fprintf(file, "%s\n", visible);
	} else {
		va_start(arguments, format);
		vsnprintf(small, sizeof(small), format, arguments);
		va_end(arguments);
		visible_replace(small, strlen(small));
		fprintf(file, "%s\n", small);
	}
	free(visible);
	free(text);
}
