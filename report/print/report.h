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

#include "report/options/options.h"
#include "report/options/log_file.h"
#include "report/session/session.h"

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

/* The parts of it. `prefix` is "==PID== " or "======== ". */
int summary_write(const struct session *session, const struct options *options, bool gpu, bool api,
		  int device, FILE *file);
int trace_write(const struct session *session, const struct options *options, bool gpu, bool api,
		FILE *file);
/*
 * The reports cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum of
 * `nsys stats`, in nsys's order. The median of sizes is empty without a record of every call,
 * unless all are equal. Rows without times have only their calls and bytes.
 */
int nsys_format_write(struct session *session, const struct options *options, FILE *file);
/* NVTX ranges; nothing if there are none. */
int ranges_write(const struct session *session, const struct options *options, const char *prefix,
		 FILE *file);
int histograms_write(const struct session *session, const struct options *options, FILE *file);
int cross_check_write(const struct session *session, const struct options *options, FILE *file);
/* Rates beside the device's peaks, of --bandwidth and what kernels were declared to do. */
int rates_write(const struct session *session, const struct options *options, const char *prefix,
		FILE *file);
/* `use`: with the lines of use_write(). */
int closing_write(const struct session *session, const struct options *options, const char *prefix,
		  bool use, FILE *file);
/* Figures of rows that are shown by themselves, as lines or CSV; nothing where no row has one. */
int figures_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file);
/* A figure of all rows together; 0 if it is not known. */
double figures_of_rows(const struct session *session, const struct figure *figure);
/* How busy the devices were, and why not, in two lines each, and what the figures say about that.
 */
void use_write(const struct session *session, const struct options *options, const char *prefix,
	       FILE *file);
/* What the program held of memory, in a line; nothing if it allocated none. */
void memory_line_write(const struct session *session, const char *prefix, FILE *file);
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
struct sheet;
void memory_use_sheet(struct sheet *sheet, const struct memory_tables *tables);
void memory_sites_sheet(struct sheet *sheet, const struct memory_tables *tables);
/* The tables of --memory, as text or CSV; nothing if it allocated none. 0 or -ENOMEM. */
int memory_table_write(const struct session *session, const struct options *options, FILE *file);
/* How many records a trace has kept; nothing without one. */
void trace_size_write(const struct session *session, const char *prefix, FILE *file);
/* The table of --idle, as text or CSV. */
void idle_table_write(const struct session *session, const struct options *options, FILE *file);
/* A name in CSV: in quotes, a quote inside doubled. */
void csv_write_text(const char *text, FILE *file);

#endif
