/* SPDX-License-Identifier: MIT */
/* What is found again by numbers, such as the rows of a profile that is written. One thread. */
#ifndef KTIME_REPORT_SESSION_ENTRIES_H
#define KTIME_REPORT_SESSION_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

/* The numbers; texts are offsets in one profile. What tables hold begins with it. */
#define ENTRY_NUMBERS 5
struct entry {
	uint64_t key[ENTRY_NUMBERS];
	void *item; /* the caller's */
	UT_hash_handle hh;
};

/* The entry of a key; a new one has `size` bytes, and zeros after the key. NULL: there is none, if
 * `size` is 0, or memory is out. */
void *entry_of(struct entry **table, const uint64_t key[ENTRY_NUMBERS], size_t size);
void entries_free(struct entry **table);

/* The same by a text. */
struct text_entry {
	char *text;
	UT_hash_handle hh;
};
void *text_entry_of(struct text_entry **table, const char *text, size_t size);
void text_entries_free(struct text_entry **table);

/* What a table of either kind holds, in the order in which it came. */
#define entries_for_each(type, table, item)                                                        \
	for (type *item = (type *)(table); item; item = (type *)item->entry.hh.next)

#endif
