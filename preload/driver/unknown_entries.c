/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/driver/driver.h"

/* Enough for a driver some years newer: ten such functions came from CUDA 11.8 to 13.0. */
#define UNKNOWN_ENTRIES 16

static _Atomic uintptr_t unknown[UNKNOWN_ENTRIES];

void driver_note_unknown(const char *name)
{
	char *copy = NULL;

	for (unsigned i = 0; i < UNKNOWN_ENTRIES; i++) {
		uintptr_t there = atomic_load_explicit(&unknown[i], memory_order_acquire);
		uintptr_t none = 0;

		if (there && strcmp((const char *)there, name) == 0)
			break;
		if (there)
			continue;
		copy = copy ? copy : strdup(name);
		/* Release: the copy is complete before the thread that writes the report can see
		 * it. */
		if (!copy || atomic_compare_exchange_strong_explicit(
				     &unknown[i], &none, (uintptr_t)copy, memory_order_acq_rel,
				     memory_order_acquire))
			return;
	}
	free(copy);
}

const char *driver_unknown_entry(unsigned index)
{
	return index < UNKNOWN_ENTRIES
		       ? (const char *)atomic_load_explicit(&unknown[index], memory_order_acquire)
		       : NULL;
}
