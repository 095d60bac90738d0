/* SPDX-License-Identifier: MIT */
/*
 * Each figure of a profile stands where it belongs in its page: tests/golden/pages.txt has the
 * pages of profiles that hold something of everything, without style, scripts and version; see
 * golden.h where a change of it is wanted.
 */
#include <unistd.h>

#include "report/compare/compare.h"
#include "report/merge/merge.h"
#include "tests/unit/golden.h"
#include "tests/unit/page_text.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

/* Where what begins here ends, if it is the style, a script or the version; else its begin. */
static const char *fixed_end(const char *at)
{
	if (strncmp(at, "<style>", strlen("<style>")) == 0)
		return strstr(at, "</style>") + strlen("</style>");
	/* With the records of a timeline, which are compressed by any version of zlib. */
	if (strncmp(at, "<script", strlen("<script")) == 0)
		return strstr(at, "</script>") + strlen("</script>");
	if (strncmp(at, "ktime " KTIME_VERSION, strlen("ktime " KTIME_VERSION)) == 0)
		return at + strlen("ktime " KTIME_VERSION);
	return at;
}

/* Whether what begins here is read as a line: a row, an item, a picture or a part of the page. */
static bool begins_line(const char *at)
{
	static const char *const begins[] = {"<section",
					     "<table",
					     "<tr",
					     "<details",
					     "<figure",
					     "<dl",
					     "<h3",
					     "<p",
					     "<li",
					     "<div ",
					     "<svg class=\"stack\""};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(at, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Adds a page to the file; of a cell with a number stands "| VALUE: ". */
static void write_page(const char *title, const char *page, FILE *file)
{
	static const char cell[] = "</td><td class=\"number\" data-value=\"";

	fprintf(file, "$ %s\n", title);
	while (*(page = fixed_end(page))) {
		if (strncmp(page, cell, strlen(cell)) == 0) {
			page += strlen(cell);
			fprintf(file, " | %.*s: ", (int)strcspn(page, "\""), page);
			page += strcspn(page, ">") + 1;
			continue;
		}
		fputc(*page, file);
		page++;
		if (page[-1] == '>' && begins_line(page))
			fputc('\n', file);
	}
}

static void write_page_of(const char *title, struct session *session, FILE *file)
{
	char *page = page_text(session, "");

	write_page(title, page, file);
	free(page);
}

static void write_page_of_job(FILE *file)
{
	char message[128] = "";
	struct merge *merge;

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
	write_page_of("a job", merge_session(merge), file);
	merge_free(merge);
}

static void read_run(struct profile *run, enum whole_profile kind)
{
	char path[] = "/tmp/ktime-whole-XXXXXX", message[256];

	close(mkstemp(path));
	unlink(path);
	session_close(whole_profile(kind, path));
	assert_int_equal(import_profile(run, path, NULL, message, sizeof(message)), 0);
	unlink(path);
	strcpy(run->path, "one.ktime");
}

static void write_comparison(FILE *file)
{
	static const char *const files[] = {"one", "two"};
	static const enum whole_profile kinds[] = {WHOLE_CUPTI, WHOLE_EVENTS};
	struct profile profiles[2] = {{0}, {0}};
	struct comparison comparison;
	char *page;

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
	page = comparison_page_text(&comparison);
	write_page("a comparison", page, file);
	free(page);
	comparison_free(&comparison);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
}

TEST(each_figure_stands_where_it_belongs)
{
	static const char *const titles[WHOLE_KINDS] = {"a profile by CUPTI", "a profile by events",
							"a profile in windows"};
	FILE *file = golden_begin();

	for (int kind = 0; kind < WHOLE_KINDS; kind++) {
		struct session *session = whole_profile(kind, NULL);

		write_page_of(titles[kind], session, file);
		session_close(session);
	}
	write_page_of_job(file);
	write_comparison(file);
	golden_end("pages");
}
