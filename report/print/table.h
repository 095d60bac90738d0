/* SPDX-License-Identifier: MIT */
/*
 * The rows of one section of a report: the session's rows, filtered, one for each name, with the
 * figures of the clock that the row shows, and sorted.
 */
#ifndef KTIME_REPORT_PRINT_TABLE_H
#define KTIME_REPORT_PRINT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/print/filter.h"
#include "report/options/options.h"
#include "report/rates/rates.h"
#include "report/session/estimate.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/* Graphs have a section of their own where their nodes are rows of the first: a launch's time is
 * then there already. TABLE_RANGE is of nvprof's tables for an NVTX range: its own time. */
enum table_section { TABLE_RANGE, TABLE_GPU, TABLE_GRAPHS, TABLE_API, TABLE_SECTIONS };

#define TABLE_ALL_DEVICES -1

struct table_row {
	char *name; /* as it is printed */
	enum row_kind kind;
	const struct row *first; /* of the session's rows that it sums up */
	enum clock_source clock;
	uint64_t calls;
	bool more_calls;  /* than `calls`: see struct row */
	bool calls_about; /* some of them are estimated: nodes of graphs */
	uint64_t timed;
	bool estimated;	  /* total is for all calls, from a sample of them */
	double error;	  /* half the 95 % interval of an estimated total, ns; NAN: not known */
	bool bound;	  /* its times by events are upper bounds: see row_is_upper_bound() */
	uint64_t counted; /* the calls that total and squares stand for */
	uint64_t total;
	double squares; /* ns^2: sum of the squared durations */
	uint64_t minimum, maximum;
	struct histogram *histogram; /* NULL without samples, or if it was not asked for */
};

struct table {
	struct table_row *rows;
	size_t count; /* of rows to print, after --top */
	size_t collected;
	uint64_t total; /* of all rows, those that --top leaves out among them */
};

/* The rows' times, in the order of the columns. */
enum table_column {
	TABLE_TIME,
	TABLE_AVERAGE,
	TABLE_MINIMUM,
	TABLE_MAXIMUM,
	TABLE_MEDIAN,
	TABLE_P95,
	TABLE_P99,
	TABLE_DEVIATION,
	TABLE_COLUMN_COUNT
};
/* The columns that nvprof has come first. */
#define TABLE_NVPROF_COLUMNS	     TABLE_MEDIAN
/* How wide a row is without its section's title and its name, with the given number of time
 * columns. */
#define TABLE_FIGURES_WIDTH(columns) (7 + 10 + 10 * (columns) + 2)

/* 0 or -ENOMEM. The rows have histograms only if `histograms` is set. */
int table_collect(struct table *table, const struct session *session, const struct options *options,
		  enum table_section section, int device, bool histograms);
void table_free(struct table *table);
/* Which section a row belongs to; TABLE_SECTIONS: none. */
enum table_section table_section_of(const struct session *session, const struct row *row);
/* A row's name as it is printed; the caller frees it. NULL if memory is out. */
char *table_row_name(struct filter *filter, const struct row *row);
/* Sums the rows up, sorts them, and leaves those to print that --top asks for. */
void table_sort(struct table *table, const struct options *options);
/* Adds a row's figures to those of its name. 0; -ENOMEM, which only histograms can bring. */
int table_row_add(struct table_row *sum, const struct session *session, const struct row *row,
		  bool histograms);
/* Which columns the summary's sheet has. On a terminal that is too narrow for a column of the
 * sections' titles (SUMMARY_NARROW) the titles stand on lines of their own. */
enum {
	SUMMARY_WIDE = 1,
	SUMMARY_NARROW = 2,
	SUMMARY_EXTREMES = 4,
	SUMMARY_PERCENTILES = 8,
	SUMMARY_INTERVALS = 16, /* of rows that are estimates */
};
/* A histogram in at most `most` bars: the buckets from the first to the last that are not empty. */
#define BARS_MOST 48
struct bars {
	unsigned first, last, step, count; /* buckets: how many a bar has; how many bars */
	uint64_t calls[BARS_MOST], all, largest;
};
/* False if the histogram is empty. */
bool bars_of(struct bars *bars, const struct histogram *histogram, unsigned most);
/* The sheet of tables by enum table_section, as text with full names. */
void summary_sheet(struct sheet *sheet, const struct table *tables);
/* Fills the cells of a row of the summary's sheet; the last one is the name. */
void summary_fill_row(const struct sheet *sheet, size_t index, struct cell *cells);
/* nvprof's table of an NVTX range, from tables by enum table_section. */
void summary_write_range(const struct table *tables, const struct options *options, FILE *file);
/* A row's percentage of its section's time. */
static inline double table_percent(const struct table *table, const struct table_row *row)
{
	return table->total > 0 ? 100.0 * (double)row->total / (double)table->total : 0;
}
/* "20.1 ± 3.9 ms (95 %), from 261 of 20,000 calls."; of `about` as many. */
void table_estimate_write(const struct table_row *row, bool about, FILE *file);

/* The variance of the durations of the counted calls, ns^2. */
double table_variance(const struct table_row *row);
/* The time below which `fraction` of a row's calls took, ns; not exact: by its histogram's buckets,
 * to three digits. */
uint64_t table_percentile(const struct table_row *row, double fraction, bool *exact);
/* The time in a row's cell, in nanoseconds. */
uint64_t table_time(const struct table_row *row, enum table_column column);

/* The calls of a row: as the hooks or a clock counted them, whichever saw more. */
uint64_t row_calls(const struct row *row);
/* How many calls a clock's times stand for: events never time the nodes of graphs. */
uint64_t row_calls_of_clock(const struct row *row, enum clock_source clock);
/* The figures that a row shows, and from which clock. */
const struct figures *row_figures(const struct session *session, const struct row *row,
				  enum clock_source *clock);
/* What a call of a row takes on average, ns, by what it shows; 0 if no call was timed. */
double row_average(const struct session *session, const struct row *row);
/* Whether a row's total is an estimate from the calls that this clock timed; and the estimate. */
bool row_is_estimated(const struct row *row, enum clock_source clock);
struct estimated row_estimate(const struct row *row, enum clock_source clock);
/* Whether most of the row's event pairs may hold more than the operation: host time, or waits for
 * another engine or stream. */
bool row_is_upper_bound(const struct row *row);
/* What the row's rates are made of; false if no call was timed. */
bool row_timed(const struct session *session, const struct row *row, struct timed_row *timed);

/* A row with its rates. */
struct rates_row {
	char *name; /* as it is printed */
	const struct row *row;
	const struct device_info *device;
	struct row_work work;
	struct row_rates rates;
	double total; /* ns */
};

struct rates_table {
	struct rates_row *rows;
	size_t count, room;
};

/* Collects the timed copies and memsets, or the timed kernels with what was declared of them. Those
 * with most time come first. `device`: the names tell the device. 0 or -ENOMEM. */
int rates_collect(struct rates_table *table, struct filter *filter, bool kernels, bool device);
void rates_free(struct rates_table *table);
bool rates_have_remark(const struct rates_table *table, enum rate_remark remark);

/* One line of the table of rates: a row, and which of the units that --work declared for it the
 * line shows; -1: none. */
struct rates_line {
	const struct rates_row *row;
	int unit;
};
/* Makes lines of the table's rows that --top shows: with `rows` one for each row, which shows
 * its first unit of --work if it has any; with `units` one for each unit that has none yet. Returns
 * how many. */
size_t rates_add_lines(const struct rates_table *table, unsigned top, bool rows, bool units,
		       struct rates_line *lines);
/* Sets up the sheet of such lines. `parts`: RATES_COPIES adds the columns of copies and memsets. */
#define RATES_COPIES 1
void rates_sheet(struct sheet *sheet, const struct rates_line *lines, size_t count, unsigned parts);

#endif
