/* SPDX-License-Identifier: MIT */
/*
 * The report of a session: what nvprof prints, and after it what ktime knows beyond that.
 *
 * These run inside the program as well as in the ktime command. They write to the given stream
 * alone and select the "C" locale for the calling thread while they run. One thread at a time.
 */
#ifndef KTIME_REPORT_PRINT_REPORT_H
#define KTIME_REPORT_PRINT_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/findings/findings.h"
#include "report/options/log_file.h"
#include "report/options/options.h"
#include "report/print/filter.h"
#include "report/ranges/range_tree.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/*
 * The line with which a live run begins, and one for each option that has no effect. Nothing with
 * --quiet.
 */
void report_write_start(const struct options *options, pid_t pid, const char *command, FILE *file);
/*
 * The report. A session of this very process, or of the one that the ktime command started, is
 * headed "==PID==", another one "========".
 * 0, or -errno: memory is out, or the stream could not be written.
 */
int report_write(struct session *session, const struct options *options, FILE *file);
/*
 * The report of a process in its log file, after the first lines where these are not there yet; or
 * all of it on stderr, with a line that says why, where the log file cannot be written. 0 where it
 * was written in full, else -errno with a message.
 */
int report_deliver(struct session *session, const struct options *options,
		   const struct log_file *log, bool started, char *message, size_t size);

/* What its parts have in common; they write their sheets with report_sheet(). */
struct report {
	const struct session *session;
	const struct options *options;
	const char *prefix; /* "==PID== " or "======== " */
	FILE *file;
	struct filter filter; /* which rows are shown, and under which names */
};

int summary_write(const struct report *report, bool gpu, bool api, int device);
/* The table of hardware counters; nothing if none were read. */
int metrics_write(struct report *report);
int trace_write(struct report *report, bool gpu, bool api);
/*
 * The reports cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum of
 * `nsys stats`, in nsys's order. The median of sizes is empty without a record of every call,
 * unless all are equal. Rows without times have only their calls and bytes.
 */
int nsys_format_write(struct report *report);

struct table;
/* The NVTX ranges of a report, with the GPU time of what was launched in them. */
struct ranges {
	struct filter *filter;
	struct range_tree tree;
	size_t *order;	   /* of the tree's nodes, as they are printed */
	uint64_t gpu_time; /* of all operations, in ranges or not; ns */
};

/* `by_thread`: what several threads did in ranges of one name is told apart. 0 or -errno; free it
 * with ranges_free(). */
int ranges_collect(struct ranges *ranges, struct filter *filter, bool by_thread);
void ranges_free(struct ranges *ranges);
/* The table of GPU activities, each row's time without that in ranges. 0 or -ENOMEM; free it with
 * table_free() whatever it returns. */
int ranges_outside(const struct ranges *ranges, struct table *table);
/* The sheet of the tree. */
/* "name", "domain@name", as --nvtx-include takes them, or "name (start/end)"; the caller frees it.
 * NULL if memory is out. */
char *range_full_name(const struct filter *filter, const struct nvtx_range *range);
void ranges_sheet(struct sheet *sheet, const struct ranges *ranges);
/* NVTX ranges; nothing if there are none. */
int ranges_write(struct report *report);
int histograms_write(const struct report *report);
/* How far the two clocks agree, row by row, over the calls that both timed: a table, and the lines
 * of the report. 0 or -ENOMEM. */
int cross_check_write(struct report *report);
int agreement_write(struct report *report);
/* On how many of the rows the clocks disagree. 0 or -ENOMEM. */
int agreement_count(struct report *report, size_t *disagreeing, size_t *rows);
/* Whether events alone timed operations of the GPU. */
bool rows_are_by_events(const struct session *session);
/* Whether times of operations that a report shows hold the event-pair overhead, as it has not been
 * measured: it is at the program's end. */
bool rows_include_overhead(const struct session *session);
/* Rates beside the device's peaks, of --bandwidth and what kernels were declared to do. */
int rates_write(struct report *report);
/*
 * The lines below the table. In brief: what to do first, how busy the devices were and why not, and
 * what is not as it should be, a line each. In full, as --verbose and a page have them; `use`: with
 * the lines of use_write(), of memory and of energy, which a page has sections of. 0 or -ENOMEM.
 */
int brief_write(struct report *report);
int closing_write(struct report *report, bool use);
/* Figures of rows that are shown by themselves, as lines or CSV; nothing where no row has one. */
void figures_write(struct report *report);
/* A figure of all rows together; 0 if it is not known. */
double figures_of_rows(const struct session *session, const struct figure *figure);

/* How busy the devices were and why they were idle, as the lines below the table and --idle have
 * it. */

/* Why it is not known how busy the devices were; NULL: it is, or nothing ran. */
const char *idle_unknown(const struct session *session);
/* What to run for exact times, and for busy and idle time, where a profile has none. */
const char *exact_times_by(const struct session *session);
/* A part of a device's time, such as that of a cause of idle time; times are nanoseconds. */
struct idle_sum {
	enum idle_cause cause;	     /* IDLE_CAUSE_COUNT: none */
	const char *text, *function; /* "launch latency", "cudaMalloc"; of IDLE_CALL, else "" */
	const char *class;	     /* of the style of a page, which has a colour for it */
	int device;
	uint32_t thread; /* 0: all */
	uint64_t gaps, total, longest;
	double error;		/* half of the total's 95 % interval; 0: it is exact */
	uint64_t before, after; /* offsets of the names around the longest */
};

#define BUSY_SHARE_SIZE 48

/* Room for every cause, and a function for each of the other rows. */
#define IDLE_SUMS	64

/* A device's causes, the largest first; those of `thread` alone unless it is 0. Functions that have
 * no room are summed up in the last one. Returns how many there are. */
unsigned idle_sums(const struct session *session, int device, uint32_t thread,
		   struct idle_sum sums[IDLE_SUMS]);
/* What a sheet of idle causes is filled from. */
struct idle_table {
	const struct session *session;
	const struct idle_sum *sums;
};
void idle_sheet(struct sheet *sheet, const struct idle_table *table, size_t count);
/* Fills the cells of a row of that sheet. The first cell is a page's heading of the row, such as
 * "launch latency". */
void idle_fill_row(const struct sheet *sheet, size_t index, struct cell *cells);
/* A kernel's name in short, by telling_name(), or the name as it is, without control characters.
 * The caller frees it; NULL if memory is out. */
char *idle_plain_name(const char *name);
/* Records were lost, or came too late to be counted: what they recorded seems idle. */
bool use_is_incomplete(const struct session_header *header, const struct device_use *use);
/* How busy the device was, in percent of its time: "63.1 %", "at least 63.1 %", or "~63.1 ± 0.4 %"
 * if that is an estimate. Returns the text. */
const char *busy_share(char text[BUSY_SHARE_SIZE], const struct session_header *header,
		       const struct device_use *use);
/* What the profile is of: "run", or "window". */
const char *run_word(const struct session *session);
/* How many devices worked. */
unsigned devices_used(const struct session *session);
/* "GPU 0: busy 63.1 % of 1.2 s (…).": a line, and one more where several contexts share it. */
void busy_write(const struct session *session, int device, const char *prefix, FILE *file);
/* Of a run of which the devices' time is a small part: how busy a device was in all of it, -1: of
 * several, and what the rest was, as far as that is known. "5.2 % of the whole run, 270 ms: 132 ms
 * before the first operation, 118 ms of it in cudaMalloc, and 50.6 ms after the last"; "" if not.
 */
#define USE_SHARE_SIZE 320
void use_share_text(const struct session *session, const struct options *options, int device,
		    char text[USE_SHARE_SIZE]);
/* A finding in one sentence, or two where ranges say what the host did, without a line's end. */
void finding_write(const struct session *session, const struct finding *finding, FILE *file);
/* What of a run, or where that is not known of the GPU's time, findings say could go; ns. */
struct savings {
	bool of_run;
	bool all_idle;			  /* `idle` is all idle time of the GPU */
	bool others;			  /* other findings could save more */
	uint64_t whole, idle, start, end; /* start and end: outside of the GPU's work */
};
/* False: it is not known, as there are several devices or estimates, or nothing could go. */
bool savings_find(const struct session *session, const struct finding *findings, unsigned count,
		  struct savings *savings);
/* As a sentence behind all findings. */
bool savings_write(const struct session *session, const struct finding *findings, unsigned count,
		   FILE *file);
/* How busy the devices were, and why not, in two lines each, and what the figures say about that.
 */
void use_write(const struct report *report);
/* The same in two lines: the first finding, and all devices with the largest causes of idle time.
 */
void use_write_brief(const struct report *report);
/* The table of --idle, as text or CSV. */
void idle_table_write(const struct report *report);

/* What to do next. */

struct table_row;
/* The row with most time, which comes first unless another order was asked for; NULL: none. */
const struct table_row *next_row(const struct table *table);
/* The largest cause of idle time of any device, and that device's time; a total of 0: none. */
struct idle_share {
	struct idle_sum sum;
	uint64_t whole;
};
struct idle_share idle_largest(const struct session *session, const struct options *options);
/* Where to begin if no rule found anything from the GPU's first operation to its last, or idle
 * times are not known: lines. `table`: of the GPU's rows. `found`: how many findings there are. */
void next_without_finding(const struct session *session, const struct options *options,
			  const struct table *table, unsigned found, FILE *file);
/* The kernel that is worth a look of its own, as the GPU is at work for most of the time; NULL:
 * there is none. */
const struct table_row *next_kernel(const struct session *session, const struct table *table);

/* What other commands tell, in the order in which they are named. */
enum next_step {
	NEXT_HOST,
	NEXT_KERNEL,
	NEXT_COUNTERS,
	NEXT_WHOLE,
	NEXT_TRACE,
	NEXT_TRACE_PAGE,
	NEXT_EXACT,
	NEXT_WINDOW,
	NEXT_ALL,
	NEXT_IDLE,
	NEXT_RANK,
	NEXT_PAGE,
	NEXT_STEPS
};
struct next {
	const struct session *session;
	const struct options *options;	/* whose profiles the commands name */
	const struct table *table;	/* of the GPU's rows */
	const struct table_row *kernel; /* by next_kernel() */
	bool host_work;			/* by findings_have_host_work() */
};
/* What a step tells, and its command, whole, which the caller frees; NULL: it tells nothing here.
 * 0 or -ENOMEM. */
int next_step_text(const struct next *next, enum next_step step, char **what, char **command);

/* What the program held of memory, in a line; nothing if it allocated none. */
void memory_line_write(const struct session *session, const char *prefix, FILE *file);
/* "2 of 120 allocations held at exit, 24 MB", of a program that has ended; false: none. */
#define MEMORY_HELD_SIZE 160
bool memory_held_text(const struct session *session, char text[MEMORY_HELD_SIZE]);
/* What it held by kind and device, and where that came from, the largest at the peak first. */
struct memory_tables {
	const struct session *session;
	const struct memory_use **uses;
	const struct memory_site **sites;
	size_t use_count, site_count;
};
/* 0 or -ENOMEM; free it with memory_free(). */
int memory_collect(struct memory_tables *tables, const struct session *session);
void memory_free(struct memory_tables *tables);
/* Leaves out a device's sum of all kinds where it has only one. */
void memory_leave_out_same(struct memory_tables *tables);
void memory_use_sheet(struct sheet *sheet, const struct memory_tables *tables);
void memory_sites_sheet(struct sheet *sheet, const struct memory_tables *tables);
/* The tables of --memory, as text or CSV; nothing if it allocated none. 0 or -ENOMEM. */
int memory_table_write(const struct report *report);
/* How many records a trace has kept; nothing without one. */
void trace_size_write(const struct session *session, const char *prefix, FILE *file);
/* Writes a sheet, as text or CSV. */
void report_sheet(const struct report *report, struct sheet *sheet);
/* Writes lines of text, those that are longer than `width` columns in several that break between
 * words, the first one's `indent` columns left blank in the others. */
void report_wrap(const char *text, size_t indent, size_t width, FILE *file);
/* Begins a line, or is all of one. */
void report_begin(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A warning among the lines below the tables, on a terminal in colour. */
void report_warn(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
