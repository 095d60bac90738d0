/* SPDX-License-Identifier: MIT */
#include "report/prometheus/exposition.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/names/visible.h"
#include "report/session/layout.h"

struct description {
	char name[64];
	const char *type, *help;
};

static struct description describe(unsigned metric)
{
	static const struct description descriptions[] = {
#define DESCRIPTION(name, text, type, help) {text, type, help},
		METRICS(DESCRIPTION)
#undef DESCRIPTION
	};
	struct description description;
	const struct figure *figure;

	if (metric < METRIC_FIGURES)
		return descriptions[metric];
	figure = &figures_of(SCOPE_ROW)->figures[metric - METRIC_FIGURES];
	snprintf(description.name, sizeof(description.name), "ktime_%s%s", figure->name,
		 figure->merge == MERGE_SUM ? "_total" : "");
	description.type = figure->merge == MERGE_SUM ? "counter" : "gauge";
	description.help = figure->text;
	return description;
}

/* A series. */
struct value_entry {
	double value;	  /* a counter's, which must not become smaller */
	unsigned written; /* the exposition that has it */
	UT_hash_handle hh;
	char key[];
};

void label_value(char *text, size_t size, const char *value)
{
	/* The server refuses what is no UTF-8. */
	char *visible = visible_text(value);
	size_t length;

	snprintf(text, size, "%s", visible ? visible : "");
	length = strlen(text);
	/* Not inside a character. */
	if (visible && strlen(visible) > length)
		while (length > 0 && (visible[length] & 0xc0) == 0x80)
			length--;
	memset(text + length, 0, size - length);
	free(visible);
}

void labels_add(struct labels *labels, const char *name, const char *value)
{
	size_t start = labels->length, room = sizeof(labels->text) - 1;
	char visible[LABEL_MOST];
	char *out = labels->text;

	if (!*value)
		return;
	label_value(visible, sizeof(visible), value);
	labels->length +=
		(size_t)snprintf(out + start, room - start, "%s%s=\"", start ? "," : "", name);
	for (const char *at = visible; *at && labels->length + 8 < room; at++) {
		if (*at == '\\' || *at == '"')
			out[labels->length++] = '\\';
		out[labels->length++] = *at;
	}
	if (labels->length + 8 >= room)
		labels->length = start;
	else
		out[labels->length++] = '"';
	out[labels->length] = '\0';
}

void labels_add_number(struct labels *labels, const char *name, long long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", value);
	labels_add(labels, name, text);
}

/* The entry of a series; NULL where memory is out. */
static struct value_entry *entry_of(struct exposition *exposition, const char *key)
{
	size_t length = strlen(key);
	struct value_entry *entry;

	HASH_FIND(hh, exposition->values, key, length, entry);
	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry) + length + 1);
	if (!entry)
		return NULL;
	memcpy(entry->key, key, length);
	HASH_ADD_KEYPTR(hh, exposition->values, entry->key, length, entry);
	if (entry->hh.tbl)
		return entry;
	free(entry);
	return NULL;
}

int exposition_add_part(struct exposition *exposition, enum metric metric, const char *suffix,
			const struct labels *labels, double value)
{
	const struct description description = describe(metric);
	FILE **file = &exposition->metrics[metric].file;
	struct value_entry *entry;
	char key[sizeof(labels->text) + 128];

	if (!*file)
		*file = open_memstream(&exposition->metrics[metric].text,
				       &exposition->metrics[metric].length);
	if (!*file)
		return -ENOMEM;
	snprintf(key, sizeof(key), "%s%s{%s}", description.name, suffix, labels->text);
	entry = entry_of(exposition, key);
	if (!entry)
		return -ENOMEM;
	/* A server refuses all of what has a series twice, as a profile that was written over may
	 * have. */
	if (entry->written == exposition->number + 1)
		return 0;
	entry->written = exposition->number + 1;
	if (strcmp(description.type, "gauge") != 0) {
		if (value < entry->value)
			value = entry->value;
		entry->value = value;
	}
	return fprintf(*file, "%s %.15g\n", key, value) < 0 ? -ENOMEM : 0;
}

int exposition_add(struct exposition *exposition, enum metric metric, const struct labels *labels,
		   double value)
{
	return exposition_add_part(exposition, metric, "", labels, value);
}

static void forget(struct exposition *exposition)
{
	exposition->number++;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (exposition->metrics[i].file)
			fclose(exposition->metrics[i].file);
		free(exposition->metrics[i].text);
		exposition->metrics[i].file = NULL;
		exposition->metrics[i].text = NULL;
	}
}

int exposition_write(struct exposition *exposition, FILE *file)
{
	int error = 0;

	for (unsigned i = 0; i < METRIC_COUNT && !error; i++) {
		const struct description description = describe(i);

		if (!exposition->metrics[i].file)
			continue;
		if (fflush(exposition->metrics[i].file) != 0)
			error = -ENOMEM;
		else if (fprintf(file, "# HELP %s %s\n# TYPE %s %s\n%s", description.name,
				 description.help, description.name, description.type,
				 exposition->metrics[i].text) < 0)
			error = -errno;
	}
	forget(exposition);
	return error;
}

void exposition_free(struct exposition *exposition)
{
	struct value_entry *entry, *next;

	forget(exposition);
	HASH_ITER (hh, exposition->values, entry, next) {
		HASH_DEL(exposition->values, entry);
		free(entry);
	}
}
