/* SPDX-License-Identifier: MIT */
#include "preload/driver/elf_symbol.h"
#include "preload/base/atomics.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Defined by the linker: the start and the end of libktime.so in memory. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct link_map *elf_first_object(void)
{
	return _r_debug.r_map;
}

bool elf_is_own(const void *pointer)
{
	return (const char *)pointer >= __ehdr_start && (const char *)pointer < _end;
}

bool elf_is_libktime(const struct link_map *object)
{
	return object->l_addr == (ElfW(Addr))__ehdr_start;
}

bool elf_name_begins(const char *text, const char *start)
{
	while (*start && *text == *start) {
		text++;
		start++;
	}
	return !*start;
}

static bool is_equal(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return *one == *other;
}

static const char *file_name(const char *path)
{
	const char *base = path;

	for (const char *c = path; *c; c++)
		if (*c == '/')
			base = c + 1;
	return base;
}

const char *elf_file_name(const struct link_map *object)
{
	return file_name(object->l_name);
}

/* glibc relocates the pointers in a loaded object's dynamic section in place, except in the
 * vDSO. */
static const void *address_of(const struct link_map *object, ElfW(Addr) value)
{
	return (const void *)(value < object->l_addr ? object->l_addr + value : value);
}

void elf_read(const struct link_map *object, struct elf_tables *tables)
{
	*tables = (struct elf_tables){.base = object->l_addr};
	for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		const void *address = address_of(object, entry->d_un.d_ptr);

		switch (entry->d_tag) {
		case DT_SYMTAB:
			tables->symbols = address;
			break;
		case DT_STRTAB:
			tables->strings = address;
			break;
		case DT_GNU_HASH:
			tables->gnu_hash = address;
			break;
		case DT_HASH:
			tables->hash = address;
			break;
		case DT_RELA:
			tables->relocations = address;
			break;
		case DT_RELASZ:
			tables->relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_JMPREL:
			tables->jump_relocations = address;
			break;
		case DT_PLTRELSZ:
			tables->jump_relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
			break;
		}
	}
}

bool elf_needs(const struct link_map *object, const char *library)
{
	struct elf_tables tables;

	elf_read(object, &tables);
	for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED && tables.strings &&
		    elf_name_begins(file_name(tables.strings + entry->d_un.d_val), library))
			return true;
	return false;
}

static bool is_named(const struct elf_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbols[index];

	return symbol->st_shndx != SHN_UNDEF && is_equal(tables->strings + symbol->st_name, name);
}

/* Searches the GNU hash table, as the loader does: comparing all of libc's symbols takes 30 us,
 * which every short-lived process would pay. */
static const ElfW(Sym) * find_hashed(const struct elf_tables *tables, const struct elf_name *name)
{
	const unsigned bits = 8 * sizeof(ElfW(Addr));
	const uint32_t *table = tables->gnu_hash;
	uint32_t buckets = table[0], first = table[1], words = table[2], hash = name->hash, i;
	const ElfW(Addr) *filter = (const ElfW(Addr) *)(table + 4);
	const uint32_t *bucket = (const uint32_t *)(filter + words);
	const uint32_t *chain = bucket + buckets;
	ElfW(Addr) word = filter[hash / bits % words];

	if (!(word >> hash % bits & word >> (hash >> table[3]) % bits & 1))
		return NULL;
	i = buckets ? bucket[hash % buckets] : 0;
	if (i < first)
		return NULL;
	for (;; i++) {
		/* The lowest bit marks the end of a chain. */
		if ((chain[i - first] | 1) == (hash | 1) && is_named(tables, i, name->text))
			return &tables->symbols[i];
		if (chain[i - first] & 1)
			return NULL;
	}
}

/* For an object that has only the older System V hash table. */
static const ElfW(Sym) * find_in_older_hash(const struct elf_tables *tables, const char *name)
{
	uint32_t buckets = tables->hash[0], hash = 0;
	const uint32_t *bucket = tables->hash + 2, *chain = bucket + buckets;

	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (unsigned char)*c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	for (uint32_t i = buckets ? bucket[hash % buckets] : 0; i; i = chain[i])
		if (is_named(tables, i, name))
			return &tables->symbols[i];
	return NULL;
}

struct elf_name elf_name(const char *text)
{
	struct elf_name name = {.text = text,
				.hash = 5381}; /* this, and the factor 33, are the table's format */

	for (const char *c = text; *c; c++)
		name.hash = name.hash * 33 + (unsigned char)*c;
	return name;
}

const ElfW(Sym) * elf_find(const struct elf_tables *tables, const struct elf_name *name)
{
	if (!tables->symbols || !tables->strings)
		return NULL;
	if (tables->gnu_hash)
		return find_hashed(tables, name);
	return tables->hash ? find_in_older_hash(tables, name->text) : NULL;
}

void *elf_address(const struct link_map *object, const char *text)
{
	struct elf_name name = elf_name(text);
	struct elf_tables tables;
	const ElfW(Sym) * found;

	elf_read(object, &tables);
	found = elf_find(&tables, &name);
	return found ? (void *)(tables.base + found->st_value) : NULL;
}

static bool is_libc(const struct link_map *object)
{
	static const char names[][10] = {"libc.so", "libc-2.", "libdl.so", "libdl-2."};
	const char *file = elf_file_name(object);

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (elf_name_begins(file, names[i]))
			return true;
	return false;
}

/* libc is loaded with the program, so this walk does not reach objects that may be unloaded. */
void *elf_libc_symbol(const char *name)
{
	const struct link_map *object = elf_first_object();
	void *found = NULL;

	for (; object && !found; object = object->l_next)
		if (is_libc(object))
			found = elf_address(object, name);
	return found;
}

const char *elf_definer_in_front(const char *name)
{
	const struct link_map *object = elf_first_object();

	for (; object && !elf_is_libktime(object); object = object->l_next)
		if (elf_address(object, name))
			return object->l_name[0] ? elf_file_name(object) : "the program";
	return NULL;
}

const char *elf_own_path(void)
{
	const struct link_map *object = elf_first_object();

	while (object && !elf_is_libktime(object))
		object = object->l_next;
	return object ? object->l_name : NULL;
}

/* What the loader brings in before the program runs comes before libc; what is opened, after it. */
bool elf_is_preloaded(void)
{
	const struct link_map *object = elf_first_object();

	while (object && !elf_is_libktime(object) && !is_libc(object))
		object = object->l_next;
	return object && elf_is_libktime(object);
}

void *real_dlsym(void *handle, const char *name)
{
	static _Atomic uintptr_t libc_dlsym;
	uintptr_t function = load_relaxed(&libc_dlsym);

	/* Two threads may both search: they find the same function. */
	if (!function) {
		function = (uintptr_t)elf_libc_symbol("dlsym");
		store_relaxed(&libc_dlsym, function);
	}
	return function ? ((void *(*)(void *, const char *))function)(handle, name) : NULL;
}

void *next_symbol(const char *name)
{
	return real_dlsym(RTLD_NEXT, name);
}

void *next_libc_symbol(const char *name)
{
	void *next = next_symbol(name);

	return next ? next : elf_libc_symbol(name);
}

void *libc_dlopen_loaded(const char *path, int flags)
{
	void *(*libc_dlopen)(const char *, int) =
		(void *(*)(const char *, int))elf_libc_symbol("dlopen");

	return libc_dlopen ? libc_dlopen(path, RTLD_LAZY | RTLD_NOLOAD | flags) : NULL;
}

struct link_map *object_of(const void *address)
{
	struct link_map *object = NULL;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&object, RTLD_DL_LINKMAP) || !object)
		object = elf_first_object();
	return object;
}

/* An object that was loaded as a dependency gets a scope of its own when it is opened. */
static void *find_in_scope_of(const struct link_map *object, const char *name)
{
	void *handle = libc_dlopen_loaded(object->l_name, 0);
	void *found = handle ? real_dlsym(handle, name) : NULL;

	if (handle)
		dlclose(handle);
	return found;
}

void *symbol_without_ktime(const struct link_map *from, const char *name)
{
	void *found = real_dlsym(RTLD_DEFAULT, name);

	if (elf_is_own(found))
		found = next_symbol(name);
	/* The program's own scope is the global one. */
	if (!found && from->l_name[0])
		found = find_in_scope_of(from, name);
	return elf_is_own(found) ? NULL : found;
}

struct search {
	uintptr_t address;
	bool segment;
	struct elf_range range;
};

static int find_range(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	struct elf_range object = {.low = UINTPTR_MAX};

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t high = low + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (search->segment && search->address >= low && search->address < high) {
			search->range = (struct elf_range){low, high};
			return 1;
		}
		object.low = low < object.low ? low : object.low;
		object.high = high > object.high ? high : object.high;
	}
	search->range = object;
	return !search->segment && search->address >= object.low && search->address < object.high;
}

bool elf_range_around(uintptr_t address, bool segment, struct elf_range *range)
{
	struct search search = {.address = address, .segment = segment};

	if (!dl_iterate_phdr(find_range, &search))
		return false;
	*range = search.range;
	return true;
}
