/* SPDX-License-Identifier: MIT */
#include "report/findings/uneven.h"

#include <math.h>

#include "report/session/estimate.h"

/* By what part the time that each process's devices were busy may differ to be the same. Chosen. */
#define SAME_BUSY 0.01

/* Whether the devices of all processes were busy equally long: what is uneven ran beside other work
 * then, and costs no time. In a collective a device is busy while it waits for the others, and so
 * this says nothing. */
static bool is_busy_equally(const struct session *session)
{
	uint64_t least = UINT64_MAX, most = 0;
	const struct job_process *process;

	session_for_each_process (session, process) {
		if (process->collectives)
			return false;
		least = process->busy < least ? process->busy : least;
		most = process->busy > most ? process->busy : most;
	}
	return most && (double)(most - least) <= SAME_BUSY * (double)most;
}

/* From which part of the time that the slowest process has more to do the others are said to wait
 * for it. Chosen. */
#define WAITED_PART 0.1

/* How the program's own time shows in which it makes no calls of CUDA: in MPI too. */
static const enum idle_cause own_causes[] = {IDLE_PROGRAM, IDLE_AFTER_WAIT};

/* Adds how long a process waited for the slowest. */
static void add_waited(struct uneven *uneven, const struct job_process *process)
{
	const struct job_process *slowest = uneven->slowest;
	const struct job_row *row = uneven->row;
	uint64_t left = slowest->busy > process->busy ? slowest->busy - process->busy : 0;

	if ((row->known & MINIMUM_KNOWN) && row->maximum < row->minimum + left)
		left = row->maximum > row->minimum ? row->maximum - row->minimum : 0;
	for (size_t i = 0; i < sizeof(own_causes) / sizeof(own_causes[0]); i++) {
		enum idle_cause cause = own_causes[i];
		uint64_t longer = process->causes[cause] > slowest->causes[cause]
					  ? process->causes[cause] - slowest->causes[cause]
					  : 0;

		longer = longer < left ? longer : left;
		left -= longer;
		uneven->waited[cause] += longer;
		uneven->waited_each += longer;
	}
}

static void find_waited(struct uneven *uneven, const struct session *session)
{
	const struct job_process *process;
	uint64_t others = 0;

	session_for_each_process (session, process) {
		if (process == uneven->slowest)
			continue;
		add_waited(uneven, process);
		uneven->operations += process->operations;
		uneven->other = others++ ? NULL : process;
	}
	if (others) {
		uneven->waited_each /= others;
		uneven->operations /= others;
	}
}

/* Whether the slowest makes more calls, or each of them takes longer. */
static void compare_calls(struct uneven *uneven)
{
	const struct job_row *row = uneven->row;
	const double others_time = row->total - (double)row->maximum;

	if (row->calls < row->slowest_calls || !row->slowest_calls)
		return;
	uneven->calls = row->slowest_calls;
	if (row->processes < 2 || row->calls == row->slowest_calls)
		return;
	uneven->others_calls =
		(double)(row->calls - row->slowest_calls) / (double)(row->processes - 1);
	if (others_time > 0)
		uneven->longer = (double)row->maximum / (double)row->slowest_calls *
				 (double)(row->calls - row->slowest_calls) / others_time;
}

/* Calls are long that take this many times as long as the others' on average. Chosen. */
#define LONG_CALL   1.5
/* Averages are the same if they differ by no more: a histogram is exact to 1.6 %. Chosen. */
#define SAME_LENGTH 0.03

/* Whether some of the slowest's calls are long, and the rest as long as those of the others. */
static void find_long_calls(struct uneven *uneven, const struct session *session)
{
	const struct job_row *row = uneven->row;
	const double average =
		(row->total - (double)row->maximum) / (double)(row->calls - row->slowest_calls);
	double time = 0, rest;
	uint64_t known = 0, count = 0;
	const struct row *of;

	session_for_each_row (session, of) {
		const struct histogram *histogram;

		if (of->kind != row->kind || of->name != row->name)
			continue;
		histogram = session_histogram(session, of->cupti.histogram);
		for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++) {
			const uint64_t low = histogram_bucket_low(i), calls = histogram->buckets[i];

			known += calls;
			if ((double)low < LONG_CALL * average)
				continue;
			count += calls;
			time += (double)calls * (double)(low + histogram_bucket_high(i)) / 2;
		}
	}
	if (known != row->calls || !count || count >= row->slowest_calls)
		return;
	rest = ((double)row->maximum - time) / (double)(row->slowest_calls - count);
	if (fabs(rest - average) > SAME_LENGTH * average)
		return;
	uneven->long_calls = count;
	uneven->long_factor = time / (double)count / average;
	uneven->long_beyond = (double)uneven->excess * (double)count / time;
}

struct uneven uneven_find(const struct session *session)
{
	struct uneven uneven = {.row = NULL};
	const struct job_row *row;

	if (is_busy_equally(session))
		return uneven;
	session_for_each_job_row (session, row) {
		double mean = row->processes ? row->total / (double)row->processes : 0;
		uint64_t beyond = to_unsigned((double)row->maximum - mean);

		if (!row_is_gpu(row->kind) ||
		    row_is_collective(row->kind, session_string(session, row->name)) ||
		    beyond <= uneven.excess)
			continue;
		uneven.excess = beyond;
		uneven.row = row;
	}
	if (!uneven.row)
		return uneven;
	row = uneven.row;
	uneven.more = row->maximum;
	if (row->processes > 1)
		uneven.more =
			to_unsigned((double)row->maximum - (row->total - (double)row->maximum) /
								   (double)(row->processes - 1));
	compare_calls(&uneven);
	if (uneven.longer > 1)
		find_long_calls(&uneven, session);
	if (session_header(session)->processes)
		uneven.even_calls = (double)row->calls / (double)session_header(session)->processes;
	uneven.slowest = session_process_at(session, row->slowest);
	if (uneven.slowest)
		find_waited(&uneven, session);
	return uneven;
}

bool uneven_waits(const struct uneven *uneven)
{
	return uneven->row && uneven->waited_each &&
	       (double)uneven->waited_each >= WAITED_PART * (double)uneven->more;
}
