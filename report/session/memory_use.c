/* SPDX-License-Identifier: MIT */
#include "report/session/memory_use.h"

#include <stddef.h>

#include "report/session/session_internal.h"

static const char *const keys[] = {
#define ALLOCATION_KEY(name, key, text) key,
	ALLOCATION_KINDS(ALLOCATION_KEY)
#undef ALLOCATION_KEY
};

static const char *const texts[] = {
#define ALLOCATION_TEXT(name, key, text) text,
	ALLOCATION_KINDS(ALLOCATION_TEXT)
#undef ALLOCATION_TEXT
};

const char *allocation_key(uint32_t kind)
{
	return kind < ALLOCATION_KIND_COUNT ? keys[kind] : "unknown";
}

const char *allocation_text(uint32_t kind)
{
	return kind < ALLOCATION_KIND_COUNT ? texts[kind] : "unknown";
}

struct memory_use *session_add_memory_use(struct session *session, const struct memory_use *use)
{
	struct memory_use *added = items_reserve(session, SEGMENT_MEMORY, sizeof(*added));

	if (!added)
		return NULL;
	*added = (struct memory_use){.kind = use->kind, .device = use->device};
	__atomic_store_n(&added->committed, 1, __ATOMIC_RELEASE);
	items_publish(session, SEGMENT_MEMORY, sizeof(*added));
	return added;
}

struct memory_site *session_add_memory_site(struct session *session, const struct memory_site *site)
{
	struct memory_site *added = items_reserve(session, SEGMENT_MEMORY_SITES, sizeof(*added));

	if (!added)
		return NULL;
	*added = (struct memory_site){
		.kind = site->kind,
		.device = site->device,
		.thread = site->thread,
		.size = site->size,
		.range = site->range,
		.operation = site->operation,
	};
	__atomic_store_n(&added->committed, 1, __ATOMIC_RELEASE);
	items_publish(session, SEGMENT_MEMORY_SITES, sizeof(*added));
	return added;
}

/* In a damaged file the members may be anything. */
static bool is_place(uint32_t kind, int32_t device)
{
	return kind < ALLOCATION_KIND_COUNT && device >= -1 && device < SESSION_DEVICES;
}

const struct memory_use *session_next_memory_use(const struct session *session,
						 const struct memory_use *previous)
{
	const struct memory_use *use = item_next(session, SEGMENT_MEMORY, sizeof(*use), previous);

	while (use && (!__atomic_load_n(&use->committed, __ATOMIC_ACQUIRE) ||
		       !is_place(use->kind, use->device)))
		use = item_next(session, SEGMENT_MEMORY, sizeof(*use), use);
	return use;
}

const struct memory_site *session_next_memory_site(const struct session *session,
						   const struct memory_site *previous)
{
	const struct memory_site *site =
		item_next(session, SEGMENT_MEMORY_SITES, sizeof(*site), previous);

	while (site && (!__atomic_load_n(&site->committed, __ATOMIC_ACQUIRE) ||
			!is_place(site->kind, site->device)))
		site = item_next(session, SEGMENT_MEMORY_SITES, sizeof(*site), site);
	return site;
}
