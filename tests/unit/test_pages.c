/* SPDX-License-Identifier: MIT */
/*
 * Each figure of a profile stands where it belongs in its page: tests/golden/page_*.txt have the
 * pages of profiles that hold something of everything, without style, scripts and version; see
 * golden.h where a change of it is wanted.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/compare/compare.h"
#include "report/merge/merge.h"
#include "tests/unit/golden.h"
#include "tests/unit/page_text.h"
#include "tests/unit/whole_profile.h"

/* Where what begins here ends, if it is the style, a script or the version; else its begin. */
static const char *fixed_end(const char *at)
{
	if (strncmp(at, "<style>", strlen("<style>")) == 0)
		return strstr(at, "</style>") + strlen("</style>");
	if (strncmp(at, "<script>", strlen("<script>")) == 0)
		return strstr(at, "</script>") + strlen("</script>");
	if (strncmp(at, "ktime " KTIME_VERSION, strlen("ktime " KTIME_VERSION)) == 0)
		return at + strlen("ktime " KTIME_VERSION);
	return at;
}

/* Writes a page, an element a line. */
static void write_page(const char *page, FILE *file)
{
	for (; *(page = fixed_end(page)); page++) {
		fputc(*page, file);
		if (*page == '>' && page[1] == '<' && page[2] != '/')
			fputc('\n', file);
	}
}

static void is_text(const char *page, const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	write_page(page, file);
	fclose(file);
	is_golden(name, text);
	free(text);
}

static void is_page(struct session *session, const char *name)
{
	char *page = page_text(session, "");

	is_text(page, name);
	free(page);
}

static void each_figure_stands_where_it_belongs(void **state)
{
	static const char *const names[WHOLE_KINDS] = {"page_cupti", "page_events", "page_windows"};

	(void)state;
	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *session = whole_profile(kind, NULL);

		is_page(session, names[kind]);
		session_close(session);
	}
}

static void a_job_s_processes_have_theirs(void **state)
{
	char message[128] = "";
	struct merge *merge;

	(void)state;
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *session = whole_profile(kind, NULL);
		struct session_header *header = session_header(session);

		header->pid += kind;
		header->finished = kind != 1;
		header->rank = (struct process_rank){
			.rank = 3 * kind, .local_rank = kind, .world_size = 8, .launcher = "PMI"};
		assert_int_equal(merge_add(merge, session, message, sizeof(message)), 0);
		session_close(session);
	}
	merge_finish(merge);
	is_page(merge_session(merge), "page_job");
	merge_free(merge);
}

static void read_run(struct profile *run, enum whole_profile kind)
{
	char path[] = "/tmp/ktime-whole-XXXXXX", message[256];

	close(mkstemp(path));
	unlink(path);
	session_close(whole_profile(kind, path));
	assert_int_equal(import_profile(run, path, message, sizeof(message)), 0);
	unlink(path);
}

static void a_comparison_has_both_sides(void **state)
{
	static const char *const files[] = {"one", "two"};
	static const enum whole_profile kinds[] = {WHOLE_CUPTI, WHOLE_EVENTS};
	static char page[1 << 18];
	char path[] = "/tmp/ktime-page-XXXXXX", message[256];
	struct profile profiles[2] = {{0}, {0}};
	struct comparison comparison;
	struct options options;
	int file = mkstemp(path);
	ssize_t size;

	(void)state;
	assert_true(file >= 0);
	close(file);
	for (int i = 0; i < 2; i++) {
		struct profile run = {0};

		/* Runs of A are two. */
		read_run(&run, kinds[i]);
		for (int j = i; j < 2; j++)
			assert_int_equal(profile_add_run(&profiles[i], &run), 0);
		profile_free(&run);
		profiles[i].files = files;
		profiles[i].file_count = (size_t)(2 - i);
	}
	assert_int_equal(compare_profiles(&comparison, &profiles[0], &profiles[1], 0.05), 0);
	options_defaults(&options);
	options.force_overwrite = true;
	options.html = path;
	assert_int_equal(comparison_page_write(&comparison, &options, message, sizeof(message)), 0);
	file = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	size = read(file, page, sizeof(page) - 1);
	assert_true(size > 0);
	page[size] = '\0';
	is_text(page, "page_comparison");
	comparison_free(&comparison);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
	close(file);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_stands_where_it_belongs),
		cmocka_unit_test(a_job_s_processes_have_theirs),
		cmocka_unit_test(a_comparison_has_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
