/* SPDX-License-Identifier: MIT */
/*
 * What a row's times say of the work that was done in them: its rates, beside the peaks of its
 * device. Copies and memsets have their bytes from the profile, kernels what the user declares.
 */
#ifndef KTIME_REPORT_RATES_RATES_H
#define KTIME_REPORT_RATES_RATES_H

#include <stdbool.h>
#include <stdio.h>

#include "report/devices/peaks.h"
#include "report/options/options.h"
#include "report/session/session.h"

/* Kinds of --work that one kernel can have. Chosen. */
#define WORK_UNITS 8
/* What is declared for one kernel: of each kind, and for each unit, the last that matches. */
struct row_work {
	const struct declared_work *bytes, *flops, *units[WORK_UNITS]; /* NULL: nothing */
};
/* `declared`: a list of declarations; `mangled`: a kernel's name, which is demangled to be matched.
 * 0, or -ENOMEM. */
int work_match(struct declared_work *declared, const char *mangled, bool demangling,
	       struct row_work *work);
/* Writes a line for each declaration that no name has matched yet. */
void work_warn_unmatched(const struct declared_work *declared, const char *prefix, FILE *file);
/* The same once the kernels of a session are matched. 0, or -ENOMEM. */
int work_warn(const struct session *session, const struct options *options, const char *prefix,
	      FILE *file);

/* 10^9 per second, that is, per nanosecond; 0: not known. */
struct rate {
	double average, minimum, maximum;
};

/* Which peak a bandwidth is compared with. */
enum peak_kind { PEAK_NONE, PEAK_HOST, PEAK_NVLINK, PEAK_DRAM, PEAK_DRAM_BOTH };
/* Why there is no percentage, or no bound: X(name, text, what it means). */
#define RATE_REMARKS(X)                                                                            \
	X(NONE, "", "")                                                                            \
	X(FITS_L2, "fits L2",                                                                      \
	  "what a call moves on average fits the L2 cache, so that no percentage of DRAM's peak "  \
	  "and no bound is given.")                                                                \
	X(ABOVE, "above DRAM",                                                                     \
	  "more than DRAM can move, so that a part came from the caches, or more was declared "    \
	  "than was moved; no bound is given.")                                                    \
	X(NO_PEAK, "peak unknown",                                                                 \
	  "`ktime devices` says what is known; a profile made without --bandwidth has no links.")  \
	X(NO_THREADS, "threads unknown",                                                           \
	  "only CUPTI tells how many a launch has; declare the work of a launch (N/launch).")
#define RATE_REMARK_ENUM(name, text, meaning) REMARK_##name,
enum rate_remark { RATE_REMARKS(RATE_REMARK_ENUM) REMARK_COUNT };
#undef RATE_REMARK_ENUM
extern const struct rate_remark_texts {
	const char *text, *meaning;
} rate_remarks[REMARK_COUNT];

enum bound { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_COMPUTE };

struct row_rates {
	uint64_t bytes;	       /* copies and memsets: of the timed calls, or of all if estimated */
	struct rate bandwidth; /* GB/s; a copy's bytes count once */
	enum peak_kind peak_kind;
	double peak;		  /* GB/s; 0: not known */
	double bandwidth_percent; /* of the peak; PEAK_DRAM_BOTH: read and written; 0: none given */
	enum rate_remark remark;

	struct rate flops; /* GFLOP/s */
	enum precision precision;
	double flops_peak, flops_percent;
	double bytes_per_flop, balance; /* the kernel's, the device's; 0: not known */
	enum bound bound;

	struct rate units[WORK_UNITS]; /* 10^9 units/s */

	struct occupancy occupancy; /* of the shape with most launches */
	double occupancy_least, occupancy_most;
};

/* One row's figures of the clock that it shows, and what they say of all its calls. */
struct timed_row {
	const struct row *row;
	const struct figures *figures;
	enum clock_source clock;
	double total, squares; /* ns, ns^2 of `calls`, estimated if a part of them was timed */
	double error;	       /* ns: half the 95 % interval of an estimate; NAN: not known */
	uint64_t calls;
	bool estimated;
};
struct row_rates rates_of(const struct timed_row *timed, const char *name,
			  const struct row_work *work, const struct device_info *device);

/* The device of a row; one of which nothing is known if it has none. */
const struct device_info *rates_device(const struct session *session, const struct row *row);

/* "memory", "compute", "-" */
extern const char *const rates_bound_texts[]; /* by enum bound */
/* "100%", "62.5% (registers)", "50-100%", "-" */
const char *rates_occupancy_text(const struct row_rates *rates, char *text, size_t size);
/* "DRAM", "DRAM, read + write", "PCIe 5 x16", "NVLink x18", "-"; in the buffer, or a constant. */
const char *peak_text(enum peak_kind kind, const struct device_info *device, char *text,
		      size_t size);

#endif
