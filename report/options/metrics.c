/* SPDX-License-Identifier: MIT */
#include "report/options/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/options.h"

#define GONE(metric, replacement) {.name = #metric, .instead = replacement},
#define METRIC(name, description, unit, ...)                                                       \
	{#name, description, METRIC_##unit, {__VA_ARGS__}, NULL},
const struct metric metric_table[] = {
#include "report/options/metrics.def"
};
#undef METRIC
#undef GONE
const size_t metric_table_size = sizeof(metric_table) / sizeof(metric_table[0]);

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* The metric that nvprof knows by this name of `length` bytes; NULL if there is none. */
static const struct metric *metric_find(const char *name, size_t length)
{
	for (size_t i = 0; i < metric_table_size; i++)
		if (is_name(metric_table[i].name, name, length))
			return &metric_table[i];
	return NULL;
}

/* unit__name.rollup, as dram__bytes_read.sum: CUPTI alone knows whether there is such a counter. */
static bool is_counter(const char *word, size_t length)
{
	const char *underscores = memmem(word, length, "__", 2);

	return underscores && underscores > word && memchr(word, '.', length) &&
	       word[length - 1] != '.' &&
	       strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") >=
		       length;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

static enum metric_unit unit_of_counter(const char *name)
{
	if (ends_with(name, ".pct") || strstr(name, ".pct_of_peak"))
		return METRIC_PERCENT;
	if (strstr(name, "bytes") && ends_with(name, ".sum.per_second"))
		return METRIC_THROUGHPUT;
	return ends_with(name, ".sum") ? METRIC_WHOLE : METRIC_NUMBER;
}

static int refuse(const char *word, size_t length, char *message, size_t size)
{
	struct nearest nearest = {NULL, 0};

	for (size_t i = 0; i < metric_table_size; i++)
		if (!metric_table[i].instead)
			nearest_consider(&nearest, word, length, metric_table[i].name);
	if (length == 0)
		snprintf(message, size, "option --metrics: a name is missing");
	else if (nearest.name)
		snprintf(message, size, "no metric %.*s; did you mean %s?", (int)length, word,
			 nearest.name);
	else
		snprintf(message, size,
			 "no metric %.*s (ktime --query-metrics lists them; counters have names "
			 "like dram__bytes_read.sum)",
			 (int)length, word);
	return -EINVAL;
}

static bool has_name(const struct metric_list *list, const char *word, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_name(list->metrics[i].name, word, length))
			return true;
	return false;
}

/* `word`: in list->names, which has room for its end. */
static int add_word(struct metric_list *list, char *word, size_t length, char *message, size_t size)
{
	const struct metric *metric = metric_find(word, length);

	if (metric && metric->instead) {
		snprintf(message, size, "metric %s has no counter today: %s", metric->name,
			 metric->instead);
		return -EINVAL;
	}
	if (!metric && !is_counter(word, length))
		return refuse(word, length, message, size);
	if (has_name(list, word, length))
		return 0;
	if (list->count == METRICS_MOST) {
		snprintf(message, size, "option --metrics: at most %d metrics", METRICS_MOST);
		return -EINVAL;
	}
	if (metric) {
		list->metrics[list->count++] = *metric;
		return 0;
	}
	word[length] = '\0';
	list->metrics[list->count++] = (struct metric){
		.name = word,
		.description = "",
		.unit = unit_of_counter(word),
		.terms = {{word, 1}},
	};
	return 0;
}

static void add_all(struct metric_list *list)
{
	for (size_t i = 0; i < metric_table_size && list->count < METRICS_MOST; i++)
		if (!metric_table[i].instead &&
		    !has_name(list, metric_table[i].name, strlen(metric_table[i].name)))
			list->metrics[list->count++] = metric_table[i];
}

int metric_list_parse(struct metric_list *list, const char *text, char *message, size_t size)
{
	size_t length = strlen(text);
	int error = 0;

	*list = (struct metric_list){.names = strdup(text)};
	if (!list->names) {
		snprintf(message, size, "no memory");
		return -ENOMEM;
	}
	for (size_t at = 0, next; at <= length && !error; at = next) {
		size_t word = strcspn(list->names + at, ",");

		next = at + word + 1;
		if (is_name("all", list->names + at, word))
			add_all(list);
		else
			error = add_word(list, list->names + at, word, message, size);
	}
	if (error)
		metric_list_free(list);
	return error;
}

void metric_list_free(struct metric_list *list)
{
	free(list->names);
	*list = (struct metric_list){.names = NULL};
}

void metrics_list(FILE *file)
{
	fputs("Metrics, and the counters that they are read from:\n", file);
	for (size_t i = 0; i < metric_table_size; i++) {
		const struct metric *metric = &metric_table[i];

		if (metric->instead)
			continue;
		fprintf(file, "%34s:  %s\n%36s", metric->name, metric->description, "");
		for (size_t j = 0; j < METRIC_TERMS && metric->terms[j].counter; j++) {
			if (j > 0)
				fputs(" + ", file);
			if (metric->terms[j].factor != 1)
				fprintf(file, "%g * ", metric->terms[j].factor);
			fputs(metric->terms[j].counter, file);
		}
		fputc('\n', file);
	}
	fputs("Metrics that no counter has today:\n", file);
	for (size_t i = 0; i < metric_table_size; i++)
		if (metric_table[i].instead)
			fprintf(file, "%34s:  %s\n", metric_table[i].name, metric_table[i].instead);
	fputs("Counters have names of their own, as dram__bytes_read.sum: `ncu --query-metrics` "
	      "lists those of a device.\n",
	      file);
}
