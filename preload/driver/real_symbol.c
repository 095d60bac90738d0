/* SPDX-License-Identifier: MIT */
#include "preload/driver/real_symbol.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/elf_symbol.h"

typedef void *dlsym_function(void *, const char *);

static _Atomic uintptr_t libc_dlsym;

void *real_dlsym(void *handle, const char *name)
{
	uintptr_t function = atomic_load_explicit(&libc_dlsym, memory_order_relaxed);

	/* Two threads may both search: they find the same function. */
	if (!function) {
		function = (uintptr_t)elf_libc_symbol("dlsym");
		atomic_store_explicit(&libc_dlsym, function, memory_order_relaxed);
	}
	return function ? ((dlsym_function *)function)(handle, name) : NULL;
}

void *next_symbol(const char *name)
{
	return real_dlsym(RTLD_NEXT, name);
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
	void *(*libc_dlopen)(const char *, int) =
		(void *(*)(const char *, int))elf_libc_symbol("dlopen");
	void *handle = libc_dlopen ? libc_dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
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
	struct elf_range range;
};

static int find_range(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	uintptr_t low = UINTPTR_MAX, high = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		low = start < low ? start : low;
		high = start + info->dlpi_phdr[i].p_memsz > high
			       ? start + info->dlpi_phdr[i].p_memsz
			       : high;
	}
	search->range = (struct elf_range){low, high};
	return search->address >= low && search->address < high;
}

bool elf_range_around(uintptr_t address, struct elf_range *range)
{
	struct search search = {.address = address};

	if (!dl_iterate_phdr(find_range, &search))
		return false;
	*range = search.range;
	return true;
}
