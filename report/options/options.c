/* SPDX-License-Identifier: MIT */
#include "report/options/options.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/filename.h"
#include "report/options/metrics.h"
#include "report/options/range_pattern.h"

/* The commands' bits, by the names that the table has room for. */
#define COMMAND(name, ...) name = COMMAND_BIT(name),
#define INSTEAD(...)
enum {
#include "report/options/commands.def"
	first = OPTION_FIRST
};
#undef INSTEAD
#undef COMMAND

#define ENTRY(kind, offset, name, letter, argument, section, commands, help)                       \
	{name, letter, OPTION_##kind, offset, argument, SECTION_##section, commands, help},
#define OPTION(kind, member, ...) ENTRY(kind, offsetof(struct options, member), __VA_ARGS__)
#define ANOTHER			  OPTION
#define UNSERVED(name, letter, argument, help)                                                     \
	ENTRY(UNSERVED, 0, name, letter, argument, UNSERVED, run | show, help)
#define BOUNDS(...)
const struct option_entry option_table[] = {
#include "report/options/options.def"
};
#undef BOUNDS
#undef UNSERVED
#undef ANOTHER
#undef OPTION
#undef ENTRY
const size_t option_table_size = sizeof(option_table) / sizeof(option_table[0]);

/* From which number to which an option takes it, both included. */
struct bounds {
	double least, most;
};

static struct bounds bounds_of(const struct option_entry *entry)
{
#define OPTION(...)
#define ANOTHER(...)
#define UNSERVED(...)
#define BOUNDS(member, ...) {offsetof(struct options, member), {__VA_ARGS__}},
	static const struct {
		size_t field;
		struct bounds bounds;
	} table[] = {
#include "report/options/options.def"
	};
#undef BOUNDS
#undef UNSERVED
#undef ANOTHER
#undef OPTION

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].field == entry->field)
			return table[i].bounds;
	return (struct bounds){0, entry->kind == OPTION_NUMBER ? OPTIONS_NUMBER_MOST
							       : OPTIONS_COUNT_MOST};
}

void options_defaults(struct options *options)
{
	*options = (struct options){
		.command = run,
		.timer = TIMER_AUTO,
		.events = EVENTS_AUTO,
		.budget = NAN, /* not given */
		.devices = UINT64_MAX,
		.to = UINT64_MAX,
		.trace = TRACE_GPU | TRACE_API,
		.api_trace = API_TRACE_ALL,
		.concurrent_kernels = true,
		.findings = true,
		.profile_from_start = true,
		.start = true,
		.unit = UNIT_AUTO,
		.names = NAMES_AUTO, /* distinct on a terminal, else full */
		.format = FORMAT_AUTO,
		.threshold = NAN,  /* not given */
		.fail_above = NAN, /* not given */
		.runs = 5,
		.slowest = 8,
		.interval = 1,
		.prometheus_kernels = 20,
		.prometheus_interval = 15,
		.metrics_launches = 3,
		.demangling = true,
	};
}

/* Options that are being parsed. */
struct parser {
	struct options *options;
	char *const *next, *const *end; /* the words that are left of a line */
	/* Where the line goes that says what is wrong. */
	char *message;
	size_t size;
};

/* Writes the line; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct parser *parser,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->message, parser->size, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

__attribute__((format(printf, 2, 3))) static void notice(struct options *options,
							 const char *format, ...)
{
	va_list arguments;
	unsigned i = options->notice_count;

	if (i == OPTIONS_NOTICES)
		return;
	va_start(arguments, format);
	vsnprintf(options->notices[i], OPTIONS_NOTICE_LENGTH, format, arguments);
	va_end(arguments);
	options->notice_count++;
}

int options_choice(const char *choices, const char *word, size_t length)
{
	int index;

	for (index = 0;; index++) {
		size_t word_length = strcspn(choices, "|");

		if (word_length == length && strncmp(choices, word, length) == 0)
			return index;
		if (!choices[word_length])
			return -1;
		choices += word_length + 1;
	}
}

/* Any finite number. `percent`: a percent sign may follow. */
static bool parse_number(const char *value, bool percent, double *number)
{
	char *end;
	double parsed = strtod_l(value, &end, newlocale(LC_ALL_MASK, "C", NULL));

	if (percent && end != value && *end == '%')
		end++;
	if (end == value || *end || !isfinite(parsed))
		return false;
	*number = parsed;
	return true;
}

static bool parse_count(const char *value, size_t length, unsigned most, unsigned *count)
{
	unsigned long parsed = 0;

	if (length == 0 || length > 9)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9')
			return false;
		parsed = parsed * 10 + (unsigned long)(value[i] - '0');
	}
	if (parsed > most)
		return false;
	*count = (unsigned)parsed;
	return true;
}

/* "64M": bytes; "all" is UINT64_MAX. */
static bool parse_size(const char *value, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t digits = strspn(value, "0123456789");
	const char *unit = value[digits] ? strchr(units, value[digits]) : NULL;
	unsigned count;

	if (strcmp(value, "all") == 0) {
		*bytes = UINT64_MAX;
		return true;
	}
	if (!parse_count(value, digits, INT_MAX, &count) || count == 0 ||
	    (value[digits] && (!unit || value[digits + 1])))
		return false;
	*bytes = (uint64_t)count << (unit ? 10 * (unit - units + 1) : 0);
	return true;
}

bool options_time(const char *value, uint64_t *nanoseconds)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {{"s", 1e9}, {"", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
	size_t digits = strspn(value, "0123456789.");
	char number[32];
	double count;

	if (digits >= sizeof(number))
		return false;
	memcpy(number, value, digits);
	number[digits] = '\0';
	if (!parse_number(number, false, &count) || count > 1e15)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(value + digits, units[i].suffix) != 0)
			continue;
		/* About 31 years: more is a mistake, and sums of it must not overflow. */
		if (count * units[i].ns >= 1e18)
			return false;
		*nanoseconds = (uint64_t)(count * units[i].ns + 0.5);
		return true;
	}
	return false;
}

static bool parse_keep(const char *value, struct trace_limit *limit)
{
	size_t length = strlen(value);

	*limit = (struct trace_limit){.bytes = UINT64_MAX, .ns = UINT64_MAX};
	if (length && value[length - 1] == 's')
		return options_time(value, &limit->ns) && limit->ns > 0;
	return parse_size(value, &limit->bytes);
}

/* "2": on both sides; "1,2": on A and on B. */
static bool parse_parts(const char *value, struct file_parts *parts)
{
	size_t first = strcspn(value, ",");
	const char *second = value[first] ? value + first + 1 : value;

	return parse_count(value, first, INT_MAX, &parts->a) &&
	       parse_count(second, strcspn(second, value[first] ? "" : ","), INT_MAX, &parts->b) &&
	       parts->a > 0 && parts->b > 0;
}

/* A list of words of "a|b|c", or of ordinals of devices where there are no such words. */
static bool parse_bits(const char *choices, const char *value, uint64_t *bits)
{
	for (*bits = 0;; value++) {
		size_t word = strcspn(value, ",");
		unsigned ordinal = 0;
		int bit = -1;

		if (choices)
			bit = options_choice(choices, value, word);
		else if (parse_count(value, word, SESSION_DEVICES - 1, &ordinal))
			bit = (int)ordinal;
		if (bit < 0)
			return false;
		*bits |= 1ULL << bit;
		value += word;
		if (!*value)
			return true;
	}
}

/* nvprof's --events took names of hardware counters: a value that ktime does not know is one. */
static void parse_events(struct options *options, const char *value)
{
	int index = options_choice("auto|all|off", value, strlen(value));
	unsigned fraction;

	if (strncmp(value, "1/", 2) == 0 &&
	    parse_count(value + 2, strlen(value + 2), 1000000000, &fraction) && fraction > 0) {
		options->events = EVENTS_FRACTION;
		options->events_fraction = fraction;
		return;
	}
	if (index >= 0)
		options->events = index;
	else
		notice(options,
		       "--events %.60s is ignored: hardware counters are read by --metrics; "
		       "ktime's values are auto, all, off and 1/N",
		       value);
}

static int add_ranges(const struct parser *parser, const char *name, const char **field,
		      const char *value)
{
	struct range_pattern *pattern;
	char reason[160];
	int error = range_pattern_parse(&pattern, value, reason, sizeof(reason));
	unsigned count = 0;

	range_pattern_free(pattern);
	if (error)
		return refuse(parser, "option --%s: '%s': %s", name, value, reason);
	while (count < OPTIONS_RANGES && field[count])
		count++;
	if (count == OPTIONS_RANGES)
		return refuse(parser, "option --%s: at most %d times", name, OPTIONS_RANGES);
	field[count] = value;
	return 0;
}

static int check_metrics(const struct parser *parser, const char *value)
{
	struct metric_list list;
	int error = metric_list_parse(&list, value, parser->message, parser->size);

	if (!error)
		metric_list_free(&list);
	return error;
}

/* The code of a standard stream, where a path leads to it: a file that is opened by such a path is
 * written from its beginning again. */
static const char *stream_of(const char *path)
{
	static const char *const paths[][2] = {
		{"/dev/stdout", "%1"}, {"/dev/fd/1", "%1"}, {"/proc/self/fd/1", "%1"},
		{"/dev/stderr", "%2"}, {"/dev/fd/2", "%2"}, {"/proc/self/fd/2", "%2"},
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (strcmp(path, paths[i][0]) == 0)
			return paths[i][1];
	return path;
}

/* Stores a number within the option's bounds; 0 or -EINVAL with a message. */
static int take_number(const struct parser *parser, const struct option_entry *entry,
		       const char *value, void *field)
{
	const struct bounds bounds = bounds_of(entry);
	bool whole = entry->kind == OPTION_COUNT;
	double number;

	if (!parse_number(value, strcmp(entry->argument, "PERCENT") == 0, &number) ||
	    (whole && value[strspn(value, "-0123456789")]))
		return refuse(parser, "option --%s: '%s' is not a valid %s", entry->name, value,
			      entry->argument);
	if (number < bounds.least || number > bounds.most)
		return refuse(parser, "option --%s: '%s' is out of range: %.10g to %.10g",
			      entry->name, value, bounds.least, bounds.most);
	if (whole)
		*(unsigned *)field = (unsigned)number;
	else
		*(double *)field = number;
	return 0;
}

/* Stores an option's value (NULL if it takes none); 0 or -EINVAL with a message. */
static int apply(const struct parser *parser, const struct option_entry *entry, const char *value)
{
	struct options *options = parser->options;
	void *field = (char *)options + entry->field;
	int index = value ? options_choice(entry->argument, value, strlen(value)) : -1;
	uint64_t bits = UINT64_MAX;
	bool good = true;
	char reason[96];

	switch (entry->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		break;
	case OPTION_ON_OFF:
		good = index >= 0;
		*(bool *)field = index == 0;
		break;
	case OPTION_CHOICE:
		good = index >= 0;
		*(int *)field = index;
		break;
	case OPTION_SET:
		good = parse_bits(entry->argument, value, &bits);
		*(unsigned *)field = (unsigned)bits;
		break;
	case OPTION_REGEX:
		if (expression_check(value, reason, sizeof(reason)))
			return refuse(parser, "option --%s: bad expression '%s': %s", entry->name,
				      value, reason);
		*(const char **)field = value;
		break;
	case OPTION_RANGES:
		return add_ranges(parser, entry->name, field, value);
	case OPTION_FILE:
		if (entry->field == offsetof(struct options, log_file))
			value = stream_of(value);
		/* fallthrough */
	case OPTION_TEXT:
		good = *value;
		*(const char **)field = value;
		break;
	case OPTION_NUMBER:
	case OPTION_COUNT:
		return take_number(parser, entry, value, field);
	case OPTION_PID:
		good = parse_count(value, strlen(value), INT_MAX, field);
		break;
	case OPTION_RANKS:
		good = rank_list_is_valid(value);
		*(const char **)field = value;
		break;
	case OPTION_KEEP:
		good = parse_keep(value, field);
		if (good && ((struct trace_limit *)field)->bytes < OPTIONS_KEEP_LEAST)
			return refuse(parser, "option --%s: '%s' is too small: %dK at least",
				      entry->name, value, OPTIONS_KEEP_LEAST >> 10);
		break;
	case OPTION_PARTS:
		good = parse_parts(value, field);
		break;
	case OPTION_TIME:
		good = options_time(value, field);
		break;
	case OPTION_DEVICES:
		if (strcmp(value, "all") != 0 && !parse_bits(NULL, value, &bits))
			return refuse(parser,
				      "option --%s: '%s' is neither all nor a list of numbers from "
				      "0 to %d, as 0,2",
				      entry->name, value, SESSION_DEVICES - 1);
		*(uint64_t *)field = bits;
		break;
	case OPTION_EVENTS:
		parse_events(options, value);
		break;
	case OPTION_METRICS:
		*(const char **)field = value;
		return check_metrics(parser, value);
	case OPTION_DECLARED:
		return declared_add(field, entry->name, value, parser->message, parser->size);
	case OPTION_UNSERVED:
		notice(options, "--%s is ignored: %s", entry->name, entry->help);
		break;
	}
	return good ? 0
		    : refuse(parser, "option --%s: '%s' is not %s%s", entry->name, value,
			     strchr(entry->argument, '|') ? "one of " : "a valid ",
			     entry->argument);
}

/* Longer names are not compared. */
#define NAME_LENGTH 64

/* How many letters are changed, left out, put in or swapped between two names. */
static unsigned name_distance(const char *left, size_t left_length, const char *right)
{
	size_t right_length = strlen(right);
	unsigned rows[3][NAME_LENGTH + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	if (left_length > NAME_LENGTH || right_length > NAME_LENGTH)
		return UINT_MAX;
	for (size_t j = 0; j <= right_length; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= left_length; i++) {
		unsigned *recycled = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= right_length; j++) {
			unsigned best = above[j - 1] + (left[i - 1] != right[j - 1]);

			LOWER(best, above[j] + 1);
			LOWER(best, row[j - 1] + 1);
			if (i > 1 && j > 1 && left[i - 1] == right[j - 2] &&
			    left[i - 2] == right[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		before = above;
		above = row;
		row = recycled;
	}
	return above[right_length];
}

void nearest_consider(struct nearest *nearest, const char *word, size_t length, const char *name)
{
	unsigned distance = name_distance(word, length, name);

	/* Beyond a third of the letters it is another word. */
	if (length < 2 || distance > length / 3 + 1 ||
	    (nearest->name && distance >= nearest->distance))
		return;
	*nearest = (struct nearest){name, distance};
}

static bool is_known(const struct options *options, const struct option_entry *entry)
{
	return entry->commands & options->command;
}

static int refuse_unknown(const struct parser *parser, const char *word, const char *name,
			  size_t length)
{
	struct nearest nearest = {NULL, 0};

	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].section != SECTION_HIDDEN &&
		    is_known(parser->options, &option_table[i]))
			nearest_consider(&nearest, name, length, option_table[i].name);
	if (!nearest.name)
		return refuse(parser, "unknown option %s (%s lists the options)", word,
			      parser->options->command == run ? "ktime --help all" : "--help");
	return refuse(parser, "unknown option %s: did you mean --%s?", word, nearest.name);
}

static const struct option_entry *find_name(const struct options *options, const char *name,
					    size_t length)
{
	for (size_t i = 0; i < option_table_size; i++)
		if (is_known(options, &option_table[i]) &&
		    strncmp(option_table[i].name, name, length) == 0 &&
		    option_table[i].name[length] == '\0')
			return &option_table[i];
	return NULL;
}

static const struct option_entry *find_letter(const struct options *options, char letter)
{
	/* nvprof's short form of --events, which took hardware counters only. */
	static const struct option_entry counters = {.name = "events",
						     .letter = 'e',
						     .kind = OPTION_UNSERVED,
						     .argument = "EVENTS",
						     .section = SECTION_UNSERVED,
						     .commands = run | show,
						     .help = "--metrics reads hardware counters"};

	if (letter == counters.letter && is_known(options, &counters))
		return &counters;
	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].letter == letter && is_known(options, &option_table[i]))
			return &option_table[i];
	return NULL;
}

/* `value`: what stands behind "=" or the letter in the same word; NULL if nothing does. */
static int take_option(struct parser *parser, const struct option_entry *entry, const char *value)
{
	if (!*entry->argument && value)
		return refuse(parser, "option --%s takes no value", entry->name);
	if (*entry->argument && !value) {
		if (parser->next == parser->end)
			return refuse(parser, "option --%s needs a value: %s", entry->name,
				      entry->argument);
		value = *parser->next++;
	}
	return apply(parser, entry, value);
}

/* As getopt reads them: flags may stand together, a value in the word or behind it. */
static int parse_letters(struct parser *parser, const char *word)
{
	const char *letter = word + 1;
	size_t length = strcspn(letter, "=");
	int error = 0;

	/* Read as letters, -format would keep the profile in the file "rmat". */
	if (length > 1 && find_name(parser->options, letter, length))
		return refuse_unknown(parser, word, letter, length);
	while (!error && *letter) {
		const struct option_entry *entry = find_letter(parser->options, *letter);
		const char *value = NULL;

		if (!entry && letter == word + 1)
			return refuse_unknown(parser, word, letter, length);
		if (!entry)
			return refuse(
				parser,
				"unknown option -%c in %s (ktime --help all lists the options)",
				*letter, word);
		letter++;
		if (*letter == '=' || (*letter && *entry->argument)) {
			value = letter + (*letter == '=');
			letter += strlen(letter);
		}
		error = take_option(parser, entry, value);
	}
	return error;
}

/* Parses one option and its value, if it takes one. */
static int parse_option(struct parser *parser)
{
	const char *word = *parser->next++, *name = word + 2;
	const struct option_entry *entry;
	size_t length;

	if (word[1] != '-')
		return parse_letters(parser, word);
	length = strcspn(name, "=");
	entry = find_name(parser->options, name, length);
	if (!entry)
		return refuse_unknown(parser, word, name, length);
	return take_option(parser, entry, name[length] ? name + length + 1 : NULL);
}

int options_parse_arguments(struct options *options, int argc, char *const *argv, int *first,
			    char *message, size_t size)
{
	struct parser parser = {options, argv + (argc > 0), argv + argc, message, size};
	int error = 0;

	while (!error && parser.next < parser.end && parser.next[0][0] == '-' &&
	       parser.next[0][1]) {
		if (strcmp(*parser.next, "--") == 0) {
			parser.next++;
			break;
		}
		error = parse_option(&parser);
	}
	*first = (int)(parser.next - argv);
	return error;
}

/* Splits a line in place; returns the number of words, or -EINVAL for an open quote. */
static int split_words(char *text, char **words)
{
	char *read = text, *write = text;
	int count = 0;

	for (;;) {
		char quote = 0;

		read += strspn(read, " \t\n\r");
		if (!*read)
			return count;
		words[count++] = write;
		for (; *read && (quote || !strchr(" \t\n\r", *read)); read++) {
			if (quote ? *read == quote : (*read == '\'' || *read == '"')) {
				quote = quote ? 0 : *read;
			} else if (*read == '\\' && read[1] &&
				   (!quote || (quote == '"' && strchr("\"\\$`", read[1])))) {
				*write++ = *++read;
			} else {
				*write++ = *read;
			}
		}
		if (quote)
			return -EINVAL;
		if (*read)
			read++;
		*write++ = '\0';
	}
}

struct option_text {
	struct option_text *next;
	char text[];
};

int options_parse_string(struct options *options, const char *text, char *message, size_t size)
{
	struct parser parser = {.options = options, .message = message, .size = size};
	size_t length = strlen(text);
	struct option_text *copy = malloc(sizeof(*copy) + length + 1);
	/* No word is shorter than a letter and a space. */
	char **list = malloc((length / 2 + 2) * sizeof(*list));
	int count, error = 0;

	if (!copy || !list) {
		refuse(&parser, "out of memory");
		free(copy);
		error = -ENOMEM;
		goto out;
	}
	memcpy(copy->text, text, length + 1);
	copy->next = options->texts;
	options->texts = copy;
	count = split_words(copy->text, list);
	if (count < 0)
		error = refuse(&parser, "a quote is not closed in: %s", text);
	parser.next = list;
	parser.end = list + count;
	while (!error && parser.next < parser.end) {
		const char *word = *parser.next;

		if (word[0] != '-' || !word[1])
			error = refuse(&parser, "'%s' is not an option", word);
		else
			error = parse_option(&parser);
	}
out:
	free(list);
	return error;
}

void options_free(struct options *options)
{
	while (options->texts) {
		struct option_text *next = options->texts->next;

		free(options->texts);
		options->texts = next;
	}
	declared_free(&options->declared);
}

bool options_want_trace(const struct options *options)
{
	return options->print_gpu_trace || options->print_api_trace || options->keep_trace.bytes;
}

bool options_want_rates(const struct options *options)
{
	return options->bandwidth || options->declared;
}
