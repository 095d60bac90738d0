/* SPDX-License-Identifier: MIT */
#include "preload/elf_symbol.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct search {
	const char *name;
	void *found;
};

/* glibc relocates the pointers of a mapped object's dynamic section in place, except in the vDSO.
 */
static const void *address_of(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

/*
 * By the hash table, as the loader does it: a walk through all of libc's symbols takes 30 us, which
 * every short process would pay.
 */
static const ElfW(Sym) * find_function(const uint32_t *gnu_hash, const ElfW(Sym) * symbols,
				       const char *strings, const char *name)
{
	uint32_t buckets = gnu_hash[0], first = gnu_hash[1], bloom = gnu_hash[2], hash = 5381, i;
	const uint32_t *bucket = gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	i = bucket[hash % buckets];
	if (i < first)
		return NULL;
	for (;; i++) {
		/* The lowest bit marks the end of a chain. */
		if ((chain[i - first] | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    strcmp(strings + symbols[i].st_name, name) == 0)
			return &symbols[i];
		if (chain[i - first] & 1)
			return NULL;
	}
}

static bool is_libc(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-2.", 7) == 0 ||
	       strncmp(base, "libdl.so", 8) == 0 || strncmp(base, "libdl-2.", 8) == 0;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbols = NULL, *found;
	const uint32_t *gnu_hash = NULL;
	const char *strings = NULL;

	(void)size;
	if (!is_libc(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			strings = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_GNU_HASH)
			gnu_hash = address_of(info, dynamic->d_un.d_ptr);
	}
	if (!symbols || !strings || !gnu_hash)
		return 0;
	found = find_function(gnu_hash, symbols, strings, search->name);
	if (found)
		search->found = (void *)(info->dlpi_addr + found->st_value);
	return found != NULL;
}

void *elf_libc_symbol(const char *name)
{
	struct search search = {.name = name};

	dl_iterate_phdr(search_object, &search);
	return search.found;
}
