/* SPDX-License-Identifier: MIT */
#include "report/compare/pair.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/call_names.h"

/* What is written in more than one way, and what it becomes. */
static const char *const spellings[][2] = {
	{"(anonymous namespace)", "{}"}, {"<unnamed>", "{}"},	       {"_GLOBAL__N_1", "{}"},
	{"operator ()", "operator{}"},	 {"operator()", "operator{}"},
};

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '$')
		length++;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(text, word, length);
}

/* The length of "(int)" in "(int)4" and of "int=" in "int=4"; 0 where a text begins otherwise. */
static size_t value_type_length(const char *text)
{
	bool cast = *text == '(';
	size_t length = strcspn(text, cast ? ")<>,=" : "()<>,=");
	const char *value;

	if (text[length] != (cast ? ')' : '='))
		return 0;
	value = text + ++length;
	value += *value == '-';
	return isdigit((unsigned char)*value) ? length : 0;
}

/* Takes one token off the text and writes what stands for it; returns the end of what it wrote. */
static char *take_token(const char **text, char *end, bool first_of_list)
{
	size_t length;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		if (strncmp(*text, spellings[i][0], strlen(spellings[i][0])))
			continue;
		*text += strlen(spellings[i][0]);
		return stpcpy(end, spellings[i][1]);
	}
	length = first_of_list ? value_type_length(*text) : 0;
	if (length) {
		*text += length;
		return end;
	}
	length = word_length(*text);
	if (!length) {
		if (**text != ' ')
			*end++ = **text;
		++*text;
		return end;
	}
	if (!is_word(*text, length, "const") && !is_word(*text, length, "void"))
		end = mempcpy(end, *text, length);
	*text += length;
	return end;
}

char *canonical_name(const char *name, bool base)
{
	/* No spelling becomes longer. */
	char *result = malloc(strlen(name) + 1), *end = result;
	int templates = 0;

	if (!result)
		return NULL;
	while (*name && !(base && templates == 0 && *name == '(' && end > result)) {
		char before = end > result ? end[-1] : '\0';
		char *token = end;

		end = take_token(&name, end, before == '<' || before == ',');
		if (end == token + 1)
			templates += (*token == '<') - (*token == '>');
	}
	*end = '\0';
	return result;
}

/* How names are compared: as they are, as canonical_name() has them, and that without parameters;
 * those of calls as they are, and then without versions. A file that has a call in two versions
 * keeps two rows, as they may be different functions. */
enum naming { NAMING_EXACT, NAMING_CANONICAL, NAMING_BASE, NAMINGS };

static char *name_for(enum naming naming, const struct profile_row *row)
{
	const char *name = row->entry.text;

	if (naming == NAMING_EXACT)
		return strdup(name);
	if (row->api)
		return strndup(name, call_base_length(name));
	return canonical_name(name, naming == NAMING_BASE && *name != '[');
}

static void add_pair(struct comparison *comparison, const struct profile_row *a,
		     const struct profile_row *b)
{
	comparison->rows[comparison->count++] = (struct comparison_row){.a = a, .b = b};
}

/* A row without another one so far. */
struct unpaired {
	char *name; /* by which it is compared */
	const struct profile_row *row;
	bool of_b;
};

static int compare_unpaired(const void *left, const void *right)
{
	const struct unpaired *x = left, *y = right;

	return strcmp(x->name, y->name);
}

/* Pairs rows whose name no third row has; `*count` becomes how many are left. */
static int pair_by_name(struct comparison *comparison, struct unpaired *rows, size_t *count,
			enum naming naming)
{
	size_t end, left = 0;

	for (struct unpaired *row = rows; row < rows + *count; row++) {
		free(row->name);
		row->name = name_for(naming, row->row);
		if (!row->name)
			return -ENOMEM;
	}
	qsort(rows, *count, sizeof(*rows), compare_unpaired);
	for (size_t i = 0; i < *count; i = end) {
		for (end = i + 1; end < *count && !compare_unpaired(&rows[i], &rows[end]); end++)
			;
		if (end - i == 2 && rows[i].of_b != rows[i + 1].of_b) {
			add_pair(comparison, rows[i + rows[i].of_b].row,
				 rows[i + !rows[i].of_b].row);
			free(rows[i].name);
			free(rows[i + 1].name);
			continue;
		}
		for (; i < end; i++)
			rows[left++] = rows[i];
	}
	*count = left;
	return 0;
}

/* Pairs the rows of one half of two profiles. */
static int pair_half(struct comparison *comparison, const struct text_entry *a,
		     const struct text_entry *b)
{
	struct unpaired *rows = calloc(HASH_COUNT(a) + HASH_COUNT(b) + 1, sizeof(*rows));
	size_t count = 0;
	int error = 0;

	if (!rows)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		entries_for_each(const struct profile_row, side ? b : a, row)
		{
			rows[count++] = (struct unpaired){.row = row, .of_b = side};
		}
	}
	for (enum naming naming = 0; naming < NAMINGS && !error; naming++)
		error = pair_by_name(comparison, rows, &count, naming);
	for (size_t i = 0; i < count; i++) {
		if (!error)
			add_pair(comparison, rows[i].of_b ? NULL : rows[i].row,
				 rows[i].of_b ? rows[i].row : NULL);
		free(rows[i].name);
	}
	free(rows);
	return error;
}

int comparison_pair(struct comparison *comparison, const struct profile *a, const struct profile *b)
{
	size_t most = 1;
	int error = 0;

	for (int i = 0; i < 2; i++)
		most += HASH_COUNT(a->rows[i]) + HASH_COUNT(b->rows[i]);
	comparison->rows = calloc(most, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	for (int i = 0; i < 2 && !error; i++) {
		comparison->gpu_count = comparison->count;
		error = pair_half(comparison, a->rows[i], b->rows[i]);
	}
	return error;
}
