/* SPDX-License-Identifier: MIT */
/*
 * A trace as a timeline, for the formats that have tracks, slices, arrows and counters: one walk
 * over the records, which calls the format's writer.
 */
#ifndef KTIME_REPORT_EXPORT_EXPORT_TIMELINE_H
#define KTIME_REPORT_EXPORT_EXPORT_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "report/export/export_trace.h"
#include "report/timeline/tracks.h"

/* What the walk tells the writer, which has it as the first member of its own. */
struct timeline {
	const struct session *session;
	FILE *file;
	uint64_t zero; /* when the trace begins, on the records' clock */
	/* In a merged profile: the process whose records come, and its number; else NULL and 0. */
	const struct job_process *owner;
	uint32_t process;
};

struct timeline_slice {
	const struct trace_record *record;
	const struct track *track;
	struct trace_name *name;
	struct trace_name *other; /* as trace_other_name() has it; NULL if there is none */
	struct launch *launch;	  /* of an operation: the call that started it, if it is known */
};

enum timeline_counter { COUNTER_COPIED, COUNTER_HELD, TIMELINE_COUNTERS };

/* Each returns 0 or -errno, which ends the walk; the last three may be NULL. */
struct timeline_writer {
	/* The records that follow are of another process. */
	int (*process)(struct timeline *timeline);
	/* Describes a device, or a track; called once for each of a process, before it is used. */
	int (*device)(struct timeline *timeline, int32_t device);
	int (*track)(struct timeline *timeline, const struct track *track);
	/* A slice, by its start. */
	int (*begin)(struct timeline *timeline, const struct timeline_slice *slice);
	/* What a device holds of memory, or moves in copies, from `time` on. */
	int (*counter)(struct timeline *timeline, enum timeline_counter counter, int32_t device,
		       uint64_t time, uint64_t bytes);
	/* The innermost slice of a track ends. */
	int (*end)(struct timeline *timeline, const struct track *track, uint64_t time);
	/* A start/end range, of a format that has them on no track. */
	int (*started)(struct timeline *timeline, const struct trace_record *record,
		       struct trace_name *name);
};

/* `timeline` is zeros, all but its file. 0 or -errno with a line in `message`. */
int timeline_walk(struct timeline *timeline, const struct timeline_writer *writer,
		  const struct session *session, const struct options *options, char *message,
		  size_t size);

#define TRACK_LABEL_SIZE 80
/* The name of a track; lanes of one stream have one. Returns the text. */
const char *timeline_track_label(const struct track *track, char label[TRACK_LABEL_SIZE]);

/* What a slice has besides its name and correlation id. */
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
enum argument_name { ARGUMENTS(ARGUMENT_ENUM) ARGUMENT_COUNT };
#undef ARGUMENT_ENUM
extern const char *const argument_names[ARGUMENT_COUNT];

/* Words that arguments have: the kinds of memory, then "events". */
enum { WORD_EVENTS = MEMORY_KINDS, WORD_COUNT };
const char *argument_word(unsigned word);

struct argument {
	enum argument_name name;
	enum { ARGUMENT_NUMBER, ARGUMENT_WORD, ARGUMENT_EXTENT, ARGUMENT_OTHER } type;
	uint64_t number; /* or the word's */
	const uint32_t *extent;
};
#define ARGUMENTS_MOST 12
/* The arguments of a slice, ARGUMENT_OTHER for its other name. Returns how many there are. */
unsigned timeline_arguments(const struct timeline_slice *slice,
			    struct argument arguments[ARGUMENTS_MOST]);

#endif
