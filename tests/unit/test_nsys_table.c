/* SPDX-License-Identifier: MIT */
/* Tables are laid out as nsys lays them out. */
#include <math.h>

#include "report/sheet/sheet.h"
#include "tests/unit/test.h"

static struct {
	double figure;
	const char *name;
} rows[200];

static const struct column columns[] = {
	{"Avg (ns)", "Avg (ns)", .kind = CELL_REAL, .decimals = 1, .width = 1, .most = 100},
	{"Name", "Name", .width = -1, .most = 100},
};

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	(void)sheet;
	cell_real(&cells[0], rows[row].figure);
	cell_text(&cells[1], rows[row].name);
}

typedef void writer(struct sheet *sheet, struct out *out);

static char *print(writer *write, size_t count)
{
	struct sheet sheet = {SHEET_OF(columns), .row = fill_row, .rows = count, .nsys = true,
			      .indent = 1};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct out out = OUT_TO_FILE(file);

	write(&sheet, &out);
	out_flush(&out);
	fclose(file);
	return text;
}

/* NAN: there is none. */
static void set(size_t row, double figure, const char *name)
{
	rows[row].figure = figure;
	rows[row].name = name;
}

static void check(writer *write, size_t count, const char *expected)
{
	char *text = print(write, count);

	assert_string_equal(text, expected);
	free(text);
}

TEST(headers_are_centred_and_figures_grouped)
{
	set(0, 1234567.5, "k");
	set(1, 999, "longer");
	set(2, NAN, "none");
	check(sheet_text, 3,
	      "  Avg (ns)     Name \n"
	      " -----------  ------\n"
	      " 1,234,567.5  k     \n"
	      "       999.0  longer\n"
	      "              none  \n");
}

/* As a damaged profile may have them. */
TEST(figures_that_are_too_long_stay_as_they_are)
{
	set(0, 1e26, "k");
	set(1, 1e27, "k");
	set(2, 1e300, "k");
	check(sheet_text, 3,
	      "                Avg (ns)                  Name\n"
	      " ---------------------------------------  ----\n"
	      "   100,000,000,000,000,004,764,729,344.0  k   \n"
	      "          1000000000000000013287555072.0  k   \n"
	      " 100000000000000005250476025520442024870  k   \n");
}

TEST(csv_is_quoted_where_it_must_be)
{
	set(0, 1234567.5, "f(int, int)");
	set(1, 1, "say \"hi\"");
	set(2, NAN, "k<T>");
	check(sheet_csv, 3,
	      "Avg (ns),Name\n"
	      "1234567.5,\"f(int, int)\"\n"
	      "1.0,\"say \"\"hi\"\"\"\n"
	      ",k<T>\n");
}

TEST(a_long_name_is_cut_at_a_hundred_characters)
{
	char name[5000], *text;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	set(0, 1, name);
	text = print(sheet_text, 1);
	name[99] = '\0';
	assert_non_null(strstr(text, name));
	assert_string_equal(strstr(text, "xxx") + 99, "…\n");
	free(text);
}

TEST(widths_are_of_characters_not_bytes)
{
	set(0, 1, "größer");
	set(1, 1, "k");
	check(sheet_text, 2,
	      " Avg (ns)   Name \n"
	      " --------  ------\n"
	      "      1.0  größer\n"
	      "      1.0  k     \n");
}

TEST(the_first_hundred_rows_set_the_widths)
{
	char *text;
	size_t row;

	for (row = 0; row < 150; row++)
		set(row, 1, row < 100 ? "short" : "much too long");
	text = print(sheet_text, 150);
	assert_null(strstr(text, "much too long"));
	assert_non_null(strstr(text, "much…\n"));
	free(text);
}
