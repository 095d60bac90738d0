/* SPDX-License-Identifier: MIT */
/* The runs of one program that `ktime bench` made: their means, and how far they are apart. */
#ifndef KTIME_REPORT_COMPARE_MEANS_H
#define KTIME_REPORT_COMPARE_MEANS_H

#include "report/export/json.h"
#include "report/import/import.h"
#include "report/sheet/sheet.h"

/* A run as a whole, in ns. */
struct run_times {
	double wall; /* from the program's start to its end */
	double gpu;  /* of all GPU activities, which may overlap */
	double busy; /* how long a GPU worked, the mean of those that were used; NAN: not known */
};

struct means {
	const char *const *program; /* and its arguments; NULL after the last */
	const char *folder;
	const struct profile *profile;
	struct run_times *times; /* for each run of the profile */
};

/* Takes the GPU times of the runs from their profile. */
void means_take_gpu_times(struct means *means);
/* A table of the profile's rows: text, or CSV, which begins with the runs as a whole. 0 or -ENOMEM.
 */
int means_print_table(const struct means *means, enum sheet_form form, FILE *file);
/* Two lines, each behind a prefix: the wall time, and the GPU time with how busy the GPU was. */
void means_print_times(const struct means *means, const char *prefix, FILE *file);
/* An object with all of that. 0 or -ENOMEM. */
int means_add_json(const struct means *means, struct json *json);

#endif
