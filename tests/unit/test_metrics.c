/* SPDX-License-Identifier: MIT */
/*
 * What --metrics takes and refuses, and how the values of counters are printed:
 * tests/golden/metrics.txt has that; see golden.h where a change of it is wanted.
 */
#include <errno.h>

#include "report/session/items.h"
#include "report/options/metrics.h"
#include "tests/unit/golden.h"
#include "tests/unit/printed.h"
#include "tests/unit/test.h"

static struct session *session;

static void add(const struct row *row, const char *name, const char *description, uint32_t unit,
		uint64_t count, double least, double most)
{
	struct metric_values *metric = session_add_metric(session, row, name, description, unit);

	assert_non_null(metric);
	assert_int_equal(metric->count, 0);
	metric->minimum = least;
	metric->maximum = most;
	metric->total = (least + most) / 2 * (double)count;
	metric->known = MINIMUM_KNOWN | MAXIMUM_KNOWN;
	metric->count = count;
}

/* Kernels of two devices, values of each unit and at each edge of their forms. */
static void fill(void)
{
	struct session_header *header = session_header(session);
	struct row *rows[3];

	header->cupti_active = 1;
	header->counters[COUNTER_metric_launches] = 17;
	header->counters[COUNTER_metric_ns] = 2340000000;
	header->pid = 4321;
	header->finished = 1;
	header->devices[0].used = header->devices[1].used = 1;
	strcpy(header->devices[0].name, "NVIDIA H200");
	strcpy(header->devices[1].name, "NVIDIA L40S");
	rows[0] = session_row(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 1);
	rows[1] = session_row(session, ROW_KERNEL, "_Z6reducePd", 0);
	rows[2] = session_row(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 0);
	for (int i = 0; i < 3; i++)
		rows[i]->calls = 10;
	add(rows[0], "achieved_occupancy", "Achieved Occupancy", METRIC_NUMBER, 2, 0.25, 0.75);
	add(rows[1], "flop_count_sp", "Floating Point Operations(Single Precision)", METRIC_WHOLE,
	    3, 9999999999, 10000000000);
	add(rows[0], "dram_read_throughput", "Device Memory Read Throughput", METRIC_THROUGHPUT, 4,
	    999, 1000);
	add(rows[1], "dram_write_throughput", "Device Memory Write Throughput", METRIC_THROUGHPUT,
	    5, 1000000, 4.8e12);
	add(rows[1], "gld_efficiency", "Global Memory Load Efficiency", METRIC_PERCENT, 6, 12.5,
	    100);
	add(rows[1], "smsp__inst_executed_of_all_kinds_in_all.ratio", "", METRIC_NUMBER, 7, 9999.5,
	    10000);
	add(rows[2], "ipc", "Executed IPC, as a mean of all multiprocessors in one", METRIC_NUMBER,
	    1, 1.5, 1.5);
	/* None was read, and what a damaged file may hold. */
	add(rows[2], "sm_efficiency", "Multiprocessor Activity", METRIC_PERCENT, 0, 0, 0);
	add(rows[2], "bad\033name", "Text", METRIC_PERCENT, 1, 1, 1);
	add(rows[2], "name", "bad\ntext", METRIC_PERCENT, 1, 1, 1);
	add(session_row(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 1 << 20), "ipc", "Executed IPC",
	    METRIC_NUMBER, 1, 1, 1);
}

TEST(values_are_printed_as_nvprof_does)
{
	static const char *const words[] = {
		"--print-gpu-summary --metrics ipc",
		"--print-gpu-summary --metrics ipc --quiet --kernels saxpy",
		"--print-gpu-summary --metrics ipc --csv --quiet",
		"--print-gpu-summary --metrics ipc --csv --devices 1",
	};
	FILE *file = golden_begin();

	assert_int_equal(session_create(&session, NULL, 0), 0);
	fill();
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *text = printed(session, words[i]);

		fprintf(file, "$ ktime show %s\n%s\n", words[i], text);
		free(text);
	}
	fputs("$ ktime --query-metrics\n", file);
	metrics_list(file);
	golden_end("metrics");
	session_close(session);
}

TEST(without_values_there_is_no_table)
{
	char *text;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	text = printed(session, "--print-gpu-summary");
	assert_null(strstr(text, "Metric"));
	free(text);
	session_close(session);
}

TEST(a_list_has_each_metric_once)
{
	struct metric_list list;
	char message[256] = "";
	size_t with_counters = 0;

	assert_int_equal(
		metric_list_parse(&list, "ipc,dram_read_bytes,ipc", message, sizeof(message)), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.metrics[0].name, "ipc");
	assert_string_equal(list.metrics[1].name, "dram_read_bytes");
	metric_list_free(&list);
	assert_null(list.names);
	assert_int_equal(list.count, 0);
	assert_int_equal(metric_list_parse(&list, "ipc,all", message, sizeof(message)), 0);
	for (size_t i = 0; i < metric_table_size; i++)
		with_counters += !metric_table[i].instead;
	assert_int_equal(list.count, with_counters);
	metric_list_free(&list);
}

static void is_unit(const char *counter, enum metric_unit unit)
{
	struct metric_list list;
	char message[256] = "";

	assert_int_equal(metric_list_parse(&list, counter, message, sizeof(message)), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.metrics[0].name, counter);
	assert_string_equal(list.metrics[0].description, "");
	assert_string_equal(list.metrics[0].terms[0].counter, counter);
	assert_true(list.metrics[0].terms[0].factor == 1);
	assert_null(list.metrics[0].terms[1].counter);
	assert_int_equal(list.metrics[0].unit, unit);
	metric_list_free(&list);
}

TEST(a_counters_unit_follows_from_its_name)
{
	is_unit("dram__bytes_read.sum", METRIC_WHOLE);
	is_unit("dram__bytes_read.sum.per_second", METRIC_THROUGHPUT);
	is_unit("dram__sectors_read.sum.per_second", METRIC_NUMBER);
	is_unit("dram__bytes_read.avg.per_second", METRIC_NUMBER);
	is_unit("sm__warps_active.avg", METRIC_NUMBER);
	is_unit("sm__throughput.avg.pct_of_peak_sustained_elapsed", METRIC_PERCENT);
	is_unit("l1tex__hit_rate.pct", METRIC_PERCENT);
	is_unit("a__b.c", METRIC_NUMBER);
}

static void is_refused(const char *text, const char *expected)
{
	struct metric_list list;
	char message[256] = "";

	assert_int_equal(metric_list_parse(&list, text, message, sizeof(message)), -EINVAL);
	assert_string_equal(message, expected);
	assert_null(list.names);
}

TEST(unknown_names_are_refused_with_what_they_may_mean)
{
#define LISTS " (ktime --query-metrics lists them; counters have names like dram__bytes_read.sum)"
	is_refused("ipcc", "no metric ipcc; did you mean ipc?");
	is_refused("ipc,quite_another", "no metric quite_another" LISTS);
	is_refused("", "option --metrics: a name is missing");
	is_refused("ipc,", "option --metrics: a name is missing");
	is_refused("__x.sum", "no metric __x.sum" LISTS);
	is_refused("x__y", "no metric x__y" LISTS);
	is_refused("x__y.", "no metric x__y." LISTS);
	is_refused("x__y.s m", "no metric x__y.s m" LISTS);
	is_refused("al", "no metric al" LISTS);
}

TEST(a_metric_that_is_gone_says_what_to_use)
{
	size_t gone = 0;

	for (size_t i = 0; i < metric_table_size; i++) {
		char expected[256];

		if (!metric_table[i].instead)
			continue;
		gone++;
		snprintf(expected, sizeof(expected), "metric %s has no counter today: %s",
			 metric_table[i].name, metric_table[i].instead);
		is_refused(metric_table[i].name, expected);
	}
	assert_true(gone > 0);
}

TEST(at_most_so_many_metrics_are_read)
{
	char text[40 * (METRICS_MOST + 2)] = "", message[256] = "", *end = text;
	struct metric_list list;

	for (int i = 0; i < METRICS_MOST; i++)
		end += sprintf(end, "%ssm__x%d.sum", i ? "," : "", i);
	assert_int_equal(metric_list_parse(&list, text, message, sizeof(message)), 0);
	assert_int_equal(list.count, METRICS_MOST);
	assert_string_equal(list.metrics[METRICS_MOST - 1].name, "sm__x127.sum");
	metric_list_free(&list);
	strcpy(end, ",sm__x0.sum");
	assert_int_equal(metric_list_parse(&list, text, message, sizeof(message)), 0);
	metric_list_free(&list);
	strcpy(end, ",all");
	assert_int_equal(metric_list_parse(&list, text, message, sizeof(message)), 0);
	metric_list_free(&list);
	strcpy(end, ",sm__y.sum");
	is_refused(text, "option --metrics: at most 128 metrics");
}
