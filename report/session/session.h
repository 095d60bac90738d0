/* SPDX-License-Identifier: MIT */
/*
 * The session: everything a report is made of, in one mapped file.
 *
 * A session is a header and a sequence of segments (rows, histograms, names, trace records), each
 * added when it is needed. The writer is the collector thread alone; it stores with plain aligned
 * writes, so a reader in another process, or one that comes after the writer was killed, sees
 * figures that are at most one operation old. Nothing in the file is a pointer: references are
 * offsets from the start of the file (0 means none).
 *
 * Times are nanoseconds. Functions return 0 or -errno unless said otherwise. A session may be
 * written by one thread at a time; reading while it is written is safe.
 */
#ifndef KTIME_REPORT_SESSION_SESSION_H
#define KTIME_REPORT_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/session/figure.h"
#include "report/session/histogram.h"

#define SESSION_MAGIC	      0x656d69746bULL /* "ktime" */
/* Of what every version reads: the header up to `control`, the lines of its table, segments,
 * strings and the numbers of enumerations, which only get more at the end. Members come and go
 * without. */
#define SESSION_VERSION	      34
#define SESSION_OLDEST	      33 /* that is read */
#define SESSION_SEGMENT_ALIGN 65536
#define SESSION_DEVICES	      64
#define SESSION_NOTES	      64

/* Profiles hold the numbers. */
enum segment_kind {
	SEGMENT_STRINGS,
	SEGMENT_ROWS,
	SEGMENT_HISTOGRAMS,
	SEGMENT_TRACE,
	SEGMENT_IDLE,
	SEGMENT_RANGES,
	SEGMENT_RANGE_PARTS,
	SEGMENT_PROCESSES,
	SEGMENT_JOB_ROWS,
	SEGMENT_JOB_PARTS,
	SEGMENT_METRICS,
	SEGMENT_MEMORY,
	SEGMENT_MEMORY_SITES,
	SEGMENT_ENERGY,
	SEGMENT_KINDS
};

/* What a row stands for. The order is the order of the sections in a report. */
enum row_kind {
	ROW_KERNEL,	 /* name: the kernel's mangled name */
	ROW_MEMCPY,	 /* name: "[CUDA memcpy HtoD]" and its like */
	ROW_MEMSET,	 /* name: "[CUDA memset]" */
	ROW_GRAPH,	 /* name: "[CUDA graph NAME/ID]" */
	ROW_MOVEMENT,	 /* prefetch, discard, decompression, unified memory migration */
	ROW_OTHER,	 /* stream memory operations and what else takes a place in a stream */
	ROW_RUNTIME_API, /* host time of a runtime call */
	ROW_DRIVER_API,	 /* host time of a driver call that the program made itself */
	ROW_OVERHEAD,	 /* CUPTI's own overhead records */
	ROW_RANGE,	 /* trace records alone: an NVTX range; rows have struct nvtx_range */
	ROW_KINDS
};
/* The kind of a trace record that is neither: from `start` on `bytes` of the device's are held. */
#define TRACE_HELD 255u

static inline bool row_is_api(enum row_kind kind)
{
	return kind == ROW_RUNTIME_API || kind == ROW_DRIVER_API;
}

static inline bool row_is_gpu(enum row_kind kind)
{
	return kind <= ROW_OTHER;
}

/* Whether its operations copy, set or move memory. */
static inline bool row_is_memory(enum row_kind kind)
{
	return kind == ROW_MEMCPY || kind == ROW_MEMSET || kind == ROW_MOVEMENT;
}

/* Whether a row is of a collective of NCCL's; SendRecv is between two ranks, and is not. */
bool row_is_collective(enum row_kind kind, const char *name);

/* Why an operation has no time from events. One list for counting, storing and saying it. */
#define UNTIMED_REASONS(X)                                                                         \
	X(SAMPLED_OUT, "left out by sampling")                                                     \
	X(NO_EVENT, "no free event")                                                               \
	X(RING_FULL, "ring full")                                                                  \
	X(RECORD_FAILED, "event not recorded")                                                     \
	X(CONTEXT_LOST, "context destroyed or lost")                                               \
	X(NOT_FINISHED, "not finished at exit")                                                    \
	X(DEPENDENT, "programmatic dependent launch left whole")                                   \
	X(EVENTS_OFF, "events off")                                                                \
	X(FIRST_LAUNCH, "first launch of a kernel")                                                \
	X(GATE_FORCED, "gate opened too early")                                                    \
	X(METRICS, "counters read instead")

#define UNTIMED_ENUM(name, text) UNTIMED_##name,
enum untimed_reason { UNTIMED_REASONS(UNTIMED_ENUM) UNTIMED_COUNT };
#undef UNTIMED_ENUM
extern const char *const untimed_texts[UNTIMED_COUNT];

/* What a profile knows of a device, of its energy and clocks while the program ran, and of how
 * launches fill its multiprocessors. */

/* Why a device's clocks are not the highest: NVML's clocks event reasons, which were called
 * throttle reasons. That it is idle (CLOCK_IDLE) is no such reason. X(name, NVML's bit, in JSON, in
 * words) */
#define CLOCK_REASONS(X)                                                                           \
	X(APPLICATION, 0x02, "applications_clocks_setting", "applications clocks setting")         \
	X(POWER_CAP, 0x04, "software_power_cap", "software power cap")                             \
	X(HARDWARE, 0x08, "hardware_slowdown", "hardware slowdown")                                \
	X(SYNC_BOOST, 0x10, "sync_boost", "sync boost")                                            \
	X(THERMAL, 0x20, "software_thermal_slowdown", "software thermal slowdown")                 \
	X(HARDWARE_THERMAL, 0x40, "hardware_thermal_slowdown", "hardware thermal slowdown")        \
	X(POWER_BRAKE, 0x80, "hardware_power_brake", "hardware power brake")                       \
	X(DISPLAY, 0x100, "display_clock_setting", "display clock setting")
#define CLOCK_REASON_ENUM(name, bit, key, text) CLOCK_REASON_##name,
enum clock_reason { CLOCK_REASONS(CLOCK_REASON_ENUM) CLOCK_REASON_COUNT };
#undef CLOCK_REASON_ENUM
#define CLOCK_IDLE 0x01

/* What became of reading a device's energy and clocks. X(name, why nothing is known) */
#define ENERGY_STATES(X)                                                                           \
	X(NOT_ASKED, "--energy was not given")                                                     \
	X(NO_LIBRARY, "libnvidia-ml.so.1 was not found, or is too old")                            \
	X(NO_THREAD, "the thread that reads them could not be started")                            \
	X(NO_ANSWER, "NVML did not answer")                                                        \
	X(NO_START, "NVML could not be initialised")                                               \
	X(UNKNOWN_DEVICE, "NVML does not know the device")                                         \
	X(MIG, "it is divided by MIG, and NVML tells them of the whole GPU alone")                 \
	X(READ, "NVML tells neither energy nor power of it")
#define ENERGY_STATE_ENUM(name, text) ENERGY_##name,
enum energy_state { ENERGY_STATES(ENERGY_STATE_ENUM) ENERGY_STATE_COUNT };
#undef ENERGY_STATE_ENUM

/* Where the energy is from: nowhere, the device's own sum, or the power, read every so often. */
enum energy_source { ENERGY_FROM_NOTHING, ENERGY_FROM_COUNTER, ENERGY_FROM_POWER };

/* A clock over the samples in which the device was not idle; the least and most are the run's. */
#define CLOCK_RANGE_FIGURES(X)                                                                     \
	X(clock_range, U64, samples, COUNT, SUM, SUBTRACT,                                         \
	  "with this clock; 0: the others say nothing")                                            \
	X(clock_range, U64, sum, MHZ, SUM, SUBTRACT, "of the clock in them")                       \
	X(clock_range, U32, minimum, MHZ, LEAST, LATER, "the lowest",                              \
	  IF_KNOWN(clock_range, MINIMUM))                                                          \
	X(clock_range, U32, maximum, MHZ, MOST, LATER, "the highest")

struct clock_range {
	CLOCK_RANGE_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
};

/* What NVML said of a device while the program ran, whoever else used it. */
#define ENERGY_FIGURES(X)                                                                          \
	X(device_energy, U64, duration, NS, OWN, SUBTRACT,                                         \
	  "between the first and the last reading of the energy")                                  \
	X(device_energy, REAL, joules, JOULES, OWN, SUBTRACT, "in that time")                      \
	X(device_energy, U64, samples, COUNT, OWN, SUBTRACT, "of the clocks and of their reasons") \
	X(device_energy, U64, idle, COUNT, OWN, SUBTRACT, "of these, idle: in none of what follows")

struct device_energy {
	uint32_t state;	 /* enum energy_state */
	int32_t result;	 /* NVML's, where it refused; else 0 */
	uint32_t source; /* enum energy_source */
	uint32_t reserved0;
	ENERGY_FIGURES(FIGURE_MEMBER)
	struct clock_range sm, memory;
	uint64_t reasons[CLOCK_REASON_COUNT]; /* samples with the reason */
};

enum ecc_state { ECC_UNKNOWN, ECC_OFF, ECC_ON };

/* What is not known is 0. The peaks follow from it: report/devices/peaks.h. */
struct device_info {
	char name[64];
	uint8_t uuid[16];
	uint32_t used;		     /* 0: no operation ran there */
	uint32_t compute_capability; /* major * 10 + minor */
	uint64_t memory;	     /* bytes */

	/* By the driver or, where it says nothing, by NVML. */
	uint32_t multiprocessors;
	uint32_t clock_khz, memory_clock_khz; /* the highest */
	uint32_t bus_bits;		      /* width of the memory bus */
	uint32_t l2_bytes;
	uint32_t ecc;	     /* enum ecc_state */
	uint32_t integrated; /* 1: shares the host's memory */
	/* What a multiprocessor has room for. */
	uint32_t most_threads, most_blocks, most_registers, most_shared;
	uint32_t reserved_shared; /* bytes that the driver takes of each block's */

	/* By NVML. */
	uint32_t pcie_generation, pcie_lanes; /* the most that device and system can do */
	uint32_t nvlink_links;		      /* active ones, to other devices or a switch */
	uint32_t nvlink_mbps;		      /* 10^6 bytes/s of each, in one direction */
	uint32_t c2c_mbps; /* of all links to the host's processor, in one direction */
	uint32_t coherent; /* 1: the host's page tables are used, so that copies go by C2C */

	struct device_energy energy;
};

/* Launches of a kernel that take the same room on a multiprocessor. */
struct launch_shape {
	uint32_t threads;   /* of a block; 0: not in use */
	uint32_t registers; /* of a thread */
	uint32_t shared;    /* bytes of a block, static and dynamic */
	uint32_t reserved;
	uint64_t launches;
	uint64_t blocks; /* of all these launches */
};
#define ROW_SHAPES 4

/* One call: its size (bytes of a copy or memset, threads of a kernel) and its duration. */
struct sized_call {
	uint64_t size, ns;
};

/* One clock's figures over the calls it timed. A size of 0 is not known. */
#define CLOCK_FIGURES(X)                                                                           \
	X(figures, U64, count, COUNT, SUM, SUBTRACT, "calls timed")                                \
	X(figures, U64, total, NS, SUM, SUBTRACT, "their time")                                    \
	X(figures, U64, minimum, NS, LEAST, OWN, "of the shortest", IF_KNOWN(figures, MINIMUM))    \
	X(figures, U64, maximum, NS, MOST, OWN, "of the longest")                                  \
	X(figures, REAL, squares, NS_SQUARED, SUM, SUBTRACT, "sum of the squares")                 \
	X(figures, U64, size, SUM, SUM, SUBTRACT, "sum of the sizes")

struct figures {
	CLOCK_FIGURES(FIGURE_MEMBER)
	uint32_t known;	    /* enum figure_known */
	uint64_t histogram; /* offset of its struct histogram */
	/* The calls with the least and the most size per time; both 0: none has a size. */
	struct sized_call slowest, fastest;
};

/*
 * A part of a row's calls: a stretch of the run or, in rows of copies, a class of sizes. A call
 * that had the chance p to be timed has the weight w = 1 / p: it stands for that many calls.
 */
#define STRATUM_FIGURES(X)                                                                         \
	X(stratum, REAL, calls, COUNT, SUM, SUBTRACT, "all that there were")                       \
	X(stratum, REAL, drawn, COUNT, SUM, SUBTRACT, "of those that were to be timed, sum of w")  \
	X(stratum, REAL, weight, COUNT, SUM, SUBTRACT, "of those that were timed, sum of w")       \
	X(stratum, REAL, weight_squares, COUNT, SUM, SUBTRACT, "sum of w^2")                       \
	X(stratum, REAL, total, NS, SUM, SUBTRACT, "sum of w d, where d is a duration")            \
	X(stratum, REAL, squares, NS_SQUARED, SUM, SUBTRACT, "sum of w d^2")                       \
	X(stratum, U64, timed, COUNT, SUM, SUBTRACT, "those that were timed")

struct stratum {
	STRATUM_FIGURES(FIGURE_MEMBER)
};

/*
 * What the timed calls of a row say of all of them. Stretches are equally long, in calls; once they
 * are all in use, each two become one, so that the memory stays the same however long the run is.
 */
#define ESTIMATE_STRATA	 32
#define ESTIMATE_VERSION 1 /* of the structure and of what its members mean */
struct estimate {
	struct stratum strata[ESTIMATE_STRATA];
	double position;       /* calls that are in the strata */
	uint32_t shift;	       /* a stretch is 2^shift calls long */
	uint32_t by_size;      /* 1: a stratum is a class of sizes */
	double fraction;       /* of a call that the histogram of the weighted durations lacks */
	double standard_error; /* ns: of the event-pair overhead that was taken off each call */
	/* Sum of w^2 (w - 1) e^3 over the timed calls; e is how much longer than those before it in
	 * its stratum each was. */
	double cubes;
};

/*
 * Figures of a row. Pairs are event pairs; graph nodes that were not recorded, time of all
 * operations and half of its 95 % interval are where CUPTI records in windows.
 */
#define ROW_FIGURES(X)                                                                             \
	X(row, U64, calls, COUNT, SUM, SUBTRACT, "operations that the hooks saw succeed",          \
	  SHOWN_ALWAYS, "seen_by_hooks")                                                           \
	X(row, U64, calls_outside, COUNT, SUM, SUBTRACT,                                           \
	  "those outside the profiling window, which are in nothing else", SHOWN_ABOVE_0)          \
	X(row, U32, more_calls, COUNT, ANY, LATER, "1: no calls were counted from some moment on", \
	  SHOWN_TRUE)                                                                              \
	X(row, U32, overhead, COUNT, LATER, LATER,                                                 \
	  "enum overhead_kind: what is taken off the events", SHOWN_NEVER)                         \
	X(row, U64, failed, COUNT, SUM, SUBTRACT, "calls that returned an error")                  \
	X(row, U32, nodes, COUNT, LATER, LATER, "graphs: how many nodes", SHOWN_ABOVE_0)           \
	X(row, TEXT, kernels_listed, COUNT, OWN, LATER, "graphs: the nodes' kernels",              \
	  SHOWN_ABOVE_0, "kernels")                                                                \
	X(row, U64, graph_records, COUNT, SUM, SUBTRACT,                                           \
	  "CUPTI's records that were nodes of a graph")                                            \
	X(row, U64, node_calls, COUNT, SUM, SUBTRACT, "nodes of graphs that ran", SHOWN_ABOVE_0)   \
	X(row, U64, node_calls_estimated, COUNT, SUM, SUBTRACT, "of these, estimated",             \
	  SHOWN_ABOVE_0)                                                                           \
	X(row, U64, host_included, COUNT, SUM, SUBTRACT,                                           \
	  "calls whose event pair holds host work: pageable, synchronous")                         \
	X(row, U64, gated, COUNT, SUM, SUBTRACT, "pairs behind a gate", SHOWN_NEVER)               \
	X(row, U64, may_wait, COUNT, SUM, SUBTRACT, "pairs that may hold a wait")                  \
	X(row, U64, beside, COUNT, SUM, SUBTRACT, "pairs beside other streams' calls",             \
	  SHOWN_ABOVE_0)                                                                           \
	X(row, U64, queued, COUNT, SUM, SUBTRACT,                                                  \
	  "pairs whose operation was queued behind work without a gated pair", SHOWN_ABOVE_0)      \
	X(row, REAL, windows_total, NS, OWN, OWN,                                                  \
	  "time of all operations, unless all or none were recorded", SHOWN_NEVER,                 \
	  IF_KNOWN(row, TOTAL))                                                                    \
	X(row, REAL, windows_error, NS, OWN, OWN, "half its 95 % interval", SHOWN_NEVER,           \
	  IF_KNOWN(row, ERROR))                                                                    \
	X(row, U64, bytes, BYTES, SUM, SUBTRACT, "of all calls", SHOWN_ALWAYS, "bytes.total")      \
	X(row, U64, bytes_minimum, BYTES, LEAST, LATER, "the least of a call", SHOWN_ALWAYS,       \
	  "bytes.minimum", IF_KNOWN(row, MINIMUM))                                                 \
	X(row, U64, bytes_maximum, BYTES, MOST, LATER, "the most of a call", SHOWN_ALWAYS,         \
	  "bytes.maximum")                                                                         \
	X(row, REAL, bytes_squares, BYTES, SUM, SUBTRACT, "sum of the squares", SHOWN_NEVER)       \
	X(row, U64, checked, COUNT, SUM, SUBTRACT, "calls timed by both clocks and matched",       \
	  SHOWN_ALWAYS, "check.calls")                                                             \
	X(row, U64, checked_cupti, NS, SUM, SUBTRACT, "their total by CUPTI", SHOWN_ALWAYS,        \
	  "check.cupti")                                                                           \
	X(row, U64, checked_events, NS, SUM, SUBTRACT,                                             \
	  "their total by event pairs, overhead taken off", SHOWN_ALWAYS, "check.events")          \
	X(row, U64, checked_raw, NS, SUM, SUBTRACT,                                                \
	  "their total by event pairs as they were read", SHOWN_ALWAYS, "check.events_as_read")    \
	X(row, U64, checked_overlapped, COUNT, SUM, SUBTRACT,                                      \
	  "of these, ran beside other work on the device", SHOWN_ALWAYS, "check.overlapped")       \
	X(row, U64, waited, COUNT, SUM, SUBTRACT,                                                  \
	  "timed by both, not compared: the pair holds more", SHOWN_ALWAYS, "check.waited")        \
	X(row, U64, unmatched, COUNT, SUM, SUBTRACT, "event pairs whose record was never found",   \
	  SHOWN_ALWAYS, "check.unmatched")                                                         \
	X(row, REAL, ranged, COUNT, MOST, LATER,                                                   \
	  "graphs: share of the nodes' time in the ranges they were made in", SHOWN_ABOVE_0)

#define ROW_FIGURE_ONE(...) +1
enum { ROW_FIGURE_COUNT = ROW_FIGURES(ROW_FIGURE_ONE) };

/* One line of the table; aligned, so that a row never shares a cache line with another. */
struct row {
	uint32_t committed; /* set last, with release order, when the key is in place */
	uint32_t kind;	    /* enum row_kind */
	uint64_t name;	    /* offset of a NUL-terminated string */
	int32_t device;	    /* device ordinal; -1 where a row belongs to none */
	uint32_t summed;    /* 1: of several processes; their estimates are in windows_total */
	uint32_t known;	    /* enum figure_known */
	ROW_FIGURES(FIGURE_MEMBER)
	uint64_t untimed[UNTIMED_COUNT]; /* by the event clock; figures of the row too */

	struct figures cupti;	  /* activity records; for API rows: the host time */
	struct figures events;	  /* event pairs; their overhead is taken off at the end */
	struct estimate estimate; /* from these */
	/* Median of |events - cupti| over the checked calls. */
	uint64_t difference_histogram;
	/* Kernels, by CUPTI: the first shapes launched; other launches are in `calls` alone. */
	struct launch_shape shapes[ROW_SHAPES];
} __attribute__((aligned(64)));

/* One operation, kept only while a trace is asked for. */
struct trace_record {
	uint64_t start, end; /* one clock for all records of a session */
	uint64_t name;	     /* as in struct row */
	uint64_t bytes;
	int32_t device;
	uint32_t kind; /* enum row_kind */
	uint32_t context, stream, correlation;
	uint32_t thread; /* API records: kernel thread id */
	uint32_t grid[3], block[3];
	uint32_t registers, static_shared, dynamic_shared;
	uint8_t source_kind, destination_kind; /* enum memory_kind */
	uint8_t clock;			       /* enum clock_source */
	uint8_t overhead; /* 1 + enum overhead_kind of what `end` still holds; 0: nothing */
	uint32_t result;  /* API records: what the call returned; ranges: enum range_style */
	uint32_t graph, graph_node;
	/* Launches' API records: the kernel's name; ranges: the domain's; nodes of graphs: the
	 * range that they were made in, as a text. */
	uint64_t kernel;
};

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_PAGEABLE,
	MEMORY_PINNED,
	MEMORY_DEVICE,
	MEMORY_ARRAY,
	MEMORY_MANAGED,
	MEMORY_KINDS
};
/* "pageable", "pinned", … ; never NULL */
const char *memory_kind_name(enum memory_kind kind);

enum clock_source { CLOCK_NONE, CLOCK_CUPTI, CLOCK_EVENTS };
enum timer_mode { TIMER_AUTO, TIMER_CUPTI, TIMER_EVENTS, TIMER_BOTH };

/* Figures of the run: X(name, unit, merge, difference, text), as in report/session/figure.h. A
 * trace is in a profile whole. */
#define SESSION_COUNTERS(X)                                                                        \
	X(operations, COUNT, SUM, SUBTRACT, "operations launched")                                 \
	X(operations_outside, COUNT, SUM, SUBTRACT,                                                \
	  "operations launched outside the profiling window")                                      \
	X(failed_calls, COUNT, SUM, SUBTRACT, "calls that failed")                                 \
	X(event_pairs, COUNT, SUM, SUBTRACT, "event pairs injected")                               \
	X(timed_by_events, COUNT, SUM, SUBTRACT, "operations timed by events")                     \
	X(gated_pairs, COUNT, SUM, SUBTRACT, "event pairs behind a gate")                          \
	X(gates_forced, COUNT, SUM, SUBTRACT, "gates opened because a call took too long")         \
	X(cupti_records, COUNT, SUM, SUBTRACT, "activity records of GPU operations")               \
	X(cupti_dropped, COUNT, SUM, SUBTRACT, "activity records dropped by CUPTI")                \
	X(cupti_unread, COUNT, SUM, SUBTRACT, "activity records not read in time")                 \
	X(cupti_invalid, COUNT, SUM, SUBTRACT, "activity records without valid times")             \
	X(cupti_unknown, COUNT, SUM, SUBTRACT, "activity records of unknown kinds")                \
	X(matched, COUNT, SUM, SUBTRACT, "operations timed by both clocks")                        \
	X(unmatched_pairs, COUNT, SUM, SUBTRACT, "event pairs without an activity record")         \
	X(unmatched_records, COUNT, SUM, SUBTRACT,                                                 \
	  "activity records without a call seen by the hooks")                                     \
	X(graph_nodes, COUNT, SUM, SUBTRACT, "graph nodes recorded by CUPTI")                      \
	X(graph_node_calls, COUNT, SUM, SUBTRACT,                                                  \
	  "graph nodes launched, where they are recorded in windows")                              \
	X(windows, COUNT, SUM, SUBTRACT, "windows in which CUPTI recorded")                        \
	X(windows_ns, NS, SUM, SUBTRACT, "time that these windows were open, ns")                  \
	X(captured_calls, COUNT, SUM, SUBTRACT, "calls recorded into graphs")                      \
	X(events_created, COUNT, SUM, LATER, "events created")                                     \
	X(driver_errors, COUNT, SUM, SUBTRACT, "errors met by ktime's own driver calls")           \
	X(cupti_errors, COUNT, SUM, SUBTRACT, "errors met by ktime's own CUPTI calls")             \
	X(threads, COUNT, SUM, LATER, "threads of the program's that made the GPU work")           \
	X(host_ns, NS, SUM, SUBTRACT, "host time spent in ktime on the program's threads, ns")     \
	X(collector_ns, NS, SUM, SUBTRACT, "processor time of ktime's own thread, ns")             \
	X(energy_ns, NS, SUM, SUBTRACT, "processor time of reading energy and clocks, ns")         \
	X(cupti_ns, NS, SUM, SUBTRACT, "host time that CUPTI is known to add, ns")                 \
	X(gpu_ns, NS, SUM, SUBTRACT, "GPU time that CUPTI and events are known to add, ns")        \
	X(cupti_late_ns, NS, SUM, SUBTRACT, "time before CUPTI was started, ns")                   \
	X(cupti_standing_ns, NS, SUM, SUBTRACT,                                                    \
	  "time that CUPTI is known to add where it does not record, ns")                          \
	X(cupti_added_ns, NS, SUM, SUBTRACT, "time that CUPTI is known to add to the run, ns")     \
	X(added_ns, NS, SUM, SUBTRACT,                                                             \
	  "time that ktime is known to add to the run, CUPTI included, ns")                        \
	X(wall_ns, NS, SUM, SUBTRACT, "wall time since the start of CUDA, ns")                     \
	X(memory_bytes, BYTES, SUM, LATER, "peak memory added by ktime, bytes")                    \
	X(trace_records, COUNT, OWN, LATER, "trace records written")                               \
	X(trace_lost, COUNT, SUM, LATER, "trace records that did not fit")                         \
	X(rows_lost, COUNT, SUM, SUBTRACT, "operations dropped: the row table is full")            \
	X(ranges, COUNT, SUM, SUBTRACT, "NVTX ranges that ended")                                  \
	X(ranges_lost, COUNT, SUM, SUBTRACT,                                                       \
	  "NVTX ranges, or operations in them, that did not fit")                                  \
	X(ranges_unbalanced, COUNT, SUM, SUBTRACT, "NVTX ranges ended that were not begun")        \
	X(metric_launches, COUNT, SUM, SUBTRACT, "launches whose counters were read")              \
	X(metric_ns, NS, SUM, SUBTRACT, "time that reading them took, ns")                         \
	X(memory_untracked, COUNT, SUM, SUBTRACT, "allocations not followed: too many at a time")  \
	X(memory_unknown_frees, COUNT, SUM, SUBTRACT,                                              \
	  "frees of memory whose allocation was not seen")                                         \
	X(memory_captured, COUNT, SUM, SUBTRACT, "allocations recorded into graphs, not followed") \
	X(memory_graphs, COUNT, SUM, SUBTRACT, "allocations by launches of graphs, not followed")

#define SESSION_COUNTER_ENUM(name, unit, merge, difference, text) COUNTER_##name,
enum session_counter { SESSION_COUNTERS(SESSION_COUNTER_ENUM) COUNTER_COUNT };
#undef SESSION_COUNTER_ENUM

/* Of an event pair, ns, measured with `pairs` of ktime's own; 0 of them: it is not known. */
struct event_overhead {
	uint64_t ns, pairs, standard_error;
};
enum overhead_kind {
	OVERHEAD_KERNEL, /* what runs as a kernel: memsets, graphs, copies within a device too */
	OVERHEAD_COPY,	 /* what a copy engine or the front end of the device does */
	OVERHEAD_KINDS
};

/* What a device's time was: how much of it was busy, and why the rest was not. */

/* Why a device was idle before an operation. X(name, in JSON and CSV, in words) */
#define IDLE_CAUSES(X)                                                                             \
	X(PROGRAM, "program", "the program between CUDA calls")                                    \
	X(AFTER_WAIT, "program after waiting", "the program after a synchronizing call")           \
	X(CALL, "call", "a CUDA call")                                                             \
	X(FIRST_LAUNCH, "first launch", "first launch of a kernel")                                \
	X(LATENCY, "launch latency", "launch latency")                                             \
	X(DEPENDENCY, "dependency", "dependencies on the device")                                  \
	X(GRAPH, "graph", "inside graphs")                                                         \
	X(SHORT, "short", "gaps under 5 us")                                                       \
	X(UNRESOLVED, "unresolved", "cause unknown")

#define IDLE_CAUSE_ENUM(name, key, text) IDLE_##name,
enum idle_cause { IDLE_CAUSES(IDLE_CAUSE_ENUM) IDLE_CAUSE_COUNT };
#undef IDLE_CAUSE_ENUM
extern const char *const idle_cause_keys[IDLE_CAUSE_COUNT],
	*const idle_cause_texts[IDLE_CAUSE_COUNT];

/* A device's time by activity records, from `first`, the start of the first operation, to `last`,
 * the end of the last one. All 0 if there are none. Nanoseconds. */
#define USE_FIGURES(X)                                                                             \
	X(device_use, U64, first, NS, OWN, OWN, "when the first operation began")                  \
	X(device_use, U64, last, NS, OWN, OWN, "when the last one ended")                          \
	X(device_use, U64, excluded, NS, SUM, SUBTRACT, "of that, outside the profiling window")   \
	X(device_use, U64, busy, NS, SUM, SUBTRACT, "union of all operations")                     \
	X(device_use, U64, kernels, NS, SUM, SUBTRACT, "union of kernels and graphs",              \
	  SHOWN_ALWAYS, "busy_kernels")                                                            \
	X(device_use, U64, copies, NS, SUM, SUBTRACT, "union of copies and memsets", SHOWN_ALWAYS, \
	  "busy_copies")                                                                           \
	X(device_use, U64, late, NS, SUM, SUBTRACT, "of records that came too late to be counted") \
	X(device_use, REAL, error, NS, OWN, LATER,                                                 \
	  "half of the 95 % interval of `busy`, which is an estimate if it is above 0",            \
	  SHOWN_ABOVE_0)                                                                           \
	X(device_use, U32, contexts, COUNT, MOST, LATER,                                           \
	  "how many worked on it: 1, or 2 for several", SHOWN_NEVER)

struct device_use {
	USE_FIGURES(FIGURE_MEMBER)
};

/* Calls that a program may do better without: how many, and how long they took in all. */
#define TOTALS_FIGURES(X)                                                                          \
	X(call_totals, U64, pageable_calls, COUNT, SUM, SUBTRACT,                                  \
	  "asynchronous copies of pageable memory")                                                \
	X(call_totals, U64, pageable_ns, NS, SUM, SUBTRACT, "their time on the device")            \
	X(call_totals, U64, synchronous_calls, COUNT, SUM, SUBTRACT,                               \
	  "synchronous copies, and memsets that wait")                                             \
	X(call_totals, U64, synchronous_ns, NS, SUM, SUBTRACT, "their time on the host")           \
	X(call_totals, U64, waiting_calls, COUNT, SUM, SUBTRACT, "synchronizing calls")            \
	X(call_totals, U64, waiting_ns, NS, SUM, SUBTRACT, "their time on the host")               \
	X(call_totals, U64, memory_calls, COUNT, SUM, SUBTRACT,                                    \
	  "calls that allocate or free memory")                                                    \
	X(call_totals, U64, memory_ns, NS, SUM, SUBTRACT, "their time on the host")

struct call_totals {
	TOTALS_FIGURES(FIGURE_MEMBER)
};

/* A cause of idle time. */
#define IDLE_FIGURES(X)                                                                            \
	X(idle_row, U64, gaps, COUNT, SUM, SUBTRACT, "in which it had a part")                     \
	X(idle_row, U64, total, NS, SUM, SUBTRACT, "idle time")                                    \
	X(idle_row, REAL, error, NS, OWN, LATER,                                                   \
	  "half of its 95 % interval, if it is an estimate", SHOWN_ABOVE_0)                        \
	X(idle_row, U64, longest, NS, OWN, LATER, "the longest part")                              \
	X(idle_row, TEXT, longest_before, COUNT, OWN, LATER, "the operation before the longest",   \
	  SHOWN_ALWAYS, "before")                                                                  \
	X(idle_row, TEXT, longest_after, COUNT, OWN, LATER, "the one after it", SHOWN_ALWAYS,      \
	  "after")

struct idle_row {
	uint32_t committed; /* as in struct row */
	uint32_t cause;	    /* enum idle_cause */
	uint64_t name;	    /* IDLE_CALL: offset of the function's name; else 0 */
	int32_t device;
	uint32_t thread; /* whose operation ended the gap, from gettid(); 0: not known */
	IDLE_FIGURES(FIGURE_MEMBER)
};

/* Who wrote a profile: a process, and its place in a job of several; and what a profile that others
 * were merged into knows of each of these processes. */

/* The process that writes a profile: its number alone may be another process's by now. */
struct session_owner {
	char boot[40];	  /* boot id of the kernel, as text; "" where it is not known */
	uint64_t started; /* clock ticks since boot: proc_pid_stat(5), field 22; 0: not known */
	uint64_t pid_namespace; /* inode: containers share folders and not process numbers */
};

/* The process's place in its job, as the launcher tells it; -1: not known. */
struct process_rank {
	int32_t rank;
	int32_t local_rank; /* among those of the node */
	int32_t world_size; /* how many ranks the job has */
	uint32_t reserved0;
	char launcher[24]; /* "" if the process has no rank */
	char job[72];	   /* what tells the job from others; "" where the launcher does not */
};

/* A process whose profile was merged into this one; times are nanoseconds. */
struct job_process {
	uint32_t committed;
	int32_t pid;
	struct session_owner owner;
	struct process_rank rank;
	uint64_t hostname, command; /* offsets of strings */
	uint64_t start_realtime;
	uint64_t clock_offset;	/* of the clock that its records are on: as in the header */
	uint64_t clock_moved;	/* as in the header */
	uint64_t records_moved; /* by how much its records were, onto that clock */
	uint32_t finished;	/* 0: it was killed, or still ran */
	uint32_t timed;		/* 0: it counted its operations, and timed none */
	uint64_t operations;
	uint64_t gpu;		/* of its GPU operations, by the rows */
	uint64_t collectives;	/* of these, of collectives */
	uint64_t wall;		/* since the start of CUDA */
	uint64_t device_time;	/* its devices', from their first to their last operation */
	uint64_t busy;		/* of that */
	uint64_t trace_records; /* 0: none, or some are lost */
	uint64_t causes[IDLE_CAUSE_COUNT];
	/* Of its devices' memory, bytes: the most of one device's at once; of all, in the end. */
	uint64_t memory_peak, memory_held;
	uint8_t gpu_uuid[16]; /* of the one GPU that it used; zeros: of several, or not known */
} __attribute__((aligned(64)));

/* A process's GPU time outside collectives, which last as long as their slowest process. */
static inline uint64_t process_own_work(const struct job_process *process)
{
	return process->gpu > process->collectives ? process->gpu - process->collectives : 0;
}

/* What the rows of one name are in the processes: a process counts with the sum of its rows. */
#define JOB_ROW_FIGURES(X)                                                                         \
	X(job_row, U64, processes, COUNT, SUM, LATER, "that have it")                              \
	X(job_row, REAL, total, NS, SUM, LATER, "sum of the processes' times")                     \
	X(job_row, REAL, squares, NS_SQUARED, SUM, LATER, "sum of their squares")                  \
	X(job_row, U64, minimum, NS, LEAST, LATER, "the least of them",                            \
	  IF_KNOWN(job_row, MINIMUM))                                                              \
	X(job_row, U64, maximum, NS, OWN, LATER, "the most")                                       \
	X(job_row, U64, calls, COUNT, OWN, LATER, "of all of them; 0: not known")                  \
	X(job_row, U64, slowest_calls, COUNT, OWN, LATER, "of the one with most time")

struct job_row {
	uint32_t committed;
	uint32_t kind; /* enum row_kind */
	uint64_t name; /* offset of a string */
	JOB_ROW_FIGURES(FIGURE_MEMBER)
	uint64_t slowest; /* offset of the process with the maximum */
	uint32_t known;	  /* enum figure_known */
} __attribute__((aligned(64)));

/* What one process has of a collective's rows. */
#define JOB_PART_FIGURES(X)                                                                        \
	X(job_part, U64, calls, COUNT, OWN, LATER, "of the collective")                            \
	X(job_part, REAL, total, NS, OWN, LATER, "their time")                                     \
	X(job_part, REAL, error, NS, OWN, LATER, "half its 95 % interval",                         \
	  IF_KNOWN(job_part, ERROR))

struct job_part {
	uint32_t committed;
	uint32_t known;	       /* enum figure_known */
	uint64_t process, row; /* offsets */
	JOB_PART_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/* Of which part of a run the figures are, once they are final. */
enum run_part {
	RUN_WHOLE = 1, /* of all of it: the program ended in order */
	RUN_UNTIL,     /* until a moment, after which the program goes on: a snapshot */
	RUN_BETWEEN    /* between two moments: a window, or what came after a snapshot */
};

struct session_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t file_size;  /* bytes in use; segments lie between header_size and here */
	uint64_t layout_sum; /* layout_sum() of the table of this and all other structures */
	uint32_t layout, layout_lines; /* offset of the table; how many lines it has */
	uint32_t histogram_version, estimate_version;
	uint64_t control; /* offset of the page of report/control/control.h */

	/* From here on the table says what is where. */
	int32_t pid;
	uint32_t finished; /* once the figures are final: enum run_part */
	uint32_t reported; /* 1 once the whole report was written */
	uint32_t kept;	   /* 1 where the user asked for the file: it is never swept */
	struct session_owner owner;
	struct process_rank rank;
	uint64_t start_realtime;		 /* CLOCK_REALTIME at the start, ns */
	uint64_t trace_start;			 /* the zero of a trace's Start column */
	uint64_t clock_offset, clock_moved;	 /* realtime less monotonic; how far off later */
	uint64_t command, hostname;		 /* name offsets; the command line */
	uint32_t driver_version, cupti_version;	 /* as the driver and libcupti give them */
	uint32_t timer;				 /* enum timer_mode asked for */
	uint32_t cupti_active;			 /* 1 while activity records are collected */
	uint32_t events_active, events_fraction; /* 1/N of the calls; 0: by budget */
	double budget_percent;
	uint64_t counters[COUNTER_COUNT];
	uint64_t notes[SESSION_NOTES]; /* name offsets: lines for the report, in the order made */
	uint32_t note_count, trace_on; /* enum trace_state */
	uint32_t processes; /* whose profiles were merged into this one; 0: it is a process's own */
	uint32_t budget_given; /* 1: by the user */
	struct event_overhead overheads[OVERHEAD_KINDS];
	struct event_overhead queued; /* what a pair of OVERHEAD_KERNEL holds more if queued */
	struct device_info devices[SESSION_DEVICES];
	struct device_use uses[SESSION_DEVICES];
	struct call_totals totals;
};

struct session;

/* How session_create makes the file. */
enum {
	SESSION_TRACE = 1,   /* trace records follow: the descriptor is kept open */
	SESSION_KEPT = 2,    /* the user asked for the file */
	SESSION_REPLACES = 4 /* an existing file gives way, unless a process writes to it */
};
/*
 * Creates a session: in `path`, which only this user may read and write, or in memory alone where
 * path is NULL. Where the file cannot be had (-EEXIST, -EACCES, -ENOSPC …) nothing is created. The
 * descriptor is closed before this returns, unless SESSION_TRACE is set: programs close descriptors
 * that they do not know.
 */
int session_create(struct session **session, const char *path, unsigned flags);
/*
 * Opens a file for reading. -EINVAL: not a session file; -EPROTO: of a later layout;
 * -EPROTONOSUPPORT: of an earlier one; -ENODATA: its end is missing; -EBADMSG: its header or a
 * segment's was written over. session_open_file takes an open descriptor, which stays the caller's.
 * Where another version of ktime wrote it, its structures become those of this one.
 */
int session_open(struct session **session, const char *path);
int session_open_file(struct session **session, int fd);
/* Reads the header alone, whose references are those of the file; the caller frees it. */
int session_read_header(struct session_header **header, int fd);
/* In words, for a line that names the file. */
const char *session_error(int error);
/* Opens a file; 0, or -errno with a one-line message. -EBADMSG: or its rows were written over. */
int session_load(struct session **session, const char *path, char *message, size_t size);
/* Unmaps; the file stays. NULL is fine. Safe in a forked child. */
void session_close(struct session *session);

/*
 * For the handler of SIGBUS: another process cut a profile's file, and its mapping ends there.
 * Where the address lies in a session, memory of zeros takes the page's place and true is returned;
 * the access may then be made again. Safe in a handler.
 */
bool session_fault(const void *address);
/* Has it cover the addresses of a mapping, by their beginning, or no longer. */
void fault_cover(const void *base, size_t size);
void fault_uncover(const void *base);
/* Whether one of its pages was replaced. */
bool fault_happened(const void *base);
/* Whether a page of any mapping was. */
extern _Atomic bool faults_happened;
/* What comes from now on stays in memory: the program may soon open no file. Any thread. */
void session_leave_file(struct session *session);
/*
 * Before the report: where another process cut the file or wrote over its beginning, the header is
 * made whole and a note says that figures are missing.
 */
void session_check(struct session *session);
/* Whether all that was stored is in the session's file, and that is still in its place: 0, or the
 * -errno that tells why not. */
int session_kept(const struct session *session);

struct session_header *session_header(const struct session *session);
/* The addresses that a session in use lies in; not all of them are mapped. */
void session_range(const struct session *session, const void **start, size_t *size);
/* Writes an opened session as it is in memory, with what was changed there. False: see errno. */
bool session_save(const struct session *session, FILE *file);
/* The string at an offset; "" where there is none or the offset is bad. */
const char *session_string(const struct session *session, uint64_t offset);
/* A program's name by its command line: the last part of the first word, without quotes. */
void program_name(const char *command, char *name, size_t size);
struct histogram *session_histogram(const struct session *session, uint64_t offset);

/*
 * Writing. session_row finds or adds the row of a key through a hash index; it returns NULL where
 * no row can be had (the caller counts it). The pointer stays valid until session_close.
 */
struct row *session_row(struct session *session, enum row_kind kind, const char *name, int device);
/* Whether a row, or its name, is gone as another process cut the file: session_row() gives a new
 * one. session_row_lost() is asked for each call and each record, and it is almost never so. */
bool session_row_cut(const struct session *session, const struct row *row);
static inline bool session_row_lost(const struct session *session, const struct row *row)
{
	return faults_happened && session_row_cut(session, row);
}
/* Interns a string; 0 where it did not fit. The same text always gives the same offset. */
uint64_t session_intern(struct session *session, const char *text);
/* Adds a sample to a row's figures, giving them a histogram at the first one; in that it counts as
 * `calls` calls. */
void session_add_weighted(struct session *session, struct figures *figures, uint64_t nanoseconds,
			  uint32_t calls);
static inline void session_add_sample(struct session *session, struct figures *figures,
				      uint64_t nanoseconds)
{
	session_add_weighted(session, figures, nanoseconds, 1);
}
/* Adds one call's bytes to a row. */
void session_add_bytes(struct row *row, uint64_t bytes);
/* Adds those of several calls: their sum, the sum of their squares, the least and the most of a
 * call. */
void session_add_byte_sums(struct row *row, uint64_t bytes, double squares, uint64_t minimum,
			   uint64_t maximum);
/* Adds the size of a call whose duration was added. A size of 0 is not known. */
void session_add_size(struct figures *figures, uint64_t size, uint64_t nanoseconds);
/* Makes such a call the slowest or the fastest, if it is. */
void session_add_sized_call(struct figures *figures, const struct sized_call *call);
/* Adds launches of a shape to its row's. */
void session_add_shape(struct row *row, const struct launch_shape *added);
/* Adds a difference to row->difference_histogram. */
void session_add_difference(struct session *session, struct row *row, uint64_t nanoseconds);
/* Adds a printf-like line that the report prints once; the same text is added only once. */
void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Takes the overheads that the header holds off the rows' event figures. They are best known at the
 * end, and the same for all calls of a row, so until then the rows hold what the events said.
 * session_open does it to its own copy of a session that never came to its end.
 */
void session_subtract_overheads(struct session *session);
/*
 * ns that are to be taken off each of the row's event times: the overhead of its kind, and what
 * pairs of queued operations hold more, by how many of the row's pairs are such. Takes no lock and
 * allocates nothing.
 */
double row_overhead(const struct session_header *header, const struct row *row);
/* Takes it off a row, and off its histograms where it has any. Allocates nothing. */
void row_subtract_overhead(const struct session *session, struct row *row);
/* Its standard error, ns. */
double row_overhead_error(const struct session_header *header, const struct row *row);
/* Appends a trace record. -ENOSPC ends the trace for good: one note says so. */
int session_trace(struct session *session, const struct trace_record *record);

static inline void session_count(struct session *session, enum session_counter counter, uint64_t by)
{
	session_header(session)->counters[counter] += by;
}

/* Reading trace records, in the order of their creation unless older ones gave way; NULL past the
 * last. That of an opened session is valid until the next is asked for. */
const struct trace_record *session_next_trace(const struct session *session,
					      const struct trace_record *previous);
#define session_for_each_trace(session, record)                                                    \
	for (record = session_next_trace(session, NULL); record;                                   \
	     record = session_next_trace(session, record))

/* Reading items of all other kinds, in the order of their creation; NULL past the last. What is not
 * whole, or damaged, is left out. */
void *session_next_item(const struct session *session, enum segment_kind kind,
			const void *previous);
#define session_for_each_item(session, kind, item)                                                 \
	for (item = session_next_item(session, kind, NULL); item;                                  \
	     item = session_next_item(session, kind, item))
static inline struct row *session_next_row(const struct session *session,
					   const struct row *previous)
{
	return session_next_item(session, SEGMENT_ROWS, previous);
}
#define session_for_each_row(session, row) session_for_each_item (session, SEGMENT_ROWS, row)
/* Those of a kind as a list, which is the caller's; NULL if memory is out. */
void *session_items(const struct session *session, enum segment_kind kind, size_t *count);
/* Adds one, a copy; NULL if there is no room. Looks for no earlier one. For the writer. */
void *session_add_item(struct session *session, enum segment_kind kind, const void *item);

/* In nanoseconds: a device's time in the profiling window, from its first operation to its last;
 * its idle time, and the whole that it is a part of; how long it ran kernels and copies at once. */
uint64_t use_time(const struct device_use *use);
uint64_t idle_time(const struct device_use *use, uint64_t *whole);
uint64_t busy_with_both(const struct device_use *use);
/* The idle time of each cause; of no session none. */
void idle_totals(const struct session *session, int device, uint64_t totals[IDLE_CAUSE_COUNT]);

/* For qsort(3): less than 0 where `a` comes first, the smaller one; 0: the next criterion, after
 * `?:`, has to say. */
#define IN_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Raises a variable to a larger value, or lowers it to a smaller one. */
#define RAISE(variable, value)                                                                     \
	do                                                                                         \
		if ((value) > (variable))                                                          \
			(variable) = (value);                                                      \
	while (0)
#define LOWER(variable, value)                                                                     \
	do                                                                                         \
		if ((value) < (variable))                                                          \
			(variable) = (value);                                                      \
	while (0)

/* A binary search: the first `index` from `from` on for which `condition`, an expression of it,
 * does not hold; `to`: there is none. The condition must hold for all before that one, and for none
 * behind it. */
#define FIRST_NOT(index, from, to, condition)                                                      \
	({                                                                                         \
		__typeof__(0 + (to)) low_ = (from), high_ = (to), index;                           \
		while (low_ != high_) {                                                            \
			index = low_ + (high_ - low_) / 2;                                         \
			if (condition)                                                             \
				low_ = index + 1;                                                  \
			else                                                                       \
				high_ = index;                                                     \
		}                                                                                  \
		low_;                                                                              \
	})

static inline double time_percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* How a device's time was used since CUPTI was started. NULL: nothing was recorded on it (events
 * say how long an operation took and not when), or windows say too little of it. */
const struct device_use *session_use(const struct session *session, int device);
/* The next device after *device (-1: the first one) of which that is known, and that is one of
 * `devices`, a bit for each; NULL past the last. */
const struct device_use *session_next_use(const struct session *session, uint64_t devices,
					  int *device);
#define session_for_each_use(session, devices, device, use)                                        \
	for (int device = -1; (use = session_next_use(session, devices, &device));)
/* Whether it is known of the whole run: whatever ran was recorded, or of some device windows say
 * enough. */
bool session_knows_use(const struct session *session);
/* Whether it is known of the device that a cause is of. */
bool session_knows_cause(const struct session *session, const struct idle_row *row);
/* Whether windows tell it: not all that ran was recorded. */
bool session_estimates_use(const struct session *session);

/* Finds or adds a cause; NULL if there is no room for it. */
struct idle_row *session_idle_row(struct session *session, const struct idle_row *key);
/* Adds one gap's part. */
void session_add_idle(struct idle_row *row, uint64_t nanoseconds, uint64_t before, uint64_t after);
#define session_for_each_idle(session, row) session_for_each_item (session, SEGMENT_IDLE, row)

#define session_for_each_process(session, process)                                                 \
	session_for_each_item (session, SEGMENT_PROCESSES, process)
#define session_for_each_job_row(session, row)                                                     \
	session_for_each_item (session, SEGMENT_JOB_ROWS, row)
#define session_for_each_job_part(session, part)                                                   \
	session_for_each_item (session, SEGMENT_JOB_PARTS, part)
/* The process at an offset; NULL if none is there. */
const struct job_process *session_process_at(const struct session *session, uint64_t offset);
/*
 * How many bytes a trace may take, 128 KiB at least, and how long before the newest its records may
 * have ended, ns: the oldest part gives way. Before the first record; without, and UINT64_MAX: any.
 */
void session_limit_trace(struct session *session, uint64_t bytes, uint64_t nanoseconds);
enum trace_state {
	TRACE_NONE,
	TRACE_GROWS, /* records are kept */
	TRACE_STAYS  /* those of a window are there, and are being copied: no more are taken */
};
/* Takes the overheads off the trace's records, in an opened session as they are read, before the
 * first of them. session_subtract_overheads() does it unless they are being copied. */
void session_correct_trace(struct session *session);
/* Forgets the trace's records, and begins anew; `bytes` limit it, unless there was one before. */
void session_restart_trace(struct session *session, uint64_t bytes);
/* How often records of the trace gave way, by its limit or by session_restart_trace(). */
uint64_t session_trace_emptied(const struct session *session);
/*
 * Says which process the next trace records belong to, by its offset, and how many there are. A
 * segment of the trace holds records of one process.
 */
void session_trace_of(struct session *session, uint64_t process, uint64_t records);
/* Whose trace a record is of; NULL in a profile of one process. */
const struct job_process *session_trace_process(const struct session *session,
						const struct trace_record *record);

/* Trace records that lie one after the other, all of one process's, in the order they were added.
 * Their kinds are as the file has them: a damaged one may hold any number. */
struct trace_part {
	const struct trace_record *records; /* NULL: before the first part */
	size_t count;
	const struct job_process *process; /* as session_trace_process() has it */
};
/* Goes on to the next part that has records; false past the last, which leaves it as it is. */
bool session_next_trace_part(const struct session *session, struct trace_part *part);
/*
 * Gives the memory of a part's records back until they are held again: a trace may be longer than
 * memory. Does nothing where the records are not read from a file. Another process may write to the
 * file, so the part, which goes on being there, may then hold anything else.
 */
void session_release_trace_part(const struct session *session, const struct trace_part *part);
void session_hold_trace_part(const struct session *session, const struct trace_part *part);

#endif
