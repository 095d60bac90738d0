/* SPDX-License-Identifier: MIT */
#include "preload/driver/elf_symbol.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

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
static const void *address_of(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? base + value : value);
}

static bool is_named(const struct symbol_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbols[index];
	const char *there = tables->strings + symbol->st_name;

	while (*there && *there == *name) {
		there++;
		name++;
	}
	return symbol->st_shndx != SHN_UNDEF && *there == *name;
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

static const ElfW(Sym) * find_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char *name)
{
	struct symbol_tables tables = {0};

	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			tables.symbols = address_of(base, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			tables.strings = address_of(base, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_GNU_HASH)
			tables.gnu_hash = address_of(base, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_HASH)
			tables.hash = address_of(base, dynamic->d_un.d_ptr);
	}
	if (!tables.symbols || !tables.strings)
		return NULL;
	return tables.gnu_hash ? find_hashed(&tables, name) : find_in_all(&tables, name);
}

static bool is_libc(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return elf_name_begins(base, "libc.so") || elf_name_begins(base, "libc-2.") ||
	       elf_name_begins(base, "libdl.so") || elf_name_begins(base, "libdl-2.");
}

/*
 * Follows the loader's list of objects: ThreadSanitizer interposes dl_iterate_phdr(). The objects
 * before libc in that list were loaded at the program's start and are never unloaded.
 */
void *elf_libc_symbol(const char *name)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		const ElfW(Sym) *found =
			is_libc(map->l_name) ? find_symbol(map->l_addr, map->l_ld, name) : NULL;

		if (found)
			return (void *)(map->l_addr + found->st_value);
	}
	return NULL;
}

static const ElfW(Dyn) * dynamic_section(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

static int search_elsewhere(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	return info->dlpi_addr != (ElfW(Addr))__ehdr_start &&
	       find_symbol(info->dlpi_addr, dynamic_section(info), name);
}

bool elf_symbol_elsewhere(const char *name)
{
	return dl_iterate_phdr(search_elsewhere, (void *)name) != 0;
}

bool elf_is_own(const void *pointer)
{
	return (const char *)pointer >= __ehdr_start && (const char *)pointer < _end;
}
