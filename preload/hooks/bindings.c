/* SPDX-License-Identifier: MIT */
#include "preload/hooks/lookup.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/driver/elf_symbol.h"
#include "preload/driver/entries.h"

#if defined(__x86_64__)
#define RELOCATION_VALUE R_X86_64_64
#define RELOCATION_ENTRY R_X86_64_GLOB_DAT
#define RELOCATION_CALL	 R_X86_64_JUMP_SLOT
#define RELOCATION_COPY	 R_X86_64_COPY
#elif defined(__aarch64__)
#define RELOCATION_VALUE R_AARCH64_ABS64
#define RELOCATION_ENTRY R_AARCH64_GLOB_DAT
#define RELOCATION_CALL	 R_AARCH64_JUMP_SLOT
#define RELOCATION_COPY	 R_AARCH64_COPY
#endif

/* What libktime.so exports of CUDA's names: driver, runtime, and some of CUPTI's. */
#define MAX_NAMES (ENTRY_COUNT + RUNTIME_COUNT + 32)

/* ktime's own names, and what is known of the other objects; but for the last two it is constant
 * once the process has started. */
static struct {
	struct elf_name own_names[MAX_NAMES];
	unsigned own_name_count;
	struct elf_tables own;
	/* The last object that was there when the process started: those up to it are the global
	 * scope. */
	const struct link_map *last_at_start;
	unsigned long long objects_seen; /* under the loader's lock, like the next */
	bool has_definitions;
} seen;

static bool is_cuda_name(const char *name)
{
	return elf_name_begins(name, "cu") || elf_name_begins(name, "__cu");
}

bool bindings_is_cuda(const struct link_map *object)
{
	const char *file = elf_file_name(object);

	return elf_name_begins(file, "libcuda.so") || elf_name_begins(file, "libcudart.so") ||
	       elf_name_begins(file, "libcupti.so");
}

/* Reads them from the GNU hash table, in which each chain ends with a value whose lowest bit is
 * set.
 */
static void read_own_names(void)
{
	const uint32_t *table, *bucket, *chain;
	uint32_t last = 0;

	for (const struct link_map *object = elf_first_object(); object; object = object->l_next)
		if (elf_is_libktime(object))
			elf_read(object, &seen.own);
	table = seen.own.gnu_hash;
	if (!table)
		return;
	bucket = table + 4 + table[2] * (sizeof(ElfW(Addr)) / 4);
	chain = bucket + table[0];
	for (uint32_t i = 0; i < table[0]; i++)
		last = bucket[i] > last ? bucket[i] : last;
	while (last && !(chain[last - table[1]] & 1))
		last++;
	for (uint32_t i = table[1]; i <= last && seen.own_name_count < MAX_NAMES; i++) {
		const char *name = seen.own.strings + seen.own.symbols[i].st_name;

		if (is_cuda_name(name))
			seen.own_names[seen.own_name_count++] = elf_name(name);
	}
}

static bool defines_one(const struct link_map *object)
{
	struct elf_tables tables;

	if (elf_is_libktime(object) || bindings_is_cuda(object))
		return false;
	elf_read(object, &tables);
	for (unsigned i = 0; i < seen.own_name_count; i++)
		if (elf_find(&tables, &seen.own_names[i]))
			return true;
	return false;
}

/*
 * The definition that code of an object would be bound to by a name without ktime: the loader
 * searches the global scope first, then the object's own: the object and its dependencies.
 */
static const ElfW(Sym) * find_target(const struct link_map *from, const struct elf_name *name,
				     struct elf_tables *tables)
{
	const struct link_map *object = elf_first_object();
	bool is_global = false, is_behind = false;
	const ElfW(Sym) *found = NULL;

	while (object && !found) {
		const struct link_map *next = object->l_next;

		is_global = is_global || object == from;
		if (object == seen.last_at_start)
			next = is_global ? NULL : from;
		if (is_behind) {
			elf_read(object, tables);
			found = elf_find(tables, name);
			if (found && bindings_is_cuda(object))
				return NULL;
		}
		is_behind = is_behind || elf_is_libktime(object);
		object = next;
	}
	return found;
}

/* What refers to other symbols in an object. */
struct references {
	const struct link_map *object;
	struct elf_tables tables;
	const struct dl_phdr_info *info;
};

/* Writes a relocation's slot; makes its page writable first, as the loader may have made it
 * read-only (RELRO). */
static void write_slot(const struct references *references, uintptr_t *slot, uintptr_t value)
{
	uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)slot & ~(page_size - 1);
	const struct dl_phdr_info *info = references->info;
	bool writable = false, sealed = false;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;
		bool inside = (uintptr_t)slot >= start && (uintptr_t)slot < start + part->p_memsz;

		writable = writable || (inside && part->p_type == PT_LOAD && part->p_flags & PF_W);
		sealed = sealed || (inside && part->p_type == PT_GNU_RELRO);
	}
	if (!writable || (sealed && mprotect((void *)page, page_size, PROT_READ | PROT_WRITE)))
		return;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (sealed)
		mprotect((void *)page, page_size, PROT_READ);
}

/* Fills in a program's copy of a library's variable (a copy relocation): the loader copied nothing
 * from ktime's symbol of that name, which has no size. */
static void copy_value(void *copy, const void *value, size_t size)
{
	char *to = copy;
	const char *from = value;
	bool empty = true;

	for (size_t i = 0; i < size; i++)
		empty = empty && !to[i];
	for (size_t i = 0; empty && i < size; i++)
		to[i] = from[i];
}

/*
 * Whether ktime's wrapper calls the function that a reference is bound to, so that the reference
 * may be bound to the wrapper. A runtime function may be in any library. Another preloaded library
 * that interposes dlsym too may stand in for the driver (driver_stand_in): only its own references
 * to its functions stay as they are.
 */
static bool is_called_through(const struct references *references, const struct elf_tables *target,
			      const char *name)
{
	const struct elf_name dlsym_name = elf_name("dlsym"), dlopen_name = elf_name("dlopen");

	if (elf_name_begins(name, "cuda") || elf_name_begins(name, "__cuda"))
		return true;
	return target->symbols != references->tables.symbols &&
	       (elf_find(target, &dlsym_name) || elf_find(target, &dlopen_name));
}

static void bind_again(const struct references *references, const ElfW(Rela) * relocation)
{
	const ElfW(Sym) *symbol = &references->tables.symbols[ELF64_R_SYM(relocation->r_info)];
	const unsigned type = ELF64_R_TYPE(relocation->r_info);
	uintptr_t *slot = (uintptr_t *)(references->tables.base + relocation->r_offset);
	uintptr_t addend = type == RELOCATION_VALUE ? (uintptr_t)relocation->r_addend : 0, value;
	struct elf_name name = {.text = references->tables.strings + symbol->st_name};
	const ElfW(Sym) * own, *target;
	struct elf_tables tables;
	bool is_bound;

	if (!is_cuda_name(name.text) || (type != RELOCATION_VALUE && type != RELOCATION_ENTRY &&
					 type != RELOCATION_CALL && type != RELOCATION_COPY))
		return;
	name = elf_name(name.text);
	own = elf_find(&seen.own, &name);
	target = own ? find_target(references->object, &name, &tables) : NULL;
	if (!target || (ELF64_ST_TYPE(target->st_info) != STT_OBJECT &&
			ELF64_ST_TYPE(target->st_info) != STT_FUNC))
		return;
	if (ELF64_ST_TYPE(target->st_info) == STT_FUNC &&
	    is_called_through(references, &tables, name.text))
		return;
	value = tables.base + target->st_value;
	if (type == RELOCATION_COPY) {
		copy_value(slot, (const void *)value, symbol->st_size);
		return;
	}
	/* A call that was not made yet leads back into its own object. */
	is_bound = *slot == seen.own.base + own->st_value + addend;
	if (is_bound || (type == RELOCATION_CALL &&
			 *slot - references->tables.base <
				 (uintptr_t)references->object->l_ld - references->tables.base))
		write_slot(references, slot, value + addend);
}

static void bind_object_again(const struct dl_phdr_info *info)
{
	struct references references = {.info = info};
	const struct elf_tables *tables = &references.tables;
	const struct link_map *object = elf_first_object();

	while (object && (object->l_addr != info->dlpi_addr || elf_is_libktime(object)))
		object = object->l_next;
	if (!object || bindings_is_cuda(object))
		return;
	references.object = object;
	elf_read(object, &references.tables);
	if (!tables->symbols || !tables->strings)
		return;
	for (size_t i = 0; i < tables->relocation_count; i++)
		if (ELF64_R_SYM(tables->relocations[i].r_info))
			bind_again(&references, &tables->relocations[i]);
	for (size_t i = 0; i < tables->jump_relocation_count; i++)
		if (ELF64_R_SYM(tables->jump_relocations[i].r_info))
			bind_again(&references, &tables->jump_relocations[i]);
}

/* Called for one object after the other, under the lock that keeps their list. */
static int check_object(struct dl_phdr_info *info, size_t size, void *first)
{
	(void)size;
	if (*(bool *)first) {
		*(bool *)first = false;
		if (seen.objects_seen == info->dlpi_adds)
			return 1;
		seen.objects_seen = info->dlpi_adds;
		for (const struct link_map *object = elf_first_object();
		     object && !seen.has_definitions; object = object->l_next)
			seen.has_definitions = defines_one(object);
	}
	if (seen.has_definitions)
		bind_object_again(info);
	return !seen.has_definitions;
}

void bindings_check(void)
{
	bool first = true;

	dl_iterate_phdr(check_object, &first);
}

bool bindings_is_before_ktime(const struct link_map *object)
{
	const struct link_map *other = elf_first_object();

	while (other && other != object && !elf_is_libktime(other))
		other = other->l_next;
	return other == object;
}

struct link_map *bindings_next_definer(const struct link_map *behind, const char *name)
{
	struct link_map *object = behind->l_next;

	while (object && (elf_is_libktime(object) || !elf_address(object, name)))
		object = object->l_next;
	return object;
}

bool bindings_may_reach(const struct link_map *object, const struct link_map *library)
{
	const struct link_map *other = elf_first_object();

	while (other && other != library && other != seen.last_at_start)
		other = other->l_next;
	return other == library || elf_needs(object, "libcuda.so");
}

/* A constructor, so that it runs before the program's own code and most libraries' constructors. */
__attribute__((constructor)) static void bind_at_start(void)
{
	if (!elf_is_preloaded())
		return;
	for (const struct link_map *object = elf_first_object(); object; object = object->l_next)
		seen.last_at_start = object;
	read_own_names();
	bindings_check();
}
