/* SPDX-License-Identifier: MIT */
/*
 * A mapped file ends where another process cuts it, and the next access behind its end is a SIGBUS.
 * The descriptors of sealed memory cannot be cut, but have no name in a folder either, under which
 * a killed program's profile would be found.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/session/session_internal.h"

/* More are not covered: a process writes one session, or has one page of commands; what is read is
 * not mapped. */
#define COVERED_MOST 4

/* A handler reads this at any time: the size is stored last and taken away first. */
static struct covered {
	_Atomic uintptr_t base;
	_Atomic size_t size; /* 0: not in use */
	_Atomic bool happened;
} covered[COVERED_MOST];
static _Atomic uintptr_t page_size;
/* In any of them: asked for each call and each record, it is almost never so. */
static _Atomic bool any_happened;

static struct covered *find_covered(uintptr_t base)
{
	for (unsigned i = 0; i < COVERED_MOST; i++)
		if (atomic_load(&covered[i].base) == base && atomic_load(&covered[i].size) > 0)
			return &covered[i];
	return NULL;
}

void fault_cover(const void *base, size_t size)
{
	atomic_store(&page_size, (uintptr_t)sysconf(_SC_PAGESIZE));
	for (unsigned i = 0; i < COVERED_MOST; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&covered[i].base, &none, (uintptr_t)base))
			continue;
		atomic_store(&covered[i].happened, false);
		atomic_store(&covered[i].size, size);
		return;
	}
}

void fault_uncover(const void *base)
{
	struct covered *range = base ? find_covered((uintptr_t)base) : NULL;

	if (!range)
		return;
	atomic_store(&range->size, 0);
	atomic_store(&range->base, 0);
}

bool fault_happened(const void *base)
{
	struct covered *range = atomic_load(&any_happened) ? find_covered((uintptr_t)base) : NULL;

	return range && atomic_load(&range->happened);
}

bool session_fault(const void *address)
{
	uintptr_t at = (uintptr_t)address, page = atomic_load(&page_size);

	for (unsigned i = 0; i < COVERED_MOST; i++) {
		uintptr_t base = atomic_load(&covered[i].base);

		if (at < base || at - base >= atomic_load(&covered[i].size))
			continue;
		atomic_store(&covered[i].happened, true);
		atomic_store(&any_happened, true);
		return mmap((void *)(at & ~(page - 1)), page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
	}
	return false;
}

/* What did not fit on the disk lies behind the file's end. */
static bool row_is_whole(const struct session *session, const struct row *row)
{
	return row->committed == 1 && row->kind < ROW_KINDS && row->device >= -1 &&
	       row->device < SESSION_DEVICES &&
	       (row->name >= session->size || item_at(session, row->name, SEGMENT_STRINGS, 1));
}

bool session_is_whole(const struct session *session)
{
	const struct row *row = NULL;

	if (!session_header(session)->finished)
		return true;
	while ((row = item_next(session, SEGMENT_ROWS, sizeof(*row), row)))
		if (!row_is_whole(session, row))
			return false;
	return true;
}
