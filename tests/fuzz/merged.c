/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/merged.h"

#include <stdio.h>
#include <unistd.h>

#include "report/export/export.h"
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/session/items.h"
#include "report/print/report.h"
#include "report/session/estimate.h"

#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

/* A rank of a job, of which the second one's `work` is slow. */
static struct session *process_of(int rank)
{
	struct session *session;
	struct session_header *header;

	if (session_create(&session, NULL, SESSION_TRACE))
		return NULL;
	header = session_header(session);
	header->pid = 100 + rank;
	header->cupti_active = 1;
	header->finished = 1;
	header->hostname = session_intern(session, rank ? "node1" : "node0");
	header->command = session_intern(session, "train");
	header->rank = (struct process_rank){rank, rank, 2, .launcher = "PMI", .job = "one"};
	return session;
}

static void add_calls(struct session *session, const char *name, uint64_t time)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);
	struct trace_record record = {.kind = ROW_KERNEL, .name = session_intern(session, name)};

	for (unsigned i = 1; row && i <= 3; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, time);
		record.start = i * 100000;
		record.end = record.start + time;
		session_trace(session, &record);
	}
}

/* Two of three calls are timed, by events. */
static void add_estimate(struct session *session)
{
	struct row *row = session_row(session, ROW_KERNEL, "estimated", 0);

	for (unsigned i = 0; row && i < 24; i++) {
		uint64_t place = estimate_call(&row->estimate, 1.5);

		row->calls++;
		if (i % 3 == 0)
			continue;
		session_add_weighted(session, &row->events, 1000 + 100 * i, 1 + i % 2);
		estimate_timed(&row->estimate, place, 1.5, 1000 + 100 * i);
	}
}

static void add_ranges(struct session *session)
{
	struct nvtx_range range = {.name = session_intern(session, "step"), .thread = 1};
	const struct nvtx_range *added = session_add_item(session, SEGMENT_RANGES, &range);
	struct row *row = session_row(session, ROW_KERNEL, "work", 0);
	struct nvtx_part *part;

	if (!added || !row)
		return;
	range.parent = (uint64_t)((const char *)added - (const char *)session_header(session));
	range.name = session_intern(session, "inner");
	range.domain = session_intern(session, "mine");
	range.calls = 2;
	added = session_add_item(session, SEGMENT_RANGES, &range);
	part = added ? session_add_nvtx_part(session, added, row) : NULL;
	if (part)
		*part = (struct nvtx_part){.range = part->range,
					   .row = part->row,
					   .calls = 3,
					   .total = 3000,
					   .minimum = 1000,
					   .known = MINIMUM_KNOWN,
					   .maximum = 1000,
					   .committed = 1};
}

static int add_rank(struct merge *merge, int rank)
{
	struct session *session = process_of(rank);
	struct metric_values *metric;
	char message[128];
	int error = -1;

	if (!session)
		return error;
	add_estimate(session);
	add_calls(session, "work", rank ? 3000 : 1000);
	add_calls(session, REDUCE, rank ? 500 : 2500);
	add_ranges(session);
	metric = session_add_metric(session, session_row(session, ROW_KERNEL, "work", 0), "bytes",
				    "read", 1);
	if (metric) {
		metric->count = 2;
		metric->known = MINIMUM_KNOWN | MAXIMUM_KNOWN;
		metric->total = metric->maximum = 5;
	}
	error = merge_add(merge, session, message, sizeof(message));
	session_close(session);
	return error;
}

int merged_make(const char *path)
{
	struct merge *merge;
	int error = merge_start(&merge, path, true);

	for (int rank = 0; rank < 2 && !error; rank++)
		error = add_rank(merge, rank);
	if (!error)
		merge_finish(merge);
	merge_free(merge);
	return error;
}

static void print(const struct session *session)
{
	char message[512];
	struct options options;
	FILE *file = fopen("/dev/null", "w");

	options_defaults(&options);
	if (file) {
		report_write((struct session *)session, &options, file);
		job_write(session, &options, file);
		options.csv = true;
		job_write(session, &options, file);
		export_json((struct session *)session, &options, file, message, sizeof(message));
		export_chrome((struct session *)session, &options, file, message, sizeof(message));
		fclose(file);
	}
	options_free(&options);
}

void merged_read(const struct session *session)
{
	char message[128];
	struct merge *merge;

	print(session);
	for (int whole_trace = 0; whole_trace < 2; whole_trace++) {
		if (merge_start(&merge, NULL, whole_trace))
			return;
		merge_add(merge, session, message, sizeof(message));
		add_rank(merge, 1);
		merge_add(merge, session, message, sizeof(message));
		merge_finish(merge);
		print(merge_session(merge));
		merge_free(merge);
	}
}
