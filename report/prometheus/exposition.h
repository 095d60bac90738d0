/* SPDX-License-Identifier: MIT */
/* Prometheus's text format 0.0.4: metrics with their series, labels and values. */
#ifndef KTIME_REPORT_PROMETHEUS_EXPOSITION_H
#define KTIME_REPORT_PROMETHEUS_EXPOSITION_H

#include <stddef.h>
#include <stdio.h>

#include "report/session/session.h"

/* X(name, type, help). The help texts are the same in all files, or a scrape of several fails. */
#define METRICS(X)                                                                                 \
	X(INFO, "ktime_info", "gauge",                                                             \
	  "1; the labels tell the versions of ktime, driver and CUPTI.")                           \
	X(RUN, "ktime_run_seconds_total", "counter",                                               \
	  "Time since the process's first use of CUDA.")                                           \
	X(KERNEL_SECONDS, "ktime_kernel_seconds_total", "counter", "GPU time of kernels.")         \
	X(KERNEL_CALLS, "ktime_kernel_calls_total", "counter", "Kernels that were launched.")      \
	X(DURATION, "ktime_kernel_duration_seconds", "histogram",                                  \
	  "Durations of the kernels that were timed.")                                             \
	X(COPY_SECONDS, "ktime_copy_seconds_total", "counter", "GPU time of copies and memsets.")  \
	X(COPY_CALLS, "ktime_copy_calls_total", "counter", "Copies and memsets that were made.")   \
	X(COPY_BYTES, "ktime_copy_bytes_total", "counter", "Bytes of copies and memsets.")         \
	X(BUSY, "ktime_gpu_busy_seconds_total", "counter",                                         \
	  "Time in which the process's work ran on the GPU.")                                      \
	X(IDLE, "ktime_gpu_idle_seconds_total", "counter",                                         \
	  "Time between the process's operations on the GPU, by cause.")                           \
	X(MEMORY, "ktime_memory_bytes", "gauge",                                                   \
	  "Memory that the program holds by its allocation calls, by kind.")                       \
	X(MEMORY_PEAK, "ktime_memory_peak_bytes", "gauge",                                         \
	  "The most that it held at once, by kind and of a device in all.")                        \
	X(ALLOCATIONS, "ktime_memory_allocations_total", "counter",                                \
	  "Allocations of memory, by kind.")                                                       \
	X(OPERATIONS, "ktime_operations_total", "counter", "GPU operations that were started.")    \
	X(UNTIMED, "ktime_operations_untimed", "gauge",                                            \
	  "Of these, operations without a time, by reason.")                                       \
	X(LOST, "ktime_records_lost_total", "counter",                                             \
	  "Activity records that were lost, by reason.")                                           \
	X(ADDED, "ktime_overhead_seconds_total", "counter",                                        \
	  "Time by which ktime makes the run longer, about.")                                      \
	X(BACKGROUND, "ktime_background_cpu_seconds_total", "counter",                             \
	  "Processor time of ktime's background thread.")                                          \
	X(OWN_MEMORY, "ktime_overhead_memory_bytes", "gauge", "Peak memory that ktime takes.")

#define METRIC_ENUM(name, text, type, help) METRIC_##name,
/* Behind them one for each figure of a row, by its place in the table. */
enum metric {
	METRICS(METRIC_ENUM) METRIC_FIGURES,
	METRIC_COUNT = METRIC_FIGURES + ROW_FIGURE_COUNT
};
#undef METRIC_ENUM

/* Bytes of a label's value, its end among them; what is longer is cut. Chosen. */
#define LABEL_MOST 256
/* A value as a label has it; zeros follow. */
void label_value(char *text, size_t size, const char *value);

/* Labels as they stand between the braces: room for seven of values that are all quotes. */
struct labels {
	char text[4096];
	size_t length;
};
/* Adds one; nothing if the value is empty. What does not fit is left out. */
void labels_add(struct labels *labels, const char *name, const char *value);
void labels_add_number(struct labels *labels, const char *name, long long value);

struct value_entry;
struct exposition {
	struct {
		char *text; /* its series so far */
		size_t length;
		FILE *file;
	} metrics[METRIC_COUNT];
	struct value_entry *values; /* what counters had when they were written last */
	unsigned number;	    /* how often all was written */
};
/* Adds a series of a metric, unless it was added already. A counter, or a part of a histogram, is
 * never written with less than before. 0 or -ENOMEM. */
int exposition_add(struct exposition *exposition, enum metric metric, const struct labels *labels,
		   double value);
/* Adds a series whose metric's name gets a suffix. */
int exposition_add_part(struct exposition *exposition, enum metric metric, const char *suffix,
			const struct labels *labels, double value);
/* Writes all series, and forgets them. 0 or -errno. */
int exposition_write(struct exposition *exposition, FILE *file);
void exposition_free(struct exposition *exposition);

#endif
