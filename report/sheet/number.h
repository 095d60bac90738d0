/* SPDX-License-Identifier: MIT */
/*
 * Times, sizes and throughputs as nvprof writes them. Every function fills a caller's buffer of
 * NUMBER_SIZE bytes. The thread's locale decides the decimal point: the caller selects "C".
 */
#ifndef KTIME_REPORT_SHEET_NUMBER_H
#define KTIME_REPORT_SHEET_NUMBER_H

#include <stdint.h>

#include "report/options/options.h"
#include "report/session/figure.h"

#define NUMBER_SIZE 40

/* The unit that a time (nanoseconds) is written in; chosen before it is rounded. */
enum time_unit number_time_unit(uint64_t nanoseconds);
extern const char *const time_unit_names[]; /* "s", "ms", "us", "ns" */
/* A time with its unit, at most 8 characters: "1.2160us". */
const char *number_time(char *text, uint64_t nanoseconds);
/* The same to three digits, where no more are known: "1.22us". */
const char *number_time_rounded(char *text, uint64_t nanoseconds);
/* A time in a given unit, which is not written, at most 8 characters: "1.22e-03". */
const char *number_time_in(char *text, uint64_t nanoseconds, enum time_unit unit);
/* A time in a given unit, which is not written, with six decimals: "1.216000". */
const char *number_time_csv(char *text, uint64_t nanoseconds, enum time_unit unit);

/* Sizes go by 1024 and are called B, KB, MB and GB. */
enum size_unit { SIZE_B, SIZE_KB, SIZE_MB, SIZE_GB };
enum size_unit number_size_unit(double bytes);
extern const char *const size_unit_names[];
const char *number_size(char *text, uint64_t bytes);
const char *number_throughput(char *text, double bytes_per_second);
const char *number_size_in(char *text, double bytes, enum size_unit unit);
const char *number_size_csv(char *text, double bytes, enum size_unit unit);

/* A rate or a percentage, at most 8 characters: "4812.3", "63.02", "0.1234"; "-" for 0. */
const char *number_rate(char *text, double value);
const char *number_percent(char *text, double percent);
/* A ratio of about 1, "1.250"; "-" for NAN. */
const char *number_ratio(char *text, double ratio);

/* In words: "20.1 ms", "1.4 MB", with the given number of significant digits (1 to 3). */
const char *number_about(char *text, double nanoseconds, int digits);
/* For times that add up as they are printed: the step of the last of three digits, and a time
 * given as a number of these steps. */
uint64_t number_step(uint64_t nanoseconds);
const char *number_steps(char *text, uint64_t steps, uint64_t step);
/* "20.1 ± 3.9 ms" */
const char *number_range(char *text, double nanoseconds, double error);
const char *number_bytes_about(char *text, uint64_t bytes);

/* "12,345": a count for the closing lines. */
const char *number_count(char *text, uint64_t count);
/* The same for a number in text, of which only the whole part is grouped: half as long again. */
const char *number_group_thousands(char *text, const char *number);
/* A figure's value by its unit, for a closing line. */
const char *number_figure(char *text, const struct figure *figure, double value);

#endif
