/* SPDX-License-Identifier: MIT */
#include "report/sheet/out.h"

#include <stdarg.h>
#include <string.h>

#include "report/names/visible.h"

bool out_take_file(void *file, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, file) == length;
}

void out_flush(struct out *out)
{
	if (!out->failed && out->length > 0)
		out->failed = !out->take(out->target, out->buffer, out->length);
	out->taken += out->length;
	out->length = 0;
}

void out_bytes(struct out *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t part = out->size - out->length;

		part = length < part ? length : part;
		memcpy(out->buffer + out->length, bytes, part);
		out->length += part;
		bytes += part;
		length -= part;
		if (out->length == out->size)
			out_flush(out);
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_entities(struct out *out, const char *text, const char *special)
{
	char shown[VISIBLE_SIZE];
	size_t length;

	while ((length = visible_next(&text, shown)) > 0) {
		bool is_special = strchr(special, *shown) != NULL;

		if (is_special)
			out_format(out, "&#%d;", *shown);
		out_bytes(out, shown + is_special, length - is_special);
	}
}

void out_visible(struct out *out, const char *text)
{
	out_entities(out, text, "");
}

void out_blanks(struct out *out, int count)
{
	while (count-- > 0)
		out_bytes(out, " ", 1);
}

void out_format(struct out *out, const char *format, ...)
{
	char text[500];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	out_text(out, text);
}
