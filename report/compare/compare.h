/* SPDX-License-Identifier: MIT */
/* The times of runs by name, wherever they come from; and the runs of two programs side by side,
 * row by row, and which differences are more than noise. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_H
#define KTIME_REPORT_COMPARE_COMPARE_H

#include "report/options/options.h"
#include "report/session/entries.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/* A row in one of several runs, which timed it. */
struct row_run {
	size_t run; /* from 0 */
	uint64_t calls;
	double total, average; /* ns */
};

struct profile_row {
	struct text_entry entry; /* by nsys's name for it */
	bool api;		 /* a call on the host; else an activity of the GPU */
	char *name;		 /* as it is printed */
	uint64_t calls;		 /* timed or not */
	uint64_t timed;		 /* those that average, variance, minimum and maximum come from */
	double total;		 /* of all calls; times are in ns */
	double average, variance;
	double minimum, maximum;
	unsigned part;	      /* which table of its file it came from */
	struct row_run *runs; /* see profile_add_run */
	size_t run_count;
};

struct profile {
	const char *source;	  /* what kind of file it was read from */
	const char *const *files; /* of runs_load() */
	size_t file_count;
	struct text_entry *rows[2]; /* activities of the GPU, calls on the host */
	/* Energy and clocks, added up over the runs that have them. */
	struct device_energy energies[SESSION_DEVICES];
	size_t energy_runs;
	/* The most that a run held of each device's memory at once; 0: not known. */
	uint64_t memory_peaks[SESSION_DEVICES];
	/* Of all rows, added up over the runs: those of the table that are shown by themselves. */
	double figures[ROW_FIGURE_COUNT];
	size_t runs; /* that were added up; 0: the profile of a single run, as it was read */
};

/* The row of a name; added, empty, where it is not there. NULL where memory is out. */
struct profile_row *profile_row(struct profile *profile, bool api, const char *key,
				const char *name);
/* Adds one call's time to a row. */
void profile_add_sample(struct profile_row *row, uint64_t nanoseconds);
/* Adds a group of calls: figures for one row that come in several parts. */
void profile_add_group(struct profile_row *row, uint64_t calls, uint64_t timed, double total,
		       double average, double variance, double minimum, double maximum);
/* The most that a variance can be between a minimum and a maximum, the average being known. */
double profile_variance_bound(double average, double minimum, double maximum, uint64_t calls);

/* Adds a run to the sum of the runs of one program. -ENOMEM. */
int profile_add_run(struct profile *sum, const struct profile *run);

void profile_free(struct profile *profile);

/*
 * Reading a run's times from the files of ktime and of other profilers. What a file is, is told by
 * what it holds. Functions return 0 or -errno with a one-line message that begins with the path;
 * a profile is to be freed whatever they return.
 */

/*
 * A ktime session file, an Nsight Systems SQLite export, the CSV of `nsys
 * stats` (one or more of its summaries in one file), or nvprof's or ktime's CSV summary.
 */
int import_profile(struct profile *profile, const char *path, char *message, size_t size);

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size);
/* Both kinds of CSV, from an open file. -EINVAL where no table of either is in it. */
int import_csv(struct profile *profile, FILE *file, const char *path, char *message, size_t size);

/* The runs of one program, from their files or from the folder that `ktime bench` wrote. */

/* How the profiles in a folder are called; others are not read. */
#define RUNS_SUFFIX ".ktime"

/*
 * Adds up the runs of files of the kinds that import_profile reads; a folder stands for its
 * profiles. 0 or -errno with a one-line message. The sum is to be freed whatever is returned.
 */
int runs_load(struct profile *sum, const char *const *paths, size_t count, char *message,
	      size_t size);

/* What can be said of a row: X(name, text, its class in a page). */
#define VERDICTS(X)                                                                                \
	/* The 95 % interval lies within the threshold. */                                         \
	X(SAME, "same", "same")                                                                    \
	/* A call takes less time, or more, in B. */                                               \
	X(FASTER, "faster", "faster")                                                              \
	X(SLOWER, "slower", "slower")                                                              \
	/* All calls together take less, or more, by fewer or more calls. */                       \
	X(LESS_TIME, "less time", "faster")                                                        \
	X(MORE_TIME, "more time", "slower")                                                        \
	/* There are too few runs for the noise between them. */                                   \
	X(CANNOT_TELL, "cannot tell", "unknown")                                                   \
	/* There are calls in both, but in one of them no times. */                                \
	X(UNTIMED, "untimed", "unknown")                                                           \
	X(ONLY_A, "only in A", "unknown")                                                          \
	X(ONLY_B, "only in B", "unknown")
#define VERDICT_ENUM(name, ...) VERDICT_##name,
enum verdict { VERDICTS(VERDICT_ENUM) VERDICT_COUNT };
#undef VERDICT_ENUM
const char *verdict_text(enum verdict verdict);

/* How a time changed from A to B: the ratio of its geometric means over the runs. */
struct change {
	double ratio;	    /* NAN where one is missing */
	double low, high;   /* the ratio's 95 % interval; NAN with one run a side */
	double probability; /* that chance alone makes a change as large; NAN: unknown */
};

struct comparison_row {
	const struct profile_row *a, *b; /* NULL: not in that profile */
	struct change average, total;	 /* total: NAN where the number of calls does not vary */
	enum verdict verdict;
};

struct comparison {
	/* GPU activities, then API calls; in both, those whose totals differ most come first. */
	struct comparison_row *rows;
	size_t count, gpu_count;
	const struct profile *a, *b;
	double threshold;    /* relative */
	double gpu_a, gpu_b; /* a run's total of all GPU activities but the untimed rows, ns */
	struct change gpu;   /* of that total */
	enum verdict gpu_verdict;
	size_t gpu_untimed; /* GPU rows with that verdict */
};

/* The thresholds if the user gives none: with several runs a side, and with one. */
#define THRESHOLD_RUNS 0.02
#define THRESHOLD_RUN  0.10

/*
 * Compares the runs that profile_add_run added up to A and B. Two rows are one where nsys would
 * give both the same name, or where only the profilers' ways to write a C++ name tell them apart.
 *
 * Faster and slower mean a difference of more than `threshold` (NAN: the one above) that chance
 * alone makes in any row of at most two comparisons in a hundred: Welch's t-test of the logarithms
 * of the runs' times, with Bonferroni's correction, weighted by the rows' shares of the time. With
 * one run a side the noise between runs is unknown; then the calls are tested, which is less, and
 * nothing is the same but equal figures. The profiles must outlive the result. 0 or -ENOMEM.
 */
int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double threshold);
void comparison_free(struct comparison *comparison);

/*
 * A name without what profilers write in different ways: spaces, const, void, the types of
 * template values, how an anonymous namespace is called. `base` leaves out the parameters as well,
 * which some print resolved and some as they are declared. The caller frees it; NULL where memory
 * is out.
 */
char *canonical_name(const char *name, bool base);

bool comparison_is_api(const struct comparison_row *row);
/* Whether one of the sides is a single run, so that the noise between runs is unknown. */
bool comparison_is_of_single_runs(const struct comparison *comparison);
/* A row's name: as the first profile has it, if it has it. */
const char *comparison_name(const struct comparison_row *row);

/*
 * The probability that a difference as large as that of the two means comes from chance alone:
 * Welch's t-test, which does not ask for equal variances. Counts of two and more; variances are
 * those of the samples. 0 where the means differ and neither varies.
 */
double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b);

/*
 * Half of the 95 % interval of the difference of the two means, for the same samples. 0 where
 * neither varies.
 */
double welch_margin(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b);

/* "A: run.ktime (ktime)", and B in a second line. */
void comparison_print_sides(const struct comparison *comparison, FILE *file);

/* Which change a row's verdict is about: that of a call's time, or of the time of all calls. */
const struct change *comparison_change(const struct comparison_row *row);
/* "0.973..1.033", or "-". */
const char *change_interval(char text[NUMBER_SIZE], const struct change *change);
/* Prints the lines that sum the comparison up; `between` stands between the first of them, which
 * Markdown has as paragraphs. */
void comparison_print_lines(const struct comparison *comparison, const char *between, FILE *file);

/* The comparison's table, with a row for each comparison_row: like nvprof's, with both sides' times
 * of a run and a verdict. CSV has times in nanoseconds, and nothing where there is none. */
struct sheet comparison_sheet(const struct comparison *comparison, enum sheet_form form);
/* The table and the lines that sum it up, which Markdown has above; of JSON one object, with times
 * in nanoseconds and null where there is none. */
void comparison_print(const struct comparison *comparison, enum sheet_form form, FILE *file);

/* The mean times of several runs of one program, and the standard deviation between runs. */
void runs_print_text(const struct profile *runs, FILE *file);

/* Figures of a device: bytes, MHz, parts of the samples, W, and J of a run. */
enum quantity {
	QUANTITY_MEMORY, /* the most at once */
	QUANTITY_SM_CLOCK,
	QUANTITY_MEMORY_CLOCK,
	QUANTITY_REASONS, /* why clocks are not the highest: enum clock_reason is added */
	QUANTITY_POWER = QUANTITY_REASONS + CLOCK_REASON_COUNT,
	QUANTITY_ENERGY,
	QUANTITY_COUNT
};
/* A quantity's value on each side, NAN where it is not known. False: there is nothing to compare.
 */
bool comparison_quantity(const struct comparison *comparison, int device, unsigned quantity,
			 double values[2]);

/* Prints a line for each device whose peak of memory, clocks, clock reasons or energy differ. */
void comparison_print_devices(const struct comparison *comparison, FILE *file);

/* `ktime diff --html`: writes the comparison as a page to that file. 0, or -errno with a one-line
 * message. */
int comparison_page_write(const struct comparison *comparison, const struct options *options,
			  char *message, size_t size);

/* `ktime diff`: compares two sides of files and prints the result; returns the process's exit
 * status. */
int command_diff(const struct options *options, const char *const *files, size_t count);

#endif
