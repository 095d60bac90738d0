/* SPDX-License-Identifier: MIT */
/* What a record has besides its name and its times: one table for all timelines. */
#ifndef KTIME_REPORT_EXPORT_ARGUMENTS_H
#define KTIME_REPORT_EXPORT_ARGUMENTS_H

#include "report/session/session.h"

/* Kinds of records, as bits. */
#define KERNELS	 (1 << ROW_KERNEL)
#define COPIES	 (1 << ROW_MEMCPY | 1 << ROW_MOVEMENT)
#define MEMSETS	 (1 << ROW_MEMSET)
#define WORK	 (KERNELS | COPIES | MEMSETS)
#define CALLS	 (1 << ROW_RUNTIME_API | 1 << ROW_DRIVER_API)
#define ANY_KIND ((1 << ROW_KINDS) - 1)
/*
 * X(name, text, kinds of records that have it, form, member), in the order in which they are
 * written. OTHER is a name besides the record's own, if there is one; RANGE the range that a
 * graph's node was made in.
 */
#define ARGUMENTS(X)                                                                               \
	X(CORRELATION, "correlation", ANY_KIND, ABOVE_0, correlation)                              \
	X(GRID, "grid", KERNELS, EXTENT, grid)                                                     \
	X(BLOCK, "block", KERNELS, EXTENT, block)                                                  \
	X(REGISTERS, "registers", KERNELS, NUMBER, registers)                                      \
	X(STATIC_SHARED, "static shared memory", KERNELS, NUMBER, static_shared)                   \
	X(DYNAMIC_SHARED, "dynamic shared memory", KERNELS, NUMBER, dynamic_shared)                \
	X(MANGLED, "mangled", KERNELS, OTHER, name)                                                \
	X(FROM, "from", COPIES, MEMORY, source_kind)                                               \
	X(TO, "to", COPIES, MEMORY, destination_kind)                                              \
	X(BYTES, "bytes", COPIES | MEMSETS, BYTES, bytes)                                          \
	X(RESULT, "result", CALLS, NUMBER, result)                                                 \
	X(KERNEL, "kernel", CALLS, OTHER, kernel)                                                  \
	X(DOMAIN, "domain", 1 << ROW_RANGE, OTHER, kernel)                                         \
	X(GRAPH, "graph", ANY_KIND, ABOVE_0, graph)                                                \
	X(GRAPH_NODE, "graph node", ANY_KIND, ABOVE_0, graph_node)                                 \
	X(CLOCK, "clock", ANY_KIND, CLOCK, clock)                                                  \
	X(RANGE, "range", WORK, RANGE, kernel)
#define ARGUMENT_ENUM(name, ...) ARGUMENT_##name,
enum argument_name { ARGUMENTS(ARGUMENT_ENUM) ARGUMENT_COUNT };
#undef ARGUMENT_ENUM
extern const char *const argument_names[ARGUMENT_COUNT];

/* Words that arguments have: the kinds of memory, then "events". */
enum { WORD_EVENTS = MEMORY_KINDS, WORD_COUNT };
const char *argument_word(unsigned word);

struct argument {
	enum argument_name name;
	enum {
		ARGUMENT_NUMBER,
		ARGUMENT_WORD,
		ARGUMENT_TEXT,
		ARGUMENT_OTHER,
		ARGUMENT_IN_RANGE
	} type;
	uint64_t number; /* or the word's */
	char text[36];
};
/* The arguments of a record. Returns how many there are. */
unsigned record_arguments(const struct trace_record *record, bool has_other,
			  struct argument arguments[ARGUMENT_COUNT]);

#endif
