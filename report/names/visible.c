/* SPDX-License-Identifier: MIT */
#include "report/names/visible.h"

#include <stdlib.h>
#include <string.h>

/*
 * Characters that show nothing or change how others are shown: of Unicode's general categories Cc,
 * Cf, Cs, Zl and Zp, and those that its property Default_Ignorable_Code_Point has, but the
 * variation selectors of symbols. With U+202E a name reads as another one.
 */
bool visible_is_hidden(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x00, 0x1f},	    {0x7f, 0x9f},	{0xad, 0xad},	    {0x34f, 0x34f},
		{0x600, 0x605},	    {0x61c, 0x61c},	{0x6dd, 0x6dd},	    {0x70f, 0x70f},
		{0x890, 0x891},	    {0x8e2, 0x8e2},	{0x115f, 0x1160},   {0x17b4, 0x17b5},
		{0x180b, 0x180f},   {0x200b, 0x200f},	{0x2028, 0x202e},   {0x2060, 0x206f},
		{0x3164, 0x3164},   {0xfeff, 0xfeff},	{0xffa0, 0xffa0},   {0xfff0, 0xfffb},
		{0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && character >= hidden[i].first;
	     i++)
		if (character <= hidden[i].last)
			return true;
	return false;
}

size_t visible_character(const char *text, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = *bytes < 0x80			  ? 1
			: *bytes >= 0xc2 && *bytes < 0xe0 ? 2
			: *bytes >= 0xe0 && *bytes < 0xf0 ? 3
			: *bytes >= 0xf0 && *bytes < 0xf5 ? 4
							  : 0;

	*character = length > 1 ? *bytes & (0x7f >> length) : *bytes;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (bytes[i] & 0x3f);
	}
	/* Halves of UTF-16's pairs are no characters. */
	if (*character < least[length] || *character >> 11 == 0xd800 >> 11 || *character > 0x10ffff)
		return 0;
	return length;
}

/* How many bytes a character takes that a terminal only shows; 0: the first byte is escaped. */
static size_t shown_length(const char *text)
{
	uint32_t character;
	size_t length = visible_character(text, &character);

	return length > 0 && !visible_is_hidden(character) ? length : 0;
}

void visible_replace(char *text, size_t length)
{
	for (char *end = text + length; text < end;) {
		size_t shown = shown_length(text);

		if (shown == 0)
			*text = '?';
		text += shown > 0 ? shown : 1;
	}
}

size_t visible_next(const char **text, char shown[VISIBLE_SIZE])
{
	size_t length = **text ? shown_length(*text) : 0;
	bool escaped = **text && length == 0;

	memcpy(shown, *text, length);
	if (escaped)
		length = (size_t)snprintf(shown, VISIBLE_SIZE, "\\x%02x", (unsigned char)**text);
	*text += escaped ? 1 : length;
	return length;
}

void visible_write(const char *text, FILE *file)
{
	char shown[VISIBLE_SIZE];
	size_t length;

	while ((length = visible_next(&text, shown)) > 0)
		fwrite(shown, 1, length, file);
}

char *visible_text(const char *text)
{
	char shown[VISIBLE_SIZE], *result, *end;
	const char *at = text;
	size_t size = 1, length;

	while ((length = visible_next(&at, shown)) > 0)
		size += length;
	end = result = malloc(size);
	/* The text of a profile that is being written may be another one by now. */
	while (result && (length = visible_next(&text, shown)) > 0 &&
	       (size_t)(end - result) + length < size)
		end = mempcpy(end, shown, length);
	if (result)
		*end = '\0';
	return result;
}

void visible_vline(FILE *file, const char *format, va_list arguments)
{
	char small[256], *text = NULL, *visible = NULL;
	va_list again;

	va_copy(again, arguments);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	if (text)
		visible = visible_text(text);
	if (!visible) {
		vsnprintf(small, sizeof(small), format, again);
		visible_replace(small, strlen(small));
	}
	/* In one piece: others may write to the same terminal. */
	fprintf(file, "%s\n", visible ? visible : small);
	va_end(again);
	free(visible);
	free(text);
}

void visible_line(FILE *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	visible_vline(file, format, arguments);
	va_end(arguments);
}

int visible_fail(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	visible_vline(stderr, format, arguments);
	va_end(arguments);
	return status;
}
