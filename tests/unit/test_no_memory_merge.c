/* SPDX-License-Identifier: MIT */
/* Each allocation of a profile, a merged one, a page or metrics for Prometheus fails once: nothing
 * ends the program, no memory is left behind, and who asked for it is told. */
#include <errno.h>
#include <unistd.h>

#include "report/html/html.h"
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/options/metrics.h"
#include "report/prometheus/prometheus.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

static struct session *sessions[WHOLE_KINDS + 1];

/* As processes of a job. */
BEFORE_EACH
{
	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session_header *header;

		sessions[kind] = whole_profile(kind, NULL);
		header = session_header(sessions[kind]);
		header->pid += kind;
		header->rank =
			(struct process_rank){.rank = kind, .local_rank = kind, .world_size = 3};
	}
}

AFTER_EACH
{
	for (int kind = 0; kind < WHOLE_KINDS; kind++)
		session_close(sessions[kind]);
}

static int merged(FILE *file, const void *argument)
{
	const int *count = argument;
	char message[128] = "";
	struct merge *merge;
	int error = merge_start(&merge, NULL, true);

	if (error)
		return error;
	for (int i = 0; i < *count && !error; i++)
		error = merge_add(merge, sessions[i], message, sizeof(message));
	merge_finish(merge);
	if (!error)
		error = job_lines_write(merge_session(merge), "= ", file);
	merge_free(merge);
	return error;
}

TEST(merging)
{
	static const int one = 1, all = WHOLE_KINDS;

	refuse_each(merged, &one, "merging one", 3, true);
	refuse_each(merged, &all, "merging", 7, true);
}

/* What was merged before is merged again. */
static int merged_again(FILE *file, const void *argument)
{
	char message[128] = "";
	struct merge *merge;
	int error = merge_start(&merge, NULL, false);

	(void)file;
	if (error)
		return error;
	error = merge_add(merge, argument, message, sizeof(message));
	if (!error)
		error = merge_add(merge, sessions[WHOLE_WINDOWS], message, sizeof(message));
	merge_finish(merge);
	merge_free(merge);
	return error;
}

TEST(merging_again)
{
	char message[128] = "";
	struct merge *merge;

	assert_int_equal(merge_start(&merge, NULL, true), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(merge_add(merge, sessions[i], message, sizeof(message)), 0);
	merge_finish(merge);
	refuse_each(merged_again, merge_session(merge), "merging again", 3, true);
	merge_free(merge);
}

static int page(FILE *file, const void *argument)
{
	char path[] = "/tmp/ktime-page-XXXXXX", message[256] = "";
	int made = mkstemp(path), error;

	(void)file;
	assert_true(made >= 0);
	close(made);
	error = profile_page_write(sessions[WHOLE_CUPTI], argument, path, message, sizeof(message));
	unlink(path);
	return error;
}

TEST(pages)
{
	struct options options;

	options_defaults(&options);
	options.force_overwrite = true;
	options.demangling = false;
	refuse_each(page, &options, "a page", 2, true);
	options_free(&options);
}

static int exposed(FILE *file, const void *argument)
{
	struct prometheus *metrics = prometheus_create(4);
	int error = metrics ? 0 : -ENOMEM;

	for (int kind = 0; kind < WHOLE_KINDS && !error; kind++)
		error = prometheus_add(metrics, sessions[kind], argument);
	if (!error)
		error = prometheus_write(metrics, file);
	prometheus_free(metrics);
	return error;
}

TEST(metrics_for_prometheus)
{
	static const struct prometheus_place nowhere = {"", "", ""};

	refuse_each(exposed, &nowhere, "Prometheus", 1, true);
}

/* A list that was not had has no metrics. */
static int listed(FILE *file, const void *argument)
{
	struct metric_list list;
	char message[128] = "";
	int error = metric_list_parse(&list, argument, message, sizeof(message));

	(void)file;
	if (error) {
		assert_int_equal(error, -ENOMEM);
		assert_string_equal(message, "no memory");
		assert_null(list.names);
	}
	metric_list_free(&list);
	return error;
}

TEST(lists_of_metrics)
{
	refuse_each(listed, "ipc,dram__bytes_read.sum", "metrics", 1, true);
}

static int recorded(FILE *file, const void *argument)
{
	struct session *session;
	struct row *row;
	int error = session_create(&session, argument, argument ? SESSION_TRACE : 0);

	(void)file;
	if (argument)
		unlink(argument);
	if (error) {
		assert_int_equal(error, -ENOMEM);
		return error;
	}
	row = session_row(session, ROW_KERNEL, "kernel", 0);
	if (row)
		session_add_sample(session, &row->cupti, 1000);
	if (session_row(session, ROW_KERNEL, "kernel", 0) != row && row)
		fail_msg("a second row");
	session_note(session, "A note.");
	session_close(session);
	return row ? 0 : -ENOMEM;
}

TEST(profiles)
{
	char path[] = "/tmp/ktime-memory-XXXXXX";

	refuse_each(recorded, NULL, "a profile in memory", 1, true);
	close(mkstemp(path));
	unlink(path);
	refuse_each(recorded, path, "a profile", 1, true);
}
