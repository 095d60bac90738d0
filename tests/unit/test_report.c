/* SPDX-License-Identifier: MIT */
/* What ktime adds to nvprof's report, and names and figures that nvprof's own output lacks. */
#include <unistd.h>

#include "report/print/report.h"
#include "report/session/estimate.h"
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

#define HEADING                                                                                    \
	"            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"

BEFORE_EACH
{
	strcpy(header->devices[0].name, "NVIDIA H200");
	header->devices[0].used = 1;
}

static void add_calls(struct row *row, uint64_t calls, uint64_t cupti, uint64_t events)
{
	uint64_t i;

	assert_non_null(row);
	for (i = 0; i < calls; i++) {
		row->calls++;
		session_count(session, COUNTER_operations, 1);
		if (cupti)
			session_add_sample(session, &row->cupti, cupti);
		if (events)
			session_add_sample(session, &row->events, events);
		if (cupti && events) {
			row->checked++;
			row->checked_cupti += cupti;
			row->checked_raw += events + 2900;
			row->checked_events += events;
			session_add_difference(session, row,
					       events > cupti ? events - cupti : cupti - events);
		}
	}
}

static void prints(const char *words, const char *expected)
{
	char *text = printed(session, words);

	assert_string_equal(text, expected);
	free(text);
}

static void holds(const char *words, const char *part)
{
	char *text = printed(session, words);

	if (!strstr(text, part))
		assert_string_equal(text, part);
	free(text);
}

TEST(few_timed_calls_have_no_interval_and_a_sample_its_own_average)
{
	struct row *row = session_row(session, ROW_KERNEL, "kernel", 0);

	for (int i = 0; i < 7; i++) {
		uint32_t weight = i < 6 ? 1 : 14;

		session_add_weighted(session, &row->events, i < 6 ? 9000 : 2000, weight);
		estimate_timed(&row->estimate, estimate_call(&row->estimate, weight), weight,
			       i < 6 ? 9000 : 2000);
	}
	row->calls = 20;
	holds("--percentiles",
	      " GPU activities:  100.00% ~82.000us         ?        20  4.1000us  2.0000us  "
	      "9.0000us  "
	      "2.0000us  9.0000us  9.0000us  3.2910us  kernel\n"
	      "No API activities were profiled.\n"
	      "======== Note: times by events include the event-pair overhead, which was not "
	      "measured (a running program's is, at its end); ~ marks estimates from a sample, ± "
	      "half their 95 % interval.\n");
}

TEST(calls_that_were_counted_for_a_while_are_so_marked)
{
	struct row *row = session_row(session, ROW_RUNTIME_API, "cudaGetDevice", -1);

	for (int i = 0; i < 2000; i++)
		session_add_sample(session, &row->cupti, 100);
	row->calls = 2000;
	row->more_calls = 1;
	holds("", "      API calls:  100.00%  200.00us     >2000     100ns     100ns     100ns  "
		  "cudaGetDevice\n");
}

TEST(a_report_of_a_program_that_did_not_end_in_order_says_so)
{
	add_calls(session_row(session, ROW_KERNEL, "kernel", 0), 1, 1000, 0);
	header->finished = 0;
	holds("", "======== Note: the program was killed or still runs, its last operations may be "
		  "missing.\n");
}

TEST(names_are_printed_whole_and_csv_quotes_them)
{
	char name[4200], expected[8600];

	add_calls(session_row(session, ROW_KERNEL, "a \"quoted\", name", 0), 1, 3000, 0);
	add_calls(session_row(session, ROW_KERNEL, "größe_✓", 0), 1, 2000, 0);
	memset(name, 'k', 4096);
	name[4096] = '\0';
	add_calls(session_row(session, ROW_KERNEL, name, 0), 1, 1000, 0);
	snprintf(expected, sizeof(expected),
		 "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
		 ",%%,us,,us,us,us,\n"
		 "\"GPU activities\",50.000000,3.000000,1,3.000000,3.000000,3.000000,"
		 "\"a \"\"quoted\"\", name\"\n"
		 "\"GPU activities\",33.333333,2.000000,1,2.000000,2.000000,2.000000,\"größe_✓\"\n"
		 "\"GPU activities\",16.666667,1.000000,1,1.000000,1.000000,1.000000,\"%s\"\n",
		 name);
	prints("--csv --quiet --print-gpu-summary", expected);
}

TEST(rows_are_filtered_sorted_and_cut)
{
	add_calls(session_row(session, ROW_KERNEL, "_Z1av", 0), 5, 1000, 0);
	add_calls(session_row(session, ROW_KERNEL, "_Z1bv", 0), 1, 9000, 0);
	add_calls(session_row(session, ROW_KERNEL, "_Z1cv", 1), 2, 2000, 0);
	prints("--quiet --print-gpu-summary --sort calls --top 2", HEADING
	       " GPU activities:   27.78%  5.0000us         5  1.0000us  1.0000us  1.0000us  "
	       "a(void)\n"
	       "                   22.22%  4.0000us         2  2.0000us  2.0000us  2.0000us  "
	       "c(void)\n");
	prints("--quiet --print-gpu-summary --exclude-kernels '^a' --devices 0", HEADING
	       " GPU activities:  100.00%  9.0000us         1  9.0000us  9.0000us  9.0000us  "
	       "b(void)\n");
	prints("--quiet --print-gpu-summary --kernels none", "No kernels were profiled.\n");
}

/* Rows that are equal by a key are sorted by time, then by name. */
TEST(each_sort_key_has_its_own_order)
{
	static const struct {
		const char *name;
		uint64_t calls, shorter, longer;
	} kernels[] = {{"d", 1, 60, 0},	 {"a", 4, 20, 50}, {"c", 3, 10, 90},
		       {"b", 2, 30, 70}, {"f", 2, 30, 70}, {"e", 2, 30, 80}};
	static const struct {
		const char *words, *order;
	} orders[] = {{"time", "eabfcd"}, {"calls", "acebfd"}, {"avg", "debfca"},
		      {"min", "debfac"},  {"max", "cebfda"},   {"name", "abcdef"}};
	char words[64], order[8], *text, *line;
	size_t length;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct row *row = session_row(session, ROW_KERNEL, kernels[i].name, 0);

		add_calls(row, kernels[i].calls, kernels[i].shorter, 0);
		if (kernels[i].longer)
			add_calls(row, 1, kernels[i].longer, 0);
	}
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		snprintf(words, sizeof(words), "--quiet --print-gpu-summary --sort %s",
			 orders[i].words);
		text = printed(session, words);
		length = 0;
		/* After the heading, each line ends with its name. */
		for (line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
			order[length++] = strchr(line + 1, '\n')[-1];
		order[length] = '\0';
		assert_string_equal(order, orders[i].order);
		free(text);
	}
}

/* Of a job those devices are known that its processes used. */
TEST(a_device_that_is_not_there_is_told_with_those_that_are)
{
	static const struct {
		const char *there, *asked, *warning;
	} cases[] = {
		{"0", "0,3", "======== Warning: --devices 3: there is only device 0\n"},
		{"3", "0", "======== Warning: --devices 0: there is only device 3\n"},
		{"03", "3", ""},
		{"03", "0,1,3,63",
		 "======== Warning: --devices 1: there are devices 0, 3\n"
		 "======== Warning: --devices 63: there are devices 0, 3\n"},
		{"012", "5", "======== Warning: --devices 5: there are devices 0 to 2\n"},
		{"12", "0", "======== Warning: --devices 0: there are devices 1, 2\n"},
		{"01", "all", ""},
		{"", "4", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[64], *text, *rest;

		for (int device = 0; device < 4; device++)
			strcpy(header->devices[device].name,
			       strchr(cases[i].there, '0' + device) ? "GPU" : "");
		snprintf(words, sizeof(words), "--print-gpu-summary --devices %s", cases[i].asked);
		text = printed(session, words);
		rest = strstr(text, "======== Profiling result");
		if (rest)
			*rest = '\0';
		assert_string_equal(text, cases[i].warning);
		free(text);
	}
}

/* Figures of which no two are equal, on two devices, the larger ones first. */
static void two_devices(void)
{
	struct row *row;
	int device;

	header->devices[1].used = 1;
	for (device = 0; device < 2; device++) {
		row = session_row(session, ROW_KERNEL, "k", device);
		add_calls(row, 3, device ? 1000 : 7000, 0);
		add_calls(row, 1, device ? 3000 : 9000, 0);
		row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", device);
		add_calls(row, 1, device ? 2000 : 5000, 0);
		session_add_bytes(row, device ? 1000000 : 4000000);
	}
}

TEST(rows_of_two_devices_are_added_up)
{
	two_devices();

	prints("--quiet --print-gpu-summary --percentiles",
	       "            Type  Time(%)      Time     Calls       Avg       Min       Max       "
	       "Med       p95       p99    StdDev  Name\n"
	       " GPU activities:   83.72%  36.000us         8  4.5000us  1.0000us  9.0000us  "
	       "  2.98us  9.0000us  9.0000us  3.3380us  k\n"
	       "                   16.28%  7.0000us         2  3.5000us  2.0000us  5.0000us  "
	       "3.5000us  5.0000us  5.0000us  2.1210us  [CUDA memcpy HtoD]\n");
	prints("--quiet --csv --format nsys --print-gpu-summary",
	       "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Name\n"
	       "100.0,36000,8,4500.0,2975.0,1000,9000,3338.1,k\n"
	       "\n"
	       "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Operation\n"
	       "100.0,7000,2,3500.0,3500.0,2000,5000,2121.3,[CUDA memcpy Host-to-Device]\n"
	       "\n"
	       "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n"
	       "5.000,2,2.500,,1.000,4.000,2.121,[CUDA memcpy Host-to-Device]\n"
	       "\n");
}

/* Of each device's calls events timed a fifth. */
TEST(estimates_of_two_devices_are_added_up)
{
	for (int device = 0; device < 2; device++) {
		struct row *row = session_row(session, ROW_KERNEL, "k", device);

		for (uint64_t i = 0; i < 40; i++) {
			uint64_t time = (device ? 1000 : 9000) + 100 * (7 * i % 40);

			session_add_weighted(session, &row->events, time, 5);
			estimate_timed(&row->estimate, estimate_call(&row->estimate, 5), 5, time);
		}
		row->calls = device ? 200 : 201;
	}
	holds("--percentiles",
	      " GPU activities:  100.00% ~2.7944ms      3.6%       401  6.9680us  1.0000us  "
	      "12.900us  "
	      "  4.93us    12.4us  12.900us  4.1690us  k\n"
	      "No API activities were profiled.\n"
	      "======== Note: times by events include the event-pair overhead, which was not "
	      "measured (a running program's is, at its end); ~ marks estimates from a sample, ± "
	      "half their 95 % interval.\n");
	prints("--quiet --csv --format nsys --print-gpu-summary",
	       "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Name\n"
	       "100.0,2794398,401,6968.6,4927.0,1000,12900,4169.3,k\n\n");
}

TEST(each_percentile_is_its_own)
{
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);

	for (uint64_t i = 0; i < 200; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti,
				   i < 100   ? 10
				   : i < 189 ? 20
				   : i < 197 ? 40
					     : 80);
	}
	prints("--quiet --print-gpu-summary --percentiles",
	       "            Type  Time(%)      Time     Calls       Avg       Min       Max       "
	       "Med       p95       p99    StdDev  Name\n"
	       " GPU activities:  100.00%  3.3400us       200      16ns      10ns      80ns      "
	       "10ns      40ns      80ns      10ns  k\n");
}

TEST(a_histogram_of_zeros_is_not_drawn)
{
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);

	add_calls(row, 2, 1000, 0);
	memset(session_histogram(session, row->cupti.histogram), 0, sizeof(struct histogram));
	prints("--quiet --print-gpu-summary --histogram", HEADING
	       " GPU activities:  100.00%  2.0000us         2  1.0000us  1.0000us  1.0000us  k\n");
}

TEST(no_histogram_is_drawn_into_csv)
{
	add_calls(session_row(session, ROW_KERNEL, "k", 0), 2, 1000, 0);
	prints("--quiet --csv --print-gpu-summary --histogram",
	       "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
	       ",%,us,,us,us,us,\n"
	       "\"GPU activities\",100.000000,2.000000,2,1.000000,1.000000,1.000000,\"k\"\n");
	holds("--csv --histogram",
	      "======== Warning: --histogram is ignored with --csv: it draws text\n");
}

TEST(nsys_tables_have_the_calls_and_bytes_of_what_was_not_timed)
{
	struct row *row;
	int i;

	add_calls(session_row(session, ROW_KERNEL, "k", 0), 4, 1000, 0);
	/* Looked up and never launched: no line. */
	assert_non_null(session_row(session, ROW_KERNEL, "l", 0));
	/* One line of two rows: the average is of the calls that have a time. */
	add_calls(session_row(session, ROW_KERNEL, "k", 1), 3, 0, 0);
	row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);
	add_calls(row, 3, 0, 0);
	for (i = 1; i <= 3; i++)
		session_add_bytes(row, i * 1000000);
	row = session_row(session, ROW_MEMSET, "[CUDA memset]", 0);
	add_calls(row, 1, 0, 0);
	session_add_bytes(row, 500000);
	prints("--quiet --csv --format nsys --print-gpu-summary",
	       "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Name\n"
	       "100.0,4000,7,1000.0,1000.0,1000,1000,0.0,k\n"
	       "\n"
	       "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Operation\n"
	       ",,1,,,,,,[CUDA memset]\n"
	       ",,3,,,,,,[CUDA memcpy Host-to-Device]\n"
	       "\n"
	       "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n"
	       "6.000,3,2.000,,1.000,3.000,1.000,[CUDA memcpy Host-to-Device]\n"
	       "0.500,1,0.500,0.500,0.500,0.500,0.000,[CUDA memset]\n"
	       "\n");
}

/* From 2^52 on a figure has no tenths that could be rounded; one of a damaged profile has any size.
 */
TEST(nsys_figures_without_tenths_are_not_rounded)
{
	add_calls(session_row(session, ROW_KERNEL, "k", 0), 1, 1ULL << 52, 0);
	prints("--quiet --csv --format nsys --print-gpu-summary",
	       "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
	       "(ns),Name\n"
	       "100.0,4503599627370496,1,4503599627370496.0,4503599627370496.0,4503599627370496,"
	       "4503599627370496,0.0,k\n"
	       "\n");
}

TEST(a_live_report_carries_the_process)
{
	struct options options;
	char message[64], expected[256], *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	options_defaults(&options);
	assert_int_equal(options_parse_string(&options, "--query-events", message, sizeof(message)),
			 0);
	report_write_start(&options, 42, "./app 1", file);
	fclose(file);
	assert_string_equal(text,
			    "==42== ktime is profiling process 42, command: ./app 1\n"
			    "==42== Warning: --query-events is ignored: ktime reads metrics: use "
			    "--query-metrics\n");
	free(text);
	options_free(&options);
	header->pid = getpid();
	snprintf(expected, sizeof(expected), "==%d== Profiling result:\n", (int)getpid());
	holds("", expected);
}
