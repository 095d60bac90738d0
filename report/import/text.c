/* SPDX-License-Identifier: MIT */
/* The lines of a text: headers, units, what profilers say around their tables, and rows. */
#include "report/import/import.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/import/encoding.h"
#include "report/import/json_rows.h"
#include "report/import/text_import.h"

__attribute__((format(printf, 2, 3))) static int refuse(struct text_import *import,
							const char *format, ...)
{
	va_list arguments;
	int length = snprintf(import->message, import->size, "%s: ", import->path);

	va_start(arguments, format);
	if (length > 0 && (size_t)length < import->size)
		vsnprintf(import->message + length, import->size - (size_t)length, format,
			  arguments);
	va_end(arguments);
	return -EINVAL;
}

static int begin_table(struct text_import *import, const struct header *header, char separator)
{
	if (header->bad_unit)
		return refuse(import, "line %zu: unknown unit \"%.*s\"", import->lines.number,
			      (int)strcspn(header->bad_unit, ")"), header->bad_unit);
	rows_end_table(import);
	import->header = *header;
	import->separator = separator;
	import->rule.count = 0;
	import->units_follow =
		header->report->tool == TOOL_NVPROF && header->report->kind != REPORT_OTHER;
	/* nvprof has no units in its header: they are in a row of their own, or in the cells. */
	for (int role = 0; role < ROLE_COUNT && import->units_follow; role++)
		if (role_is_time((enum role)role))
			import->header.units[role] = -1;
	import->entered = import->disordered = false;
	import->last_start.given = false;
	import->header_line = import->lines.number;
	import->announced = NULL;
	return 0;
}

/* A table whose header is in no list: its rows are passed over. */
static int begin_unknown(struct text_import *import, size_t count, char separator)
{
	struct header header = {.report = &report_unknown, .count = count};
	int error;

	memset(header.places, -1, sizeof(header.places));
	error = begin_table(import, &header, separator);
	import->units_follow = false;
	return error;
}

/* What is left of a header, between whose rows it stands, ends the table too. */
static void cut_header(struct text_import *import)
{
	if (!import->header.report)
		return;
	rows_pass_damaged(import, "a header that is cut");
	rows_end_table(import);
}

/* Takes the line as a header, whatever stands between its titles: 1, or 0: it is none; -errno. */
static int take_header(struct text_import *import, const char *line)
{
	static const char separators[] = ",;\t|";
	struct header header;
	struct cells cells;
	size_t known;
	char *copy;
	int error = 0;

	if (header_read_line(&header, line, import->announced))
		return begin_table(import, &header, 0) ?: 1;
	copy = strdup(line);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < sizeof(separators) && !error; i++) {
		if (!strchr(line, separators[i]))
			continue;
		strcpy(copy, line);
		split_values(&cells, copy, separators[i]);
		if (cells.open || cells.count > COLUMNS_MOST)
			continue;
		known = titles_known(cells.text, cells.count);
		if (header_read(&header, cells.text, cells.count, import->announced)) {
			error = begin_table(import, &header, separators[i]) ?: 1;
		} else if (known > 1 && cells.count > 2 && !isdigit((unsigned char)*copy)) {
			error = begin_unknown(import, cells.count, separators[i]) ?: 1;
		} else if (known > 1 || (known && import->separator == separators[i] &&
					 cells.count != import->header.count)) {
			cut_header(import);
			error = 1;
		}
	}
	free(copy);
	return error;
}

/* A copy of the line, which may be split; NULL: memory is out. */
static char *copy_line(struct text_import *import)
{
	size_t size = strlen(import->lines.line) + 1;

	if (size > import->room) {
		char *copy = realloc(import->copy, size);

		if (!copy)
			return NULL;
		import->copy = copy;
		import->room = size;
	}
	return memcpy(import->copy, import->lines.line, size);
}

/* The cells of a row of units in a text table: words, each above a column of times or of shares,
 * with nothing in between. False: it is no such row. */
static bool split_units(const struct text_import *import, struct cells *cells, char *line)
{
	static char none[1];

	*cells = (struct cells){0};
	for (size_t place = 0; place < import->header.count; place++) {
		enum role role = import->header.roles[place];
		size_t length;

		cells->text[cells->count++] = none;
		if (!role_is_time(role) && role != ROLE_SHARE)
			continue;
		line += strspn(line, " ");
		length = strcspn(line, " ");
		if (role_is_time(role) ? time_unit(line, length) == 0 : strncmp(line, "% ", 2) != 0)
			return false;
		cells->text[place] = line;
		line += length;
		if (*line)
			*line++ = '\0';
	}
	return line[strspn(line, " ")] == '\0';
}

/* nvprof's units, in a row below the header: 1, or 0: it is no such row; -errno. */
static int take_units(struct text_import *import, char *line)
{
	struct header *header = &import->header;
	struct cells cells;

	if (!import->separator) {
		if (!split_units(import, &cells, line))
			return 0;
	} else {
		split_values(&cells, line, import->separator);
		if (cells.open || cells.count != header->count ||
		    *text_cell(import, &cells, ROLE_NAME))
			return 0;
	}
	for (size_t i = 0; i < cells.count; i++) {
		enum role role = header->roles[i];
		const char *word = cells.text[i];

		if (!role_is_time(role))
			continue;
		header->units[role] = time_unit(word, strlen(word));
		if (header->units[role] == 0)
			return refuse(import, "line %zu: unknown unit \"%s\"", import->lines.number,
				      word);
	}
	return 1;
}

/* A line of nvprof's own: "==71== Profiling result:". NULL: it is none; else what it says. */
static const char *banner_of(const char *line, char process[16])
{
	const char *digits = line + strspn(line, "=");
	size_t first = (size_t)(digits - line), length = strspn(digits, "0123456789");
	size_t second = strspn(digits + length, "=");
	const char *text = digits + length + second;

	if (first < 2 || (length && second < 2) || length > 15 || *text != ' ')
		return NULL;
	memcpy(process, digits, length);
	process[length] = '\0';
	return text + 1;
}

/* Those of the newest processes are kept. */
static void note_command(struct text_import *import, const char *process, const char *command)
{
	struct command *noted = &import->commands[import->command_count++ % COMMANDS_MOST];

	snprintf(noted->process, sizeof(noted->process), "%s", process);
	snprintf(noted->text, sizeof(noted->text), "%s", command);
}

static void take_banner(struct text_import *import, const char *said, const char *process)
{
	static const struct {
		const char *start;
		enum row_class section;
		const char *rows; /* what they are, where they are passed over */
	} sections[] = {
		{"Profiling result", CLASS_GPU, NULL},
		{"API calls", CLASS_CALL, NULL},
		{"OpenACC", CLASS_OTHER, "OpenACC, which is the host's time"},
		{"OpenMP", CLASS_OTHER, "OpenMP, which is the host's time"},
		{"NVTX result", CLASS_OTHER, BY_RANGE},
		{"Thread \"", CLASS_OTHER, BY_RANGE},
		{"Domain \"", CLASS_OTHER, BY_RANGE},
		{"Range \"", CLASS_OTHER, BY_RANGE},
		{"CPU profiling", CLASS_OTHER, "samples of the host"},
		{"Unified Memory", CLASS_OTHER, "page faults and migrations"},
		{"Event result", CLASS_OTHER, "counters"},
		{"Metric result", CLASS_OTHER, "counters"},
		{"Dependency", CLASS_OTHER, "dependencies"},
	};
	static const char *const within[] = {"NVPROF is", "Profiling application", "Warning",
					     "Error", "Generated"};
	const char *command = strstr(said, "command: ");

	said += strspn(said, " ");

	if (text_begins(said, "Profiling application: "))
		note_command(import, process, said + 23);
	else if (text_begins(said, "NVPROF is") && command)
		note_command(import, process, command + 9);
	/* These may be another process's, within a table of this one. */
	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (text_begins(said, within[i]))
			return;
	rows_end_table(import);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (!text_begins(said, sections[i].start))
			continue;
		import->section = sections[i].section;
		import->section_rows = sections[i].rows;
		import->sectioned = true;
		strcpy(import->process, process);
		*import->device = '\0';
	}
	if (text_begins(said, "Device \""))
		snprintf(import->device, sizeof(import->device), "%s", said);
}

/* "Processing [a.sqlite] with [cuda_api_sum.py]...": the file. */
static void take_announcement(struct text_import *import, const char *line,
			      const struct report *report)
{
	const char *file = strstr(line, "Processing [");

	rows_end_table(import);
	import->announced = report;
	if (file)
		snprintf(import->source, sizeof(import->source), "%.*s",
			 (int)strcspn(file + 12, "]"), file + 12);
}

static char *trim(char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == ' ')
		text[--length] = '\0';
	return text + strspn(text, " ");
}

/* Splits the line as the table's rows are; false: it is none. */
static bool split(struct text_import *import, struct cells *cells, char *line)
{
	if (!import->separator)
		return split_text(cells, line, &import->header, &import->rule) &&
		       rows_fits(import, cells);
	split_values(cells, line, import->separator);
	for (size_t i = 0; import->separator == '|' && i < cells->count && i <= COLUMNS_MOST; i++)
		cells->text[i] = trim(cells->text[i]);
	/* A name may have a newline. */
	if (cells->open && lines_read_quoted(&import->lines)) {
		line = copy_line(import);
		if (line)
			split_values(cells, line, import->separator);
	}
	return rows_fits(import, cells);
}

/* Whether a line that is no row looks like what is left of one. */
static bool is_like_row(const struct text_import *import, const char *line)
{
	const size_t enough = import->header.count < 8 ? 2 : 3;
	const char separator[] = {import->separator, '\0'};
	size_t numbers = 0, quotes = 0;
	bool begins_so = false;

	for (const char *at = line; *at; at++)
		quotes += *at == '"';
	/* Programs print commas too, but seldom begin so, or leave a quote open. */
	if (import->separator && (*line == '"' || *line == *separator || quotes % 2 ||
				  (isdigit((unsigned char)*line) && strstr(line, separator))))
		return true;

	for (const char *at = line; *at;) {
		at += import->separator ? 0 : strspn(at, " ");
		at += *at == '"';
		begins_so |= at <= line + strspn(line, " \"") && isdigit((unsigned char)*at);
		numbers += isdigit((unsigned char)*at) != 0;
		at += import->separator ? strcspn(at, separator) : strcspn(at, " ");
		at += *at && *at == import->separator;
	}
	return numbers >= enough && (begins_so || import->header.places[ROLE_GROUP] == 0);
}

/* Takes the line as one of the table: 1, or 0: it is none; -errno. */
static int take_line_of_table(struct text_import *import)
{
	struct cells cells;
	char *line = copy_line(import);
	int taken = 0;

	if (!line)
		return -ENOMEM;
	if (!import->separator && rule_read(&import->rule, line))
		return 1;
	/* The program may print before them. */
	if (import->units_follow) {
		taken = take_units(import, line);
		import->units_follow = taken == 0;
		line = copy_line(import);
		if (taken || !line)
			return taken ?: -ENOMEM;
	}
	if (split(import, &cells, line)) {
		import->units_follow = false;
		return rows_take(import, &cells) ?: 1;
	}
	if (import->header.report->kind == REPORT_OTHER || !is_like_row(import, import->lines.line))
		return 0;
	rows_pass_damaged(import, import->lines.ended ? "not a whole row"
						      : "the file ends in the middle of it");
	return 1;
}

/* A row of an object in JSON. */
static int take_object(void *with, struct cells *titles, struct cells *values)
{
	struct text_import *import = with;
	struct header header;
	bool same = import->header.report && import->separator == JSON_ROWS &&
		    import->header.count == titles->count;

	if (titles->count > COLUMNS_MOST)
		return 0;
	if (!header_read(&header, titles->text, titles->count, import->announced)) {
		header = (struct header){.report = &report_unknown, .count = titles->count};
		memset(header.places, -1, sizeof(header.places));
	}
	if (!same || header.report != import->header.report) {
		const struct report *announced = import->announced;
		int error = begin_table(import, &header, JSON_ROWS);

		import->announced = announced;
		if (error)
			return error;
		/* Here numbers have no unit but that of their title. */
		import->units_follow = false;
	}
	return rows_fits(import, values) ? rows_take(import, values) : 0;
}

/* Reads the array that the line begins. */
static int take_array(struct text_import *import)
{
	struct lines *lines = &import->lines;
	const char *text = lines->text, *begin = strchr(text + import->line_begin, '[');
	size_t length, end;
	char *array;
	bool cut;
	int error;

	length = json_array_length(begin, lines->length - (size_t)(begin - text), &cut);
	array = malloc(length + 2);
	if (!array)
		return -ENOMEM;
	memcpy(array, begin, length);
	strcpy(array + length, cut ? "]" : "");
	rows_end_table(import);
	error = json_rows_read(array, length + cut, take_object, import);
	free(array);
	if (error == -EINVAL && !*import->message)
		rows_pass_damaged(import, "no JSON");
	else if (error)
		return error;
	else if (cut)
		rows_pass_damaged(import, "the file ends in the middle of it");
	rows_end_table(import);
	import->announced = NULL;
	/* Goes on behind the array's last line. */
	end = (size_t)(begin - text) + length;
	while (!cut && lines->next <= end && lines_read(lines) > 0)
		;
	if (cut)
		lines->next = lines->length;
	return 1;
}

/* Takes away what is around the line of a table with borders: nsys's "table" and Markdown's. */
static void cut_borders(char *line)
{
	size_t begin = strspn(line, " "), length = strlen(line);

	if (line[begin] != '|')
		return;
	while (length && line[length - 1] == ' ')
		length--;
	length -= length > begin + 1 && line[length - 1] == '|';
	line[length] = '\0';
	memmove(line, line + begin + 1, length - begin);
}

static int take_line(struct text_import *import)
{
	const struct report *report;
	const char *line = import->lines.line, *said, *first;
	char process[16];
	int taken = 0;

	cut_borders(import->lines.line);
	first = line + strspn(line, " \t");
	/* Nothing, or a line between rows. */
	if (!first[strspn(first, "+-=|: ")] && (!*first || import->separator == '|'))
		return 0;
	said = banner_of(line, process);
	if (said) {
		take_banner(import, said, process);
		return 0;
	}
	if (*first == '[' && (first[1 + strspn(first + 1, " ")] == '{' || !first[1]))
		return take_array(import);
	/* A header may have as many cells as the rows of the table above it. */
	first += *first == '"';
	if (!isdigit((unsigned char)*first) || strstr(line, "Name")) {
		report = report_announced(line);
		if (report)
			take_announcement(import, line, report);
		taken = report ? 1 : take_header(import, line);
	}
	if (!taken && import->header.report)
		taken = take_line_of_table(import);
	if (taken || !import->header.report)
		return taken;
	if (!import->strays++)
		import->stray_line = import->lines.number;
	return 0;
}

static int refuse_parts(struct text_import *import)
{
	char list[384] = "";
	size_t length = 0;

	for (size_t i = 0; i < import->part_count && i < PARTS_MOST && length + 2 < sizeof(list);
	     i++)
		length += (size_t)snprintf(
			list + length, sizeof(list) - length, "%s--part %zu (line %zu%s%s)",
			i ? ", " : "", i + 1, import->parts[i].line,
			*import->parts[i].label ? ", " : "", import->parts[i].label);
	return refuse(import, "%zu runs or processes in one file: choose one with %s%s",
		      import->part_count, list, import->part_count > PARTS_MOST ? ", ..." : "");
}

/* Whether many bytes of the text are none of text. */
static bool is_binary(const struct lines *lines)
{
	size_t looked = lines->length < 4096 ? lines->length : 4096, controls = 0;

	for (size_t i = 0; i < looked; i++)
		controls += (unsigned char)lines->text[i] < ' ' &&
			    !strchr("\t\n\v\f\r\033", lines->text[i]);
	return controls * 50 > looked;
}

/* Why a text has nothing to compare. */
static int refuse_empty(struct text_import *import)
{
	/* Among its bytes some may look like the beginning of a table. */
	if (is_binary(&import->lines))
		return refuse(import, "neither a profile nor text; of a report of nsys (.nsys-rep, "
				      ".qdrep) give what `nsys export --type sqlite` makes");
	if (*import->bad)
		return refuse(import, "%s", import->bad);
	if (import->first_passed)
		return refuse(import, "no GPU activities or CUDA API calls in it; passed over: %s",
			      import->first_passed);
	return refuse(import, "no profile, database of nsys, or table of nvprof, nsys or ktime");
}

static int read_lines(struct text_import *import)
{
	int error = 1;

	while (error > 0) {
		import->line_begin = import->lines.next;
		error = lines_read(&import->lines);
		if (error > 0) {
			error = take_line(import);
			error = error < 0 ? error : 1;
		}
	}
	return error;
}

static int import_part(struct text_import *import)
{
	int error = read_lines(import);

	if (!error) {
		rows_end_table(import);
		rows_say_passed(import);
	}
	if (error && !*import->message)
		snprintf(import->message, import->size, "%s: %s", import->path, strerror(-error));
	else if (!error && !import->seen_own)
		error = refuse_empty(import);
	else if (!error && import->part_count > 1 &&
		 (import->wanted == 0 || import->wanted > import->part_count))
		error = refuse_parts(import);
	free(import->lines.line);
	free(import->copy);
	return error;
}

int import_text(struct profile *profile, const char *bytes, size_t size, unsigned part,
		const char *path, char *message, size_t message_size)
{
	size_t length;
	char *text = text_as_utf8(bytes, size, &length);
	int error;

	*message = '\0';
	if (!text) {
		snprintf(message, message_size, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	for (;; part = 1) {
		struct text_import import = {.profile = profile,
					     .path = path,
					     .wanted = part,
					     .message = message,
					     .size = message_size,
					     .lines = {.text = text, .length = length}};

		error = import_part(&import);
		/* Which part is wanted matters only where there are several. */
		if (error || part <= 1 || import.part_count != 1)
			break;
		profile_free(profile);
		*profile = (struct profile){0};
	}
	free(text);
	return error;
}
