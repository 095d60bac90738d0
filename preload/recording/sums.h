/* SPDX-License-Identifier: MIT */
/*
 * What CUPTI's records say of all calls while it records in windows (recording.h). Launches of
 * graphs are told apart by the kernels that they run, whatever order their records come in;
 * kernels, copies and memsets launched by themselves, by their operation. For the collector thread
 * only.
 */
#ifndef KTIME_PRELOAD_RECORDING_SUMS_H
#define KTIME_PRELOAD_RECORDING_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/handles/graph_nodes.h"
#include "preload/handles/operation.h"
#include "report/session/estimate.h"
#include "report/session/session.h"

/*
 * Versions of updated graphs (operation.h). Records do not tell them apart if they run the same
 * kernels; but a window in which one version alone was launched is of that one. For the collector
 * thread only.
 */

/* Before a window opens, and a while after it was closed, when all calls that were made in it have
 * returned: notes which graphs are launched in between. Anything longer is not a window. */
void versions_window_opens(void);
void versions_window_was_closed(void);
/* The only version of graphs with these kernels that was launched in the last window; NULL if there
 * were several, or that is not known. */
struct operation *versions_in_window(uint64_t kernels);
/* To be called once a window's records have been added: it is not known which window later records
 * belong to. */
void versions_window_taken(void);

/* What a graph's launch did of one operation. */
struct launch_part {
	struct operation *operation;
	uint64_t count, total; /* nanoseconds */
};

/* To be called before the others: all calls that the rows have counted so far were recorded. */
void sums_start(void);
/* To be called in place of sums_start() if no call that the rows have counted so far was recorded,
 * and all calls are from now on. */
void sums_begin_late(void);
/* Adds an operation that was launched by itself. */
void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds);
/*
 * Adds a launch of the graph that has these kernels (graph.h). False if there is no such
 * graph, so that a part of the launch was not recorded. `graph` is set to its operation, or to NULL
 * if there are several.
 */
bool sums_add_launch(uint64_t kernels, uint32_t device, const struct launch_part *parts,
		     uint32_t part_count, struct operation **graph);
/* Adds a node of the launch that was added last, which was made in an NVTX range. */
void sums_add_in_range(struct operation *operation, struct node_place place, uint64_t nanoseconds);
/* Everything that was added since the last call was recorded in one window. `random`: the window's
 * time was chosen at random, so that it stands for the time since the last one. */
void sums_close_window(bool random);
/* Whether a graph has been launched of which nothing is recorded; true once for each. */
bool sums_lack_a_graph(void);
/* Whether records were added of something that had none, since the last call: its rows say of all
 * calls what these records do, until they are updated. */
bool sums_are_fresh(void);
/* Updates the rows: how often nodes ran, and the time of all operations. */
void sums_update_rows(void);

/* Puts the records of a graph launch's nodes together, by their correlation id, while calls are not
 * matched with records (recording.h). For the collector thread only. */

/* Adds a node's record. */
void launches_add(struct operation *operation, const struct activity *activity);
/* Ends the launches whose nodes have all been recorded, as far as can be told. */
void launches_settle(void);
/*
 * Ends all launches after the recording of kernels was turned off, or at the end of the run. In the
 * first case each stream's last launch is left out, and so are those that began before kernels were
 * turned on, at `since` on the records' clock (0: that clock is not known), and those without
 * kernels that began after they were turned off, at `until` (UINT64_MAX: not known).
 */
void launches_end(bool turned_off, uint64_t since, uint64_t until);
/* How many graph launches have left a kernel's record so far, including launches that still lack
 * other records. */
uint64_t launches_seen(void);
/* To be called when a window opens, before the recording is turned on; returns launches_seen().
 * Records that came after the last window's launches were ended are dropped, as they belong to that
 * window. */
uint64_t launches_begin(void);

/*
 * The total of work that was recorded in windows: some milliseconds each, by chance. The
 * units are launches of a graph, or of a kernel by itself, and how many there were is known
 * exactly. Those between two windows are taken to be like the two, as programs go through phases;
 * how much two neighbours differ says how exact that is (collapsed strata). For the collector
 * thread only.
 */

/* What the windows have recorded of one kind of unit, such as the launches of one kernel. */
struct window_units {
	/* Units recorded at times that were not chosen by chance: they stand for themselves. */
	double certain;
	double covered; /* units up to the last random window */
	double before;	/* units before the recording began that no window stands for yet */
	/* Sum of their squares, window by window; the first one's if nothing came before it. */
	double squares, first_squared;
	uint64_t windows;
	/* For the degrees of freedom: each difference of neighbours weighs as the square of what
	 * it covers. Sum of the squared weights, and of the products of neighbours. */
	double weight, weight_squares, weight_products;
};

/* The time of one part of each unit, such as one kernel in each launch of a graph; in nanoseconds.
 */
struct window_times {
	double certain;
	double total;	    /* of the units covered */
	double last;	    /* a unit's mean in the last window */
	double differences; /* sum of the squared standard errors of `total` */
};

/* Adds a random window, `covers` units after the one before it: first for its units, and then for
 * the times of every part, each with a unit's mean. */
void window_units_add(struct window_units *units, double covers);
void window_times_add(struct window_times *times, const struct window_units *units, double covers,
		      double mean);

/* The total of `all` units. error is 0 if every unit was recorded, and NAN if there are too few
 * windows; total is 0 if nothing was recorded. `squares` is not set. */
struct estimated window_estimate(const struct window_units *units, const struct window_times *times,
				 double all);
/*
 * The same if the units are of several sorts: how many there are of each is known, so what differs
 * between sorts makes nothing uncertain (stratification).
 */
struct window_strata {
	double units;		/* of the sorts that were added */
	double total, variance; /* ns; ns^2: the square of half of the interval's width */
	double uncertain;	/* number of units of sorts that have too few windows */
};

/* Adds a sort of units, by the windows in which only that sort was launched. A sort without records
 * is left out. */
void window_strata_add(struct window_strata *strata, const struct window_units *units,
		       const struct window_times *times, double all);
/*
 * The total of `all` units. Units of sorts with too few windows are taken to be as uncertain as one
 * window of all units, and units of sorts that were not added to be like the average of all.
 * Returns `of_all`, the estimate without sorts, unless this one is much more certain: the sorts may
 * not differ.
 */
struct estimated window_strata_estimate(const struct window_strata *strata,
					const struct window_units *units,
					const struct window_times *times, double all,
					const struct estimated *of_all);

#endif
