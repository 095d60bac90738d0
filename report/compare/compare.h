/* SPDX-License-Identifier: MIT */
/* Two profiles side by side, row by row, and what of their difference is more than noise. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_H
#define KTIME_REPORT_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare/profile.h"

/* What can be said of a row. */
#define VERDICTS(X)                                                                                \
	X(SAME, "same")		/* no more than noise */                                           \
	X(FASTER, "faster")	/* B takes less than A */                                          \
	X(SLOWER, "slower")	/* B takes more than A */                                          \
	X(OUTLIERS, "outliers") /* the averages differ by a few calls: the most are the same */    \
	X(UNKNOWN, "one call")	/* a single call says nothing of noise */                          \
	X(UNTIMED, "untimed")	/* there are calls in both, but in one of them none was timed */   \
	X(ONLY_A, "only in A")                                                                     \
	X(ONLY_B, "only in B")
#define VERDICT_ENUM(name, text) VERDICT_##name,
enum verdict { VERDICTS(VERDICT_ENUM) VERDICT_COUNT };
#undef VERDICT_ENUM
const char *verdict_text(enum verdict verdict);

struct comparison_row {
	const struct profile_row *a, *b; /* NULL: not in that profile */
	double ratio;			 /* of the averages, B to A; NAN where one is missing */
	double median_ratio;		 /* NAN where a histogram is missing */
	double probability;		 /* that chance alone makes the difference; NAN: unknown */
	enum verdict verdict;
};

struct comparison {
	/* GPU activities, then API calls; in both, those whose totals differ most come first. */
	struct comparison_row *rows;
	size_t count, gpu_count;
	double gpu_a, gpu_b; /* totals of all GPU activities but the untimed rows, ns */
	size_t gpu_untimed;  /* GPU rows with that verdict */
};

/*
 * Compares. Two rows are one where nsys would give both the same name, or where only the
 * profilers' ways to write a C++ name tell them apart.
 *
 * A difference counts where chance alone would make it less than once in a hundred tables like
 * this one (Welch's test of the averages; the rank sum test of the histograms, where there are
 * both), and where it is larger than `noise` (relative), which is what runs of the same program
 * differ by. The profiles must outlive the result. 0 or -ENOMEM.
 */
int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double noise);
void comparison_free(struct comparison *comparison);

bool comparison_is_api(const struct comparison_row *row);
/* A row's name: as the first profile has it, if it has it. */
const char *comparison_name(const struct comparison_row *row);

#endif
