/* SPDX-License-Identifier: MIT */
/* What the parts of the metrics share. */
#ifndef KTIME_REPORT_PROMETHEUS_PROMETHEUS_INTERNAL_H
#define KTIME_REPORT_PROMETHEUS_PROMETHEUS_INTERNAL_H

#include <uthash.h>

#include "report/prometheus/exposition.h"
#include "report/prometheus/prometheus.h"

/* Bytes of a name: longer ones are cut, and summed up if they are the same then. Chosen. */
#define NAME_MOST 200

/* A kernel, or a kind of copy, on a device: all rows that have the same name as a label. */
struct sum {
	char name[NAME_MOST];
	int32_t device;
	uint32_t is_kernel;
	/* From here on no key. */
	uint64_t calls, bytes;
	double seconds;
	bool listed; /* a kernel that has series of its own */
	UT_hash_handle hh;
};

struct prometheus {
	struct exposition exposition;
	unsigned kernels;
	struct process *processes;
};

/* What is kept of a process from one writing to the next. */
struct process {
	struct process *next;
	int32_t pid;
	uint64_t started;
	struct sum *sums;
	unsigned listed; /* kernels */
};

/* What is being added. */
struct adding {
	struct prometheus *metrics;
	struct process *process;
	const struct session *session;
	struct labels labels; /* that all of the process's series have */
	int error;
};

/* Adds a series of the process. */
void prometheus_add_series(struct adding *adding, enum metric metric, const struct labels *labels,
			   double value);
/* With one label more. */
void prometheus_add_by(struct adding *adding, enum metric metric, const char *label,
		       const char *text, double value);
/* The labels of the process and of a device of its. */
void prometheus_device_labels(const struct adding *adding, int device, struct labels *labels);
/* Adds what the rows tell: kernels, copies, operations (prometheus_rows.c). */
void prometheus_add_rows(struct adding *adding);

#endif
