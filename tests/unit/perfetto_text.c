/* SPDX-License-Identifier: MIT */
#include "tests/unit/perfetto_text.h"

#include <inttypes.h>

#include "tests/unit/test.h"

/* Which fields hold messages: the number, and that of the field that they are in; 0: the packet. */
static const struct {
	uint32_t in, field;
} messages[] = {{0, 11}, {0, 12},  {0, 60}, {11, 4}, {12, 1}, {12, 2},
		{12, 3}, {12, 29}, {60, 3}, {60, 4}, {60, 8}};

static bool is_message(uint32_t in, uint32_t field)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		if (messages[i].in == in && messages[i].field == field)
			return true;
	return false;
}

static uint64_t varint(const unsigned char **bytes, const unsigned char *end)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(*bytes < end && shift < 70);
		value |= (uint64_t)(**bytes & 0x7f) << shift;
		if (!(*(*bytes)++ & 0x80))
			return value;
	}
}

#define UNIQUE_LEAST (1U << 24)

/* The large numbers so far. */
static uint64_t large[256];
static size_t large_count;

static void print_number(uint64_t value, FILE *file)
{
	size_t i = 0;

	if (value < UNIQUE_LEAST) {
		fprintf(file, "%" PRIu64, value);
		return;
	}
	while (i < large_count && large[i] != value)
		i++;
	assert_true(i < sizeof(large) / sizeof(*large));
	large[i] = value;
	large_count += i == large_count;
	fprintf(file, "#%zu", i + 1);
}

static void print(const unsigned char *bytes, const unsigned char *end, uint32_t in, FILE *file)
{
	const char *separator = "";

	while (bytes < end) {
		uint64_t tag = varint(&bytes, end), value = 0;
		uint32_t field = (uint32_t)(tag >> 3);

		fprintf(file, "%s%" PRIu32, separator, field);
		separator = " ";
		switch (tag & 7) {
		case 0:
			fputc(':', file);
			print_number(varint(&bytes, end), file);
			break;
		case 1:
			assert_true(end - bytes >= 8);
			for (int i = 0; i < 8; i++)
				value |= (uint64_t)*bytes++ << 8 * i;
			fputc('=', file);
			print_number(value, file);
			break;
		case 2:
			value = varint(&bytes, end);
			assert_true((uint64_t)(end - bytes) >= value);
			if (is_message(in, field)) {
				fputc('{', file);
				print(bytes, bytes + value, field, file);
				fputc('}', file);
			} else {
				fprintf(file, ":\"%.*s\"", (int)value, bytes);
			}
			bytes += value;
			break;
		default:
			fail_msg("field %" PRIu32 " has no type", field);
		}
	}
}

void perfetto_text(const char *text, size_t size, FILE *file)
{
	const unsigned char *bytes = (const unsigned char *)text, *end = bytes + size;

	large_count = 0;
	while (bytes < end) {
		uint64_t length;

		/* Field 1 of the whole file, as a message. */
		assert_int_equal(varint(&bytes, end), 1 << 3 | 2);
		length = varint(&bytes, end);
		assert_true((uint64_t)(end - bytes) >= length);
		print(bytes, bytes + length, 0, file);
		fputc('\n', file);
		bytes += length;
	}
}
