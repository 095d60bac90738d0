/* SPDX-License-Identifier: MIT */
/* The work that the user declares for kernels: --bytes, --flops and --work. */
#include "report/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/range_pattern.h"
#include "report/session/files.h"

/* How long a pipe may bring nothing: a program that starts with such an option waits. Chosen. */
#define PIPE_WAIT_MS 800

/* Where the line goes that says what is wrong, and what it begins with. */
struct place {
	const char *option, *file; /* file: NULL without one */
	size_t line;
	char *message;
	size_t size;
};

static int refuse(const struct place *place, const char *text, const char *reason)
{
	if (place->file)
		snprintf(place->message, place->size, "option --%s: %s, line %zu: '%s': %s",
			 place->option, place->file, place->line, text, reason);
	else
		snprintf(place->message, place->size, "option --%s: '%s': %s", place->option, text,
			 reason);
	return -EINVAL;
}

const char *const declared_options[] = {"bytes", "flops", "work"};

/* K, M, G and T are powers of 1000; with an i behind them, of 1024. */
static double suffix(const char **text)
{
	static const char letters[] = "KMGT";
	const char *letter = **text ? strchr(letters, **text) : NULL;
	double factor = 1, step = 1000;

	if (!letter)
		return 1;
	(*text)++;
	if (**text == 'i') {
		step = 1024;
		(*text)++;
	}
	for (const char *power = letters; power <= letter; power++)
		factor *= step;
	return factor;
}

/* What stands behind "/thread" or "/launch". NULL, or what is wrong with it. */
static const char *read_unit(struct declared_work *work, const char *unit)
{
	work->unit = "";
	if (work->kind == DECLARED_BYTES && *unit)
		return "nothing may follow /thread or /launch";
	if (work->kind == DECLARED_FLOPS && *unit) {
		work->precision = options_choice("fp32|fp64|fp16", unit, strlen(unit));
		return work->precision < 0 ? "only fp32, fp64 or fp16 may follow" : NULL;
	}
	if (work->kind == DECLARED_WORK) {
		work->unit = unit;
		return *unit ? NULL : "say behind it what is counted, as in 1M/launch updates";
	}
	return NULL;
}

/* "12K/thread unit" into amount, per_thread and the rest. NULL, or what is wrong with it. */
static const char *read_amount(struct declared_work *work, const char *text)
{
	char *end;

	work->amount = strtod_l(text, &end, newlocale(LC_ALL_MASK, "C", NULL));
	if (end == text || !(work->amount > 0) || work->amount > 1e18)
		return "a number above 0 must follow the =";
	text = end;
	work->amount *= suffix(&text);
	work->per_thread = strncmp(text, "/thread", 7) == 0;
	if (!work->per_thread && strncmp(text, "/launch", 7) != 0)
		return "/thread or /launch must follow the number (K, M, G, T, Ki … may stand "
		       "between)";
	text += 7;
	if (*text && !isspace((unsigned char)*text))
		return "a space must follow /thread or /launch";
	while (isspace((unsigned char)*text))
		text++;
	return read_unit(work, text);
}

/* Appends one declaration, whose strings lie behind it in one piece of memory. */
static int add_text(struct declared_work **list, enum declared_kind kind, const char *text,
		    const struct place *place)
{
	const char *amount = strrchr(text, '='), *wrong;
	size_t length = strlen(text);
	struct declared_work *work;
	char *copy, *pattern, reason[96];

	if (!amount || amount == text)
		return refuse(place, text, "expected REGEX=NUMBER/thread or REGEX=NUMBER/launch");
	work = calloc(1, sizeof(*work) + 2 * (length + 1));
	if (!work) {
		snprintf(place->message, place->size, "out of memory");
		return -ENOMEM;
	}
	copy = (char *)(work + 1);
	pattern = copy + length + 1;
	memcpy(copy, text, length + 1);
	memcpy(pattern, text, (size_t)(amount - text));
	work->kind = kind;
	work->file = place->file;
	work->text = copy;
	work->pattern = pattern;
	wrong = read_amount(work, copy + (amount - text) + 1);
	if (!wrong && expression_compile(&work->regex, pattern, reason, sizeof(reason)))
		wrong = reason;
	if (wrong) {
		free(work);
		return refuse(place, text, wrong);
	}
	while (*list)
		list = &(*list)->next;
	*list = work;
	return 0;
}

static char *trimmed(char *line)
{
	size_t length;

	while (isspace((unsigned char)*line))
		line++;
	length = strlen(line);
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		line[--length] = '\0';
	return line;
}

static int add_file(struct declared_work **list, enum declared_kind kind, struct place *place)
{
	int start = snprintf(place->message, place->size, "option --%s: ", place->option);
	size_t capacity = 0, said = (size_t)start < place->size ? (size_t)start : place->size;
	char *line = NULL;
	FILE *file;
	int error = input_open(&file, place->file, PIPE_WAIT_MS, NULL, place->message + said,
			       place->size - said);

	if (error)
		return -EINVAL;
	while (!error && getline(&line, &capacity, file) >= 0) {
		const char *text = trimmed(line);

		place->line++;
		if (*text && *text != '#')
			error = add_text(list, kind, text, place);
	}
	if (!error && ferror(file)) {
		snprintf(place->message, place->size, "option --%s: %s could not be read",
			 place->option, place->file);
		error = -EINVAL;
	}
	free(line);
	fclose(file);
	return error;
}

int declared_add(struct declared_work **list, const char *option, const char *value, char *message,
		 size_t size)
{
	enum declared_kind kind =
		(enum declared_kind)options_choice("bytes|flops|work", option, strlen(option));
	struct place place = {.option = option, .message = message, .size = size};

	if (*value != '@')
		return add_text(list, kind, value, &place);
	place.file = value + 1;
	return add_file(list, kind, &place);
}

void declared_free(struct declared_work **list)
{
	while (*list) {
		struct declared_work *next = (*list)->next;

		regfree(&(*list)->regex);
		free(*list);
		*list = next;
	}
}
