/* SPDX-License-Identifier: MIT */
/* What a comparison found, and what else can be told of it. See compare.h, which makes it. */
#ifndef KTIME_REPORT_COMPARE_COMPARISON_H
#define KTIME_REPORT_COMPARE_COMPARISON_H

#include "report/compare/idle.h"
#include "report/import/import.h"

/* What can be said of a row: X(name, text, its class in a page). */
#define VERDICTS(X)                                                                                \
	/* The 95 % interval lies within the threshold. */                                         \
	X(SAME, "same", "same")                                                                    \
	/* With one run a side: that of its calls does, though the figures differ. */              \
	X(UNDER, "under threshold", "same")                                                        \
	/* A call takes less time, or more, in B; and so do all calls together. */                 \
	X(FASTER, "faster", "faster")                                                              \
	X(SLOWER, "slower", "slower")                                                              \
	/* It does, but only by less data, or more: its GB/s did not change to that side. */       \
	X(LESS_DATA, "less data", "faster")                                                        \
	X(MORE_DATA, "more data", "slower")                                                        \
	/* All calls together take less, or more, by fewer or more calls. */                       \
	X(LESS_TIME, "less time", "faster")                                                        \
	X(MORE_TIME, "more time", "slower")                                                        \
	/* It could be faster, slower or neither: comparison_why_unsure() says why. */             \
	X(CANNOT_TELL, "cannot tell", "unknown")                                                   \
	/* There are calls in both, but in one of them no times. */                                \
	X(UNTIMED, "untimed", "unknown")                                                           \
	X(ONLY_A, "only in A", "unknown")                                                          \
	X(ONLY_B, "only in B", "unknown")
#define VERDICT_ENUM(name, ...) VERDICT_##name,
enum verdict { VERDICTS(VERDICT_ENUM) VERDICT_COUNT };
#undef VERDICT_ENUM
const char *verdict_text(enum verdict verdict);
/* Whether it tells a change; and whether that is one of a call's time, which can be chance. */
bool verdict_is_change(enum verdict verdict);
bool verdict_is_of_speed(enum verdict verdict);

/* How a time changed from A to B: the ratio of its geometric means over the runs. */
struct change {
	double ratio;	    /* NAN where one is missing */
	double low, high;   /* the ratio's 95 % interval; NAN with one run a side */
	double probability; /* that chance alone makes a change as large; NAN: unknown */
};

/* Whether a ratio is further from 1, to either side, than a relative threshold. False for NAN. */
bool change_is_beyond(const struct change *change, double threshold);
/* "1.57 times faster", of a ratio of times; "as fast" if three digits show no change; "-" for NAN.
 */
#define CHANGE_SIZE 48
const char *change_text(char text[CHANGE_SIZE], double ratio);

/* "270 ms -> 243 ms" */
#define TIMES_SIZE (2 * NUMBER_SIZE + 4)
const char *times_text(char text[TIMES_SIZE], double a, double b);

struct comparison_row {
	const struct profile_row *a, *b; /* NULL: not in that profile */
	/* "copy<double> -> <float>", if the sides are two versions of a kernel, which have names of
	 * their own; NULL: they are not. */
	char *versions;
	/* Of a run of A, and of B: 0 if it is not in that profile. */
	double times[2], calls[2];    /* ns; of calls that nothing timed, 0 */
	double change;		      /* of the times; 0 of a row that one side did not time */
	struct change average, total; /* of a call's time, and of that of all calls */
	enum verdict verdict;
};

/* What the time of a run adds up from: X(name, text). */
#define PARTS(X)                                                                                   \
	X(IDLE, "idle time")                                                                       \
	X(BUSY, "GPU busy")                                                                        \
	X(BEFORE, "before the first operation")                                                    \
	X(AFTER, "after the last")
#define PART_ENUM(name, text) PART_##name,
enum { PARTS(PART_ENUM) PART_COUNT };
#undef PART_ENUM

struct part {
	const char *text;
	unsigned kind;
	const char *cause;   /* that most of the idle time's change has; else NULL */
	double a, b, change; /* ns */
};

struct parts {
	bool known;		       /* of both sides; not of runs on several GPUs */
	struct part parts[PART_COUNT]; /* those that changed most first */
	double whole, sum; /* the change of the run, and that of all parts without their signs */
};

struct comparison {
	/* GPU activities, then API calls; in both, those whose totals differ most come first. */
	struct comparison_row *rows;
	size_t count, gpu_count;
	size_t verdicts[2][VERDICT_COUNT]; /* how many GPU rows have each, and API rows */
	const struct profile *a, *b;
	double threshold;    /* relative */
	double gpu_a, gpu_b; /* a run's total of all GPU activities but the untimed rows, ns */
	struct change gpu;   /* of that total */
	enum verdict gpu_verdict;
	/* Mean times from a run's start of CUDA to its end, ns, 0 where the files lack them; and
	 * their change. */
	double wall_a, wall_b;
	struct change wall;
	struct parts parts;
	struct idle_changes idle;
	/* Lines for a reader, the last without its end; "" where there is none: the verdict on all,
	 * what makes the difference, and which rows' calls differ. See headline.h and why.h. */
	char *headline, *why, *calls;
};

/* Whether the 95 % interval of a change has no change in it too. */
bool change_may_be_none(const struct change *change);
/* Whether the run changed by more than the threshold, and not by chance as far as several tell. */
bool comparison_run_changed(const struct comparison *comparison);
/* The part of the run that changed most to the side that it changed to; NULL: none is known. */
const struct part *comparison_most_part(const struct comparison *comparison);

/* "0.973..1.033", or "-". */
const char *change_interval(char text[NUMBER_SIZE], const struct change *change);
bool comparison_is_api(const struct comparison_row *row);
/* Whether one of the sides is a single run, so that the noise between runs is unknown. */
bool comparison_is_of_single_runs(const struct comparison *comparison);
/* Whether the runs of both sides differ in how often they made the row's calls. */
bool comparison_calls_vary(const struct comparison *comparison, const struct comparison_row *row);
/* Why a row is "cannot tell": "1 call"; NULL: it is not. */
const char *comparison_why_unsure(const struct comparison *comparison,
				  const struct comparison_row *row);
/* A verdict for a reader: "faster", "under 10 %". */
#define VERDICT_SIZE 48
const char *comparison_verdict(const struct comparison *comparison, enum verdict verdict,
			       char text[VERDICT_SIZE]);
/* That of a row; with one run a side, where no interval says it, also why: "cannot tell: 1 call".
 */
const char *comparison_row_verdict(const struct comparison *comparison,
				   const struct comparison_row *row, char text[VERDICT_SIZE]);
/* A row's name: as the first profile has it, if it has it. */
const char *comparison_name(const struct comparison_row *row);
/* A row's name for a reader: of two versions of a kernel what tells them apart. */
const char *comparison_label(const struct comparison_row *row);

/* What a run moved in a row, and GB/s. */
struct moved {
	double bytes, rate;
};
/* Fills in both sides'; false: of one of them it is not known. */
bool comparison_moved(const struct comparison_row *row, struct moved moved[2]);

#endif
