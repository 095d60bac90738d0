/* SPDX-License-Identifier: MIT */
/*
 * Walking the records in a buffer. Their sizes depend on CUPTI's version, so only CUPTI knows them.
 */
#ifndef KTIME_CUPTI_WALK_H
#define KTIME_CUPTI_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/library.h"

/* A position in a buffer of records. */
struct walk {
	const struct cupti_functions *cupti;
	uint8_t *data;
	size_t valid;
	CUpti_Activity *record; /* the present record */
	CUpti_Activity *next;	/* the one after it; NULL if there is none */
	size_t size;		/* bytes of the present record */
};

static inline CUpti_Activity *walk_after(const struct walk *walk, CUpti_Activity *record)
{
	return walk->cupti->cuptiActivityGetNextRecord(walk->data, walk->valid, &record) ? NULL
											 : record;
}

/*
 * walk_first() starts before the first record; walk_step() goes to the next, and returns false past
 * the last. The present record may be moved or overwritten before the next step, which is looked up
 * already.
 */
static inline bool walk_first(struct walk *walk, const struct cupti_functions *cupti, uint8_t *data,
			      size_t valid)
{
	*walk = (struct walk){.cupti = cupti, .data = data, .valid = valid};
	walk->next = valid ? walk_after(walk, NULL) : NULL;
	return walk->next;
}

static inline bool walk_step(struct walk *walk)
{
	walk->record = walk->next;
	if (!walk->record)
		return false;
	walk->next = walk_after(walk, walk->record);
	walk->size = (walk->next ? (uint8_t *)walk->next : walk->data + walk->valid) -
		     (uint8_t *)walk->record;
	return true;
}

#endif
