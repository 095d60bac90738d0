/* SPDX-License-Identifier: MIT */
#include "report/findings/uneven.h"

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

	session_for_each_process(session, process)
	{
		if (process->collectives)
			return false;
		least = process->busy < least ? process->busy : least;
		most = process->busy > most ? process->busy : most;
	}
	return most && (double)(most - least) <= SAME_BUSY * (double)most;
}

const struct job_row *uneven_row(const struct session *session, uint64_t *excess)
{
	const struct job_row *row, *uneven = NULL;

	*excess = 0;
	if (is_busy_equally(session))
		return NULL;
	session_for_each_job_row(session, row)
	{
		double mean = row->processes ? row->total / (double)row->processes : 0;
		uint64_t beyond = to_unsigned((double)row->maximum - mean);

		if (!row_is_gpu(row->kind) ||
		    row_is_collective(row->kind, session_string(session, row->name)) ||
		    beyond <= *excess)
			continue;
		*excess = beyond;
		uneven = row;
	}
	return uneven;
}
