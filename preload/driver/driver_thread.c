/* SPDX-License-Identifier: MIT */
#include "preload/driver/driver_thread.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"

/* glibc's structure of a thread is no smaller (2.17 to 2.42, x86-64; on aarch64 more memory of the
 * thread follows). */
#define DESCRIPTOR_BYTES 2048u

/* The driver's code, and where a thread's start routine is in its descriptor. */
static uintptr_t code_begin, code_end;
static size_t first_offset, last_offset;

static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
	uintptr_t function = (uintptr_t)driver.cuDriverGetVersion;

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;

		if (part->p_type == PT_LOAD && function >= begin && function < end) {
			code_begin = begin;
			code_end = end;
			return 1;
		}
	}
	return 0;
}

/*
 * glibc describes its threads to debuggers: the size of a member in bits, how many of them there
 * are, and its offset (libthread_db). Before 2.34 the description was in no table of symbols that a
 * program has; then any address of the driver's code in the descriptor is taken for the routine.
 */
void driver_thread_start(void)
{
	const uint32_t *member = elf_libc_symbol("_thread_db_pthread_start_routine");

	first_offset = member ? member[2] : 0;
	last_offset = member ? member[2] : DESCRIPTOR_BYTES - sizeof(uintptr_t);
	dl_iterate_phdr(find_code, NULL);
}

bool driver_thread_is_calling(void)
{
	const char *descriptor = (const char *)pthread_self();
	bool found = false;

	for (size_t at = first_offset; at <= last_offset && !found; at += sizeof(uintptr_t)) {
		uintptr_t value = *(const uintptr_t *)(descriptor + at);

		found = value >= code_begin && value < code_end;
	}
	return found;
}
