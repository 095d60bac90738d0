/* SPDX-License-Identifier: MIT */
#include "report/import/report.h"

#include <ctype.h>
#include <string.h>

#include "report/import/quantity.h"

static const struct report reports[] = {
#define REPORT(tool, kind, names, rows, header) {TOOL_##tool, REPORT_##kind, names, rows, header},
#include "report/import/reports.def"
#undef REPORT
};
#define REPORT_TOTAL (sizeof(reports) / sizeof(*reports))

const struct report report_unknown = {TOOL_NSYS, REPORT_OTHER, "",
				      "a report that ktime does not know", ""};

/* Titles that say what ktime reads of a row. */
static const struct {
	const char *title;
	enum role role;
} titles_with_roles[] = {
	{"Time%", ROLE_SHARE},	      {"Total Time", ROLE_TOTAL},
	{"Time", ROLE_TOTAL},	      {"Instances", ROLE_CALLS},
	{"Num Calls", ROLE_CALLS},    {"Calls", ROLE_CALLS},
	{"Count", ROLE_CALLS},	      {"Operations", ROLE_CALLS},
	{"Calls (host)", ROLE_CALLS}, {"Calls (device)", ROLE_MORE_CALLS},
	{"Avg", ROLE_AVERAGE},	      {"Med", ROLE_MEDIAN},
	{"Min", ROLE_MINIMUM},	      {"Max", ROLE_MAXIMUM},
	{"StdDev", ROLE_DEVIATION},   {"Duration", ROLE_DURATION},
	{"\xc2\xb1", ROLE_INTERVAL},  {"Type", ROLE_GROUP},
	{"Category", ROLE_GROUP},     {"Start", ROLE_START},
	{"GrdX", ROLE_GRID},	      {"Grid X", ROLE_GRID},
	{"Grid Size", ROLE_GRID},     {"Device", ROLE_DEVICE},
	{"Name", ROLE_NAME},	      {"Operation", ROLE_NAME},
};

/* As older releases spell them. */
static const char *const spellings[][2] = {
	{"Avg", "Average"},
	{"Med", "Median"},
	{"Min", "Minimum"},
	{"Max", "Maximum"},
};

bool role_is_time(enum role role)
{
	return (role >= ROLE_AVERAGE && role <= ROLE_START) || role == ROLE_TOTAL;
}

static enum role role_of(const char *title, size_t length)
{
	for (size_t i = 0; i < sizeof(titles_with_roles) / sizeof(*titles_with_roles); i++)
		if (strlen(titles_with_roles[i].title) == length &&
		    strncmp(titles_with_roles[i].title, title, length) == 0)
			return titles_with_roles[i].role;
	return ROLE_NONE;
}

/* A title as it stands in a file. */
struct found {
	const char *unit; /* what stands in parentheses behind it */
	size_t unit_length;
	const char *end;
};

/* Whether a word begins at `at`; sets its end, behind which another begins or nothing is. */
static bool take_word(const char *at, const char *word, size_t length, const char **end)
{
	if (strncmp(at, word, length) != 0 ||
	    (at[length] && at[length] != ' ' && at[length] != '('))
		return false;
	*end = at + length;
	return true;
}

/* Whether the title, of a header in the list, begins at `at`. */
static bool take_title(const char *at, const char *title, size_t length, struct found *found)
{
	bool percent = title[length - 1] == '%', any;
	const char *open, *close;

	length -= percent;
	any = take_word(at, title, length, &found->end);
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings) && !any; i++)
		any = strlen(spellings[i][0]) == length &&
		      strncmp(spellings[i][0], title, length) == 0 &&
		      take_word(at, spellings[i][1], strlen(spellings[i][1]), &found->end);
	if (!any)
		return false;
	open = found->end + strspn(found->end, " ");
	close = *open == '(' ? strchr(open, ')') : NULL;
	found->unit = NULL;
	found->unit_length = 0;
	if (close) {
		found->unit = open + 1;
		found->unit_length = (size_t)(close - open - 1);
		found->end = close + 1;
	}
	return percent == (found->unit_length == 1 && *found->unit == '%');
}

static void set_unit(struct header *header, enum role role, const struct found *found)
{
	double unit = found->unit ? time_unit(found->unit, found->unit_length) : 1;

	if (!role_is_time(role))
		return;
	header->units[role] = unit;
	/* Other reports' columns of these titles have sizes and the like. */
	if (unit == 0 && header->report->kind != REPORT_OTHER)
		header->bad_unit = found->unit;
}

/* Goes through a report's header: the titles stand one behind the other at `line`, or `titles` has
 * `count`. */
static bool match(struct header *header, const struct report *report, const char *line,
		  char *const *titles, size_t count)
{
	const char *pattern = report->header;
	size_t taken = 0;

	*header = (struct header){.report = report};
	for (size_t i = 0; i < ROLE_COUNT; i++) {
		header->places[i] = -1;
		header->units[i] = 1;
	}
	while (*pattern) {
		size_t length = strcspn(pattern, ",");
		bool optional = pattern[length - 1] == '?', any = false;
		const char *title = pattern, *end = pattern + length - optional;
		const char *at = titles ? taken < count ? titles[taken] : "" : line;
		struct found found = {0};

		at += strspn(at, " \t");
		while (title < end && !any) {
			size_t one = strcspn(title, "|,?");

			any = take_title(at, title, one, &found);
			if (any && titles)
				any = found.end[strspn(found.end, " \t")] == '\0';
			if (any) {
				enum role role = role_of(title, one);

				header->roles[taken] = role;
				if (role != ROLE_NONE)
					header->places[role] = (int)taken;
				set_unit(header, role, &found);
				line = titles ? line : found.end;
				taken++;
			}
			title += one + 1;
		}
		if ((!any && !optional) || taken == COLUMNS_MOST)
			return false;
		pattern += length + (pattern[length] == ',');
	}
	header->count = taken;
	return taken && (titles ? taken == count : line[strspn(line, " \t")] == '\0');
}

static bool find(struct header *header, const char *line, char *const *titles, size_t count,
		 const struct report *announced)
{
	bool other = announced && announced->kind == REPORT_OTHER;

	if (announced && *announced->header && match(header, announced, line, titles, count))
		return true;
	for (size_t i = 0; i < REPORT_TOTAL; i++)
		if (match(header, &reports[i], line, titles, count)) {
			/* Releases may have given other reports the headers of these. */
			if (other && reports[i].tool == TOOL_NSYS)
				header->report = announced;
			return true;
		}
	return false;
}

bool header_read(struct header *header, char *const *titles, size_t count,
		 const struct report *announced)
{
	return find(header, NULL, titles, count, announced);
}

bool header_read_line(struct header *header, const char *line, const struct report *announced)
{
	return find(header, line, NULL, 0, announced);
}

size_t titles_known(char *const *titles, size_t count)
{
	size_t known = 0;
	struct found found;

	for (size_t i = 0; i < count; i++) {
		const char *at = titles[i] + strspn(titles[i], " \t");

		for (size_t j = 0; j < sizeof(titles_with_roles) / sizeof(*titles_with_roles); j++)
			if (take_title(at, titles_with_roles[j].title,
				       strlen(titles_with_roles[j].title), &found) &&
			    !found.end[strspn(found.end, " \t")]) {
				known++;
				break;
			}
	}
	return known;
}

static bool is_word(int letter)
{
	return isalnum(letter) || letter == '_';
}

/* The report of which one of the names is that text. */
static const struct report *report_of_name(const char *text, size_t length)
{
	for (size_t i = 0; i < REPORT_TOTAL; i++) {
		const char *name = reports[i].names;

		while (*name) {
			size_t one = strcspn(name, "|");

			if (one == length && strncmp(name, text, length) == 0)
				return &reports[i];
			name += one + (name[one] == '|');
		}
	}
	return NULL;
}

/* The report whose caption stands in the line; of several the longest. */
static const struct report *report_of_caption(const char *line)
{
	const struct report *found = NULL;
	char caption[128];
	size_t longest = 0;

	for (size_t i = 0; i < REPORT_TOTAL; i++) {
		const char *name = reports[i].names;

		while (*name) {
			size_t length = strcspn(name, "|");

			if (length > longest && length < sizeof(caption) &&
			    memchr(name, ' ', length)) {
				memcpy(caption, name, length);
				caption[length] = '\0';
				if (strstr(line, caption)) {
					found = &reports[i];
					longest = length;
				}
			}
			name += length + (name[length] == '|');
		}
	}
	return found;
}

const struct report *report_announced(const char *line)
{
	/* How nsys's lines begin, and what stands before a report's name in them. */
	static const char *const begins[][2] = {
		{"Processing [", "] with ["},
		{"Running [", "/reports/"},
		{"[", "Executing '"},
		{"** ", "("},
	};
	const struct report *report;

	line += strspn(line, " \t");
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		const char *name = strncmp(line, begins[i][0], strlen(begins[i][0])) == 0
					   ? strstr(line, begins[i][1])
					   : NULL;
		const char *slash, *end;

		/* Captions may have parentheses of their own. */
		for (; name && i == 3 && strchr(name + 1, '('); name = strchr(name + 1, '('))
			;
		if (!name)
			continue;
		name += strlen(begins[i][1]);
		end = name + strcspn(name, " ]'):");
		while ((slash = memchr(name, '/', (size_t)(end - name))))
			name = slash + 1;
		end = name;
		while (is_word((unsigned char)*end))
			end++;
		report = end == name ? NULL : report_of_name(name, (size_t)(end - name));
		if (!report)
			report = report_of_caption(line);
		return report ? report : &report_unknown;
	}
	return report_of_caption(line);
}

const struct report *report_of_others(const struct report *report)
{
	for (const struct report *other = report + 1; other < reports + REPORT_TOTAL; other++)
		if (other->kind == REPORT_OTHER && strcmp(other->header, report->header) == 0)
			return other;
	return NULL;
}
