/* SPDX-License-Identifier: MIT */
/*
 * Each figure of a profile stands in its series; no counter becomes smaller; a kernel keeps the
 * series that it has; labels hold any text.
 */
#include <locale.h>
#include <math.h>

#include "report/prometheus/prometheus.h"
#include "report/session/estimate.h"
#include "tests/unit/golden.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

static const struct prometheus_place nowhere = {"", "", ""};

static char *written(struct prometheus *metrics)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(prometheus_write(metrics, file), 0);
	fclose(file);
	return text;
}

TEST(each_figure_has_its_series)
{
	static const struct prometheus_place place = {"node7", "the \"pod\"\\", "science"};
	struct prometheus *metrics = prometheus_create(4);
	locale_t locale = uselocale((locale_t)0);

	assert_non_null(metrics);
	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *session = whole_profile(kind, NULL);
		struct session_header *header = session_header(session);

		header->pid += kind;
		header->rank.rank = kind - 1;
		if (kind == WHOLE_WINDOWS)
			header->command = session_intern(session, "train.py /data/x");
		assert_int_equal(prometheus_add(metrics, session, kind ? &nowhere : &place), 0);
		session_close(session);
	}
	assert_true(uselocale((locale_t)0) == locale);
	assert_int_equal(prometheus_write(metrics, golden_begin()), 0);
	golden_end("prometheus");
	prometheus_free(metrics);
}

static struct session *session_of(int32_t pid, uint64_t started)
{
	struct session *session;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	session_header(session)->pid = pid;
	session_header(session)->owner.started = started;
	session_header(session)->rank.rank = -1;
	session_header(session)->cupti_active = 1;
	return session;
}

static void add_calls(struct session *session, const char *name, unsigned calls, uint64_t took)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	assert_non_null(row);
	for (unsigned i = 0; i < calls; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, took);
	}
}

/* The value of a series; -1 if there is none. */
static double value_of(struct prometheus *metrics, struct session *session, const char *series)
{
	char *text, *found;
	double value = -1;

	assert_int_equal(prometheus_add(metrics, session, &nowhere), 0);
	text = written(metrics);
	found = strstr(text, series);
	if (found)
		value = strtod(found + strlen(series), NULL);
	free(text);
	return value;
}

#define FIRST  "ktime_kernel_calls_total{pid=\"7\",device=\"0\",kernel=\"first\"} "
#define SECOND "ktime_kernel_calls_total{pid=\"7\",device=\"0\",kernel=\"second\"} "
#define OTHER  "ktime_kernel_calls_total{pid=\"7\",device=\"0\",kernel=\"other\"} "
#define RUN    "ktime_run_seconds_total{pid=\"7\"} "
#define MEMORY "ktime_overhead_memory_bytes{pid=\"7\"} "

TEST(a_kernel_keeps_the_series_that_it_has)
{
	struct prometheus *metrics = prometheus_create(1);
	struct session *session = session_of(7, 50);

	add_calls(session, "first", 2, 100);
	add_calls(session, "second", 3, 10);
	assert_true(value_of(metrics, session, FIRST) == 2);
	assert_true(value_of(metrics, session, OTHER) == 3);
	assert_true(value_of(metrics, session, SECOND) == -1);
	/* By now it takes longer. */
	add_calls(session, "second", 4, 1000);
	assert_true(value_of(metrics, session, FIRST) == 2);
	assert_true(value_of(metrics, session, OTHER) == 7);
	session_close(session);
	/* Another process of the same number. */
	session = session_of(7, 51);
	add_calls(session, "second", 9, 10);
	assert_true(value_of(metrics, session, SECOND) == 9);
	session_close(session);
	prometheus_free(metrics);
}

TEST(counters_do_not_become_smaller_and_gauges_may)
{
	struct prometheus *metrics = prometheus_create(5);
	struct session *session = session_of(7, 50);
	uint64_t *counters = session_header(session)->counters;

	counters[COUNTER_wall_ns] = 3000000000;
	counters[COUNTER_memory_bytes] = 70;
	assert_true(value_of(metrics, session, RUN) == 3);
	counters[COUNTER_wall_ns] = 2000000000;
	counters[COUNTER_memory_bytes] = 60;
	assert_true(value_of(metrics, session, RUN) == 3);
	assert_true(value_of(metrics, session, MEMORY) == 60);
	counters[COUNTER_wall_ns] = 4000000000;
	assert_true(value_of(metrics, session, RUN) == 4);
	counters[COUNTER_wall_ns] = 1000000000;
	assert_true(value_of(metrics, session, RUN) == 4);
	session_close(session);
	prometheus_free(metrics);
}

#define DURATION(series) "ktime_kernel_duration_seconds" series "} "
#define SUM		 DURATION("_sum{pid=\"7\",device=\"0\"")
#define COUNT		 DURATION("_count{pid=\"7\",device=\"0\"")
#define UP_TO(end)	 DURATION("_bucket{pid=\"7\",device=\"0\",le=\"" end "\"")
#define SECONDS		 "ktime_kernel_seconds_total{pid=\"7\",device=\"0\",kernel=\"sampled\"} "

static void add_timed(struct session *session, struct row *row, double weight, uint64_t took)
{
	uint64_t place = estimate_call(&row->estimate, weight);

	row->calls += (uint64_t)weight;
	session_add_weighted(session, &row->events, took,
			     estimate_whole_calls(&row->estimate, weight));
	estimate_timed(&row->estimate, place, weight, took);
}

static uint64_t nanoseconds_of(struct prometheus *metrics, struct session *session,
			       const char *series)
{
	return (uint64_t)(value_of(metrics, session, series) * 1e9 + 0.5);
}

/* By events each timed call stands for several: in the sum as in the buckets. */
TEST(durations_are_of_one_weighted_sample)
{
	struct prometheus *metrics = prometheus_create(1);
	struct session *session = session_of(7, 50);
	struct row *row = session_row(session, ROW_KERNEL, "sampled", 0);

	session_header(session)->cupti_active = 0;
	session_header(session)->timer = TIMER_EVENTS;
	for (int i = 0; i < 4; i++)
		add_timed(session, row, 1, 4000);
	assert_int_equal(nanoseconds_of(metrics, session, SUM), 16000);
	assert_true(value_of(metrics, session, COUNT) == 4);
	for (int i = 0; i < 6; i++)
		add_timed(session, row, 10, 6000);
	assert_int_equal(nanoseconds_of(metrics, session, SUM), 16000 + 60 * 6000);
	assert_int_equal(nanoseconds_of(metrics, session, SECONDS), 16000 + 60 * 6000);
	assert_true(value_of(metrics, session, COUNT) == 64);
	assert_true(value_of(metrics, session, UP_TO("4.096e-06")) == 4);
	assert_true(value_of(metrics, session, UP_TO("1.6384e-05")) == 64);
	/* Calls that no pair has timed yet are in neither. */
	row->calls += 10;
	assert_int_equal(nanoseconds_of(metrics, session, SUM), 376000);
	assert_true(value_of(metrics, session, UP_TO("+Inf")) == 64);
	session_close(session);
	prometheus_free(metrics);
}

/* With a budget a run begins with events; they go on beside CUPTI, once that is started. */
TEST(metrics_go_on_where_cupti_starts_late)
{
	struct prometheus *metrics = prometheus_create(1);
	struct session *session = session_of(7, 50);
	struct row *row = session_row(session, ROW_KERNEL, "sampled", 0);

	session_header(session)->cupti_active = 0;
	for (int i = 0; i < 40; i++)
		add_timed(session, row, 10, 4000);
	assert_true(value_of(metrics, session, COUNT) == 400);
	session_header(session)->cupti_active = 1;
	session_header(session)->counters[COUNTER_cupti_late_ns] = 3000000000;
	/* Of one window no interval is known. */
	session_add_sample(session, &row->cupti, 4000);
	row_set_windows(row, 1600000, NAN);
	for (int i = 0; i < 10; i++)
		add_timed(session, row, 10, 4000);
	session_add_sample(session, &row->cupti, 4000);
	row_set_windows(row, 2000000, NAN);
	assert_true(value_of(metrics, session, COUNT) == 500);
	assert_int_equal(nanoseconds_of(metrics, session, SUM), 2000000);
	assert_int_equal(nanoseconds_of(metrics, session, SECONDS), 2000000);
	session_close(session);
	prometheus_free(metrics);
}

TEST(durations_are_without_overhead_and_never_negative)
{
	const struct {
		uint64_t overhead, sum;
	} cases[] = {{500, 2000 + 10 * 2500}, {3000, 0}};

	for (int i = 0; i < 2; i++) {
		struct prometheus *metrics = prometheus_create(1);
		struct session *session = session_of(7, 50);
		struct row *row = session_row(session, ROW_KERNEL, "sampled", 0);

		session_header(session)->timer = TIMER_EVENTS;
		session_header(session)->overheads[OVERHEAD_KERNEL].ns = cases[i].overhead;
		add_timed(session, row, 1, 2500);
		add_timed(session, row, 10, 3000);
		session_subtract_overheads(session);
		assert_int_equal(nanoseconds_of(metrics, session, SUM), cases[i].sum);
		assert_true(value_of(metrics, session, COUNT) == 11);
		session_close(session);
		prometheus_free(metrics);
	}
}

/* Of merged processes the sum of their estimates is known, here of 74 calls. */
TEST(durations_of_a_job_are_of_its_weighted_sample)
{
	struct prometheus *metrics = prometheus_create(1);
	struct session *session = session_of(7, 50);
	struct row *row = session_row(session, ROW_KERNEL, "sampled", 0);

	session_header(session)->timer = TIMER_EVENTS;
	add_timed(session, row, 37, 2500);
	row->calls = 74;
	row->summed = 1;
	row_set_windows(row, 200000, 0);
	assert_int_equal(nanoseconds_of(metrics, session, SUM), 100000);
	assert_true(value_of(metrics, session, COUNT) == 37);
	session_close(session);
	prometheus_free(metrics);
}

TEST(labels_hold_any_text)
{
	struct prometheus *metrics = prometheus_create(1);
	struct session *session = session_of(-12, 0);
	struct prometheus_place place = {"x\"y\\z\n", "\xff", ""};
	char *text, expected[512];

	assert_int_equal(prometheus_add(metrics, session, &place), 0);
	/* What is too long is cut, where no character is. */
	memset(place.node, 'q', sizeof(place.node) - 1);
	memcpy(place.node, "\n", 1);
	memcpy(place.node + 251, "\xc3\xbc", 2);
	strcpy(place.pod, "2");
	assert_int_equal(prometheus_add(metrics, session, &place), 0);
	text = written(metrics);
	assert_non_null(strstr(text, "{pid=\"-12\",node=\"x\\\"y\\\\z\\\\x0a\",pod=\"\\\\xff\"} "));
	snprintf(expected, sizeof(expected), "{pid=\"-12\",node=\"\\\\x0a%.250s\",pod=\"2\"} ",
		 place.node + 1);
	assert_non_null(strstr(text, expected));
	free(text);
	session_close(session);
	prometheus_free(metrics);
}

/* That no series is in a text twice. */
static void is_unique(const char *text)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t length = *line == '#' ? 0 : (size_t)(strstr(line, "} ") + 2 - line);

		for (const char *other = strchr(line, '\n') + 1; length && *other;
		     other = strchr(other, '\n') + 1)
			assert_int_not_equal(strncmp(line, other, length), 0);
	}
}

TEST(a_series_is_there_once_whatever_the_names)
{
	static const char *const names[] = {"other", "red\x1b", "red\\x1b", "red\xe2\x80\xae"};
	char name[300];

	for (unsigned kernels = 0; kernels < 6; kernels++) {
		struct prometheus *metrics = prometheus_create(kernels);
		struct session *session = session_of(7, 50);
		char *text;

		for (unsigned i = 0; i < 4; i++)
			add_calls(session, names[i], 2, 100 + i);
		/* Names that are the same where they are cut. */
		memset(name, 0xff, sizeof(name));
		for (unsigned i = 260; i < 262; i++) {
			name[i] = '\0';
			add_calls(session, name, 2, 100);
			name[i] = (char)0xff;
		}
		/* The same profile, under another name. */
		assert_int_equal(prometheus_add(metrics, session, &nowhere), 0);
		assert_int_equal(prometheus_add(metrics, session, &nowhere), 0);
		text = written(metrics);
		is_unique(text);
		assert_non_null(strstr(text, kernels < 4 ? OTHER : OTHER "2"));
		if (kernels == 5)
			assert_non_null(strstr(text, "kernel=\"red\\\\x1b\"} 4\n"));
		free(text);
		prometheus_free(metrics);
		session_close(session);
	}
}

static const char *variables[8];

static const char *variable(const char *name, void *argument)
{
	(void)argument;
	for (size_t i = 0; variables[i]; i += 2)
		if (strcmp(variables[i], name) == 0)
			return variables[i + 1];
	return NULL;
}

static void is_place(const char *node, const char *pod, const char *pod_namespace)
{
	struct prometheus_place place;

	prometheus_place_of(&place, "host", variable, NULL);
	assert_string_equal(place.node, node);
	assert_string_equal(place.pod, pod);
	assert_string_equal(place.pod_namespace, pod_namespace);
}

TEST(the_place_is_the_environments)
{
	variables[0] = NULL;
	is_place("host", "", "");
	variables[0] = "KUBERNETES_SERVICE_HOST";
	variables[1] = "10.0.0.1";
	variables[2] = NULL;
	is_place("host", "host", "");
	variables[2] = "POD_NAME";
	variables[3] = "pod";
	variables[4] = "NODE_NAME";
	variables[5] = "node";
	variables[6] = NULL;
	is_place("node", "pod", "");
	variables[0] = "POD_NAMESPACE";
	is_place("node", "pod", "10.0.0.1");
}

static void is_path(const char *pattern, const char *expected)
{
	char message[256] = "";
	char *path = prometheus_path(pattern, NULL, 42, message, sizeof(message));

	if (!expected) {
		assert_null(path);
		assert_string_not_equal(message, "");
		return;
	}
	assert_non_null(path);
	assert_string_equal(path, expected);
	free(path);
}

TEST(each_process_has_its_file)
{
	is_path("dir/app.prom", "dir/app.42.prom");
	is_path("app", "app.42.prom");
	is_path("app.%p.prom", "app.42.prom");
	is_path("app%p", "app42.prom");
	is_path(".prom", ".prom.42.prom");
	is_path("x.prom", "x.42.prom");
	is_path("app%z", NULL);
}
