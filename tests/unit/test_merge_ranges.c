/* SPDX-License-Identifier: MIT */
/* NVTX ranges and hardware counters of merged profiles. */
#include "report/session/items.h"
#include "report/session/session_internal.h"
#include "tests/unit/one_merge.h"

static const struct nvtx_range *range(struct session *session, const struct nvtx_range *parent,
				      const char *name, const char *domain, uint32_t thread)
{
	const struct nvtx_range added = {
		.parent = parent ? session_offset(session, parent) : 0,
		.name = *name ? session_intern(session, name) : 0,
		.domain = *domain ? session_intern(session, domain) : 0,
		.thread = thread,
	};

	return session_add_item(session, SEGMENT_RANGES, &added);
}

/* `calls` of the range, of `time` each. */
static void passes(const struct nvtx_range *of, uint64_t calls, uint64_t time)
{
	struct nvtx_range *to = (struct nvtx_range *)of;

	to->calls += calls;
	to->total += calls * time;
	to->minimum = time;
	to->known = MINIMUM_KNOWN;
	to->maximum = time;
}

/* In the range `calls` of a kernel, of `time` each. */
static struct nvtx_part *works(struct session *session, const struct nvtx_range *in,
			       const char *name, unsigned calls, uint64_t time)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);
	struct nvtx_part *part = session_add_nvtx_part(session, in, row);

	for (unsigned i = 0; i < calls; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, time);
	}
	part->calls = calls;
	part->total = calls * time;
	part->minimum = part->maximum = time;
	part->known = MINIMUM_KNOWN;
	return part;
}

static const struct nvtx_range *found(const char *name, const char *domain, unsigned *count)
{
	const struct nvtx_range *read, *first = NULL;

	*count = 0;
	session_for_each_nvtx_range (merged, read) {
		if (strcmp(session_string(merged, read->name), name) != 0 ||
		    strcmp(session_string(merged, read->domain), domain) != 0)
			continue;
		first = first ? first : read;
		(*count)++;
	}
	return first;
}

static void is_spread(const char *path, uint64_t minimum, double total, uint64_t maximum,
		      unsigned processes, int slowest)
{
	const struct job_row *row, *path_row = NULL;

	session_for_each_job_row (merged, row)
		if (row->kind == ROW_RANGE && !strcmp(session_string(merged, row->name), path))
			path_row = row;
	assert_non_null(path_row);
	assert_int_equal(path_row->minimum, minimum);
	assert_int_equal((uint64_t)(path_row->total + 0.5), (uint64_t)total);
	assert_int_equal(path_row->maximum, maximum);
	assert_int_equal(path_row->processes, processes);
	assert_int_equal(session_process_at(merged, path_row->slowest)->rank.rank, slowest);
}

/* On two threads "step" with "load" in it, of a domain. */
static struct session *steps(int rank, unsigned calls, uint64_t time)
{
	struct session *session = process_of(rank, 3);

	for (uint32_t thread = 1; thread <= 2; thread++) {
		const struct nvtx_range *outer = range(session, NULL, "step", "", thread);
		const struct nvtx_range *inner = range(session, outer, "load", "data", thread);

		passes(outer, calls, 10 * time);
		passes(inner, 1, time + thread);
		works(session, outer, "kernel", calls, time);
		works(session, inner, "other", 1, 2 * time);
	}
	return session;
}

TEST(ranges_of_a_path_are_one)
{
	const struct nvtx_range *outer, *inner;
	const struct nvtx_part *part;
	unsigned count, parts = 0;

	add(steps(0, 3, 100));
	add(steps(1, 4, 200));
	outer = found("step", "", &count);
	assert_int_equal(count, 1);
	assert_int_equal(outer->calls, 2 * 3 + 2 * 4);
	assert_int_equal(outer->total, 2 * 3 * 1000 + 2 * 4 * 2000);
	assert_int_equal(outer->minimum, 1000);
	assert_int_equal(outer->maximum, 2000);
	assert_int_equal(outer->parent, 0);
	inner = found("load", "data", &count);
	assert_int_equal(count, 1);
	assert_ptr_equal(session_nvtx_range_at(merged, inner->parent), outer);
	assert_int_equal(inner->minimum, 101);
	assert_int_equal(inner->maximum, 202);
	session_for_each_nvtx_part (merged, part) {
		const struct row *row = session_row_at(merged, part->row);
		bool is_outer = session_nvtx_range_at(merged, part->range) == outer;

		parts++;
		assert_string_equal(session_string(merged, row->name),
				    is_outer ? "kernel" : "other");
		assert_int_equal((uint64_t)part->calls, is_outer ? 14 : 4);
		assert_int_equal(part->total, is_outer ? 600 + 1600 : 400 + 800);
		assert_int_equal(part->minimum, is_outer ? 100 : 200);
		assert_int_equal(part->maximum, is_outer ? 200 : 400);
		assert_int_equal(part->estimated, 0);
	}
	assert_int_equal(parts, 2);
	/* With what is inside of it. */
	is_spread("step", 1000, 3400, 2400, 2, 1);
	is_spread("step/data@load", 400, 1200, 800, 2, 1);
}

TEST(what_tells_ranges_apart_in_a_profile_does_in_all)
{
	struct session *session = process_of(0, 3);
	struct nvtx_range *started = (struct nvtx_range *)range(session, NULL, "step", "", 0);
	unsigned count;

	started->style = RANGE_START_END;
	passes(started, 1, 50);
	passes(range(session, NULL, "step", "", 1), 1, 10);
	passes(range(session, NULL, "step", "mine", 1), 1, 20);
	passes(range(session, range(session, NULL, "", "", 1), "step", "", 1), 1, 30);
	add(session);
	found("step", "", &count);
	assert_int_equal(count, 3);
	found("step", "mine", &count);
	assert_int_equal(count, 1);
	found("", "", &count);
	assert_int_equal(count, 1);
}

TEST(times_that_are_estimated_stay_so)
{
	const struct nvtx_part *part;
	unsigned parts = 0;

	for (int rank = 0; rank < 2; rank++) {
		struct session *session = process_of(rank, 3);
		struct nvtx_part *added =
			works(session, range(session, NULL, "step", "", 1), "kernel", 2, 100);

		added->untimed = 3;
		added->event_calls = 2;
		added->estimated = rank;
		add(session);
	}
	session_for_each_nvtx_part (merged, part) {
		parts++;
		assert_int_equal(part->estimated, 1);
		assert_int_equal((uint64_t)part->untimed, 6);
		/* Their overhead was taken off before. */
		assert_int_equal((uint64_t)part->event_calls, 0);
	}
	assert_int_equal(parts, 1);
	/* Those without a time count as long as others take. */
	is_spread("step", 500, 1000, 500, 2, 0);
}

TEST(ranges_without_gpu_work_have_no_spread)
{
	struct session *session = process_of(0, 3);
	const struct job_row *row;

	passes(range(session, NULL, "idle", "", 1), 1, 10);
	add(session);
	session_for_each_job_row (merged, row)
		assert_int_not_equal(row->kind, ROW_RANGE);
}

TEST(names_without_end_are_bounded)
{
	struct session *session = process_of(0, 3);
	const struct nvtx_range *read, *last = NULL;
	unsigned count = 0;
	char name[32];

	for (unsigned i = 0; i < MERGED_RANGES_MOST + 2; i++) {
		snprintf(name, sizeof(name), "step %u", i);
		last = range(session, NULL, name, "", 1);
		/* One that nothing was recorded of is left out. */
		passes(last, 1, 10);
	}
	passes(range(session, last, "inside", "", 1), 1, 10);
	add(session);
	/* Those that are there grow on. */
	session = process_of(1, 3);
	passes(range(session, NULL, "step 7", "", 1), 5, 10);
	add(session);
	session_for_each_nvtx_range (merged, read)
		count++;
	assert_int_equal(count, MERGED_RANGES_MOST);
	assert_int_equal(found("step 7", "", &count)->calls, 6);
	assert_null(found("inside", "", &count));
	assert_int_equal(session_header(merged)->note_count, 1);
	assert_non_null(strstr(session_string(merged, session_header(merged)->notes[0]),
			       "more than 65536 of different paths"));
}

static void counter(struct session *session, const char *name, const char *metric, double least,
		    double most, unsigned count)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);
	struct metric_values *values = session_add_metric(session, row, metric, "what it is", 3);

	row->calls += count + 1;
	values->minimum = least;
	values->maximum = most;
	values->total = (least + most) * count / 2;
	values->known = count ? MINIMUM_KNOWN | MAXIMUM_KNOWN : 0;
	values->count = count;
}

TEST(counters_are_those_of_all_launches)
{
	struct session *session = process_of(0, 3);
	const struct metric_values *read;
	unsigned metrics = 0;

	counter(session, "kernel", "bytes", 0, 0, 0);
	counter(session, "other", "bytes", 7, 7, 1);
	add(session);
	session = process_of(1, 3);
	counter(session, "kernel", "flops", 1, 1, 1);
	counter(session, "kernel", "bytes", 5, 9, 4);
	add(session);
	session = process_of(2, 3);
	counter(session, "kernel", "bytes", 3, 4, 2);
	counter(session, "kernel", "flops", 0, 0, 0);
	add(session);
	session_for_each_metric (merged, read) {
		const struct row *row = session_row_at(merged, read->row);
		bool bytes = !strcmp(session_string(merged, read->name), "bytes");
		bool kernel = !strcmp(session_string(merged, row->name), "kernel");

		metrics++;
		assert_int_equal(read->unit, 3);
		assert_string_equal(session_string(merged, read->description), "what it is");
		assert_int_equal(read->count, !bytes ? 1 : kernel ? 6 : 1);
		assert_int_equal((int)read->minimum, !bytes ? 1 : kernel ? 3 : 7);
		assert_int_equal((int)read->maximum, !bytes ? 1 : kernel ? 9 : 7);
		assert_int_equal((int)read->total, !bytes ? 1 : kernel ? 35 : 7);
	}
	assert_int_equal(metrics, 3);
}
