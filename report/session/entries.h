/* SPDX-License-Identifier: MIT */
/* What is found again by numbers, such as the rows of a profile that is written. One thread. */
#ifndef KTIME_REPORT_SESSION_ENTRIES_H
#define KTIME_REPORT_SESSION_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

/* An entry's key is ENTRY_NUMBERS numbers; a text stands in it as its offset in one profile. Each
 * item of a table begins with this structure. */
#define ENTRY_NUMBERS 5
struct entry {
	uint64_t key[ENTRY_NUMBERS];
	void *item; /* the caller's */
	UT_hash_handle hh;
};

/* Finds the entry with this key. If there is none, adds one of `size` bytes, zeros behind the key;
 * or returns NULL, if `size` is 0 or memory is out. */
void *entry_of(struct entry **table, const uint64_t key[ENTRY_NUMBERS], size_t size);
void entries_free(struct entry **table);

/* An entry whose key is a text. */
struct text_entry {
	char *text;
	UT_hash_handle hh;
};
void *text_entry_of(struct text_entry **table, const char *text, size_t size);
void text_entries_free(struct text_entry **table);

/* Goes through the entries of a table of either kind, in the order in which they were added. */
#define entries_for_each(type, table, item)                                                        \
	for (type *item = (type *)(table); item; item = (type *)item->entry.hh.next)

#endif
