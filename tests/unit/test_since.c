/* SPDX-License-Identifier: MIT */
/*
 * What a profile says of the time since an earlier copy of it: each figure is less what it was
 * then. tests/golden/since.txt has it; see golden.h where a change of it is wanted.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "report/export/output.h"
#include "report/energy/energy.h"
#include "report/live/live.h"
#include "report/session/estimate.h"
#include "report/session/items.h"
#include "report/print/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

/* A part of a figure that no other near it has. */
static uint64_t part;

static void shrink(uint64_t *figure)
{
	part = part % 89 + 1;
	*figure = *figure * (part + 3) / (part + 97);
}

static void shrink_real(double *figure)
{
	uint64_t whole = (uint64_t)*figure;

	shrink(&whole);
	*figure = (double)whole;
}

static void shrink_figures(const struct session *session, struct figures *figures)
{
	struct histogram *histogram = session_histogram(session, figures->histogram);

	shrink(&figures->count);
	shrink(&figures->total);
	shrink(&figures->size);
	shrink_real(&figures->squares);
	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++)
		histogram->buckets[i] -= (histogram->buckets[i] + 3) / 4;
}

static void shrink_row(const struct session *session, struct row *row)
{
	uint64_t *const counts[] = {&row->calls,
				    &row->calls_outside,
				    &row->failed,
				    &row->bytes,
				    &row->gated,
				    &row->may_wait,
				    &row->beside,
				    &row->queued,
				    &row->checked,
				    &row->checked_cupti,
				    &row->checked_raw,
				    &row->checked_events,
				    &row->checked_overlapped,
				    &row->waited,
				    &row->unmatched,
				    &row->graph_records,
				    &row->node_calls,
				    &row->node_calls_estimated,
				    &row->host_included};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		shrink(counts[i]);
	for (unsigned i = 0; i < UNTIMED_COUNT; i++)
		shrink(&row->untimed[i]);
	shrink_real(&row->bytes_squares);
	shrink_real(&row->windows_total);
	shrink_figures(session, &row->cupti);
	shrink_figures(session, &row->events);
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		struct stratum *stratum = &row->estimate.strata[i];

		shrink_real(&stratum->calls);
		shrink_real(&stratum->drawn);
		shrink_real(&stratum->weight);
		shrink_real(&stratum->weight_squares);
		shrink_real(&stratum->total);
		shrink_real(&stratum->squares);
		shrink(&stratum->timed);
	}
}

static void shrink_header(struct session_header *header)
{
	uint64_t *totals = (uint64_t *)&header->totals;

	for (size_t i = 0; i < sizeof(header->totals) / sizeof(*totals); i++)
		shrink(&totals[i]);
	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		struct device_use *use = &header->uses[i];

		/* The last one did nothing since. */
		if (i != 2)
			shrink(&use->last);
		shrink(&use->excluded);
		shrink(&use->busy);
		shrink(&use->kernels);
		shrink(&use->copies);
		shrink(&use->late);
	}
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		shrink(&header->counters[i]);
}

static struct session *earlier_profile(enum whole_profile kind)
{
	struct session *session = whole_profile(kind, NULL);
	const struct nvtx_range *range;
	const struct nvtx_part *inside;
	struct idle_row *idle;
	struct row *row;

	part = 0;
	session_for_each_row (session, row)
		shrink_row(session, row);
	session_for_each_idle (session, idle) {
		shrink(&idle->gaps);
		shrink(&idle->total);
	}
	session_for_each_nvtx_range (session, range) {
		shrink((uint64_t *)&range->calls);
		shrink((uint64_t *)&range->total);
	}
	session_for_each_nvtx_part (session, inside) {
		shrink_real((double *)&inside->calls);
		shrink_real((double *)&inside->event_calls);
		shrink_real((double *)&inside->untimed);
		shrink((uint64_t *)&inside->total);
	}
	shrink_header(session_header(session));
	return session;
}

static void write_numbers(const uint64_t *numbers, size_t count, FILE *file)
{
	for (size_t i = 0; i < count; i++)
		fprintf(file, " %llu", (unsigned long long)numbers[i]);
}

static void write_figures(const struct session *session, const struct figures *figures, FILE *file)
{
	const struct histogram *histogram = session_histogram(session, figures->histogram);
	uint64_t calls = 0;

	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++)
		calls += histogram->buckets[i] * (1 + i % 7);
	write_numbers(
		(const uint64_t[]){figures->count, figures->total,
				   figures->known & MINIMUM_KNOWN ? figures->minimum : UINT64_MAX,
				   figures->maximum, figures->size, calls},
		6, file);
	fprintf(file, " %.9g\n", figures->squares);
}

static void write_row(const struct session *session, const struct row *row, FILE *file)
{
	fprintf(file, "%s:", session_string(session, row->name));
	write_numbers((const uint64_t[]){row->calls, row->calls_outside, row->failed, row->bytes,
					 row->gated, row->may_wait, row->beside, row->queued,
					 row->checked, row->checked_cupti, row->checked_raw,
					 row->checked_events, row->checked_overlapped, row->waited,
					 row->unmatched, row->graph_records, row->node_calls,
					 row->node_calls_estimated, row->host_included},
		      19, file);
	fputs("; untimed", file);
	write_numbers(row->untimed, UNTIMED_COUNT, file);
	fprintf(file, "; %.9g %.9g\n\t", row->bytes_squares, row->windows_total);
	write_figures(session, &row->cupti, file);
	fputc('\t', file);
	write_figures(session, &row->events, file);
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		const struct stratum *stratum = &row->estimate.strata[i];

		if (stratum->calls > 0 || stratum->timed)
			fprintf(file, "\t%u: %.9g %.9g %.9g %.9g %.9g %.9g %llu\n", i,
				stratum->calls, stratum->drawn, stratum->weight,
				stratum->weight_squares, stratum->total, stratum->squares,
				(unsigned long long)stratum->timed);
	}
}

static void write_ranges(const struct session *session, FILE *file)
{
	const struct nvtx_range *range;
	const struct nvtx_part *inside;

	session_for_each_nvtx_range (session, range)
		fprintf(file, "range %s: %llu %llu\n", session_string(session, range->name),
			(unsigned long long)range->calls, (unsigned long long)range->total);
	session_for_each_nvtx_part (session, inside)
		fprintf(file, "part: %.9g %.9g %.9g %llu\n", inside->calls, inside->event_calls,
			inside->untimed, (unsigned long long)inside->total);
}

/* All that is taken off, but the counters. */
static void write_session(const struct session *session, FILE *file)
{
	const struct session_header *header = session_header(session);
	const struct idle_row *idle;
	const struct row *row;

	session_for_each_row (session, row)
		write_row(session, row, file);
	session_for_each_idle (session, idle)
		fprintf(file, "idle by %u: %llu %llu\n", idle->cause,
			(unsigned long long)idle->gaps, (unsigned long long)idle->total);
	write_ranges(session, file);
	for (unsigned i = 0; i < 3; i++) {
		fprintf(file, "device %u:", i);
		write_numbers((const uint64_t *)&header->uses[i],
			      sizeof(header->uses[i]) / sizeof(uint64_t), file);
		fputc('\n', file);
	}
	fputs("calls:", file);
	write_numbers((const uint64_t *)&header->totals, sizeof(header->totals) / sizeof(uint64_t),
		      file);
	fprintf(file, "\nsince %llu\n", (unsigned long long)header->start_realtime);
}

static void counters_are_less(const struct session *now, enum whole_profile kind,
			      const struct session *before)
{
	struct session *whole = whole_profile(kind, NULL);

	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		uint64_t all = session_header(whole)->counters[i];
		bool stays = i == COUNTER_events_created || i == COUNTER_threads ||
			     i == COUNTER_memory_bytes || i == COUNTER_trace_records ||
			     i == COUNTER_trace_lost;

		assert_int_equal(session_header(now)->counters[i],
				 stays ? all : all - session_header(before)->counters[i]);
	}
	session_close(whole);
}

TEST(each_figure_is_less_what_it_was)
{
	FILE *file = golden_begin();

	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *now = whole_profile(kind, NULL), *before = earlier_profile(kind);

		assert_int_equal(interval_subtract(now, before), 0);
		write_session(now, file);
		counters_are_less(now, kind, before);
		session_close(now);
		session_close(before);
	}
	golden_end("since");
}

/* An estimate, or a file that was written to meanwhile, may say less than before. */
TEST(no_figure_is_below_zero)
{
	struct session *now = earlier_profile(WHOLE_CUPTI),
		       *before = whole_profile(WHOLE_CUPTI, NULL);
	const struct idle_row *idle;
	const struct row *row;

	session_header(before)->counters[COUNTER_wall_ns] = 0;
	assert_int_equal(interval_subtract(now, before), 0);
	session_for_each_row (now, row) {
		assert_int_equal(row->calls, 0);
		assert_int_equal(row->cupti.total, 0);
		assert_true(row->cupti.squares == 0);
	}
	session_for_each_idle (now, idle)
		assert_int_equal(idle->total, 0);
	session_close(now);
	session_close(before);
}

static struct row *add_kernel(struct session *session, uint64_t calls, double windows)
{
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);

	row->calls = calls;
	row_set_windows(row, windows, windows / 10);
	return row;
}

/* The total of calls that were recorded in part, after ten calls and after forty. */
static double total_since(uint64_t recorded, double windows, double *error)
{
	struct session *now, *before;
	const struct row *row;
	double total;

	assert_int_equal(session_create(&before, NULL, 0), 0);
	assert_int_equal(session_create(&now, NULL, 0), 0);
	add_kernel(before, 10, windows)->cupti =
		(struct figures){.count = recorded, .total = 90 * recorded};
	row = add_kernel(now, 40, 4000);
	assert_int_equal(interval_subtract(now, before), 0);
	assert_int_equal(row->calls, 30);
	total = row->windows_total;
	*error = row->windows_error;
	session_close(now);
	session_close(before);
	return total;
}

TEST(an_estimate_since_then_is_that_of_the_later_calls)
{
	double error;

	assert_true(total_since(3, 1100, &error) == 2900 && error == 400);
	/* All ten were recorded; most of them, and the others' records were on their way; none. */
	assert_true(total_since(10, 0, &error) == 3100 && error == 400);
	assert_true(total_since(9, 0, &error) == 3100 && error == 400);
	assert_true(total_since(0, 0, &error) == 3000 && error == 300);
}

static void add_memory(struct session *session, uint64_t allocations, uint64_t frees)
{
	struct memory_use *use = session_add_item(session, SEGMENT_MEMORY, &(struct memory_use){0});
	struct memory_site *site =
		session_add_item(session, SEGMENT_MEMORY_SITES, &(struct memory_site){.size = 100});

	*use = (struct memory_use){.committed = 1,
				   .kind = ALLOCATION_MANAGED,
				   .held = 100 * (allocations - frees),
				   .held_count = allocations - frees,
				   .peak = 500,
				   .allocations = allocations,
				   .allocated = 100 * allocations,
				   .frees = frees};
	site->allocations = allocations;
	site->allocated = 100 * allocations;
	site->held_count = allocations - frees;
}

TEST(energy_over_time_is_not_that_since_then)
{
	struct session *now, *before;
	struct energy_curve *curve;

	assert_int_equal(session_create(&before, NULL, 0), 0);
	assert_int_equal(session_create(&now, NULL, 0), 0);
	curve = session_add_item(now, SEGMENT_ENERGY, &(struct energy_curve){.length = 1});
	assert_ptr_equal(energy_curve_of(now, 0), curve);
	assert_int_equal(interval_subtract(now, before), 0);
	assert_null(energy_curve_of(now, 0));
	session_close(now);
	session_close(before);
}

TEST(allocations_are_those_since_then)
{
	struct session *now, *before;
	const struct memory_site *site;
	const struct memory_use *use;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(session_create(&before, NULL, 0), 0);
	assert_int_equal(session_create(&now, NULL, 0), 0);
	add_memory(before, 5000, 4999);
	add_memory(now, 5006, 5004);
	session_header(before)->counters[COUNTER_wall_ns] = 1000000000;
	session_header(now)->counters[COUNTER_wall_ns] = 3000000000;
	assert_int_equal(interval_subtract(now, before), 0);
	use = session_next_item(now, SEGMENT_MEMORY, NULL);
	assert_int_equal(use->allocations, 6);
	assert_int_equal(use->allocated, 600);
	assert_int_equal(use->frees, 5);
	assert_int_equal(use->held_count, 2);
	assert_int_equal(use->peak, 500);
	site = session_next_item(now, SEGMENT_MEMORY_SITES, NULL);
	assert_int_equal(site->allocations, 6);
	assert_int_equal(site->held_count, 2);
	/* One was held before: of seven allocations two are held. */
	memory_line_write(now, "", file);
	fclose(file);
	assert_string_equal(
		text,
		"Memory: at most 500 B of managed memory on device 0; 2 of 7 allocations held, "
		"200 B; 3 allocations a second.\n");
	free(text);
	session_close(now);
	session_close(before);
}

static int save(struct session *session, const char *path, bool overwrite, char *message)
{
	struct output output;
	int error = output_open(&output, path, overwrite, true, message, 256);

	if (error)
		return error;
	error = interval_write(session, RUN_UNTIL, output.file);
	if (!error)
		return output_finish(&output, message, 256);
	output_abandon(&output);
	return error;
}

TEST(the_rest_is_saved_as_a_profile_that_is_final)
{
	struct session *session = whole_profile(WHOLE_CUPTI, NULL), *saved;
	char folder[] = "/tmp/ktime-since-XXXXXX", path[64], message[256] = "", expected[128];
	struct session_header *header = session_header(session);
	struct stat status;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/profile", folder);
	header->finished = header->reported = header->kept = 0;
	header->owner.started = 77;
	assert_int_equal(save(session, path, false, message), 0);
	assert_string_equal(message, "");
	assert_int_equal(session_load(&saved, path, message, sizeof(message)), 0);
	header = session_header(saved);
	assert_int_equal(header->finished, RUN_UNTIL);
	assert_int_equal(header->reported, 1);
	assert_int_equal(header->kept, 1);
	assert_int_equal(header->owner.started, 0);
	assert_int_equal(header->counters[COUNTER_wall_ns], 3200000000);
	assert_string_equal(session_string(saved, header->command), "./train --epochs 3");
	session_close(saved);
	/* It is not replaced, unless that is asked for. */
	assert_int_not_equal(save(session, path, false, message), 0);
	snprintf(expected, sizeof(expected), "%s", path);
	assert_memory_equal(message, expected, strlen(expected));
	assert_int_equal(save(session, path, true, message), 0);
	assert_int_equal(save(session, "/dev/full", true, message), -28);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	unlink(path);
	rmdir(folder);
	session_close(session);
}
