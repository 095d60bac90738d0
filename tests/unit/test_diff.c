/* SPDX-License-Identifier: MIT */
/*
 * What ktime diff says of two programs' runs, in each form, and when it fails.
 * tests/golden/diff.txt has what it prints; see golden.h where a change of it is wanted.
 */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/compare/compare.h"
#include "tests/unit/caught.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

#define RUNS 6

static char *project, folder[40];
static const char *files[RUNS] = {"a1", "a2", "a3", "b1", "b2", "b3"};
static struct options options;

/* A summary as nvprof writes it: two kernels and a copy of few calls. */
static void summary(const char *name, unsigned first, unsigned second, unsigned copy)
{
	FILE *file = fopen(name, "we");
	double all = 10.0 * first + 5.0 * second + copy;

	assert_non_null(file);
	fputs("==7== Profiling result:\n"
	      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
	      ",%,us,,us,us,us,\n",
	      file);
	fprintf(file, "\"GPU activities\",%f,%u,10,%u,%u,%u,\"first\"\n", 1000 * first / all,
		10 * first, first, first - 1, first + 1);
	fprintf(file, "\"GPU activities\",%f,%u,5,%u,%u,%u,\"second\"\n", 500 * second / all,
		5 * second, second, second - 1, second + 1);
	fprintf(file, "\"GPU activities\",%f,%u,1,%u,%u,%u,\"[CUDA memset]\"\n", 100 * copy / all,
		copy, copy, copy, copy);
	fclose(file);
}

BEFORE_EACH
{
	project = getcwd(NULL, 0);
	assert_non_null(project);
	strcpy(folder, "/tmp/ktime-diff-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	summary("a1", 1000, 600, 7);
	summary("a2", 1002, 601, 8);
	summary("a3", 1001, 602, 7);
	summary("b1", 1500, 600, 16);
	summary("b2", 1503, 602, 15);
	summary("b3", 1499, 601, 17);
	options_defaults(&options);
}

AFTER_EACH
{
	options_free(&options);
	for (int i = 0; i < RUNS; i++)
		unlink(files[i]);
	unlink("out");
	assert_int_equal(chdir(project) || rmdir(folder), 0);
	free(project);
}

/* Runs ktime diff; what it prints goes to `said`, what it complains of to `complaint`. */
static int diff(const char *const *names, size_t separator, size_t count)
{
	int status;

	catch_begin(false);
	options.separator = separator;
	status = command_diff(&options, names, count);
	catch_end();
	return status;
}

TEST(each_form_is_printed)
{
	const char *const single[] = {"a1", "b1"};
	FILE *file = golden_begin();

	assert_int_equal(diff(single, 0, 2), 0);
	fprintf(file, "$ ktime diff a1 b1\n%s", said);
	assert_int_equal(diff(files, 3, 6), 0);
	fprintf(file, "$ ktime diff a1 a2 a3 -- b1 b2 b3\n%s", said);
	assert_int_equal(diff(files + 1, 2, 5), 0);
	fprintf(file, "$ ktime diff a2 a3 -- b1 b2 b3\n%s", said);
	options.csv = true;
	assert_int_equal(diff(files, 3, 6), 0);
	fprintf(file, "$ ktime diff --csv a1 a2 a3 -- b1 b2 b3\n%s", said);
	options.csv = false;
	options.markdown = "-";
	assert_int_equal(diff(files, 3, 6), 0);
	fprintf(file, "$ ktime diff --markdown - a1 a2 a3 -- b1 b2 b3\n%s", said);
	options.markdown = NULL;
	options.json = "-";
	assert_int_equal(diff(files, 3, 6), 0);
	fputs("$ ktime diff --json - a1 a2 a3 -- b1 b2 b3\n", file);
	golden_add_json(said);
	options.json = NULL;
	assert_string_equal(complaint, "");
	assert_int_equal(chdir(project), 0);
	golden_end("diff");
	assert_int_equal(chdir(folder), 0);
}

TEST(a_form_in_a_file_is_beside_the_text)
{
	struct stat status;
	char first[8] = "";
	FILE *file;

	options.json = "out";
	assert_int_equal(diff(files, 3, 6), 0);
	assert_memory_equal(said, "B is 1.38 times slower on the GPU", 33);
	file = fopen("out", "re");
	assert_non_null(file);
	assert_int_equal(fread(first, 1, 1, file), 1);
	assert_string_equal(first, "{");
	fclose(file);
	options.json = "-";
	options.markdown = "out";
	assert_int_equal(diff(files, 3, 6), 1);
	assert_string_equal(complaint, "ktime: out: File exists (-f replaces it)\n");
	options.force_overwrite = true;
	assert_int_equal(diff(files, 3, 6), 0);
	assert_memory_equal(said, "{", 1);
	assert_int_equal(stat("out", &status), 0);
	assert_true(status.st_size > 100);
	options.json = NULL;
	options.markdown = "/nonexistent/out";
	assert_int_equal(diff(files, 3, 6), 1);
	assert_string_equal(complaint, "ktime: /nonexistent/out: No such file or directory\n");
	options.markdown = "/dev/full";
	assert_int_equal(diff(files, 3, 6), 1);
	assert_string_equal(complaint, "ktime: /dev/full: No space left on device\n");
}

TEST(what_is_slower_than_allowed_fails)
{
	options.fail_above = 5;
	assert_int_equal(diff(files, 3, 6), 3);
	/* The copy takes twice as long, and too little of the whole to count. */
	assert_string_equal(complaint,
			    "ktime: the total of GPU activities takes 38.4% longer: above 5%\n"
			    "ktime: first takes 49.9% longer: above 5%\n");
	options.fail_above = 45;
	assert_int_equal(diff(files, 3, 6), 3);
	assert_string_equal(complaint, "ktime: first takes 49.9% longer: above 45%\n");
	options.fail_above = 55;
	assert_int_equal(diff(files, 3, 6), 0);
	assert_string_equal(complaint, "");
}

TEST(what_is_faster_fails_nothing)
{
	static const char *const names[] = {"b1", "b2", "b3", "a1", "a2", "a3"};

	options.fail_above = 1;
	assert_int_equal(diff(names, 3, 6), 0);
	assert_string_equal(complaint, "");
}

TEST(what_cannot_be_compared_is_said)
{
	static const char *const missing[] = {"a1", "none"};
	static const char usage[] = "ktime diff: put -- between the runs of A and those of B\n";

	assert_int_equal(diff(files, 0, 3), 2);
	assert_string_equal(complaint, usage);
	assert_int_equal(diff(files, 2, 2), 2);
	assert_string_equal(complaint, usage);
	assert_int_equal(diff(files, 0, 1), 2);
	assert_string_equal(complaint, usage);
	assert_int_equal(diff(missing, 0, 2), 1);
	assert_string_equal(complaint, "ktime: none: No such file or directory\n");
	assert_string_equal(said, "");
}
