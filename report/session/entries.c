/* SPDX-License-Identifier: MIT */
#include "report/session/entries.h"

#include <stdlib.h>
#include <string.h>

void *entry_of(struct entry **table, const uint64_t key[ENTRY_NUMBERS], size_t size)
{
	struct entry *entry;

	HASH_FIND(hh, *table, key, sizeof(entry->key), entry);
	if (entry || !size)
		return entry;
	entry = calloc(1, size);
	if (!entry)
		return NULL;
	memcpy(entry->key, key, sizeof(entry->key));
	HASH_ADD(hh, *table, key, sizeof(entry->key), entry);
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
