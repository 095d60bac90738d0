/* SPDX-License-Identifier: MIT */
/* A table is described once, and written in four forms. */
#include "report/energy/energy.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/sheet/sheet.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

static const struct column columns[] = {
	{"Type", "Type", .width = 16, .once = true},
	{"Time(%)", "Time(%)", .kind = CELL_PERCENT, .width = 7},
	{"Time", "Time", .kind = CELL_TIME, .width = 8},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Name", "Name", .name = true, .head = true},
};

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	cell_group(&cells[0], 1, sheet->form == SHEET_CSV ? "GPU" : "GPU:");
	cell_text(&cells[4], row > 1 ? "[none]" : row ? "copy\n" : "f<\"|\">");
	if (row > 1)
		return;
	cell_real(&cells[1], row ? 25 : 75);
	cell_count(&cells[2], row ? 1000 : 3000);
	cells[2].mark = row ? '\0' : '~';
	cells[2].error = row ? 0 : 12;
	cell_count(&cells[3], row ? 1 : 12);
	cells[3].mark = row ? '\0' : '>';
}

typedef void writer(struct sheet *sheet, struct out *out);

static char *written(writer *write, struct sheet sheet)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	/* Smaller than what is written. */
	struct out out = {.buffer = (char[7]){0}, .size = 7, .take = out_take_file, .target = file};

	write(&sheet, &out);
	out_flush(&out);
	sheet_clear(&sheet);
	assert_false(out.failed);
	fclose(file);
	return text;
}

static void check(writer *write, const char *expected)
{
	struct sheet sheet = {SHEET_OF(columns),   .row = fill_row, .rows = 3,
			      .title = "A title",  .id = "made-up", .class = "sortable",
			      .caption = "A title"};
	char *text;

	sheet_choose_units(&sheet, UNIT_AUTO, 0, sheet.rows);
	text = written(write, sheet);

	assert_string_equal(text, expected);
	free(text);
}

TEST(one_table_is_written_in_four_forms)
{
	check(sheet_text, "\nA title\n"
			  "            Type  Time(%)      Time     Calls  Name\n"
			  "            GPU:   75.00% ~3.0000us       >12  f<\"|\">\n"
			  "                   25.00%  1.0000us         1  copy\\x0a\n"
			  "                        -         -         -  [none]\n");
	check(sheet_csv, "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Name\"\n"
			 "\"GPU\",75.000000,3000,12,\"f<\"\"|\"\">\"\n"
			 "\"GPU\",25.000000,1000,1,\"copy\\x0a\"\n"
			 "\"GPU\",,,,\"[none]\"\n");
	/* What a row is of comes first. */
	check(sheet_html,
	      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"made-up-caption\" "
	      "tabindex=\"0\">\n<table id=\"made-up\" class=\"sortable\">\n"
	      "<caption id=\"made-up-caption\">A title</caption>\n"
	      "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Type</th>"
	      "<th scope=\"col\" class=\"number\">Time(%)</th>"
	      "<th scope=\"col\" class=\"number\">Time</th>"
	      "<th scope=\"col\" class=\"number\">Calls</th></tr></thead>\n<tbody>\n"
	      "<tr><th scope=\"row\" class=\"name\">f&#60;&#34;|&#34;&#62;</th><td>GPU:</td>"
	      "<td class=\"number share\" data-value=\"75.000000\"><svg class=\"bar\" "
	      "aria-hidden=\"true\"><rect width=\"75.00%\" height=\"100%\"/></svg> 75.00%</td>"
	      "<td class=\"number\" data-value=\"3000\">~3.0000us</td>"
	      "<td class=\"number\" data-value=\"12\">&#62;12</td></tr>\n"
	      "<tr><th scope=\"row\" class=\"name\">copy\\x0a</th><td>GPU:</td>"
	      "<td class=\"number share\" data-value=\"25.000000\"><svg class=\"bar\" "
	      "aria-hidden=\"true\"><rect width=\"25.00%\" height=\"100%\"/></svg> 25.00%</td>"
	      "<td class=\"number\" data-value=\"1000\">1.0000us</td>"
	      "<td class=\"number\" data-value=\"1\">1</td></tr>\n"
	      "<tr><th scope=\"row\" class=\"name\">[none]</th><td>GPU:</td>"
	      "<td class=\"number share\" data-value=\"-1\">-</td>"
	      "<td class=\"number\" data-value=\"-1\">-</td>"
	      "<td class=\"number\" data-value=\"-1\">-</td></tr>\n"
	      "</tbody>\n</table>\n<style>@media (max-width: 40rem) {\n"
	      "#made-up tbody tr>:nth-child(2)::before{content:\"Type \"}\n"
	      "#made-up tbody tr>:nth-child(3)::before{content:\"Time(%) \"}\n"
	      "#made-up tbody tr>:nth-child(4)::before{content:\"Time \"}\n"
	      "#made-up tbody tr>:nth-child(5)::before{content:\"Calls \"}\n"
	      "}</style>\n</div>\n");
	check(sheet_markdown, "| Type | Time(%) | Time | Calls | Name |\n"
			      "|---|---:|---:|---:|---|\n"
			      "| GPU: | 75.00% | ~3.0000us | >12 | <code>f&#60;\"&#124;\"&#62;"
			      "</code> |\n"
			      "| GPU: | 25.00% | 1.0000us | 1 | <code>copy&#92;x0a</code> |\n"
			      "| GPU: | - | - | - | <code>&#91;none&#93;</code> |\n");
}

/* A section of the report to which a column is added. */
static struct sheet section;

static void fill_more(const struct sheet *sheet, size_t row, struct cell *cells)
{
	section.row(sheet, row, cells);
	cell_count(&cells[section.column_count], 41000 + row);
}

static void a_column_that_is_added_shows(void)
{
	static const struct {
		writer *write;
		const char *heading, *value;
	} forms[] = {
		{sheet_text, "Registers\n", " 41001\n"},
		{sheet_csv, "\"Registers Per Thread\"\n", ",41001\n"},
		{sheet_html, "<th scope=\"col\" class=\"number\">Registers</th>",
		 " data-value=\"41001\">41,001</td>"},
		{sheet_markdown, " Registers |", " 41001 |"},
	};
	struct column more[SHEET_COLUMNS];
	struct sheet sheet;

	section.id = section.class = section.caption = "made-up";
	sheet = section;
	memcpy(more, section.columns, section.column_count * sizeof(*more));
	more[sheet.column_count++] = (struct column){"Registers", "Registers Per Thread",
						     .kind = CELL_COUNT, .width = 9};
	sheet.columns = more;
	sheet.row = fill_more;
	assert_true(section.rows > 1);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *without = written(forms[i].write, section),
		     *with = written(forms[i].write, sheet);

		assert_null(strstr(without, forms[i].heading));
		assert_null(strstr(without, forms[i].value));
		assert_non_null(strstr(with, forms[i].heading));
		assert_non_null(strstr(with, forms[i].value));
		free(without);
		free(with);
	}
}

TEST(a_column_that_is_added_shows_in_all_four_forms)
{
	struct session *session = whole_profile(WHOLE_CUPTI, NULL);
	struct table tables[TABLE_SECTIONS] = {{.rows = NULL}};
	static struct idle_sum sums[IDLE_SUMS];
	const struct idle_table idle = {session, sums};
	struct memory_tables memory;
	struct energy_table energy;
	struct options options;
	struct ranges ranges;
	struct filter filter;

	options_defaults(&options);
	assert_int_equal(table_collect(&tables[TABLE_GPU], session, &options, TABLE_GPU,
				       TABLE_ALL_DEVICES, true),
			 0);
	summary_sheet(&section, tables);
	a_column_that_is_added_shows();
	table_free(&tables[TABLE_GPU]);
	assert_int_equal(filter_init(&filter, session, &options), 0);
	assert_int_equal(ranges_collect(&ranges, &filter, false), 0);
	ranges_sheet(&section, &ranges);
	a_column_that_is_added_shows();
	ranges_free(&ranges);
	filter_free(&filter);
	assert_int_equal(memory_collect(&memory, session), 0);
	memory_use_sheet(&section, &memory);
	a_column_that_is_added_shows();
	memory_sites_sheet(&section, &memory);
	a_column_that_is_added_shows();
	memory_free(&memory);
	idle_sheet(&section, &idle, idle_sums(session, 0, 0, sums));
	a_column_that_is_added_shows();
	energy_sheet(&section, &energy, session, &options);
	a_column_that_is_added_shows();
	options_free(&options);
	session_close(session);
}

TEST(a_writer_that_fails_is_not_called_again)
{
	FILE *file = fopen("/dev/full", "w");
	struct out out = {.buffer = (char[4]){0}, .size = 4, .take = out_take_file, .target = file};

	assert_non_null(file);
	setvbuf(file, NULL, _IONBF, 0);
	out_text(&out, "more than four bytes");
	assert_true(out.failed);
	fclose(file);
}
