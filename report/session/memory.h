/* SPDX-License-Identifier: MIT */
/* Memory, got as a guest of a program does it. */
#ifndef KTIME_REPORT_SESSION_MEMORY_H
#define KTIME_REPORT_SESSION_MEMORY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * realloc() to a larger size, of a block of which `used` bytes count. glibc moves a large one by
 * mremap(), a system call that a program which sandboxes itself need not allow otherwise.
 */
static inline void *grow(void *block, size_t used, size_t size)
{
	void *larger = malloc(size);

	if (!larger)
		return NULL;
	if (used)
		memcpy(larger, block, used);
	free(block);
	return larger;
}

/*
 * A list of `count` items with room for a further one: the list, or a larger one in its place. NULL
 * if memory is out; the list stays.
 */
static inline void *grow_list(void *list, size_t count, size_t *room, size_t size)
{
	size_t more = count < 32 ? 64 : 2 * count;
	void *grown = count < *room ? list : grow(list, count * size, more * size);

	if (grown && count == *room)
		*room = more;
	return grown;
}

/* Whether a list has room for a further item, if need be in a larger one that takes its place. */
#define LIST_HAS_ROOM(list, count, room)                                                           \
	({                                                                                         \
		__typeof__(list) grown_ = grow_list(list, count, &(room), sizeof(*(list)));        \
		if (grown_)                                                                        \
			(list) = grown_;                                                           \
		grown_ != NULL;                                                                    \
	})

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
