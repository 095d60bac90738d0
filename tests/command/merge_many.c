/* SPDX-License-Identifier: MIT */
/*
 * merge_many COUNT ROWS: merges the profiles of a job of COUNT ranks, each with ROWS kernels,
 * of which the last rank's take half as long again. One file is read as often as there are ranks,
 * and made another rank's in memory. Prints the imbalance and the slowest rank of the first row
 * and, on stderr, the most memory (KiB) and processor time (ms) that it took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "report/merge/job.h"
#include "report/merge/merge.h"

/* Calls of a row, of which each has a length of its own: histograms have several buckets. */
#define CALLS 100

static int write_profile(const char *path, unsigned rows)
{
	struct session *session;
	int error = session_create(&session, path, SESSION_KEPT);

	for (unsigned i = 0; i < rows && !error; i++) {
		char name[64];
		struct row *row;

		snprintf(name, sizeof(name), "kernel_%u_of_a_job_of_many_ranks", i);
		row = session_row(session, ROW_KERNEL, name, 0);
		error = row ? 0 : -1;
		for (unsigned call = 0; call < CALLS && !error; call++) {
			row->calls++;
			session_add_sample(session, &row->cupti, 1000 + i + 10 * call);
		}
	}
	if (!error) {
		session_header(session)->cupti_active = 1;
		session_header(session)->finished = 1;
		session_header(session)->hostname = session_intern(session, "node");
	}
	session_close(session);
	return error;
}

static void make_slow(struct session *session)
{
	struct row *row;

	session_for_each_row (session, row)
		row->cupti.total += row->cupti.total / 2;
}

static int merge_rank(struct merge *merge, const char *path, int rank, int ranks)
{
	char message[512];
	struct session *session;
	int error = session_load(&session, path, message, sizeof(message));

	if (error)
		return error;
	session_header(session)->pid = 1000 + rank;
	session_header(session)->rank =
		(struct process_rank){rank, rank % 8, ranks, .launcher = "PMI"};
	if (rank == ranks - 1)
		make_slow(session);
	error = merge_add(merge, session, message, sizeof(message));
	session_close(session);
	return error;
}

static long milliseconds(struct timeval time)
{
	return time.tv_sec * 1000 + time.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	int ranks = argc == 3 ? atoi(argv[1]) : 0, error;
	const char path[] = "merge_many.ktime";
	const struct job_row *row;
	struct rusage usage;
	struct merge *merge;
	unsigned rows = 0;

	error = write_profile(path, argc == 3 ? (unsigned)atoi(argv[2]) : 0);
	if (!error)
		error = merge_start(&merge, NULL, false);
	for (int rank = 0; rank < ranks && !error; rank++)
		error = merge_rank(merge, path, rank, ranks);
	unlink(path);
	if (error || ranks < 1)
		return 1;
	session_for_each_job_row (merge_session(merge), row)
		if (rows++ == 0)
			printf("%.3f %d ", job_imbalance(row),
			       session_process_at(merge_session(merge), row->slowest)->rank.rank);
	printf("%u rows of %u processes\n", rows, session_header(merge_session(merge))->processes);
	merge_free(merge);
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%ld %ld\n", usage.ru_maxrss,
		milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
	return 0;
}
