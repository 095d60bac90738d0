/* SPDX-License-Identifier: MIT */
/* Memory that a program's mlockall() does not lock. */
#ifndef KTIME_REPORT_SESSION_UNLOCKED_H
#define KTIME_REPORT_SESSION_UNLOCKED_H

#include <stddef.h>
#include <sys/mman.h>

/*
 * Maps private memory of which little may be used, or MAP_FAILED. After mlockall(MCL_FUTURE) the
 * kernel counts each new mapping as locked, in full and whatever its protection, and fills it: what
 * is only reserved would leave nothing of RLIMIT_MEMLOCK to the program. One that has been unlocked
 * may grow without.
 */
static inline void *map_unlocked(size_t size, int protection)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const size_t small = 65536; /* whole pages on every machine */
	void *memory = mmap(NULL, small, protection, flags, -1, 0), *grown;

	if (memory == MAP_FAILED)
		return memory;
	grown = munlock(memory, small) < 0 ? MAP_FAILED
					   : mremap(memory, small, size, MREMAP_MAYMOVE);
	if (grown != MAP_FAILED)
		return grown;
	munmap(memory, small);
	return mmap(NULL, size, protection, flags, -1, 0);
}

#endif
