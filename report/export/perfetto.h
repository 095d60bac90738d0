/* SPDX-License-Identifier: MIT */
/*
 * Packets of Perfetto's format, and the tracks in them. Source of the field numbers and of what
 * they mean: protos/perfetto/trace of the Perfetto project, and "Converting arbitrary timestamp
 * data to Perfetto" in its documentation.
 *
 * All numbers that have to be unique in a file are made from the process's own, so that files of
 * several processes can be put behind each other: uuids of tracks, ids of flows, the sequence that
 * interned texts belong to.
 */
#ifndef KTIME_REPORT_EXPORT_PERFETTO_H
#define KTIME_REPORT_EXPORT_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/export/export_trace.h"
#include "report/session/session.h"
#include "report/timeline/protobuf.h"
#include "report/timeline/tracks.h"

enum field {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,

	INTERNED_CATEGORIES = 1,
	INTERNED_EVENT_NAMES = 2,
	INTERNED_ARGUMENT_NAMES = 3,
	INTERNED_ARGUMENT_TEXTS = 29,
	INTERNED_NUMBER = 1,
	INTERNED_TEXT = 2,

	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,
	PROCESS_LABELS = 8,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,

	EVENT_CATEGORY = 3,
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,

	ARGUMENT_NAME = 1,
	ARGUMENT_UNSIGNED = 3,
	ARGUMENT_TEXT = 6,
	ARGUMENT_TEXT_NUMBER = 17,
};

enum { SEQUENCE_BEGINS = 1, SEQUENCE_NEEDS_INTERNED = 2 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { UNIT_BYTES = 3 };

/* What an operation or a call has besides its name: interned in this order, from 1. */
#define ARGUMENTS(X)                                                                               \
	X(CORRELATION, "correlation")                                                              \
	X(GRID, "grid")                                                                            \
	X(BLOCK, "block")                                                                          \
	X(REGISTERS, "registers")                                                                  \
	X(STATIC_SHARED, "static shared memory")                                                   \
	X(DYNAMIC_SHARED, "dynamic shared memory")                                                 \
	X(MANGLED, "mangled")                                                                      \
	X(FROM, "from")                                                                            \
	X(TO, "to")                                                                                \
	X(BYTES, "bytes")                                                                          \
	X(RESULT, "result")                                                                        \
	X(KERNEL, "kernel")                                                                        \
	X(DOMAIN, "domain")                                                                        \
	X(GRAPH, "graph")                                                                          \
	X(GRAPH_NODE, "graph node")                                                                \
	X(CLOCK, "clock")
#define ARGUMENT_ENUM(name, text) ARGUMENT_##name,
enum argument { ARGUMENT_NONE, ARGUMENTS(ARGUMENT_ENUM) ARGUMENT_COUNT };
#undef ARGUMENT_ENUM

/* Texts of arguments: the kinds of memory, "events", then names. */
enum { TEXT_MEMORY = 1, TEXT_EVENTS = TEXT_MEMORY + MEMORY_KINDS, TEXT_NAMES };

/* Where a name is interned. */
enum { DEFINED_EVENT = 1, DEFINED_TEXT = 2 };

/* What a number is of, so that no two are the same. */
enum unique {
	UNIQUE_PROCESS,
	UNIQUE_DEVICE,
	UNIQUE_COPIED, /* a device's counter of bytes in flight */
	UNIQUE_FLOW,
	UNIQUE_TRACK,
	UNIQUE_HELD /* a device's counter of memory held */
};

struct perfetto {
	const struct session *session;
	FILE *file;
	const char *clocks; /* trace_clocks() */
	struct protobuf packet;
	uint32_t name_count; /* names that have a number */
	/* The process whose records are written: perfetto_process(). */
	const struct job_process *owner;
	uint32_t process;
	uint64_t unique; /* what all its numbers are made of */
	uint32_t sequence, pid;
	uint64_t devices, copied, held; /* bit for each that was described */
};

uint64_t perfetto_unique(const struct perfetto *perfetto, enum unique what, uint64_t of);
uint64_t perfetto_track_uuid(const struct perfetto *perfetto, const struct track *track);

/* What follows returns 0, -ENOMEM or -EIO where it returns an error. */

/* The records that follow are this process's, counted as trace_order_process() does. */
int perfetto_process(struct perfetto *perfetto, const struct job_process *owner, uint32_t process);
/* Describes a track, before its first event. */
int perfetto_track(struct perfetto *perfetto, const struct track *track);
/* Writes a value of a device's counter, UNIQUE_COPIED or UNIQUE_HELD, which is described first if
 * it is not yet; `device` is one. */
int perfetto_counter(struct perfetto *perfetto, enum unique counter, int32_t device, uint64_t time,
		     uint64_t value);
/* Gives a name its number in one of the indexes, if it has it not yet. NULL is -ENOMEM. */
int perfetto_intern(struct perfetto *perfetto, struct trace_name *name, uint32_t index);

/* Begins an event on a track; the caller adds its fields, and ends both. */
size_t perfetto_event_begin(struct perfetto *perfetto, uint64_t time, uint64_t type, uint64_t uuid,
			    size_t *packet);
int perfetto_event_end(struct perfetto *perfetto, size_t event, size_t packet);

#endif
