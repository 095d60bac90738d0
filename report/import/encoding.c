/* SPDX-License-Identifier: MIT */
#include "report/import/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A unit of two bytes takes at most three in UTF-8, a byte of Latin-1 two. */
#define GROWTH 2

static bool begins(const char *bytes, size_t size, const char *mark, size_t length)
{
	return size >= length && memcmp(bytes, mark, length) == 0;
}

/* Which of two bytes is zero in most units of a text in Latin letters; -1: neither. */
static int zero_half(const char *bytes, size_t size)
{
	size_t zeros[2] = {0}, looked = size < 512 ? size : 512;

	for (size_t i = 0; i < looked; i++)
		zeros[i % 2] += bytes[i] == '\0';
	for (int half = 0; half < 2; half++)
		if (looked >= 8 && zeros[half] * 4 > looked && zeros[!half] * 8 < looked)
			return half;
	return -1;
}

static const char *encoding_of(const char *bytes, size_t size, size_t *mark)
{
	int half = zero_half(bytes, size);

	*mark = begins(bytes, size, "\xef\xbb\xbf", 3) ? 3 : 0;
	if (*mark)
		return "UTF-8";
	*mark = begins(bytes, size, "\xff\xfe", 2) || begins(bytes, size, "\xfe\xff", 2) ? 2 : 0;
	if (*mark)
		return *bytes == '\xff' ? "UTF-16LE" : "UTF-16BE";
	return half < 0 ? "UTF-8" : half ? "UTF-16LE" : "UTF-16BE";
}

/* Bytes that are no text of the encoding become their letters in Latin-1, or are left out of
 * UTF-16. The number of bytes written; SIZE_MAX: there is no such conversion. */
static size_t convert(const char *encoding, char *in, size_t in_size, char *out, size_t out_size)
{
	iconv_t conversion = iconv_open("UTF-8", encoding);
	char *begin = out;
	bool latin = strcmp(encoding, "UTF-8") == 0;

	if (conversion == (iconv_t)-1) // NOLINT(performance-no-int-to-ptr)
		return SIZE_MAX;
	while (in_size) {
		unsigned char letter;

		if (iconv(conversion, &in, &in_size, &out, &out_size) != (size_t)-1 || !in_size ||
		    errno == E2BIG)
			break;
		letter = (unsigned char)*in;
		if (latin && out_size >= 2) {
			*out++ = (char)(0xc0 | letter >> 6);
			*out++ = (char)(0x80 | (letter & 0x3f));
			out_size -= 2;
		}
		in += latin || in_size < 2 ? 1 : 2;
		in_size -= latin || in_size < 2 ? 1 : 2;
	}
	iconv_close(conversion);
	return (size_t)(out - begin);
}

char *text_as_utf8(const char *bytes, size_t size, size_t *length)
{
	size_t mark, written, kept = 0, room = size * GROWTH + 1;
	const char *encoding = encoding_of(bytes, size, &mark);
	char *text = malloc(room);

	if (!text)
		return NULL;
	written = convert(encoding, (char *)bytes + mark, size - mark, text, room - 1);
	/* A C library without its tables of encodings: what is not UTF-16 is taken as it is. */
	if (written == SIZE_MAX) {
		written = size - mark;
		memcpy(text, bytes + mark, written);
	}
	for (size_t i = 0; i < written; i++)
		if (text[i])
			text[kept++] = text[i];
	text[kept] = '\0';
	*length = kept;
	return text;
}
