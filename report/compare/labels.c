/* SPDX-License-Identifier: MIT */
#include "report/compare/labels.h"

#include <stdlib.h>
#include <string.h>

#include "report/names/cut_name.h"
#include "report/names/demangle.h"

/* Rows, from the first, that a cut name is told from. Chosen: of 20,000 long names it takes a
 * second. */
#define TOLD_APART 300

/* How many rows have a label. */
struct label_count {
	struct text_entry entry;
	size_t rows;
};

/* Without parameters and scopes of arguments, if the name is long. NULL: memory is out. */
static char *short_label(const struct comparison_row *row)
{
	const char *name = comparison_label(row);

	return row->versions || comparison_is_api(row) || strlen(name) <= LABEL_MOST
		       ? strdup(name)
		       : short_name(name, false);
}

/* Replaces short labels that several rows have by the rows' whole names. */
static bool tell_apart(char **labels, const struct comparison *comparison)
{
	struct text_entry *counts = NULL;
	bool done = true;

	for (size_t i = 0; i < comparison->count && done; i++) {
		struct label_count *count = text_entry_of(&counts, labels[i], sizeof(*count));

		done = count != NULL;
		if (count)
			count->rows++;
	}
	for (size_t i = 0; i < comparison->count && done; i++) {
		const struct label_count *count = text_entry_of(&counts, labels[i], 0);

		if (count->rows < 2 || comparison->rows[i].versions)
			continue;
		free(labels[i]);
		labels[i] = strdup(comparison_name(&comparison->rows[i]));
		done = labels[i] != NULL;
	}
	text_entries_free(&counts);
	return done;
}

/* Cuts what is still too long. */
static bool cut(char **labels, const struct comparison *comparison)
{
	const size_t count = comparison->count, others = count < TOLD_APART ? count : TOLD_APART;
	char **shown = calloc(count + 1, sizeof(*shown));
	bool done = shown != NULL;

	for (size_t i = 0; i < count && done; i++) {
		shown[i] = strlen(labels[i]) > LABEL_MOST
				   ? cut_name(labels[i], labels, others, LABEL_MOST)
				   : strdup(labels[i]);
		done = shown[i] != NULL;
	}
	for (size_t i = 0; i < count && shown; i++) {
		char *whole = labels[i];

		labels[i] = done ? shown[i] : labels[i];
		free(done ? whole : shown[i]);
	}
	free(shown);
	return done;
}

char **labels_make(const struct comparison *comparison)
{
	char **labels = calloc(comparison->count + 1, sizeof(*labels));
	bool done = labels != NULL;

	for (size_t i = 0; i < comparison->count && done; i++) {
		labels[i] = short_label(&comparison->rows[i]);
		done = labels[i] != NULL;
	}
	if (done && tell_apart(labels, comparison) && cut(labels, comparison))
		return labels;
	labels_free(labels, comparison);
	return NULL;
}

void labels_free(char **labels, const struct comparison *comparison)
{
	for (size_t i = 0; labels && i < comparison->count; i++)
		free(labels[i]);
	free(labels);
}
