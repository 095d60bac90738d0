/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/names.h"
#include "preload/base/atomics.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

/* Twice as many slots as names, so that chains stay short. */
#define SLOTS	   (2 * NAMES_RANGES)
/* Names of 127 bytes on average; takes memory as far as it is used. Chosen. */
#define TEXT_BYTES (4u << 20)

#define PATH_SLOTS (2 * (PATHS_MOST + 1))

/* Mapped when the first name or path is added, and used as far as there are any; added to under the
 * lock, read without. */
struct tables {
	struct range_name ranges[NAMES_RANGES];
	_Atomic uint16_t slots[SLOTS]; /* 0: empty */
	uint16_t range_count;	       /* without the name of further ones */
	char texts[TEXT_BYTES];
	size_t text_used;

	struct range_path paths[PATHS_MOST];
	_Atomic uint16_t path_slots[PATH_SLOTS]; /* 0: empty */
	uint16_t path_count;			 /* without PATHS_OUTSIDE */
};

static struct tables *_Atomic known;
static const char *_Atomic domains[NAMES_DOMAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t lost_paths;

/* The tables; NULL if there is nothing in them yet. Acquire: they were mapped before. */
static struct tables *tables_if_any(void)
{
	return load_acquire(&known);
}

/* The tables, to add to; NULL if memory is out. The lock must be held. */
static struct tables *tables_locked(void)
{
	struct tables *tables = tables_if_any();
	int saved_errno = errno;

	if (tables)
		return tables;
	/* By the program's thread, perhaps in a sandbox: no other system call than for the thread's
	 * ring of changes. */
	tables = mmap(NULL, sizeof(*tables), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tables == MAP_FAILED) {
		errno = saved_errno;
		return NULL;
	}
	store_release(&known, tables);
	return tables;
}

/* FNV-1a, 32 bits (Fowler, Noll, Vo 1991). */
static uint32_t hash_of(uint8_t domain, const char *text, size_t length)
{
	uint32_t hash = (2166136261u ^ domain) * 16777619u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

/* A copy that is never freed; NULL if there is no room. The lock must be held. */
static const char *keep(struct tables *tables, const char *text, size_t length)
{
	char *copy;

	if (!tables || length + 1 > TEXT_BYTES - tables->text_used)
		return NULL;
	copy = tables->texts + tables->text_used;
	memcpy(copy, text, length);
	copy[length] = '\0';
	tables->text_used += length + 1;
	return copy;
}

/* The name's number, or 0; `slot` is then where it belongs. */
static uint16_t find(const struct tables *tables, uint8_t domain, const char *text, size_t length,
		     uint32_t *slot)
{
	uint16_t name;

	if (!tables)
		return 0;
	*slot = hash_of(domain, text, length) % SLOTS;
	/* Acquire: the name was written before its number. There are always empty slots. */
	while ((name = load_acquire(&tables->slots[*slot])) != 0) {
		if (tables->ranges[name].domain == domain &&
		    strncmp(tables->ranges[name].text, text, length) == 0 &&
		    !tables->ranges[name].text[length])
			return name;
		*slot = (*slot + 1) % SLOTS;
	}
	return 0;
}

static uint16_t add(uint8_t domain, const char *text, size_t length)
{
	struct tables *tables;
	const char *kept;
	uint32_t slot;
	uint16_t name;

	pthread_mutex_lock(&lock);
	tables = tables_locked();
	name = find(tables, domain, text, length, &slot);
	if (!name && tables && tables->range_count < NAMES_RANGES - 1) {
		kept = keep(tables, text, length);
		if (kept) {
			name = ++tables->range_count;
			tables->ranges[name] = (struct range_name){.text = kept, .domain = domain};
			store_release(&tables->slots[slot], name);
		}
	}
	pthread_mutex_unlock(&lock);
	return name;
}

/* Where the part begins that tells a call from the others, else the text's end. */
static const char *end_of_common_part(const char *text)
{
	static const char *const numbers[] = {", seq = ", ", op_id = "};
	const char *end = text + strlen(text), *found;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		found = strstr(text, numbers[i]);
		if (found && found < end && found[strlen(numbers[i])] >= '0' &&
		    found[strlen(numbers[i])] <= '9')
			end = found;
	}
	return end;
}

uint16_t names_range(uint8_t domain, const char *text)
{
	static const char sizes[] = ", sizes = ", inputs[] = ", input_op_ids = ";
	const char *end = end_of_common_part(text), *shapes = *end ? strstr(end, sizes) : NULL;
	char joined[NAMES_LENGTH + 1];
	size_t length = (size_t)(end - text), more;
	uint32_t slot;
	uint16_t name;

	LOWER(length, NAMES_LENGTH);
	if (shapes) {
		const char *shapes_end = strstr(shapes, inputs);

		more = shapes_end ? (size_t)(shapes_end - shapes) : strlen(shapes);
		LOWER(more, NAMES_LENGTH - length);
		memcpy(joined, text, length);
		memcpy(joined + length, shapes, more);
		text = joined;
		length += more;
	}
	name = find(tables_if_any(), domain, text, length, &slot);
	return name ? name : add(domain, text, length);
}

struct range_name names_of(uint16_t name)
{
	return name ? tables_if_any()->ranges[name]
		    : (struct range_name){.text = "(further ranges)"};
}

uint8_t names_domain(const char *text)
{
	const char *known, *kept;
	uint8_t domain;

	pthread_mutex_lock(&lock);
	for (domain = 1; domain < NAMES_DOMAINS; domain++) {
		known = load_relaxed(&domains[domain]);
		if (known && strcmp(known, text) == 0)
			break;
		if (known)
			continue;
		kept = domain < NAMES_DOMAINS - 1
			       ? keep(tables_locked(), text, strnlen(text, NAMES_LENGTH))
			       : NULL;
		/* Release: the text was written before. */
		store_release(&domains[domain], kept ? kept : "(further domains)");
		break;
	}
	pthread_mutex_unlock(&lock);
	return domain < NAMES_DOMAINS ? domain : NAMES_DOMAINS - 1;
}

const char *names_domain_text(uint8_t domain)
{
	const char *text = load_acquire(&domains[domain]);

	return text ? text : "";
}

/* The bytes of a character in UTF-8. */
static size_t encode(uint32_t character, char bytes[4])
{
	static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* by length */
	size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	for (size_t i = length - 1; i > 0; i--, character >>= 6)
		bytes[i] = (char)(0x80 | (character & 0x3f));
	bytes[0] = (char)(marks[length] | (character & 0x7f));
	return length;
}

void names_narrow(const wchar_t *text, char *narrow, size_t size)
{
	size_t used = 0, length;
	char bytes[4];

	for (; *text; text++) {
		length = encode((uint32_t)*text, bytes);
		if (used + length >= size)
			break;
		memcpy(narrow + used, bytes, length);
		used += length;
	}
	narrow[used] = '\0';
}

/* The path's number, or 0; `slot` is then where it belongs. */
static uint16_t find_path(const struct tables *tables, const struct range_path *wanted,
			  uint32_t *slot)
{
	/* Knuth's multiplicative hash. */
	uint32_t key = ((uint32_t)wanted->parent << 16 | wanted->name) ^ (uint32_t)wanted->style
										 << 15;
	uint16_t path;

	if (!tables)
		return 0;
	*slot = key * 2654435761u >> 15;
	/* Acquire: the path was written before its number. There are always empty slots. */
	while ((path = load_acquire(&tables->path_slots[*slot])) != 0) {
		if (tables->paths[path].parent == wanted->parent &&
		    tables->paths[path].name == wanted->name &&
		    tables->paths[path].style == wanted->style)
			return path;
		*slot = (*slot + 1) % PATH_SLOTS;
	}
	return 0;
}
_Static_assert(PATH_SLOTS == 1u << (32 - 15), "find_path() shifts to an index of slots");

static uint16_t add_path(const struct range_path *wanted)
{
	struct tables *tables;
	uint32_t slot;
	uint16_t path;

	pthread_mutex_lock(&lock);
	tables = tables_locked();
	path = find_path(tables, wanted, &slot);
	if (!path && tables && tables->path_count < PATHS_MOST - 1) {
		path = ++tables->path_count;
		tables->paths[path] = *wanted;
		store_release(&tables->path_slots[slot], path);
	}
	pthread_mutex_unlock(&lock);
	return path;
}

uint16_t paths_enter(uint16_t parent, uint16_t name, enum range_style style)
{
	struct range_path wanted = {.parent = parent, .name = name, .style = (uint8_t)style};
	uint32_t slot;
	uint16_t path = find_path(tables_if_any(), &wanted, &slot);

	if (!path)
		path = add_path(&wanted);
	if (!path) {
		add_relaxed(&lost_paths, 1);
		return parent;
	}
	return path;
}

struct range_path paths_of(uint16_t path)
{
	const struct tables *tables = tables_if_any();

	return tables ? tables->paths[path] : (struct range_path){.parent = PATHS_OUTSIDE};
}

const char *paths_text(uint16_t path, char text[PATHS_TEXT])
{
	size_t start = PATHS_TEXT - 1;

	text[start] = '\0';
	while (path != PATHS_OUTSIDE && path != PATHS_UNKNOWN) {
		const struct range_path range = paths_of(path);
		const char *name = names_of(range.name).text;
		bool last = text[start] == '\0';
		size_t length = strlen(name);

		if (length + 1 > start)
			break;
		if (!last)
			text[--start] = '/';
		start -= length;
		memcpy(text + start, name, length);
		path = range.parent;
	}
	return text + start;
}

uint64_t paths_lost(void)
{
	return load_relaxed(&lost_paths);
}
