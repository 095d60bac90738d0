/* SPDX-License-Identifier: MIT */
#include "preload/collector/memory.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "preload/base/sandbox.h"
#include "preload/collector/calls.h"
#include "preload/collector/collector.h"
#include "preload/events/event_pool.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/memory/holdings.h"
#include "preload/timeline/timeline.h"

/* glibc's malloc() puts this much before each block. */
#define BLOCK_BYTES 16u
/* Pages for one call of mincore(): 16 MB. Chosen. */
#define PAGES_ASKED 4096u

static uint64_t resident(const void *start, size_t size)
{
	static unsigned char pages[PAGES_ASKED];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)start & ~(page - 1);
	uintptr_t end = (uintptr_t)start + size;
	uint64_t count = 0;

	while (start && at < end) {
		size_t left = (end - at + page - 1) / page;
		size_t asked = left < PAGES_ASKED ? left : PAGES_ASKED;

		if (mincore((void *)at, asked * page, pages) == 0)
			for (size_t i = 0; i < asked; i++)
				count += pages[i] & 1;
		at += asked * page;
	}
	return count * page;
}

/* Adds the resident part of libktime.so's writable segments. */
static int add_data(struct dl_phdr_info *info, size_t size, void *argument)
{
	uint64_t bytes = 0;
	bool is_ktime = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
			continue;
		is_ktime |= (uintptr_t)&thread_first >= info->dlpi_addr &&
			    (uintptr_t)&thread_first < start + segment->p_memsz;
		bytes += resident((const void *)start, segment->p_memsz);
		if (!is_ktime)
			return 0;
	}
	*(uint64_t *)argument += bytes;
	return is_ktime;
}

static uint64_t collector_stack(void)
{
	pthread_attr_t attributes;
	uint64_t bytes = 0;
	void *start;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &start, &size) == 0)
			bytes = resident(start, size);
		pthread_attr_destroy(&attributes);
	}
	return bytes;
}

/* What only the kernel knows. */
static uint64_t all_resident(const struct session *session)
{
	uint64_t bytes = collector_stack();
	const void *start;
	size_t size;

	dl_iterate_phdr(add_data, &bytes);
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		bytes += resident(thread, sizeof(*thread));
	session_range(session, &start, &size);
	bytes += resident(start, size);
	cupti_range(&start, &size);
	bytes += resident(start, size);
	start = holdings_range(&size);
	return bytes + resident(start, size);
}

void memory_measure(struct session *session)
{
	static uint64_t last_resident;
	uint64_t *peak = &session_header(session)->counters[COUNTER_memory_bytes];
	uint64_t bytes;

	if (sandbox_calls_begin()) {
		last_resident = all_resident(session);
		sandbox_calls_end();
	}
	bytes = last_resident;
	for (const struct event_pool *pool = event_pool_first(); pool; pool = pool->all_next)
		bytes += sizeof(*pool) + BLOCK_BYTES +
			 pool->pairs * (sizeof(struct event_pair) + BLOCK_BYTES);
	bytes += matcher_memory(calls_matcher) + in_flight_memory() + timeline_memory();
	if (bytes > *peak)
		*peak = bytes;
}
