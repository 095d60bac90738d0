/* SPDX-License-Identifier: MIT */
/* Messages are encoded as Protocol Buffers has it, up to the last byte of each length. */
#include <errno.h>

#include "report/export/protobuf.h"
#include "tests/unit/test.h"

static struct protobuf message;

AFTER_EACH
{
	protobuf_free(&message);
}

/* The bytes so far, as hexadecimal digits, and begins anew. */
static void are(const char *expected)
{
	char *text = NULL, digits[256] = "";
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(protobuf_write(&message, file), 0);
	fclose(file);
	assert_true(size < sizeof(digits) / 2);
	for (size_t i = 0; i < size; i++)
		sprintf(digits + 2 * i, "%02x", (unsigned char)text[i]);
	assert_string_equal(digits, expected);
	free(text);
}

TEST(numbers_take_seven_bits_a_byte)
{
	static const struct {
		uint64_t value;
		const char *bytes;
	} numbers[] = {
		{0, "0800"},
		{1, "0801"},
		{127, "087f"},
		{128, "088001"},
		{16383, "08ff7f"},
		{16384, "08808001"},
		{UINT32_MAX, "08ffffffff0f"},
		{1ULL << 63, "0880808080808080808001"},
		{UINT64_MAX, "08ffffffffffffffffff01"},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		protobuf_unsigned(&message, 1, numbers[i].value);
		are(numbers[i].bytes);
	}
}

TEST(tags_have_the_field_and_the_type)
{
	protobuf_unsigned(&message, 15, 2);
	are("7802");
	protobuf_unsigned(&message, 16, 2);
	are("800102");
	protobuf_unsigned(&message, (1U << 29) - 1, 2);
	are("f8ffffff0f02");
	protobuf_fixed64(&message, 47, 0x0102030405060708ULL);
	are("f9020807060504030201");
	protobuf_fixed64(&message, 1, UINT64_MAX);
	are("09ffffffffffffffff");
	protobuf_text(&message, 2, "ab");
	protobuf_text(&message, 2, "");
	are("120261621200");
	protobuf_text(&message, 3, "\xc3\xa4\xff");
	are("1a05c3a4efbfbd");
}

TEST(a_message_in_a_message_has_its_length_before_it)
{
	protobuf_begin(&message, 1);
	protobuf_end(&message);
	are("0a00");
	protobuf_begin(&message, 1);
	protobuf_unsigned(&message, 2, 3);
	protobuf_begin(&message, 4);
	protobuf_unsigned(&message, 5, 6);
	protobuf_end(&message);
	protobuf_unsigned(&message, 7, 8);
	protobuf_end(&message);
	protobuf_unsigned(&message, 1, 9);
	are("0a08"
	    "1003"
	    "2202"
	    "2806"
	    "3808"
	    "0809");
}

TEST(what_is_open_ends_when_it_is_written)
{
	protobuf_begin(&message, 1);
	protobuf_begin(&message, 2);
	protobuf_unsigned(&message, 1, 9);
	are("0a04"
	    "1202"
	    "0809");
	protobuf_unsigned(&message, 1, 9);
	are("0809");
}

/* Bodies of a size, in a message in a message: the lengths take one, two and three bytes. */
static void has_lengths(size_t body, const char *outer, const char *inner)
{
	char *text = NULL, *letters = malloc(body), digits[16] = "";
	const size_t outer_size = strlen(outer) / 2, inner_size = strlen(inner) / 2;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	memset(letters, 'x', body);
	protobuf_begin(&message, 1);
	protobuf_begin(&message, 2);
	/* The tag and the length of the text are not part of what is asked for. */
	for (size_t i = 0; i < body; i += 2)
		protobuf_unsigned(&message, 1, 1);
	protobuf_end(&message);
	protobuf_end(&message);
	assert_int_equal(protobuf_write(&message, file), 0);
	fclose(file);
	assert_int_equal(size, 1 + outer_size + 1 + inner_size + body);
	for (size_t i = 0; i < outer_size; i++)
		sprintf(digits + 2 * i, "%02x", (unsigned char)text[1 + i]);
	assert_string_equal(digits, outer);
	assert_int_equal(text[1 + outer_size], 2 << 3 | 2);
	for (size_t i = 0; i < inner_size; i++)
		sprintf(digits + 2 * i, "%02x", (unsigned char)text[2 + outer_size + i]);
	digits[2 * inner_size] = '\0';
	assert_string_equal(digits, inner);
	for (size_t i = 2 + outer_size + inner_size; i < size; i += 2)
		assert_memory_equal(text + i, "\x08\x01", 2);
	free(text);
	free(letters);
}

TEST(lengths_take_as_many_bytes_as_they_need)
{
	has_lengths(124, "7e", "7c");
	has_lengths(126, "8001", "7e");
	has_lengths(128, "8301", "8001");
	has_lengths(16380, "ff7f", "fc7f");
	has_lengths(16382, "818001", "fe7f");
	has_lengths(16384, "848001", "808001");
}

TEST(what_cannot_be_written_is_an_error_and_forgotten)
{
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	protobuf_unsigned(&message, 1, 1);
	assert_int_equal(protobuf_write(&message, full), -EIO);
	fclose(full);
	protobuf_unsigned(&message, 1, 2);
	are("0802");
	message.failed = true;
	protobuf_text(&message, 1, "lost");
	protobuf_begin(&message, 1);
	protobuf_end(&message);
	assert_int_equal(message.size, 0);
	assert_int_equal(protobuf_write(&message, stderr), -ENOMEM);
}
