/* SPDX-License-Identifier: MIT */
#include "preload/recording/window_class.h"

#include <stdlib.h>

static struct window_class *classes;

struct window_class *window_class_of(uint64_t kernels, uint32_t device, enum window_unit unit,
				     bool add)
{
	struct window_class_key key = {kernels, device, unit};
	struct window_class *class = NULL;

	HASH_FIND(link, classes, &key, sizeof(key), class);
	if (class || !add)
		return class;
	class = calloc(1, sizeof(*class));
	if (!class)
		return NULL;
	class->key = key;
	HASH_ADD(link, classes, key, sizeof(class->key), class);
	if (!class->link.tbl) {
		free(class);
		return NULL;
	}
	return class;
}

struct window_part *window_class_part(struct window_class *class, struct operation *operation)
{
	struct window_part **link = &class->parts, *part;

	while (*link && (*link)->operation != operation)
		link = &(*link)->next;
	if (*link)
		return *link;
	part = calloc(1, sizeof(*part));
	if (part)
		part->operation = operation;
	return *link = part;
}

struct window_class *window_class_next(const struct window_class *class)
{
	return class ? class->link.next : classes;
}

void window_class_add(struct window_class *class, struct operation *operation, uint64_t count,
		      uint64_t total)
{
	struct window_part *part = window_class_part(class, operation);

	if (!part)
		return;
	part->open += (double)total;
	part->opened += (double)count;
}

bool window_class_is_recorded(const struct window_class *class)
{
	return class && class->recorded + class->open > 0;
}

/* A random window stands for all units since the last one that had any of them, and for as many of
 * those before the recording began: the first window alone would stand for most of the run. */
static void close_random(struct window_class *class)
{
	struct window_units *units = &class->units;
	double covers = class->all - units->certain - units->covered - units->before, before;

	covers = covers > class->open ? covers : class->open;
	before = units->before < covers ? units->before : covers;
	units->before -= before;
	covers += before;
	window_units_add(units, covers);
	for (struct window_part *part = class->parts; part; part = part->next)
		window_times_add(&part->times, units, covers, part->open / class->open);
}

static void close_certain(struct window_class *class)
{
	class->units.certain += class->open;
	for (struct window_part *part = class->parts; part; part = part->next)
		part->times.certain += part->open;
}

void window_class_close(struct window_class *class, bool random)
{
	if (random)
		close_random(class);
	else
		close_certain(class);
	class->recorded += class->open;
	class->open = 0;
	for (struct window_part *part = class->parts; part; part = part->next) {
		part->records += part->opened;
		part->open = part->opened = 0;
	}
}
