/* SPDX-License-Identifier: MIT */
/*
 * What recording windows are the sums of: units that are told apart from others, the launches of
 * the graphs with the same kernels, or of one operation by itself. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_CLASS_H
#define KTIME_PRELOAD_RECORDING_WINDOW_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

#include "preload/handles/operation.h"
#include "preload/recording/window_estimate.h"

/* An operation's part in the units of a class. */
struct window_part {
	struct operation *operation;
	struct window_times times;
	double records;	     /* that `times` is of */
	double open, opened; /* nanoseconds and records of the present window */
	struct window_part *next;
};

/* UNIT_VERSION: what is in UNIT_GRAPHS as well, of one version of a graph (versions.h). */
enum window_unit { UNIT_ALONE, UNIT_GRAPHS, UNIT_VERSION };

struct window_class_key {
	uint64_t kernels; /* or the operation's address */
	uint32_t device, unit;
};

/* Units that are told apart from others: the launches of the graphs with the same kernels, or of
 * one operation by itself. */
struct window_class {
	struct window_class_key key;
	struct window_units units;
	double open;	 /* units of the present window */
	double recorded; /* units of those before it */
	double all;	 /* units in all, when they were last counted */
	bool asked;	 /* sums_lack_a_graph() has named it, or it had records */
	struct window_part *parts;
	struct window_class *next_open;
	UT_hash_handle link;
};

/* NULL if there is none, and `add` is false or memory is out. It stays. */
struct window_class *window_class_of(uint64_t kernels, uint32_t device, enum window_unit unit,
				     bool add);
/* The one after `class`, in any order; the first one after NULL. */
struct window_class *window_class_next(const struct window_class *class);
/* An operation's part in it, added if need be; NULL if memory is out. */
struct window_part *window_class_part(struct window_class *class, struct operation *operation);
/* Adds `count` records of an operation to the present window; nanoseconds. */
void window_class_add(struct window_class *class, struct operation *operation, uint64_t count,
		      uint64_t total);
/* Whether any of its units is recorded; false for NULL. */
bool window_class_is_recorded(const struct window_class *class);
/* Ends the present window, which has at least one of its units. */
void window_class_close(struct window_class *class, bool random);

#endif
