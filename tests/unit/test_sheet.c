/* SPDX-License-Identifier: MIT */
/* A table is described once, and written in five forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/sheet/sheet.h"

static const struct column columns[] = {
	{"Type", "Type", .width = 16, .once = true},
	{"Time(%)", "Time(%)", .kind = CELL_PERCENT, .width = 7},
	{"Time", "Time", .kind = CELL_TIME, .width = 8},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Name", "Name", .name = true},
	/* The added one. */
	{"Registers", "Registers Per Thread", .kind = CELL_COUNT, .width = 9},
};

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	cell_group(&cells[0], 1, sheet->form == SHEET_CSV ? "GPU" : "GPU:");
	if (row > 1)
		return;
	cell_real(&cells[1], row ? 25 : 75);
	cell_count(&cells[2], row ? 1000 : 3000);
	cells[2].mark = row ? '\0' : '~';
	cells[2].error = row ? 0 : 12;
	cell_count(&cells[3], row ? 1 : 12);
	cells[3].mark = row ? '\0' : '>';
	cell_text(&cells[4], row ? "copy\n" : "f<\"|\">");
	cell_count(&cells[5], 40 + row);
}

typedef void writer(struct sheet *sheet, struct out *out);

static char *written(writer *write, unsigned column_count)
{
	struct sheet sheet = {.columns = columns,
			      .column_count = column_count,
			      .row = fill_row,
			      .rows = 3,
			      .title = "A title"};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	/* Smaller than what is written. */
	struct out out = {.buffer = (char[7]){0}, .size = 7, .take = out_take_file, .target = file};

	sheet_choose_units(&sheet, UNIT_AUTO, 0, sheet.rows);
	write(&sheet, &out);
	out_flush(&out);
	assert_false(out.failed);
	fclose(file);
	return text;
}

static void check(writer *write, const char *expected)
{
	char *text = written(write, 5);

	assert_string_equal(text, expected);
	free(text);
}

static void one_table_is_written_in_five_forms(void **state)
{
	(void)state;
	check(sheet_text, "\nA title\n"
			  "            Type  Time(%)      Time     Calls  Name\n"
			  "            GPU:   75.00% ~3.0000us       >12  f<\"|\">\n"
			  "                   25.00%  1.0000us         1  copy\\x0a\n"
			  "                        -         -         -  -\n");
	check(sheet_csv, "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Name\"\n"
			 "\"GPU\",75.000000,3000,12,\"f<\"\"|\"\">\"\n"
			 "\"GPU\",25.000000,1000,1,\"copy\\x0a\"\n"
			 "\"GPU\",,,,\n");
	check(sheet_html,
	      "<table>\n<caption>A title</caption>\n<thead><tr><th scope=\"col\">Type</th>"
	      "<th scope=\"col\">Time(%)</th><th scope=\"col\">Time</th>"
	      "<th scope=\"col\">Calls</th><th scope=\"col\">Name</th></tr></thead>\n<tbody>\n"
	      "<tr><td>GPU:</td><td class=\"number\" data-value=\"75\">75.00%</td>"
	      "<td class=\"number\" data-value=\"3000\">~3.0000us</td>"
	      "<td class=\"number\" data-value=\"12\">>12</td>"
	      "<td>f&#60;&#34;|&#34;&#62;</td></tr>\n"
	      "<tr><td>GPU:</td><td class=\"number\" data-value=\"25\">25.00%</td>"
	      "<td class=\"number\" data-value=\"1000\">1.0000us</td>"
	      "<td class=\"number\" data-value=\"1\">1</td><td>copy\\x0a</td></tr>\n"
	      "<tr><td>GPU:</td><td class=\"number\" data-value=\"0\">-</td>"
	      "<td class=\"number\" data-value=\"0\">-</td>"
	      "<td class=\"number\" data-value=\"0\">-</td><td>-</td></tr>\n"
	      "</tbody>\n</table>\n");
	check(sheet_json,
	      "{\"title\":\"A title\",\"rows\":[\n"
	      "{\"type\":\"GPU:\",\"time_percent\":75.000000,\"time\":3000,\"time_error\":12,"
	      "\"calls\":12,\"name\":\"f<\\\"|\\\">\"},\n"
	      "{\"type\":\"GPU:\",\"time_percent\":25.000000,\"time\":1000,\"calls\":1,"
	      "\"name\":\"copy\\\\x0a\"},\n"
	      "{\"type\":\"GPU:\",\"time_percent\":null,\"time\":null,\"calls\":null,"
	      "\"name\":null}\n],\"note\":\"\"}\n");
	check(sheet_markdown, "| Type | Time(%) | Time | Calls | Name |\n"
			      "|---|---:|---:|---:|---|\n"
			      "| GPU: | 75.00% | ~3.0000us | >12 | <code>f&#60;\"&#124;\"&#62;"
			      "</code> |\n"
			      "| GPU: | 25.00% | 1.0000us | 1 | <code>copy&#92;x0a</code> |\n"
			      "| GPU: | - | - | - | <code>-</code> |\n");
}

static void a_column_that_is_added_shows_in_all_five_forms(void **state)
{
	static const struct {
		writer *write;
		const char *heading, *value;
	} forms[] = {
		{sheet_text, "Registers\n", "         41\n"},
		{sheet_csv, "\"Registers Per Thread\"\n", ",41\n"},
		{sheet_html, "<th scope=\"col\">Registers</th>", " data-value=\"41\">41</td>"},
		{sheet_json, "\"registers_per_thread\":40", "\"registers_per_thread\":41"},
		{sheet_markdown, " Registers |", " 41 |"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *without = written(forms[i].write, 5), *with = written(forms[i].write, 6);

		assert_null(strstr(without, forms[i].heading));
		assert_null(strstr(without, forms[i].value));
		assert_non_null(strstr(with, forms[i].heading));
		assert_non_null(strstr(with, forms[i].value));
		free(without);
		free(with);
	}
}

static void a_writer_that_fails_is_not_called_again(void **state)
{
	FILE *file = fopen("/dev/full", "w");
	struct out out = {.buffer = (char[4]){0}, .size = 4, .take = out_take_file, .target = file};

	(void)state;
	assert_non_null(file);
	setvbuf(file, NULL, _IONBF, 0);
	out_text(&out, "more than four bytes");
	assert_true(out.failed);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_table_is_written_in_five_forms),
		cmocka_unit_test(a_column_that_is_added_shows_in_all_five_forms),
		cmocka_unit_test(a_writer_that_fails_is_not_called_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
