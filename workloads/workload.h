/* SPDX-License-Identifier: MIT */
/*
 * What the workloads share: their options, and the hold of a stream. workload.cuh has what needs
 * the CUDA runtime.
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An option of one of four kinds: the pointer that is set says which. */
struct workload_option {
	const char *name;
	int *count;	   /* a whole number from 1 */
	int most;	   /* the largest count; 0: INT_MAX */
	const char **text; /* any text, such as the name of a file */
	int *flag;	   /* takes no value: 1 if given */
	int *choice;	   /* the index in choices, which ends with NULL */
	const char *const *choices;
};

/* The lines of a table of options. */
#define WORKLOAD_COUNT(name, value, most)                                                          \
	{                                                                                          \
		name, value, most, NULL, NULL, NULL, NULL                                          \
	}
#define WORKLOAD_TEXT(name, value)                                                                 \
	{                                                                                          \
		name, NULL, 0, value, NULL, NULL, NULL                                             \
	}
#define WORKLOAD_FLAG(name, value)                                                                 \
	{                                                                                          \
		name, NULL, 0, NULL, value, NULL, NULL                                             \
	}
#define WORKLOAD_CHOICE(name, value, choices)                                                      \
	{                                                                                          \
		name, NULL, 0, NULL, NULL, value, choices                                          \
	}
#define WORKLOAD_END                                                                               \
	{                                                                                          \
		NULL, NULL, 0, NULL, NULL, NULL, NULL                                              \
	}

/*
 * Reads the options, the last of which has no name. Exits with 0 after --help, which prints usage
 * behind the program's name, and with 2 on a bad option.
 */
void workload_parse(const char *usage, const struct workload_option *options, int argc,
		    char **argv);

/* The name of the program for a message. */
const char *workload_name(void);

/* CLOCK_MONOTONIC, in nanoseconds. */
int64_t workload_now_ns(void);

/*
 * A host function that holds a stream until the work behind it is enqueued. Without it the device
 * waits for the host between a start event and the first kernel, and the pair of events measures
 * that as well.
 */
struct workload_hold {
	int released;
};

/*
 * A stream takes about 1000 commands before the next call waits for the device, streams may share
 * a queue of the device, and a profiler may add two events to a launch: this many launches fit
 * behind holds whatever the options.
 */
enum {
	WORKLOAD_HELD_LAUNCHES = 128,
};

/* The host function; its argument is the hold. Gives up after 20 ms. */
void workload_hold(void *hold);

void workload_release(struct workload_hold *hold);

#ifdef __cplusplus
}
#endif
#endif
