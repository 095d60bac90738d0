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

/* The number of symbols is nowhere but in the hash table: the end of its last chain. */
static uint32_t symbol_count(const uint32_t *gnu_hash)
{
	uint32_t buckets = gnu_hash[0], first = gnu_hash[1], bloom = gnu_hash[2];
	const uint32_t *bucket = gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return first;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
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
	const ElfW(Sym) *symbols = NULL;
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
	for (uint32_t i = 0, count = symbol_count(gnu_hash); i < count; i++)
		if (symbols[i].st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    strcmp(strings + symbols[i].st_name, search->name) == 0) {
			search->found = (void *)(info->dlpi_addr + symbols[i].st_value);
			return 1;
		}
	return 0;
}

void *elf_libc_symbol(const char *name)
{
	struct search search = {.name = name};

	dl_iterate_phdr(search_object, &search);
	return search.found;
}
