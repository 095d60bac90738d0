/* SPDX-License-Identifier: MIT */
/* Tables are laid out as nsys lays them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/print/nsys_table.h"

static struct nsys_row rows[200];

static char *print(int (*print_table)(const struct nsys_table *table, FILE *file), size_t count)
{
	const struct nsys_table table = {
		.headers = {"Avg (ns)", "Name"},
		.figures = 1,
		.rows = rows,
		.row_count = count,
	};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(print_table(&table, file), 0);
	fclose(file);
	return text;
}

static void set(size_t row, const char *figure, const char *name)
{
	strcpy(rows[row].figures[0], figure);
	rows[row].name = name;
}

static void check(int (*print_table)(const struct nsys_table *table, FILE *file), size_t count,
		  const char *expected)
{
	char *text = print(print_table, count);

	assert_string_equal(text, expected);
	free(text);
}

static void headers_are_centred_and_figures_grouped(void **state)
{
	(void)state;
	set(0, "1234567.5", "k");
	set(1, "999", "longer");
	set(2, "", "none");
	check(nsys_table_text, 3,
	      "  Avg (ns)     Name \n"
	      " -----------  ------\n"
	      " 1,234,567.5  k     \n"
	      "         999  longer\n"
	      "              none  \n");
}

static void csv_is_quoted_where_it_must_be(void **state)
{
	(void)state;
	set(0, "1234567.5", "f(int, int)");
	set(1, "1.0", "say \"hi\"");
	set(2, "", "k<T>");
	check(nsys_table_csv, 3,
	      "Avg (ns),Name\n"
	      "1234567.5,\"f(int, int)\"\n"
	      "1.0,\"say \"\"hi\"\"\"\n"
	      ",k<T>\n");
}

static void a_long_name_is_cut_at_a_hundred_characters(void **state)
{
	char name[5000], *text;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	set(0, "1", name);
	text = print(nsys_table_text, 1);
	name[99] = '\0';
	assert_non_null(strstr(text, name));
	assert_string_equal(strstr(text, "xxx") + 99, "…\n");
	free(text);
}

static void widths_are_of_characters_not_bytes(void **state)
{
	(void)state;
	set(0, "1", "größer");
	set(1, "1", "k");
	check(nsys_table_text, 2,
	      " Avg (ns)   Name \n"
	      " --------  ------\n"
	      "        1  größer\n"
	      "        1  k     \n");
}

static void the_first_hundred_rows_set_the_widths(void **state)
{
	char *text;
	size_t row;

	(void)state;
	for (row = 0; row < 150; row++)
		set(row, "1", row < 100 ? "short" : "much too long");
	text = print(nsys_table_text, 150);
	assert_null(strstr(text, "much too long"));
	assert_non_null(strstr(text, "much…\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_centred_and_figures_grouped),
		cmocka_unit_test(csv_is_quoted_where_it_must_be),
		cmocka_unit_test(a_long_name_is_cut_at_a_hundred_characters),
		cmocka_unit_test(widths_are_of_characters_not_bytes),
		cmocka_unit_test(the_first_hundred_rows_set_the_widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
