/* SPDX-License-Identifier: MIT */
/*
 * Protocol Buffers messages, written field by field. Source of the encoding: "Encoding", the
 * Protocol Buffers documentation.
 */
#ifndef KTIME_REPORT_EXPORT_PROTOBUF_H
#define KTIME_REPORT_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How deep messages may lie in messages. */
#define PROTOBUF_DEPTH 8

/* Begins as zeros and is used again for message after message. */
struct protobuf {
	unsigned char *bytes;
	size_t size, capacity;
	size_t begun[PROTOBUF_DEPTH]; /* where the fields of each open message begin */
	unsigned depth;		      /* how many messages are open */
	bool failed;		      /* memory is out: nothing is added from then on */
};

/* Add a field to the message; `field` is its number in the .proto file, 1 or more. */
void protobuf_unsigned(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value);
/* A string field. Bytes that are not UTF-8 become U+FFFD. */
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
/* A field that is a message itself: the fields added between the two calls belong to it. */
void protobuf_begin(struct protobuf *message, uint32_t field);
void protobuf_end(struct protobuf *message);
/* Ends the messages that are still open, writes all to the file and empties `message`. 0, -ENOMEM
 * if a field could not be added for want of memory, -EIO if writing failed. */
int protobuf_write(struct protobuf *message, FILE *file);
void protobuf_free(struct protobuf *message);

#endif
