/* SPDX-License-Identifier: MIT */
/*
 * ktime's options: one table for the command lines of all commands, for KTIME_OPTIONS, the help
 * texts and the shells' completion. Names and meanings are nvprof's if nvprof had them.
 *
 * Parsing needs libc alone, keeps no state but `struct options`, and does not depend on the
 * program's locale. It may run on any thread.
 */
#ifndef KTIME_REPORT_OPTIONS_OPTIONS_H
#define KTIME_REPORT_OPTIONS_OPTIONS_H

#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/session/session.h"

/* The values of an option that chooses, in the order of the table's argument text. */
enum time_unit { UNIT_S, UNIT_MS, UNIT_US, UNIT_NS, UNIT_COLUMN, UNIT_AUTO };
enum events_mode { EVENTS_AUTO, EVENTS_ALL, EVENTS_OFF, EVENTS_FRACTION };
enum gate_mode { GATE_AUTO, GATE_OFF };
enum graph_mode { GRAPH_AUTO, GRAPH_NODE, GRAPH_WHOLE };
enum api_trace_mode { API_TRACE_NONE, API_TRACE_RUNTIME, API_TRACE_DRIVER, API_TRACE_ALL };
/* FORMAT_AUTO: nvprof's, fitted to a terminal if there is one. */
enum report_format { FORMAT_NVPROF, FORMAT_NSYS, FORMAT_AUTO };
/* How much of a kernel's name is printed. NAMES_DISTINCT: as little as tells the rows apart. */
enum names_mode { NAMES_BASE, NAMES_SHORT, NAMES_FULL, NAMES_AUTO, NAMES_DISTINCT };
enum top_sort { TOP_TIME, TOP_RUN, TOP_CALLS, TOP_NAME };
/* --metrics-replay: each launch collects one pass, or is run again for each. */
enum metrics_replay { METRICS_REPLAY_LAUNCHES, METRICS_REPLAY_KERNEL };
enum sort_key { SORT_TIME, SORT_CALLS, SORT_AVERAGE, SORT_MINIMUM, SORT_MAXIMUM, SORT_NAME };
/* --trace: a set of bits, one for each word of the argument text. */
enum trace_set { TRACE_GPU = 1, TRACE_API = 2 };

/* Of --tree: the folder, the process, and which of its programs it is, from 1. */
#define TREE_FILE	      "%s/%d.%u"

#define OPTIONS_NOTICES	      16
#define OPTIONS_NOTICE_LENGTH 192
/* How many times --nvtx-include can be given. */
#define OPTIONS_RANGES	      8
/* The most of a number and of a count that BOUNDS() of options.def does not bound: 31 years in
 * seconds, and what a few columns have room for. Of --runs, whose files are numbered. */
#define OPTIONS_NUMBER_MOST   1e9
#define OPTIONS_COUNT_MOST    999999999
#define OPTIONS_RUNS_MOST     1000
/* The least SIZE of --keep-trace, bytes: a segment of the profile. */
#define OPTIONS_KEEP_LEAST    (128 << 10)

/* The commands, whose bits say which of them know an option; OPTION_FIRST: it stands in the short
 * help. */
#define COMMAND(name, ...)    COMMAND_##name,
#define INSTEAD(...)
enum command_place {
#include "report/options/commands.def"
	COMMAND_COUNT
};
#undef INSTEAD
#undef COMMAND
#define COMMAND_BIT(name) (1u << COMMAND_##name)
#define OPTION_FIRST	  (1u << COMMAND_COUNT)

struct options;
/* A command, command_show() and so on: takes files, processes, or a program and its arguments;
 * returns the process's exit status. */
#define COMMAND(name, ...)                                                                         \
	int command_##name(const struct options *options, const char *const *operands,             \
			   size_t count);
#define INSTEAD(...)
#include "report/options/commands.def"
#undef INSTEAD
#undef COMMAND
/* That status where it can do nothing with these arguments. */
#define EXIT_BAD_USAGE 2

/* The newest part of a trace, which is kept: UINT64_MAX is no limit; bytes 0: nothing is kept. */
struct trace_limit {
	uint64_t bytes, ns;
};

/* The work that the user declares for kernels: --bytes, --flops and --work. */
enum declared_kind { DECLARED_BYTES, DECLARED_FLOPS, DECLARED_WORK };

/* "REGEX=NUMBER/thread UNIT", taken apart. */
struct declared_work {
	enum declared_kind kind;
	const char *file;    /* that it stands in, the option's own text; NULL: in none */
	const char *text;    /* as it was given */
	const char *pattern; /* POSIX extended, over the full names of kernels */
	regex_t regex;	     /* the same, compiled */
	bool matched;	     /* by a kernel's name, as work_match() found */
	const char *unit;    /* DECLARED_WORK: what is counted, else "" */
	double amount;	     /* of a thread or of a launch */
	bool per_thread;
	int precision; /* DECLARED_FLOPS: enum precision, by its place in "fp32|fp64|fp16" */
	struct declared_work *next;
};

/* The nvtx ranges of --nvtx-include: see range_pattern.h; NULL after the last. */
typedef const char *option_ranges[OPTIONS_RANGES];

/* Which part of a file with several is read, from 1, on each side of a comparison; 0: not given. */
struct file_parts {
	unsigned a, b;
};

/* How an option's value is read, and what it is kept in: X(kind, type) */
#define OPTION_KINDS(X)                                                                            \
	X(FLAG, bool) /* no argument */                                                            \
	X(ON_OFF, bool)                                                                            \
	X(CHOICE, int)	 /* an enum: the place in the argument text */                             \
	X(SET, unsigned) /* bits by the words of the argument text */                              \
	X(TEXT, const char *)                                                                      \
	X(REGEX, const char *)	 /* POSIX extended; refused if it does not compile */              \
	X(RANGES, option_ranges) /* one more each time; refused if bad */                          \
	X(FILE, const char *)	 /* completed as a file name */                                    \
	X(NUMBER, double)	 /* see BOUNDS() */                                                \
	X(COUNT, unsigned)                                                                         \
	X(KEEP, struct trace_limit) /* bytes with K, M or G, a time with its unit, "all" */        \
	X(PARTS, struct file_parts) /* N, or N,M */                                                \
	X(TIME, uint64_t)	    /* ns: a number with s, ms, us or ns; without, seconds */      \
	X(PID, pid_t)                                                                              \
	X(RANKS, const char *)		    /* a list of ranks */                                  \
	X(DEVICES, uint64_t)		    /* a bit for each of a list of ordinals, or "all" */   \
	X(EVENTS, int)			    /* enum events_mode, and events_fraction */            \
	X(DECLARED, struct declared_work *) /* each adds to the list; by the option's name */      \
	X(METRICS, const char *) /* a list for metric_list_parse(), which it has passed */         \
	X(UNSERVED, int)	 /* nvprof's: there is no value */
#define OPTION_KIND_ENUM(kind, type) OPTION_##kind,
enum option_kind { OPTION_KINDS(OPTION_KIND_ENUM) };
#undef OPTION_KIND_ENUM
#define OPTION_KIND_TYPE(kind, type) typedef type option_of_##kind;
OPTION_KINDS(OPTION_KIND_TYPE)
#undef OPTION_KIND_TYPE

/* 0, false and NULL are the default, where options_defaults() has no other. */
struct options {
	/* A member for each option. */
#define OPTION(kind, member, ...) option_of_##kind member;
#define ANOTHER(...)
#define UNSERVED(...)
#define BOUNDS(...)
#include "report/options/options.def"
#undef BOUNDS
#undef UNSERVED
#undef ANOTHER
#undef OPTION

	unsigned command;   /* its bit: whose options are parsed; that of run by default */
	char *const *words; /* of the command line that are options to be handed on */
	int word_count;
	size_t separator; /* the operand that a second, or the only, "--" stands before; 0: none */
	unsigned events_fraction; /* N of 1/N with EVENTS_FRACTION */

	/* The terminal that is printed to; filled in by the report. */
	unsigned width,
		name_most; /* columns, and those that a row has for its name; 0: any number */
	bool colour;

	/* The profiles that are shown, for commands that are printed to be copied; none: unknown.
	 */
	const char *const *profiles;
	size_t profile_count;

	/* Lines for the user about options that were accepted and have no effect. */
	char notices[OPTIONS_NOTICES][OPTIONS_NOTICE_LENGTH];
	unsigned notice_count;

	struct option_text *texts; /* what the strings above point into */
};

/* What ktime may add to the run, in percent, unless the user says. */
#define OPTIONS_BUDGET 5.0

static inline double options_budget(const struct options *options)
{
	return isnan(options->budget) ? OPTIONS_BUDGET : options->budget;
}

enum option_section {
	SECTION_COLLECT,
	SECTION_PRINT,
	SECTION_FILE,
	SECTION_UNSERVED,
	SECTION_HIDDEN
};

struct option_entry {
	const char *name; /* without the dashes */
	char letter;	  /* of the short form, 0 if there is none */
	enum option_kind kind;
	size_t field;	      /* offset in struct options */
	const char *argument; /* "on|off", "FILE" …; "" if it takes none */
	enum option_section section;
	unsigned commands; /* their bits */
	const char *help;
};

extern const struct option_entry option_table[];
extern const size_t option_table_size;

void options_defaults(struct options *options);
/* Frees what parsing allocated. */
void options_free(struct options *options);

/*
 * Parses a line of options, split and quoted as a shell does it ('…', "…", \), without any
 * expansion. 0, or -EINVAL or -ENOMEM with a one-line message.
 */
int options_parse_string(struct options *options, const char *text, char *message, size_t size);
/*
 * Parses argv[1…] up to the first word that is not an option, or past "--"; *first is that word's
 * index (argc where there is none). Strings stay the caller's.
 */
int options_parse_arguments(struct options *options, int argc, char *const *argv, int *first,
			    char *message, size_t size);
/* The place of a word among those of "a|b|c"; -1 if it is none of them. */
int options_choice(const char *choices, const char *word, size_t length);

/* "1.5", "1.5s", "20ms", "3us", "7ns": nanoseconds; false if it is none. */
bool options_time(const char *value, uint64_t *nanoseconds);

/*
 * Adds what an option's value declares to the end of a list: one declaration, or with "@FILE" those
 * of a file's lines, without empty ones and those that begin with #. 0, -ENOMEM, or -EINVAL; both
 * with a one-line message that names the option.
 */
int declared_add(struct declared_work **list, const char *option, const char *value, char *message,
		 size_t size);
void declared_free(struct declared_work **list);
/* The options' names, by their kinds: "bytes", "flops", "work". */
extern const char *const declared_options[];

/* The name that a misspelt word was probably meant to be. Starts as {NULL, 0}; a name that is too
 * far from the word is never taken. */
struct nearest {
	const char *name;
	unsigned distance;
};
void nearest_consider(struct nearest *nearest, const char *word, size_t length, const char *name);

/* Whether trace records are to be collected: to print them or to keep them. */
bool options_want_trace(const struct options *options);
/* Whether the report has rates: --bandwidth, or what implies it. */
bool options_want_rates(const struct options *options);

#endif
