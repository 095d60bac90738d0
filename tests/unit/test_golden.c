/* SPDX-License-Identifier: MIT */
/* Every block of tests/golden comes out as nvprof printed it, byte for byte. */
#include "report/print/report.h"
#include "tests/unit/printed.h"
#include "tests/unit/records.h"
#include "tests/unit/test.h"

#define DIRECTORY "tests/golden/"
#define COMMAND	  "$ nvprof"

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t capacity = 0;

	assert_non_null(file);
	assert_true(getdelim(&text, &capacity, '\0', file) > 0);
	fclose(file);
	return text;
}

/* ktime's own explanation of a trace's columns stands where nvprof's was left out. */
static void cut_legend(char *text)
{
	char *legend = strstr(text, "\nRegs: ");

	if (legend)
		legend[1] = '\0';
}

static void compare_set(const char *name)
{
	char records[128], expected_path[128], message[256];
	struct session *session;
	char *expected, *block, *next;
	unsigned blocks = 0;

	snprintf(records, sizeof(records), DIRECTORY "%s.records.tsv", name);
	snprintf(expected_path, sizeof(expected_path), DIRECTORY "%s.txt", name);
	assert_int_equal(records_read(&session, records, NULL, message, sizeof(message)), 0);
	expected = read_text(expected_path);
	for (block = expected; block; block = next) {
		char *words = block + strlen(COMMAND), *output = strchr(words, '\n'), *got;

		assert_int_equal(strncmp(block, COMMAND, strlen(COMMAND)), 0);
		*output++ = '\0';
		next = strstr(output, "\n" COMMAND);
		/* The empty line between two blocks belongs to neither. */
		if (next)
			*next++ = '\0';
		else
			output[strlen(output) - 1] = '\0';
		got = printed(session, words);
		cut_legend(got);
		assert_string_equal(got, output);
		free(got);
		blocks++;
	}
	assert_true(blocks > 0);
	free(expected);
	session_close(session);
}

TEST(each_block_is_as_nvprof_printed_it)
{
	static const char *const sets[] = {"nvprof_units",     "nvprof_mix",   "nvprof_2gpu",
					   "nvprof_nokernels", "nvprof_noapi", "nvprof_demangle"};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		compare_set(sets[i]);
}
