/* SPDX-License-Identifier: MIT */
/*
 * Each allocation of a report, an export or a comparison fails once: nothing ends the program, and
 * no memory is left behind. A name may then be mangled, or its row be missing. Of very many one in
 * `step` fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "report/compare/compare.h"
#include "report/compare/means.h"
#include "report/export/export.h"
#include "report/html/html.h"
#include "report/options/filename.h"
#include "report/print/report.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

static struct session *session;

static int report(FILE *file, const void *argument)
{
	return report_write(session, argument, file);
}

TEST(reports)
{
	static const struct {
		enum whole_profile kind;
		const char *words;
	} runs[] = {
		{WHOLE_CUPTI, "--demangling off --percentiles --cross-check --top 3"},
		{WHOLE_CUPTI, "--demangling off --print-gpu-summary --histogram --idle --memory"},
		{WHOLE_CUPTI, "--demangling off --csv --print-gpu-trace --print-api-trace"},
		{WHOLE_CUPTI, "--demangling off --nvtx-kernels --kernels 4tiny"},
		{WHOLE_CUPTI, "--demangling off --format nsys"},
		{WHOLE_EVENTS,
		 "--bandwidth --verbose --bytes saxpy=12/thread --work 'x=1/launch y'"},
		{WHOLE_EVENTS, "--format nsys --csv --quiet"},
		{WHOLE_EVENTS, "--process-name %p --print-summary-per-gpu --quiet --names base"},
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct options options;
		char message[128];

		session = whole_profile(runs[i].kind, NULL);
		options_defaults(&options);
		assert_int_equal(
			options_parse_string(&options, runs[i].words, message, sizeof(message)), 0);
		refuse_each(report, &options, runs[i].words, 1, true);
		options_free(&options);
		session_close(session);
	}
}

static int chrome(FILE *file, const void *argument)
{
	char message[128] = "";

	return export_chrome(session, argument, file, message, sizeof(message));
}

static int perfetto(FILE *file, const void *argument)
{
	char message[128] = "";

	return export_perfetto(session, argument, file, message, sizeof(message));
}

static int folded(FILE *file, const void *argument)
{
	char message[128] = "";

	return export_folded(session, argument, file, message, sizeof(message));
}

static int json(FILE *file, const void *argument)
{
	char message[128] = "";

	return export_json(session, argument, file, message, sizeof(message));
}

TEST(exports)
{
	struct options options;

	session = whole_profile(WHOLE_CUPTI, NULL);
	options_defaults(&options);
	options.demangling = false;
	refuse_each(perfetto, &options, "perfetto", 1, true);
	refuse_each(chrome, &options, "chrome", 3, true);
	refuse_each(folded, &options, "folded", 1, true);
	refuse_each(json, &options, "json", 17, true);
	session_close(session);
}

static char page_path[] = "/tmp/ktime-memory-XXXXXX";

/* One that was written has all its sections. */
static int page(FILE *file, const void *argument)
{
	static const char *const sections[] = {"summary", "use",	"gpu",	  "api",
					       "copies",  "memory",	"ranges", "timeline",
					       "cost",	  "environment"};
	static char text[1 << 20];
	char message[128] = "", begin[64];
	int error = profile_page_write(session, argument, page_path, message, sizeof(message)), fd;

	(void)file;
	if (error)
		return error;
	fd = open(page_path, O_RDONLY | O_CLOEXEC);
	memset(text, 0, sizeof(text));
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		snprintf(begin, sizeof(begin), "<section id=\"%s\"", sections[i]);
		assert_non_null(strstr(text, begin));
	}
	return 0;
}

TEST(pages)
{
	struct options options;

	session = whole_profile(WHOLE_CUPTI, NULL);
	options_defaults(&options);
	options.demangling = false;
	options.force_overwrite = true;
	close(mkstemp(page_path));
	refuse_each(page, &options, "page", 1, true);
	unlink(page_path);
	session_close(session);
}

static int options_of(FILE *file, const void *argument)
{
	struct options options;
	char message[128] = "";
	int error;

	options_defaults(&options);
	error = options_parse_string(&options, argument, message, sizeof(message));
	if (!error)
		fprintf(file, "%s %s %u %s", options.log_file, options.kernels, options.top,
			options.nvtx_include[0]);
	options_free(&options);
	return error;
}

TEST(options)
{
	refuse_each(options_of,
		    "--log-file a%p --kernels 'a b|c' --top 3 --nvtx-include A/*/B/ "
		    "--bytes x=3/launch --work 'x=3/launch unit'",
		    "options", 1, true);
}

static int name_of_file(FILE *file, const void *argument)
{
	const struct name_codes codes = {4321, 3, -1};
	char message[128] = "";
	char *name = filename_expand(argument, &codes, message, sizeof(message));
	int error = name ? 0 : -ENOMEM;

	(void)file;
	free(name);
	if (error)
		assert_string_equal(message, "out of memory");
	return error;
}

TEST(names_of_files)
{
	refuse_each(name_of_file, "run.%r.%p.ktime", "name", 1, true);
}

static int means_of(const struct profile *runs, FILE *file)
{
	static const char *const program[] = {"./app", NULL};
	struct run_times times[1] = {{.wall = 1e9, .busy = 1e8}};
	const struct means means = {program, "app.runs", runs, times};
	struct json json = {.file = file};

	return means_print_table(&means, SHEET_TEXT, file) ?: means_add_json(&means, &json);
}

static int comparison(FILE *file, const void *argument)
{
	const char *const *paths = argument;
	struct profile runs[2] = {{0}}, sums[2] = {{0}};
	struct comparison compared = {0};
	char message[128] = "";
	int error = 0;

	for (int i = 0; i < 2 && !error; i++) {
		error = import_profile(&runs[i], paths[i], NULL, message, sizeof(message));
		if (!error)
			error = profile_add_run(&sums[i], &runs[i]);
		sums[i].files = &paths[i];
		sums[i].file_count = 1;
	}
	if (!error)
		error = compare_profiles(&compared, &sums[0], &sums[1], 0.05);
	if (!error)
		comparison_print(&compared, SHEET_TEXT, file);
	if (!error)
		comparison_print(&compared, SHEET_CSV, file);
	if (!error)
		error = means_of(&sums[0], file);
	comparison_free(&compared);
	for (int i = 0; i < 2; i++) {
		profile_free(&runs[i]);
		profile_free(&sums[i]);
	}
	return error;
}

TEST(comparisons)
{
	char paths[2][32] = {"/tmp/ktime-memory-XXXXXX", "/tmp/ktime-memory-XXXXXX"};
	const char *const both[] = {paths[0], paths[1]};

	for (int i = 0; i < 2; i++) {
		close(mkstemp(paths[i]));
		unlink(paths[i]);
		session_close(whole_profile(i ? WHOLE_EVENTS : WHOLE_WINDOWS, paths[i]));
	}
	refuse_each(comparison, both, "comparison", 2, true);
	for (int i = 0; i < 2; i++)
		unlink(paths[i]);
}
