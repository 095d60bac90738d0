/* SPDX-License-Identifier: MIT */
#include "preload/driver/elf_symbol.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

struct search {
	const char *name;
	void *found;
};

/* A loaded object's symbols and hash tables; one of the two hash tables may be missing. */
struct symbol_tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash, *hash;
};

/* Defined by the linker: the start and the end of libktime.so in memory. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* glibc relocates the pointers in a loaded object's dynamic section in place, except in the
 * vDSO. */
static const void *address_of(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static bool is_named(const struct symbol_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbols[index];

	return symbol->st_shndx != SHN_UNDEF &&
	       strcmp(tables->strings + symbol->st_name, name) == 0;
}

/* Searches the GNU hash table, as the loader does: comparing all of libc's symbols takes 30 us,
 * which every short-lived process would pay. */
static const ElfW(Sym) * find_hashed(const struct symbol_tables *tables, const char *name)
{
	const uint32_t *gnu_hash = tables->gnu_hash;
	uint32_t buckets = gnu_hash[0], first = gnu_hash[1], bloom = gnu_hash[2], i;
	uint32_t hash = 5381; /* this, and the factor 33 below, are the table's format */
	const uint32_t *bucket = gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	i = buckets ? bucket[hash % buckets] : 0;
	if (i < first)
		return NULL;
	for (;; i++) {
		/* The lowest bit marks the end of a chain. */
		if ((chain[i - first] | 1) == (hash | 1) && is_named(tables, i, name))
			return &tables->symbols[i];
		if (chain[i - first] & 1)
			return NULL;
	}
}

/* For an object that has only the older System V hash table, whose second word counts the
 * symbols. */
static const ElfW(Sym) * find_in_all(const struct symbol_tables *tables, const char *name)
{
	for (uint32_t i = 1; tables->hash && i < tables->hash[1]; i++)
		if (is_named(tables, i, name))
			return &tables->symbols[i];
	return NULL;
}

static const ElfW(Sym) * find_symbol(const struct dl_phdr_info *info, const char *name)
{
	struct symbol_tables tables = {0};
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			tables.symbols = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			tables.strings = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_GNU_HASH)
			tables.gnu_hash = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_HASH)
			tables.hash = address_of(info, dynamic->d_un.d_ptr);
	}
	if (!tables.symbols || !tables.strings)
		return NULL;
	return tables.gnu_hash ? find_hashed(&tables, name) : find_in_all(&tables, name);
}

static bool is_libc(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-2.", 7) == 0 ||
	       strncmp(base, "libdl.so", 8) == 0 || strncmp(base, "libdl-2.", 8) == 0;
}

static int search_libc(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	const ElfW(Sym) *found = is_libc(info->dlpi_name) ? find_symbol(info, search->name) : NULL;

	(void)size;
	if (found)
		search->found = (void *)(info->dlpi_addr + found->st_value);
	return found != NULL;
}

void *elf_libc_symbol(const char *name)
{
	struct search search = {.name = name};

	dl_iterate_phdr(search_libc, &search);
	return search.found;
}

static int search_elsewhere(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	return info->dlpi_addr != (ElfW(Addr))__ehdr_start && find_symbol(info, name);
}

bool elf_symbol_elsewhere(const char *name)
{
	return dl_iterate_phdr(search_elsewhere, (void *)name) != 0;
}

bool elf_is_own(const void *pointer)
{
	return (const char *)pointer >= __ehdr_start && (const char *)pointer < _end;
}
