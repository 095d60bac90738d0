/* SPDX-License-Identifier: MIT */
#include "report/export/protobuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

/* How a field's value is encoded: the low three bits of its tag. */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

/* Seven bits a byte. */
#define VARINT_MOST 10

static bool reserve(struct protobuf *message, size_t size)
{
	size_t capacity = message->capacity * 2 + 256;
	unsigned char *bytes;

	if (message->failed)
		return false;
	if (message->capacity - message->size >= size)
		return true;
	if (capacity - message->size < size)
		capacity = message->size + size;
	bytes = realloc(message->bytes, capacity);
	message->failed = !bytes;
	if (!bytes)
		return false;
	message->bytes = bytes;
	message->capacity = capacity;
	return true;
}

static size_t varint_encode(unsigned char *bytes, uint64_t value)
{
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (unsigned char)(value | 0x80);
	bytes[size++] = (unsigned char)value;
	return size;
}

static void add_varint(struct protobuf *message, uint64_t value)
{
	if (reserve(message, VARINT_MOST))
		message->size += varint_encode(message->bytes + message->size, value);
}

static void add_tag(struct protobuf *message, uint32_t field, enum wire_type type)
{
	add_varint(message, (uint64_t)field << 3 | type);
}

static void add_bytes(struct protobuf *message, const void *bytes, size_t size)
{
	if (!reserve(message, size))
		return;
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void protobuf_unsigned(struct protobuf *message, uint32_t field, uint64_t value)
{
	add_tag(message, field, WIRE_VARINT);
	add_varint(message, value);
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	add_tag(message, field, WIRE_FIXED64);
	add_bytes(message, bytes, sizeof(bytes));
}

/* The length is not known yet: it has room for one byte, as most need no more. */
void protobuf_begin(struct protobuf *message, uint32_t field)
{
	add_tag(message, field, WIRE_LENGTH);
	add_bytes(message, "", 1);
	message->begun[message->depth++] = message->size;
}

void protobuf_end(struct protobuf *message)
{
	unsigned char length[VARINT_MOST];
	size_t begun = message->begun[--message->depth], body = message->size - begun, more;

	if (message->failed)
		return;
	more = varint_encode(length, body) - 1;
	if (!reserve(message, more))
		return;
	memmove(message->bytes + begun + more, message->bytes + begun, body);
	memcpy(message->bytes + begun - 1, length, more + 1);
	message->size += more;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	uint32_t character;

	protobuf_begin(message, field);
	for (size_t length; *text; text += length ? length : 1) {
		length = visible_character(text, &character);
		add_bytes(message, length ? text : replacement, length ? length : 3);
	}
	protobuf_end(message);
}

int protobuf_write(struct protobuf *message, FILE *file)
{
	size_t size;

	while (message->depth)
		protobuf_end(message);
	size = message->size;
	message->size = 0;
	if (message->failed)
		return -ENOMEM;
	return fwrite_unlocked(message->bytes, 1, size, file) == size ? 0 : -EIO;
}

void protobuf_free(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){.bytes = NULL};
}
