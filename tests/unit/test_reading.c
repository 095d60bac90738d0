/* SPDX-License-Identifier: MIT */
/*
 * A running program's profile, read again and again: what happened since the last reading, in which
 * order it is shown, and how busy the devices were.
 */
#include <errno.h>
#include <unistd.h>

#include "report/live/live.h"
#include "tests/unit/running_profile.h"

static char message[256];
static const struct programs programs = {&options, NULL, 0};
static struct readings readings;

BEFORE_EACH
{
	readings = (struct readings){.programs = &programs};
}

AFTER_EACH
{
	readings_free(&readings);
}

static const struct reading *take(void)
{
	assert_int_equal(readings_take(&readings, message, sizeof(message)), 0);
	assert_int_equal(readings.count, 1);
	return &readings.of[0];
}

/* The rows as text: "NAME CALLS TOTAL RUN_CALLS RUN_TOTAL", one after the other, and sums. */
static const char *rows_of(const struct reading *reading, bool api)
{
	static char text[1024];
	struct reading_rows rows;
	size_t length = 0;

	assert_int_equal(reading_rows(reading, &options, api, &rows), 0);
	for (size_t i = 0; i < rows.count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%s %llu %llu %llu %llu", i ? "; " : "",
					   rows.rows[i].run->name,
					   (unsigned long long)rows.rows[i].calls,
					   (unsigned long long)rows.rows[i].total,
					   (unsigned long long)rows.rows[i].run->calls,
					   (unsigned long long)rows.rows[i].run->total);
	snprintf(text + length, sizeof(text) - length, " = %llu %llu %llu",
		 (unsigned long long)rows.calls, (unsigned long long)rows.total,
		 (unsigned long long)rows.run_total);
	reading_rows_free(&rows);
	assert_null(rows.rows);
	return text;
}

static void more_calls(void)
{
	call(ROW_KERNEL, "_Z5firstv", 0, 20, 100);
	call(ROW_KERNEL, "_Z6secondv", 1, 1, 600);
	call(ROW_KERNEL, "_Z5thirdv", 0, 3, 200);
	call(ROW_RUNTIME_API, "cudaLaunchKernel", -1, 24, 10);
	call(ROW_RUNTIME_API, "cudaMemcpy", -1, 2, 70);
}

TEST(rows_have_what_came_since_the_last_reading)
{
	const struct reading *reading;

	first_calls();
	reading = take();
	assert_null(reading->before);
	assert_int_equal(reading->profile.pid, 4321);
	assert_string_equal(reading->profile.command, "/opt/bin/train --epochs 3");
	assert_string_equal(rows_of(reading, false),
			    "second 3 2500 3 2500; first 4 400 4 400; [CUDA memcpy HtoD] 1 300 1 "
			    "300 = 8 3200 3200");
	more_calls();
	reading = take();
	assert_string_equal(rows_of(reading, false),
			    "first 20 2000 24 2400; second 1 600 4 3100; third 3 600 3 600; [CUDA "
			    "memcpy HtoD] 0 0 1 300 = 24 3200 6400");
	assert_string_equal(rows_of(reading, true),
			    "cudaLaunchKernel 24 240 31 310; cudaMemcpy 2 140 2 140 = 26 380 "
			    "450");
	reading = take();
	assert_string_equal(rows_of(reading, false),
			    "second 0 0 4 3100; first 0 0 24 2400; third 0 0 3 600; [CUDA memcpy "
			    "HtoD] 0 0 1 300 = 0 0 6400");
}

TEST(rows_are_in_the_order_that_is_asked_for)
{
	const struct reading *reading;

	first_calls();
	take();
	more_calls();
	reading = take();
	options.top_sort = TOP_RUN;
	assert_string_equal(rows_of(reading, false),
			    "second 1 600 4 3100; first 20 2000 24 2400; third 3 600 3 600; [CUDA "
			    "memcpy HtoD] 0 0 1 300 = 24 3200 6400");
	options.top_sort = TOP_NAME;
	assert_string_equal(rows_of(reading, false),
			    "[CUDA memcpy HtoD] 0 0 1 300; first 20 2000 24 2400; second 1 600 4 "
			    "3100; third 3 600 3 600 = 24 3200 6400");
	options.top_sort = TOP_CALLS;
	assert_string_equal(rows_of(reading, false),
			    "first 20 2000 24 2400; third 3 600 3 600; second 1 600 4 3100; [CUDA "
			    "memcpy HtoD] 0 0 1 300 = 24 3200 6400");
	/* The sums have the rows that are left out. */
	options.top = 2;
	assert_string_equal(rows_of(reading, false),
			    "first 20 2000 24 2400; third 3 600 3 600 = 24 3200 6400");
	options.top = 3;
	options.kernels = "second|third";
	assert_string_equal(rows_of(reading, false),
			    "third 3 600 3 600; second 1 600 4 3100; [CUDA memcpy HtoD] 0 0 1 300 "
			    "= 4 1200 4000");
}

TEST(rows_that_are_alike_are_in_the_order_of_their_names)
{
	const struct reading *reading;

	call(ROW_KERNEL, "b", 0, 1, 100);
	call(ROW_KERNEL, "c", 0, 2, 50);
	call(ROW_KERNEL, "a", 0, 1, 100);
	call(ROW_KERNEL, "d", 0, 1, 90);
	take();
	call(ROW_KERNEL, "d", 0, 1, 20);
	call(ROW_KERNEL, "c", 0, 1, 20);
	reading = take();
	assert_string_equal(rows_of(reading, false),
			    "c 1 20 3 120; d 1 20 2 110; a 0 0 1 100; b 0 0 1 100 = 2 40 430");
	options.top_sort = TOP_CALLS;
	assert_string_equal(rows_of(reading, false),
			    "c 1 20 3 120; d 1 20 2 110; a 0 0 1 100; b 0 0 1 100 = 2 40 430");
}

TEST(use_is_that_of_the_interval_and_of_the_run)
{
	struct session_header *header = session_header(session);
	const struct reading *reading;
	struct idle_row *idle[3];
	struct reading_use use;

	for (int i = 0; i < 3; i++)
		idle[i] = session_idle_row(
			session, &(struct idle_row){.cause = i == 0 ? IDLE_PROGRAM : IDLE_GRAPH,
						    .device = i == 2,
						    .thread = 7});
	first_calls();
	header->counters[COUNTER_wall_ns] = 1000 * MS;
	header->uses[1] = (struct device_use){.first = 1, .last = 9, .busy = 250 * MS};
	session_add_idle(idle[2], 40 * MS, 0, 0);
	reading = take();
	assert_true(reading_seconds(reading) == 1 && reading_run_seconds(reading) == 1);
	assert_false(reading_use(reading, 0, &use));
	assert_true(use.busy == -1 && use.run_busy == -1);
	assert_null(use.cause);
	assert_true(reading_use(reading, 1, &use));
	assert_true(use.busy == 0.25 && use.run_busy == 0.25);
	assert_string_equal(use.cause, "inside graphs");
	assert_true(use.cause_share == 0.04);
	header->counters[COUNTER_wall_ns] = 1500 * MS;
	header->uses[0] = (struct device_use){.first = 1, .last = 9, .busy = 900 * MS};
	header->uses[1].busy += 125 * MS;
	session_add_idle(idle[0], 50 * MS, 0, 0);
	session_add_idle(idle[1], 30 * MS, 0, 0);
	session_add_idle(idle[1], 30 * MS, 0, 0);
	reading = take();
	assert_true(reading_seconds(reading) == 0.5 && reading_run_seconds(reading) == 1.5);
	/* No device is busier than always. */
	assert_true(reading_use(reading, 0, &use));
	assert_true(use.busy == 1 && use.run_busy == 0.6);
	assert_string_equal(use.cause, "inside graphs");
	assert_true(use.cause_share == 0.12);
	assert_true(reading_use(reading, 1, &use));
	assert_true(use.busy == 0.25 && use.run_busy == 0.25);
	assert_null(use.cause);
	/* An estimate may become less, and time may stand still. */
	header->uses[1].busy = 5;
	reading = take();
	assert_true(reading_seconds(reading) == 0);
	assert_true(reading_use(reading, 1, &use));
	assert_true(use.busy == -1);
	header->counters[COUNTER_windows] = 1;
	assert_false(reading_use(take(), 1, &use));
}

TEST(estimates_are_marked)
{
	struct reading_rows rows;
	struct row *row = session_row(session, ROW_KERNEL, "a", 0);

	session_header(session)->cupti_active = 0;
	row->calls = 10;
	row->untimed[UNTIMED_SAMPLED_OUT] = 5;
	for (int i = 0; i < 5; i++)
		session_add_sample(session, &row->events, 100);
	assert_int_equal(reading_rows(take(), &options, false, &rows), 0);
	assert_int_equal(rows.count, 1);
	assert_true(rows.rows[0].run->estimated);
	reading_rows_free(&rows);
}

TEST(a_program_that_has_ended_is_gone)
{
	first_calls();
	take();
	session_header(session)->finished = 1;
	assert_int_equal(readings_take(&readings, message, sizeof(message)), 0);
	assert_int_equal(readings.count, 0);
	readings_free(&readings);
	unlink(path);
	assert_int_equal(readings_take(&readings, message, sizeof(message)), -ENOENT);
	assert_non_null(strstr(message, "No such file or directory"));
}
