/* SPDX-License-Identifier: MIT */
/* The metrics that --metrics takes: nvprof's names with the counters that they are made of, and the
 * counters' own names. Constant data; any thread. */
#ifndef KTIME_REPORT_OPTIONS_METRICS_H
#define KTIME_REPORT_OPTIONS_METRICS_H

#include <stddef.h>
#include <stdio.h>

enum metric_unit {
	METRIC_NUMBER,
	METRIC_WHOLE, /* a whole number */
	METRIC_PERCENT,
	METRIC_THROUGHPUT, /* bytes/s */
	METRIC_UNITS
};

/* How many counters a metric is made of at most, and how many metrics --metrics takes. */
#define METRIC_TERMS 3
#define METRICS_MOST 128

/* One that no counter has today has no terms. */
struct metric {
	const char *name, *description;
	enum metric_unit unit;
	struct metric_term {
		const char *counter; /* NULL after the last */
		double factor;
	} terms[METRIC_TERMS];
	const char *instead; /* what to use where there is no counter; else NULL */
};

extern const struct metric metric_table[];
extern const size_t metric_table_size;

/*
 * A list of --metrics: the metrics by their places in it. A counter's own name is a metric of one
 * counter, whose unit follows from its name. Free it with metric_list_free().
 */
struct metric_list {
	struct metric metrics[METRICS_MOST];
	size_t count;
	char *names; /* where the counters' own names are kept */
};
/* 0; -EINVAL, with one line for the user; -ENOMEM. "all" stands for all of nvprof's. */
int metric_list_parse(struct metric_list *list, const char *text, char *message, size_t size);
void metric_list_free(struct metric_list *list);
/* What --query-metrics prints. */
void metrics_list(FILE *file);

#endif
