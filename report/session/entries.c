/* SPDX-License-Identifier: MIT */
#include "report/session/entries.h"

#include <stdlib.h>
#include <string.h>

/* Of numbers, in a fifth of the instructions that uthash takes for as many bytes. */
static unsigned hash_of(const uint64_t key[ENTRY_NUMBERS])
{
	uint64_t hash = 0;

	/* 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
	for (unsigned i = 0; i < ENTRY_NUMBERS; i++)
		hash = (hash ^ hash >> 32 ^ key[i]) * 0x9e3779b97f4a7c15ull;
	return (unsigned)(hash >> 32);
}

void *entry_of(struct entry **table, const uint64_t key[ENTRY_NUMBERS], size_t size)
{
	const unsigned hash = hash_of(key);
	struct entry *entry;

	HASH_FIND_BYHASHVALUE(hh, *table, key, sizeof(entry->key), hash, entry);
	if (entry || !size)
		return entry;
	entry = calloc(1, size);
	if (!entry)
		return NULL;
	memcpy(entry->key, key, sizeof(entry->key));
	HASH_ADD_BYHASHVALUE(hh, *table, key, sizeof(entry->key), hash, entry);
	if (entry->hh.tbl)
		return entry;
	free(entry);
	return NULL;
}

void entries_free(struct entry **table)
{
	struct entry *entry, *next;

	HASH_ITER (hh, *table, entry, next) {
		HASH_DEL(*table, entry);
		free(entry);
	}
}

void *text_entry_of(struct text_entry **table, const char *text, size_t size)
{
	const size_t length = strlen(text);
	struct text_entry *entry;

	HASH_FIND(hh, *table, text, length, entry);
	if (entry || !size)
		return entry;
	entry = calloc(1, size + length + 1);
	if (!entry)
		return NULL;
	entry->text = memcpy((char *)entry + size, text, length);
	HASH_ADD_KEYPTR(hh, *table, entry->text, length, entry);
	if (entry->hh.tbl)
		return entry;
	free(entry);
	return NULL;
}

void text_entries_free(struct text_entry **table)
{
	struct text_entry *entry, *next;

	HASH_ITER (hh, *table, entry, next) {
		HASH_DEL(*table, entry);
		free(entry);
	}
}
