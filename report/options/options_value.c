/* SPDX-License-Identifier: MIT */
#include "report/options/options_value.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/filename.h"
#include "report/options/metrics.h"
#include "report/options/range_pattern.h"

int options_refuse(const struct message *message, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message->text, message->size, format, arguments);
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

/* The index of a word among those of "a|b|c"; -1 if it is none of them. */
static int choice_index(const char *choices, const char *word, size_t length)
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

/* `percent`: a percent sign may follow. */
static bool parse_number(const char *value, bool percent, double *number)
{
	char *end;
	double parsed = strtod_l(value, &end, newlocale(LC_ALL_MASK, "C", NULL));

	if (percent && end != value && *end == '%')
		end++;
	if (end == value || *end || !(parsed >= 0) || parsed > 1e15)
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

/* "64M": bytes, at least 1; "all" is UINT64_MAX. */
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

/* "1.5", "1.5s", "20ms", "3us", "7ns": nanoseconds. */
static bool parse_time(const char *value, uint64_t *nanoseconds)
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
	if (!parse_number(number, false, &count))
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
		return parse_time(value, &limit->ns) && limit->ns > 0;
	return parse_size(value, &limit->bytes);
}

static bool parse_set(const char *choices, const char *value, unsigned *set)
{
	unsigned bits = 0;

	for (;;) {
		size_t word = strcspn(value, ",");
		int index = choice_index(choices, value, word);

		if (index < 0)
			return false;
		bits |= 1U << index;
		if (!value[word])
			break;
		value += word + 1;
	}
	*set = bits;
	return true;
}

static bool parse_devices(const char *value, uint64_t *devices)
{
	uint64_t bits = 0;

	if (strcmp(value, "all") == 0) {
		*devices = UINT64_MAX;
		return true;
	}
	for (;;) {
		size_t word = strcspn(value, ",");
		unsigned device;

		if (!parse_count(value, word, SESSION_DEVICES - 1, &device))
			return false;
		bits |= 1ULL << device;
		if (!value[word])
			break;
		value += word + 1;
	}
	*devices = bits;
	return true;
}

/* nvprof's --events took names of hardware counters: a value that ktime does not know is one. */
static void parse_events(struct options *options, const char *value)
{
	int index = choice_index("auto|all|off", value, strlen(value));
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

static int check_regex(const struct message *message, const char *name, const char *value)
{
	char reason[96];
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	regex_t regex;
	int error = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);

	if (error)
		regerror(error, &regex, reason, sizeof(reason));
	else
		regfree(&regex);
	uselocale(before);
	return error ? options_refuse(message, "option --%s: bad expression '%s': %s", name, value,
				      reason)
		     : 0;
}

static int add_declared(const struct message *message, const char *name, const char *value,
			struct declared_work **list)
{
	enum declared_kind kind = DECLARED_BYTES;

	while (kind < DECLARED_WORK && strcmp(declared_option(kind), name) != 0)
		kind++;
	return declared_add(list, kind, value, message->text, message->size);
}

static int add_ranges(const struct message *message, const char *name, const char **field,
		      const char *value)
{
	struct range_pattern *pattern;
	char reason[160];
	int error = range_pattern_parse(&pattern, value, reason, sizeof(reason));
	unsigned count = 0;

	range_pattern_free(pattern);
	if (error)
		return options_refuse(message, "option --%s: '%s': %s", name, value, reason);
	while (count < OPTIONS_RANGES && field[count])
		count++;
	if (count == OPTIONS_RANGES)
		return options_refuse(message, "option --%s: at most %d times", name,
				      OPTIONS_RANGES);
	field[count] = value;
	return 0;
}

static int check_metrics(const struct message *message, const char *value)
{
	struct metric_list list;
	int error = metric_list_parse(&list, value, message->text, message->size);

	if (!error)
		metric_list_free(&list);
	return error;
}

static int refuse_value(const struct message *message, const struct option_entry *entry,
			const char *value)
{
	return options_refuse(message, "option --%s: '%s' is not %s%s", entry->name, value,
			      strchr(entry->argument, '|') ? "one of " : "a valid ",
			      entry->argument);
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

int options_apply(struct options *options, const struct option_entry *entry, const char *value,
		  const struct message *message)
{
	void *field = (char *)options + entry->field;
	bool good = true;
	int index;

	switch (entry->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		break;
	case OPTION_ON_OFF:
		index = choice_index(entry->argument, value, strlen(value));
		good = index >= 0;
		*(bool *)field = index == 0;
		break;
	case OPTION_CHOICE:
		index = choice_index(entry->argument, value, strlen(value));
		good = index >= 0;
		*(int *)field = index;
		break;
	case OPTION_SET:
		good = parse_set(entry->argument, value, field);
		break;
	case OPTION_REGEX:
		if (check_regex(message, entry->name, value))
			return -EINVAL;
		*(const char **)field = value;
		break;
	case OPTION_RANGES:
		return add_ranges(message, entry->name, field, value);
	case OPTION_FILE:
		if (entry->field == offsetof(struct options, log_file))
			value = stream_of(value);
		/* fallthrough */
	case OPTION_TEXT:
		good = *value;
		*(const char **)field = value;
		break;
	case OPTION_NUMBER:
		good = parse_number(value, strcmp(entry->argument, "PERCENT") == 0, field);
		break;
	case OPTION_COUNT:
	case OPTION_PID:
		good = parse_count(value, strlen(value), INT_MAX, field);
		break;
	case OPTION_RANKS:
		good = rank_list_is_valid(value);
		*(const char **)field = value;
		break;
	case OPTION_KEEP:
		good = parse_keep(value, field);
		break;
	case OPTION_TIME:
		good = parse_time(value, field);
		break;
	case OPTION_DEVICES:
		good = parse_devices(value, field);
		break;
	case OPTION_EVENTS:
		parse_events(options, value);
		break;
	case OPTION_METRICS:
		*(const char **)field = value;
		return check_metrics(message, value);
	case OPTION_DECLARED:
		return add_declared(message, entry->name, value, field);
	case OPTION_UNSERVED:
		notice(options, "--%s is ignored: %s", entry->name, entry->help);
		break;
	}
	return good ? 0 : refuse_value(message, entry, value);
}
