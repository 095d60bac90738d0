/* SPDX-License-Identifier: MIT */
/*
 * What a profile holds beside rows: NVTX ranges and what was done inside of them, the memory that
 * the program held, and what hardware counters said. As for all of a session: one thread at a time
 * writes, and reading while it is written is safe.
 */
#ifndef KTIME_REPORT_SESSION_ITEMS_H
#define KTIME_REPORT_SESSION_ITEMS_H

#include "report/session/session.h"

/* How an NVTX range is opened and closed: by push and pop, on one thread, or by start and end. */
enum range_style { RANGE_PUSH_POP, RANGE_START_END };

/*
 * An NVTX range by its path: one for each way into it on each thread, and its times on the host. A
 * start/end range belongs to no thread.
 */
#define RANGE_FIGURES(X)                                                                           \
	X(nvtx_range, U32, open, COUNT, SUM, LATER,                                                \
	  "of its calls: were open when the run ended, and last until then")                       \
	X(nvtx_range, U64, calls, COUNT, SUM, SUBTRACT, "how often it was entered")                \
	X(nvtx_range, U64, total, NS, SUM, SUBTRACT, "time in it on the host")                     \
	X(nvtx_range, U64, minimum, NS, LEAST, LATER, "of the shortest",                           \
	  IF_KNOWN(nvtx_range, MINIMUM))                                                           \
	X(nvtx_range, U64, maximum, NS, MOST, LATER, "of the longest")

struct nvtx_range {
	uint32_t committed;    /* set last, with release order */
	uint32_t style;	       /* enum range_style */
	uint64_t parent;       /* offset of the range that it is in; 0: none */
	uint64_t name, domain; /* offsets of strings; the default domain's is empty */
	uint32_t thread; /* the low half of pthread_self(); 0: threads beyond those told apart */
	RANGE_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
} __attribute__((aligned(64)));

/* What a row's calls were inside a range, those of ranges inside of that one not among them. */
#define PART_FIGURES(X)                                                                            \
	X(nvtx_part, REAL, calls, COUNT, SUM, SUBTRACT,                                            \
	  "timed; if the times are sampled, how many those stand for")                             \
	X(nvtx_part, REAL, event_calls, COUNT, OWN, SUBTRACT,                                      \
	  "of these, timed by event pairs, whose overhead is taken off at the end", SHOWN_NEVER)   \
	X(nvtx_part, REAL, untimed, COUNT, SUM, SUBTRACT,                                          \
	  "further calls, of which no record tells the time", SHOWN_ABOVE_0)                       \
	X(nvtx_part, U64, total, NS, SUM, SUBTRACT, "time of the calls")                           \
	X(nvtx_part, U64, minimum, NS, LEAST, LATER, "of the shortest",                            \
	  IF_KNOWN(nvtx_part, MINIMUM))                                                            \
	X(nvtx_part, U64, maximum, NS, MOST, LATER, "of the longest")                              \
	X(nvtx_part, U32, estimated, COUNT, ANY, LATER, "1: a timed call stood for others",        \
	  SHOWN_NEVER)                                                                             \
	X(nvtx_part, REAL, variance, NS_SQUARED, SUM, LATER,                                       \
	  "of graphs' nodes recorded in windows: square of half the interval of total",            \
	  SHOWN_NEVER)

struct nvtx_part {
	uint32_t committed;
	uint32_t known; /* enum figure_known */
	uint64_t range; /* offset of struct nvtx_range */
	uint64_t row;	/* offset of struct row */
	PART_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/* Adds a part of a row, without figures; NULL if there is no room. For the writer. */
struct nvtx_part *session_add_nvtx_part(struct session *session, const struct nvtx_range *range,
					const struct row *row);

/* The item at an offset; NULL if none is there. */
const struct nvtx_range *session_nvtx_range_at(const struct session *session, uint64_t offset);
const struct row *session_row_at(const struct session *session, uint64_t offset);
#define session_for_each_nvtx_range(session, range)                                                \
	session_for_each_item (session, SEGMENT_RANGES, range)
#define session_for_each_nvtx_part(session, part)                                                  \
	session_for_each_item (session, SEGMENT_RANGE_PARTS, part)

/* How memory is allocated: X(name, in JSON and CSV, in words). */
#define ALLOCATION_KINDS(X)                                                                        \
	X(DEVICE, "device", "device memory")                                                       \
	X(VIRTUAL, "virtual", "virtual memory")                                                    \
	X(POOL, "pool", "memory of pools")                                                         \
	X(ARRAY, "array", "arrays")                                                                \
	X(MANAGED, "managed", "managed memory")                                                    \
	X(PINNED, "pinned", "pinned host memory")                                                  \
	X(REGISTERED, "registered", "registered host memory")                                      \
	X(TOTAL, "total", "all on the device, without managed memory")

#define ALLOCATION_ENUM(name, key, text) ALLOCATION_##name,
enum allocation_kind { ALLOCATION_KINDS(ALLOCATION_ENUM) ALLOCATION_KIND_COUNT };
#undef ALLOCATION_ENUM

/* Whether memory of a kind lies on a device for good, and so is in the device's total. */
static inline bool allocation_is_on_device(uint32_t kind)
{
	return kind <= ALLOCATION_ARRAY;
}

/* "device", "pool", …: as in JSON and CSV; and in words. */
extern const char *const allocation_keys[ALLOCATION_KIND_COUNT],
	*const allocation_texts[ALLOCATION_KIND_COUNT];

/* The memory of a kind on a device, in bytes that the program asked for. What is held, and the
 * peaks, are those of the run; peak_time is CLOCK_REALTIME. */
#define MEMORY_FIGURES(X)                                                                          \
	X(memory_use, U64, held, BYTES, SUM, LATER, "held now")                                    \
	X(memory_use, U64, held_count, COUNT, SUM, LATER, "allocations held now")                  \
	X(memory_use, U64, peak, BYTES, OWN, LATER, "the most at once")                            \
	X(memory_use, U64, peak_time, NS, OWN, LATER, "since when")                                \
	X(memory_use, U64, allocations, COUNT, SUM, SUBTRACT, "allocations so far")                \
	X(memory_use, U64, allocated, BYTES, SUM, SUBTRACT, "their bytes")                         \
	X(memory_use, U64, frees, COUNT, SUM, SUBTRACT, "frees so far")

struct memory_use {
	uint32_t committed; /* set last, with release order */
	uint32_t kind;	    /* enum allocation_kind */
	int32_t device;	    /* -1: the host */
	uint32_t reserved;
	MEMORY_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/*
 * Allocations of one kind, device, size and origin. What they were at a peak is said of the peak of
 * the device's total or, if their kind is not in it, of the kind's.
 */
#define SITE_FIGURES(X)                                                                            \
	X(memory_site, U64, held, BYTES, SUM, LATER, "held now")                                   \
	X(memory_site, U64, held_count, COUNT, SUM, LATER, "allocations held now")                 \
	X(memory_site, U64, at_peak, BYTES, SUM, LATER, "held at the peak")                        \
	X(memory_site, U64, at_peak_count, COUNT, SUM, LATER, "allocations held at the peak")      \
	X(memory_site, U64, allocations, COUNT, SUM, SUBTRACT, "allocations so far")               \
	X(memory_site, U64, allocated, BYTES, SUM, SUBTRACT, "their bytes")

struct memory_site {
	uint32_t committed;
	uint32_t kind;
	int32_t device;
	uint32_t thread; /* from gettid(); 0: several */
	uint64_t size;	 /* bytes of each; 0: several sizes */
	/* Offsets of strings, each empty where there is none or several: the NVTX range, with those
	 * around it, and the operation that the thread had launched before. */
	uint64_t range, operation;
	SITE_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

#define session_for_each_memory_use(session, use)                                                  \
	session_for_each_item (session, SEGMENT_MEMORY, use)
#define session_for_each_memory_site(session, site)                                                \
	session_for_each_item (session, SEGMENT_MEMORY_SITES, site)

/*
 * A device's energy and SM clock over time: steps of one length, which doubles when the run is
 * longer than all of them. The thread that reads NVML writes them. Nanoseconds.
 */
#define ENERGY_STEPS 128

struct energy_step {
	double joules;
	uint64_t covered; /* time of the step whose energy is known */
	uint64_t sm_mhz;  /* sum over the samples */
	uint32_t samples;
	uint32_t reserved;
};

struct energy_curve {
	uint32_t committed; /* set last, with release order */
	int32_t device;
	uint64_t begin;	 /* of the first step, on the clock of the readings */
	uint64_t length; /* of a step; 0: nothing was read yet */
	struct energy_step steps[ENERGY_STEPS];
} __attribute__((aligned(64)));

/* One metric of one row. The count is stored last. */
#define METRIC_FIGURES(X)                                                                          \
	X(metric_values, U64, count, COUNT, SUM, LATER, "values")                                  \
	X(metric_values, REAL, minimum, COUNT, LEAST, LATER, "the least of them",                  \
	  IF_KNOWN(metric_values, MINIMUM))                                                        \
	X(metric_values, REAL, maximum, COUNT, MOST, LATER, "the most",                            \
	  IF_KNOWN(metric_values, MAXIMUM))                                                        \
	X(metric_values, REAL, total, COUNT, SUM, LATER, "their sum")

struct metric_values {
	uint32_t committed; /* set last, with release order */
	uint32_t unit;	    /* enum metric_unit (report/options/metrics.h) */
	uint64_t row;	    /* offset of struct row */
	uint64_t name;	    /* offsets of strings; a counter's own name has no description */
	uint64_t description;
	METRIC_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
} __attribute__((aligned(64)));

/* Adds a metric of a row, without values; NULL if there is no room. For the writer. */
struct metric_values *session_add_metric(struct session *session, const struct row *row,
					 const char *name, const char *description, uint32_t unit);

#define session_for_each_metric(session, metric)                                                   \
	session_for_each_item (session, SEGMENT_METRICS, metric)

#endif
