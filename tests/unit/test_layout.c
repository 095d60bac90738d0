/* SPDX-License-Identifier: MIT */
/* The table of a profile's structures, and profiles whose table is another. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "report/session/figure.h"
#include "report/session/layout.h"
#include "report/session/session_internal.h"
#include "report/session/items.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

static char path[] = "/tmp/ktime-layout-XXXXXX";
static struct session *session;
static struct layout_line *lines;
static struct row *row;

BEFORE_EACH
{
	strcpy(strrchr(path, '-'), "-XXXXXX");
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	lines = (struct layout_line *)((char *)session_header(session) + LAYOUT_PLACE);
	row = session_row(session, ROW_KERNEL, "_Z4workv", 0);
	row->calls = 3;
	row->failed = 4;
	session_add_sample(session, &row->cupti, 1000);
}

AFTER_EACH
{
	session_close(session);
	unlink(path);
}

/* The table as it is now is the one that the header means. */
static void sum_up(void)
{
	struct session_header *header = session_header(session);

	header->layout_sum = layout_sum(lines, header->layout_lines);
}

static struct layout_line *line_of(const char *structure, const char *name)
{
	struct layout_line *line = lines;

	while (line->type != LAYOUT_STRUCTURE || strcmp(line->name, structure) != 0)
		line++;
	while (*name && strcmp(line->name, name) != 0)
		line++;
	return line;
}

static struct session *opened(void)
{
	struct session *read;
	char message[256];

	sum_up();
	assert_int_equal(session_load(&read, path, message, sizeof(message)), 0);
	return read;
}

TEST(each_byte_of_a_structure_is_in_the_table)
{
	const struct layout_line *own = layout_own()->lines;
	unsigned count = layout_own()->count;

	for (unsigned i = 0, next; i < count; i = next) {
		uint8_t *of = calloc(1, own[i].size);
		unsigned none = 0;

		for (next = i + 1; next < count && own[next].type != LAYOUT_STRUCTURE; next++)
			for (uint32_t k = 0; k < own[next].size; k++)
				assert_int_equal(of[own[next].offset + k]++, 0);
		/* Every version knows what is before it. */
		if (strcmp(own[i].name, "session_header") == 0)
			memset(of, 1, offsetof(struct session_header, pid));
		for (uint32_t k = 0; k < own[i].size; k++) {
			none = of[k] ? 0 : none + 1;
			/* What aligns the next member or item. */
			if (none >= (own[i].size % 64 || k < own[i].size - 64 ? 8 : 64))
				fail_msg("struct %s: what is at %u?", own[i].name, k);
		}
		free(of);
	}
}

TEST(names_of_a_structure_are_whole_and_differ)
{
	const struct layout_line *own = layout_own()->lines;
	unsigned count = layout_own()->count, structure = 0;

	assert_in_range(count, 100, LAYOUT_LINES_MOST - 20);
	for (unsigned i = 0; i < count; i++) {
		assert_in_range(strlen(own[i].name), 2, sizeof(own->name) - 2);
		structure = own[i].type == LAYOUT_STRUCTURE ? i : structure;
		for (unsigned k = structure; k < i; k++)
			assert_string_not_equal(own[k].name, own[i].name);
	}
}

TEST(what_is_not_known_is_named_and_what_is_missing_is_none)
{
	struct session *read;
	struct row *same;

	strcpy(line_of("row", "failed")->name, "brand_new");
	strcpy(line_of("session_header", "timer")->name, "other_timer");
	strcpy(line_of("row", "bytes_minimum")->name, "least");
	read = opened();
	same = session_next_row(read, NULL);
	assert_int_equal(same->calls, 3);
	assert_int_equal(same->failed, 0);
	assert_int_equal(same->known, 0);
	assert_int_equal(same->cupti.known, MINIMUM_KNOWN);
	assert_int_equal(same->cupti.count, 1);
	assert_int_equal(histogram_count(session_histogram(read, same->cupti.histogram)), 1);
	assert_int_equal(session_header(read)->note_count, 1);
	assert_string_equal(
		session_string(read, session_header(read)->notes[0]),
		"Written by another version of ktime: 3 figures are not shown: brand_new, least, "
		"other_timer.");
	session_close(read);
}

/* As profiles were before there were bits. */
TEST(without_bits_values_tell_what_is_known)
{
	struct session *read;
	struct row *same;

	row->bytes_minimum = row->events.minimum = UINT64_MAX;
	row->windows_total = 5;
	row->windows_error = NAN;
	strcpy(line_of("row", "known")->name, "bits");
	strcpy(line_of("figures", "known")->name, "bits");
	read = opened();
	same = session_next_row(read, NULL);
	assert_int_equal(same->known, TOTAL_KNOWN);
	assert_int_equal(same->events.known, 0);
	assert_int_equal(same->cupti.known, MINIMUM_KNOWN);
	assert_int_equal(same->cupti.minimum, 1000);
	session_close(read);
}

/* One whose members lie beyond the other. */
TEST(of_two_structures_of_a_name_the_one_that_is_meant_is_read)
{
	struct layout_line *figures = line_of("figures", ""), *other = line_of("launch_shape", "");
	struct layout_line *clocks[] = {line_of("row", "cupti"), line_of("row", "events")};
	struct session *read;

	line_of("row", "shapes")->type = LAYOUT_U8;
	figures->size = 1 << 20;
	line_of("figures", "count")->offset = figures->size - 8;
	strcpy(other->name, "figures");
	for (int i = 0; i < 2; i++) {
		clocks[i]->inner = (uint16_t)(other - lines);
		clocks[i]->size = other->size;
	}
	read = opened();
	assert_int_equal(session_next_row(read, NULL)->calls, 3);
	assert_int_equal(session_next_row(read, NULL)->cupti.count, 0);
	session_close(read);
}

TEST(a_structure_that_is_not_known_is_named_alone)
{
	struct session *read;

	session_add_item(session, SEGMENT_RANGES,
			 &(struct nvtx_range){.name = session_intern(session, "range")});
	strcpy(line_of("nvtx_range", "")->name, "other_range");
	read = opened();
	assert_null(session_next_item(read, SEGMENT_RANGES, NULL));
	assert_string_equal(
		session_string(read, session_header(read)->notes[0]),
		"Written by another version of ktime: 1 figure is not shown: other_range.");
	session_close(read);
}

/* Members of another order, with all that refers to others. */
TEST(structures_are_laid_out_anew)
{
	struct layout_line *calls = line_of("row", "calls"), *failed = line_of("row", "failed");
	struct layout_line *range_line = line_of("nvtx_range", "");
	const uint32_t offset = calls->offset;
	struct trace_record record = {.start = 10, .end = 20};
	const struct trace_record *traced;
	const struct nvtx_range *range, *inner;
	const struct nvtx_part *part;
	struct session *read;

	record.name = session_intern(session, "_Z4workv");
	for (int i = 0; i < 20000; i++)
		session_trace(session, &record);
	range = session_add_item(session, SEGMENT_RANGES,
				 &(struct nvtx_range){.name = session_intern(session, "outer")});
	inner = session_add_item(session, SEGMENT_RANGES,
				 &(struct nvtx_range){.name = session_intern(session, "inner"),
						      .parent = session_offset(session, range)});
	session_add_nvtx_part(session, inner, row);
	session_note(session, "a note");
	calls->offset = failed->offset;
	failed->offset = offset;
	/* Half as long: each item becomes two, of which the second says nothing. */
	assert_int_equal(range_line->size, 128);
	range_line->size = 64;
	for (struct layout_line *line = range_line + 1; line->type != LAYOUT_STRUCTURE; line++)
		if (line->offset + line->size > 64)
			line->size = line->offset = 0;
	session_header(session)->finished = 1;
	read = opened();
	assert_int_equal(session_next_row(read, NULL)->calls, 4);
	assert_int_equal(session_next_row(read, NULL)->failed, 3);
	range = session_next_item(read, SEGMENT_RANGES, NULL);
	assert_string_equal(session_string(read, range->name), "outer");
	range = session_next_item(read, SEGMENT_RANGES, range);
	assert_string_equal(session_string(read, range->name), "inner");
	assert_ptr_equal(session_nvtx_range_at(read, range->parent),
			 session_next_item(read, SEGMENT_RANGES, NULL));
	part = session_next_item(read, SEGMENT_RANGE_PARTS, NULL);
	assert_ptr_equal(session_nvtx_range_at(read, part->range), range);
	assert_ptr_equal(session_row_at(read, part->row), session_next_row(read, NULL));
	assert_string_equal(session_string(read, session_header(read)->notes[0]), "a note");
	traced = session_next_trace(read, NULL);
	assert_string_equal(session_string(read, traced->name), "_Z4workv");
	for (int i = 1; i < 20000; i++)
		traced = session_next_trace(read, traced);
	assert_int_equal(traced->end, 20);
	assert_null(session_next_trace(read, traced));
	session_close(read);
}

TEST(a_profile_of_another_version_is_saved_as_one_of_this)
{
	struct session *read;
	FILE *file;

	strcpy(line_of("row", "failed")->name, "brand_new");
	read = opened();
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_true(session_save(read, file));
	assert_int_equal(fclose(file), 0);
	session_close(read);
	assert_int_equal(session_open(&read, path), 0);
	assert_null(read->layout);
	assert_int_equal(session_next_row(read, NULL)->calls, 3);
	session_close(read);
}

static void is_damaged(void)
{
	struct session *read;

	sum_up();
	assert_int_equal(session_open(&read, path), -EBADMSG);
	assert_null(read);
}

TEST(damaged_tables_are_refused)
{
	struct session_header *header = session_header(session), whole = *header;
	struct session *read;
	char message[256];

#define DAMAGE(change)                                                                             \
	do {                                                                                       \
		change;                                                                            \
		is_damaged();                                                                      \
		*header = whole;                                                                   \
		memcpy(lines, layout_own()->lines, sizeof(layout_own()->lines));                   \
	} while (0)
	DAMAGE(header->layout_lines = 0);
	DAMAGE(header->layout_lines = 1);
	DAMAGE(header->layout = header->header_size - 8);
	DAMAGE(memset(lines[3].name, 'x', sizeof(lines->name)));
	DAMAGE(lines[3].name[0] = '\0');
	DAMAGE(lines[3].name[0] = '\033');
	DAMAGE(lines[0].type = FIGURE_U64);
	DAMAGE(lines[0].size = 0);
	DAMAGE(lines[0].size = UINT32_MAX);
	DAMAGE(line_of("row", "")->size = 64);
	DAMAGE(line_of("session_header", "")->name[0] = 'x');
	DAMAGE(line_of("session_header", "")->size = 1 << 20);
	DAMAGE(line_of("row", "calls")->offset = line_of("row", "")->size - 7);
	DAMAGE(line_of("row", "calls")->offset = UINT32_MAX);
	DAMAGE(line_of("row", "calls")->size = UINT32_MAX - 7);
	DAMAGE(line_of("row", "calls")->size = 12);
	DAMAGE(line_of("row", "calls")->type = LAYOUT_KNOWN + 1);
	DAMAGE(line_of("row", "cupti")->inner = (uint16_t)(line_of("row", "") - lines));
	DAMAGE(line_of("row", "cupti")->inner = UINT16_MAX);
	DAMAGE(line_of("row", "cupti")->inner = 1);
	/* One byte of it, without the sum. */
	lines[10].offset++;
	header->layout_sum++;
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EBADMSG);
	assert_non_null(strstr(message, ": a ktime profile that is damaged"));
}

TEST(other_layouts_are_refused_with_what_to_do)
{
	struct session_header *header = session_header(session);
	struct session *read;
	char message[256];

	header->version = SESSION_OLDEST - 1;
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EPROTONOSUPPORT);
	assert_non_null(strstr(message, ": made by ktime before 0.2: show it with that version, "
					"or export it there"));
	header->version = SESSION_VERSION + 1;
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EPROTO);
	header->version = SESSION_VERSION;
	header->histogram_version++;
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EPROTO);
	header->histogram_version--;
	header->estimate_version++;
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EPROTO);
	assert_non_null(strstr(message, ": a profile of another version of ktime"));
}

static const char *what(const char *structure, const char *member)
{
	for (enum figure_scope scope = 0; scope < SCOPE_COUNT; scope++) {
		const struct figure_table *table = figures_of(scope);

		for (unsigned i = 0; i < table->count; i++)
			if (strcmp(table->name, structure) == 0 &&
			    strcmp(table->figures[i].name, member) == 0)
				return table->figures[i].text;
	}
	return NULL;
}

static void write_member(FILE *page, const struct layout_line *own, const struct layout_line *line,
			 const char *structure)
{
	static const char *const types[] = {
		[FIGURE_U32] = "u32",	[FIGURE_U64] = "u64",	[FIGURE_REAL] = "f64",
		[FIGURE_TEXT] = "u64",	[LAYOUT_U8] = "u8",	[LAYOUT_I32] = "i32",
		[LAYOUT_TEXT] = "char", [LAYOUT_KNOWN] = "u32",
	};
	static const uint8_t sizes[] = {
		[FIGURE_U32] = 4, [FIGURE_U64] = 8, [FIGURE_REAL] = 8, [FIGURE_TEXT] = 8,
		[LAYOUT_U8] = 1,  [LAYOUT_I32] = 4, [LAYOUT_TEXT] = 1, [LAYOUT_KNOWN] = 4,
	};
	static const char *const units[] = {"", "ns", "ns²", "bytes", "J", "MHz", ""};
	static const char *const merges[] = {"sum", "least", "most", "the later", "any", "own"};
	static const char *const differences[] = {"subtracted", "the later", "own"};
	static const char *const bits[] = {"1", "2", "4", "", "8"};
	const bool is_inner = line->type == LAYOUT_INNER;
	const char *text = what(structure, line->name);
	const uint32_t size = is_inner ? own[line->inner].size : sizes[line->type];
	char elements[16] = "";

	if (line->size != size)
		snprintf(elements, sizeof(elements), "[%u]", line->size / size);
	fprintf(page, "| %u | `%s` | %s%s | %s | %s | %s | %s | %s |\n", line->offset, line->name,
		is_inner ? own[line->inner].name : types[line->type], elements,
		text ? units[line->unit] : "", text ? merges[line->merge] : "",
		text ? differences[line->difference] : "", line->known ? bits[line->known / 2] : "",
		text				 ? text
		: line->type == LAYOUT_REFERENCE ? "offset in the file"
		: line->type == LAYOUT_KNOWN	 ? "sum of the bits of those figures that are known"
						 : "");
}

/* docs/internals/profile-structures.md is this table. */
TEST(the_page_has_the_structures_of_this_version)
{
	const struct layout_line *own = layout_own()->lines, *structure = own;
	unsigned count = layout_own()->count;
	char *text = NULL;
	size_t size;
	FILE *page = open_memstream(&text, &size);

	assert_non_null(page);
	fputs("# The structures of a profile\n\n"
	      "What each structure of [a profile](profile-format.md) holds, as the table in its "
	      "header "
	      "says it; other versions of\nktime have others. Figures have a unit, and a rule each "
	      "for "
	      "what the figure of two profiles together is, and what it is between\n"
	      "two profiles of one run; those that are not always known have a bit in `known`. "
	      "`FIGURES=write build/tests/unit/test_layout` writes this "
	      "page.\n",
	      page);
	for (unsigned i = 0; i < count; i++) {
		if (own[i].type != LAYOUT_STRUCTURE) {
			write_member(page, own, &own[i], structure->name);
			continue;
		}
		structure = &own[i];
		fprintf(page, "\n## `%s`\n\n%u bytes", structure->name, structure->size);
		if (structure->offset)
			fprintf(page, " each, in segments of kind %u", structure->offset - 1);
		fputs(".\n\n| at | member | type | unit | together | between | known | what it is "
		      "|\n"
		      "|---|---|---|---|---|---|---|---|\n",
		      page);
	}
	fclose(page);
	is_golden_file("docs/internals/profile-structures.md", text);
	free(text);
}
