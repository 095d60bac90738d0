/* SPDX-License-Identifier: MIT */
/*
 * Each figure of a profile stands where it belongs, in every form: profiles that hold something of
 * everything come out as tests/golden/whole_*.txt have it. Where a change of the output is wanted,
 * `FIGURES=write build/tests/unit/test_whole_profile` writes these files anew; the difference is
 * then to be read.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "report/compare/compare.h"
#include "report/compare/means.h"
#include "report/export/export.h"
#include "report/print/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/printed.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

static void print_all(enum whole_profile kind, const char *name, const char *const *words)
{
	struct session *session = whole_profile(kind, NULL);
	FILE *file = golden_begin();

	for (; *words; words++) {
		char *text = printed(session, *words);

		fprintf(file, "$ ktime show %s\n%s\n", *words, text);
		free(text);
	}
	golden_end(name);
	session_close(session);
}

#define DECLARED                                                                                   \
	"--bytes saxpy=12/thread --flops saxpy=2/thread --bytes reduce=1000000000/launch "         \
	"--flops 'reduce=40000000/launch fp64' --flops by_events=7/thread "                        \
	"--work 'saxpy=1/thread update' --work 'tiny=5/launch step' --work 'missing=1/launch "     \
	"none'"

/* An SQLite export has the local time too. */
BEFORE_EACH
{
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
}

TEST(reports_of_both_clocks)
{
	static const char *const words[] = {
		"",
		"--verbose --percentiles --histogram --idle --memory --cross-check "
		"--bandwidth " DECLARED,
		"--csv --verbose --percentiles --idle --memory --cross-check --bandwidth " DECLARED,
		"--csv -u ms --print-summary --idle --quiet",
		"-u us --print-summary --quiet",
		"-u col --print-summary --percentiles --quiet",
		"--print-gpu-trace --quiet",
		"--print-api-trace --quiet",
		"--print-gpu-trace --print-api-trace --csv --quiet",
		"--print-gpu-trace -u us --context-name c%i --stream-name s%i --names short "
		"--quiet",
		"--print-summary-per-gpu --quiet",
		"--nvtx-kernels --quiet",
		"--nvtx-kernels --csv --print-gpu-summary --quiet",
		"--format nvprof --print-gpu-summary --quiet",
		"--format nsys --quiet",
		"--format nsys --csv --quiet",
		"--quiet --print-summary --sort calls --top 2",
		"--quiet --print-summary --sort avg --top 2 --names base",
		"--quiet --print-summary --sort min --top 3 --names short",
		"--quiet --print-summary --sort max --top 3 --demangling off",
		"--quiet --print-summary --sort name",
		"--quiet --kernels reduce --devices 0 --bandwidth --idle --histogram --top 1",
		"--exclude-kernels saxpy|reduce --devices 1,2,5",
		"--process-name train-%p --findings off --print-api-summary",
		"--only-process 4321 --export-profile out.%p --keep-trace 1M --print-gpu-summary",
		"--quiet --cross-check --csv --top 1",
		NULL};

	print_all(WHOLE_CUPTI, "whole_cupti", words);
}

TEST(reports_of_a_sample_by_events)
{
	static const char *const words[] = {
		"",
		"--verbose --percentiles --histogram --idle --cross-check --bandwidth",
		"--csv --percentiles --bandwidth",
		"--format nsys --quiet",
		"--top 1 --print-gpu-summary",
		NULL};

	print_all(WHOLE_EVENTS, "whole_events", words);
}

TEST(reports_of_windows)
{
	static const char *const words[] = {"", "--verbose --percentiles --bandwidth",
					    "--csv --print-gpu-summary", "--format nsys --quiet",
					    NULL};

	print_all(WHOLE_WINDOWS, "whole_windows", words);
}

/*
 * What the report looks like on a terminal of some columns, by a process that has one. Its end is a
 * NUL, and the process keeps the terminal open until it was read: what was written just before a
 * terminal is closed can be missed by the read that finds it closed.
 */
static char *printed_on_terminal(struct session *session, const char *words, const char *columns)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char *text = NULL, bytes[4096];
	bool whole = false;
	size_t size;
	ssize_t length;
	FILE *copy = open_memstream(&text, &size);
	pid_t child;

	assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	assert_non_null(copy);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct options options;
		FILE *file = fopen(ptsname(terminal), "w");

		setenv("COLUMNS", columns, 1);
		setenv("TERM", "xterm", 1);
		unsetenv("NO_COLOR");
		options_defaults(&options);
		if (!file || options_parse_string(&options, words, bytes, sizeof(bytes)) ||
		    report_write(session, &options, file) || fputc('\0', file) == EOF ||
		    fflush(file))
			_exit(1);
		for (;;)
			pause();
	}
	while (!whole && (length = read(terminal, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < length; i++)
			if (!bytes[i])
				whole = true;
			else if (bytes[i] != '\r')
				fputc(bytes[i] == '\033' ? '^' : bytes[i], copy);
	fclose(copy);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(terminal);
	assert_true(whole);
	return text;
}

TEST(reports_on_a_terminal)
{
	static const struct {
		enum whole_profile kind;
		const char *words, *columns;
	} runs[] = {
		{WHOLE_CUPTI, "--idle --cross-check --top 5", "100"},
		{WHOLE_CUPTI, "--quiet --percentiles --print-summary", "130"},
		{WHOLE_CUPTI, "--quiet --names full --histogram --top 2", "100"},
		{WHOLE_CUPTI, "--quiet --nvtx-kernels --top 1", "40"},
		{WHOLE_CUPTI, "--quiet --print-gpu-trace --print-api-trace", "200"},
		{WHOLE_EVENTS, "", "90"},
	};
	FILE *file = golden_begin();

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct session *session = whole_profile(runs[i].kind, NULL);
		char *text = printed_on_terminal(session, runs[i].words, runs[i].columns);

		fprintf(file, "$ ktime show %s # %s columns\n%s\n", runs[i].words, runs[i].columns,
			text);
		free(text);
		session_close(session);
	}
	golden_end("whole_terminal");
}

/* Makes the file easier to read: an object a line, but the parts of a histogram on one. */
static void write_lines(const char *json, FILE *file)
{
	for (; *json; json++) {
		fputc(*json, file);
		if (*json == ',' && (json[-1] == '}' || json[-1] == ']') &&
		    strncmp(json + 1, "{\"from\"", strlen("{\"from\"")) != 0)
			fputc('\n', file);
	}
}

typedef int export_function(struct session *session, const struct options *options, FILE *file,
			    char *message, size_t size);

static void export_all(export_function *function, const char *name)
{
	char *all = NULL, message[256] = "";
	size_t size;
	FILE *file = open_memstream(&all, &size);

	assert_non_null(file);
	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *session = whole_profile(kind, NULL);
		struct options options;

		options_defaults(&options);
		assert_int_equal(function(session, &options, file, message, sizeof(message)), 0);
		fputc('\n', file);
		options_free(&options);
		session_close(session);
	}
	fclose(file);
	write_lines(all, golden_begin());
	golden_end(name);
	free(all);
}

TEST(json)
{
	export_all(export_json, "whole_json");
}

TEST(what_was_not_queued_or_not_measured_is_absent)
{
	struct session *session = whole_profile(WHOLE_WINDOWS, NULL);
	char *text = NULL, message[256] = "";
	struct options options;
	struct row *row;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	session_header(session)->queued.pairs = 0;
	session_for_each_row (session, row)
		row->queued = 0;
	options_defaults(&options);
	assert_int_equal(export_json(session, &options, file, message, sizeof(message)), 0);
	fclose(file);
	assert_null(strstr(text, "queued"));
	free(text);
	session_close(session);
}

TEST(chrome)
{
	export_all(export_chrome, "whole_chrome");
}

static void new_file(char path[32])
{
	int descriptor;

	strcpy(path, "/tmp/ktime-whole-XXXXXX");
	descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
}

static int print_line(void *file, int count, char **values, char **names)
{
	(void)names;
	for (int i = 0; i < count; i++)
		fprintf(file, "%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
	fputc('\n', file);
	return 0;
}

struct dump {
	sqlite3 *database;
	FILE *file;
};

static int print_table(void *argument, int count, char **values, char **names)
{
	struct dump *dump = argument;
	char query[256];

	(void)count;
	(void)names;
	fprintf(dump->file, "%s\n", values[1]);
	/* The codes of enumerations are many, and always the same. */
	snprintf(query, sizeof(query), "SELECT * FROM \"%s\" LIMIT 40", values[0]);
	return sqlite3_exec(dump->database, query, print_line, dump->file, NULL);
}

TEST(sqlite)
{
	struct session *session = whole_profile(WHOLE_CUPTI, NULL);
	char path[32], message[256] = "";
	struct options options;
	struct dump dump = {.file = golden_begin()};

	options_defaults(&options);
	new_file(path);
	assert_int_equal(export_sqlite(session, &options, path, message, sizeof(message)), 0);
	assert_int_equal(sqlite3_open_v2(path, &dump.database, SQLITE_OPEN_READONLY, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_exec(dump.database,
				      "SELECT name, sql FROM sqlite_master WHERE type = 'table' "
				      "ORDER BY name",
				      print_table, &dump, NULL),
			 SQLITE_OK);
	sqlite3_close(dump.database);
	unlink(path);
	golden_end("whole_sqlite");
	session_close(session);
}

static void read_run(struct profile *sum, enum whole_profile kind)
{
	char path[32], message[256] = "";
	struct profile run = {0};

	new_file(path);
	unlink(path);
	session_close(whole_profile(kind, path));
	assert_int_equal(import_profile(&run, path, NULL, message, sizeof(message)), 0);
	assert_int_equal(profile_add_run(sum, &run), 0);
	profile_free(&run);
	unlink(path);
}

/* What ktime bench prints of the runs. */
static void means_print(const struct profile *runs, FILE *file)
{
	static const char *const program[] = {"./app", NULL};
	struct run_times times[2] = {{.wall = 2e9, .busy = 1e9}, {.wall = 2.2e9, .busy = 1.21e9}};
	struct means means = {program, "app.runs", runs, times};
	struct json json = {.file = file};

	assert_in_range(runs->runs, 1, 2);
	means_take_gpu_times(&means);
	assert_int_equal(means_print_table(&means, SHEET_TEXT, file), 0);
	means_print_times(&means, "A: ", file);
	assert_int_equal(means_print_table(&means, SHEET_CSV, file), 0);
	assert_int_equal(means_add_json(&means, &json), 0);
	fputc('\n', file);
}

TEST(comparisons)
{
	static const char *const names[] = {"one", "other"};
	FILE *file = golden_begin();

	for (int kind = WHOLE_EVENTS; kind < WHOLE_KINDS; kind++) {
		struct profile a = {.files = names, .file_count = 1};
		struct profile b = {.files = names + 1, .file_count = 1};
		struct comparison comparison;

		read_run(&a, WHOLE_CUPTI);
		read_run(&b, kind);
		assert_int_equal(compare_profiles(&comparison, &a, &b, 0.05), 0);
		comparison_print(&comparison, SHEET_TEXT, file);
		comparison_print(&comparison, SHEET_MARKDOWN, file);
		comparison_print(&comparison, SHEET_CSV, file);
		comparison_print(&comparison, SHEET_JSON, file);
		comparison_free(&comparison);
		read_run(&b, kind);
		means_print(&b, file);
		profile_free(&a);
		profile_free(&b);
	}
	golden_end("whole_comparison");
}
