/* SPDX-License-Identifier: MIT */
/*
 * many_profiles FOLDER PROFILES ROWS: merges the profiles of a job of as many ranks, each a file of
 * its own, as `ktime merge` does. All of them would fill a disk, so that they are written BATCH at
 * a time, by another process; what that takes is not counted. Prints the seconds and the processor
 * seconds that merging took, the most memory (KiB) and the bytes of all profiles.
 *
 * A profile is as a run with both clocks has it: eight of ten rows are kernels of all ranks, one is
 * a kernel of the rank's stage, and one an API call. CUPTI timed all calls, events every fourth of
 * a kernel. How many calls there were, and how long each took, differs by rank.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/merge/merge.h"

#define BATCH  400
#define STAGES 16
#define GPUS   8

static const char *folder;
static int ranks;
static unsigned rows;

static void path_of(char *path, size_t size, int rank)
{
	snprintf(path, size, "%s/run.%d.ktime", folder, rank);
}

static int add_row(struct session *session, int rank, unsigned i, unsigned *seed)
{
	const bool is_api = i % 10 == 0, is_of_stage = i % 10 == 9;
	const unsigned calls = 20 + rand_r(seed) % 100;
	char name[192];
	struct row *row;

	snprintf(name, sizeof(name),
		 is_api ? "cudaFunction%u_v%d"
			: "_ZN7product6kernelILi%uELi%dEfNS_6layoutEEEvPKT1_S4_PS2_mmm",
		 i, is_of_stage ? rank % STAGES : 1000);
	row = session_row(session, is_api ? ROW_RUNTIME_API : ROW_KERNEL, name,
			  is_api ? -1 : rank % GPUS);
	for (unsigned call = 0; row && call < calls; call++) {
		/* A rank in the middle is slow. */
		uint64_t time = 1000 + rand_r(seed) % (20 * (i + 1)) + (rank == ranks / 3) * 30000;

		row->calls++;
		session_add_sample(session, &row->cupti, time);
		if (is_api || call % 4)
			continue;
		session_add_sample(session, &row->events, time + 20);
		session_add_difference(session, row, 20 + rand_r(seed) % 200);
		row->checked++;
		row->checked_cupti += time;
		row->checked_events += time + 20;
	}
	return row ? 0 : -1;
}

static int write_profile(int rank)
{
	unsigned seed = 1 + (unsigned)rank * 2654435761U;
	struct session_header *header;
	struct session *session;
	char text[512];
	int error;

	path_of(text, sizeof(text), rank);
	error = session_create(&session, text, SESSION_KEPT);
	for (unsigned i = 0; i < rows && !error; i++)
		error = add_row(session, rank, i, &seed);
	if (!error) {
		header = session_header(session);
		header->pid = 1000 + rank;
		header->owner.started = 700 + (uint64_t)rank;
		header->start_realtime = 1000000000ULL * (unsigned)rank + 5;
		header->cupti_active = header->finished = 1;
		header->rank = (struct process_rank){rank, rank % GPUS, ranks, .launcher = "PMI"};
		snprintf(text, sizeof(text), "node%d", rank / GPUS);
		header->hostname = session_intern(session, text);
		header->command = session_intern(session, "train --everything");
	}
	session_close(session);
	return error;
}

/* In a process of its own, whose memory is not that of merging. */
static int write_batch(int first, int end)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		for (int rank = first; rank < end; rank++)
			if (write_profile(rank)) {
				perror(folder);
				_exit(1);
			}
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct took {
	double seconds, processor;
	uint64_t bytes;
};

static int merge_batch(struct merge *merge, int first, int end, struct took *took)
{
	double seconds = seconds_of(CLOCK_MONOTONIC),
	       processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	static char names[BATCH][512];
	const struct read_profile *profile;
	const char *paths[BATCH];
	struct read_ahead ahead = {.paths = paths, .count = (size_t)(end - first)};
	char path[512], message[600];
	int error = 0;

	for (int rank = first; rank < end; rank++) {
		path_of(names[rank - first], sizeof(names[0]), rank);
		paths[rank - first] = names[rank - first];
	}
	while (!error && (profile = read_ahead_next(&ahead)))
		error = profile->session
				? merge_add(merge, profile->session, message, sizeof(message))
				: -EIO;
	read_ahead_stop(&ahead);
	took->seconds += seconds_of(CLOCK_MONOTONIC) - seconds;
	took->processor += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
	for (int rank = first; rank < end; rank++) {
		struct stat status;

		path_of(path, sizeof(path), rank);
		took->bytes += stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
		unlink(path);
	}
	return error;
}

int main(int argc, char **argv)
{
	struct took took = {0};
	char output[512];
	struct rusage usage;
	struct merge *merge;
	int error;

	if (argc != 4) {
		fputs("usage: many_profiles FOLDER PROFILES ROWS\n", stderr);
		return 2;
	}
	folder = argv[1];
	ranks = atoi(argv[2]);
	rows = (unsigned)atoi(argv[3]);
	snprintf(output, sizeof(output), "%s/all.ktime", folder);
	error = merge_start(&merge, output, true);
	for (int first = 0; first < ranks && !error; first += BATCH) {
		int end = first + BATCH < ranks ? first + BATCH : ranks;

		error = write_batch(first, end);
		if (!error)
			error = merge_batch(merge, first, end, &took);
	}
	if (!error)
		merge_finish(merge);
	if (!error && session_header(merge_session(merge))->processes != (uint32_t)ranks)
		error = -1;
	merge_free(merge);
	getrusage(RUSAGE_SELF, &usage);
	if (!error)
		printf("%.1f %.1f %ld %llu\n", took.seconds, took.processor, usage.ru_maxrss,
		       (unsigned long long)took.bytes);
	return error ? 1 : 0;
}
