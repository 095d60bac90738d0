/* SPDX-License-Identifier: MIT */
/* Which name a misspelt word was meant to be, and when it is another word. */
#include "report/options/options.h"
#include "tests/unit/test.h"

/* The distance of two words; -1 where they are different words. */
static int distance(const char *word, const char *name)
{
	struct nearest nearest = {NULL, 0};

	nearest_consider(&nearest, word, strlen(word), name);
	return nearest.name ? (int)nearest.distance : -1;
}

TEST(letters_are_changed_left_out_put_in_and_swapped)
{
	assert_int_equal(distance("summary", "summary"), 0);
	assert_int_equal(distance("summery", "summary"), 1);
	assert_int_equal(distance("summar", "summary"), 1);
	assert_int_equal(distance("ummary", "summary"), 1);
	assert_int_equal(distance("summaryy", "summary"), 1);
	assert_int_equal(distance("ssummary", "summary"), 1);
	assert_int_equal(distance("usmmary", "summary"), 1);
	assert_int_equal(distance("summayr", "summary"), 1);
	assert_int_equal(distance("usmmayr", "summary"), 2);
	assert_int_equal(distance("usmmar", "summary"), 2);
	/* Letters that others come between are not swapped. */
	assert_int_equal(distance("abxc", "acb"), -1);
	assert_int_equal(distance("aab", "aba"), 1);
	assert_int_equal(distance("trace-gpu", "gpu-trace"), -1);
	assert_int_equal(distance("xsummaryx", "summary"), 2);
	assert_int_equal(distance("smry", "summry"), 2);
}

/* Up to a third of the letters, and one. */
TEST(beyond_a_third_of_the_letters_it_is_another_word)
{
	assert_int_equal(distance("c", "c"), -1);
	assert_int_equal(distance("cx", "cs"), 1);
	assert_int_equal(distance("xy", "cs"), -1);
	assert_int_equal(distance("xyv", "csv"), 2);
	assert_int_equal(distance("xyz", "csv"), -1);
	assert_int_equal(distance("xyzvw", "csuvw"), -1);
	assert_int_equal(distance("xybvwa", "csuvwa"), 3);
	assert_int_equal(distance("xybmwa", "csuvwa"), -1);
}

TEST(the_nearest_wins_and_of_equals_the_first)
{
	struct nearest nearest = {NULL, 0};

	nearest_consider(&nearest, "trame", 5, "frames");
	assert_string_equal(nearest.name, "frames");
	assert_int_equal(nearest.distance, 2);
	nearest_consider(&nearest, "trame", 5, "trace");
	assert_string_equal(nearest.name, "trace");
	assert_int_equal(nearest.distance, 1);
	nearest_consider(&nearest, "trame", 5, "frame");
	assert_string_equal(nearest.name, "trace");
	nearest_consider(&nearest, "trame", 5, "frames");
	assert_string_equal(nearest.name, "trace");
	/* Of the word as many letters as are told. */
	nearest = (struct nearest){NULL, 0};
	nearest_consider(&nearest, "csv=wrong", 3, "csv");
	assert_int_equal(nearest.distance, 0);
}

TEST(words_of_64_letters_are_compared_and_longer_ones_not)
{
	char longest[65], longer[66];

	memset(longest, 'q', 64);
	longest[64] = '\0';
	memset(longer, 'q', 65);
	longer[65] = '\0';
	assert_int_equal(distance(longest, longest), 0);
	assert_int_equal(distance(longest + 1, longest), 1);
	assert_int_equal(distance(longest, longer), -1);
	assert_int_equal(distance(longer, longest), -1);
	assert_int_equal(distance(longer, longer), -1);
}
