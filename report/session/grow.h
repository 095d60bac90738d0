/* SPDX-License-Identifier: MIT */
#ifndef KTIME_REPORT_SESSION_GROW_H
#define KTIME_REPORT_SESSION_GROW_H

#include <stdlib.h>
#include <string.h>

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

#endif
