/* SPDX-License-Identifier: MIT */
#include "report/timeline/held_memory.h"

#include <stddef.h>

static bool is_of_device(const struct trace_record *record)
{
	return record->kind == TRACE_HELD && record->device >= 0 &&
	       record->device < SESSION_DEVICES;
}

bool held_memory_next(struct held_memory *held, const struct trace_record *record,
		      struct held_value *value)
{
	if (record && record->start < held->from) {
		/* The last one before the timeline is what it begins with. */
		if (is_of_device(record)) {
			held->waiting |= 1ULL << record->device;
			held->bytes[record->device] = record->bytes;
		}
		return false;
	}
	if (record && record->start == held->from && is_of_device(record))
		held->waiting &= ~(1ULL << record->device);
	if (held->waiting) {
		value->device = __builtin_ctzll(held->waiting);
		value->time = held->from;
		value->bytes = held->bytes[value->device];
		held->waiting &= held->waiting - 1;
		return true;
	}
	if (!record || !is_of_device(record) || record == held->last)
		return false;
	held->last = record;
	*value = (struct held_value){record->device, record->start, record->bytes};
	return true;
}
