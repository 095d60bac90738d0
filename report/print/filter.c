/* SPDX-License-Identifier: MIT */
#include "report/print/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/cut_name.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/session/entries.h"

/* The longest name in characters, with NAMES_DISTINCT and no terminal whose width decides. */
#define DISTINCT_MOST 100
/* The room that is left for " #12" behind a name that was cut. */
#define NUMBER_MOST   4

struct printed_name {
	struct entry
		entry; /* by the mangled name's offset in the session, and if it is a kernel's */
	char *text;    /* as it is printed; NULL: memory was out */
	bool shown;
};

static char *readable_name(const struct options *options, enum row_kind kind, const char *name)
{
	char *readable = options->demangling && kind == ROW_KERNEL ? demangle(name) : NULL;

	return readable ? readable : strdup(name);
}

/* A name in one of the three lengths, as a terminal may be sent it; only one that was mangled has
 * shorter forms. */
static char *printed_text(const struct options *options, enum row_kind kind, const char *name,
			  int mode)
{
	char *full = readable_name(options, kind, name), *text = full, *visible;

	if (full && mode != NAMES_FULL && mode != NAMES_AUTO && strcmp(full, name) != 0) {
		text = mode == NAMES_DISTINCT ? telling_name(full)
					      : short_name(full, mode == NAMES_BASE);
		free(full);
	}
	visible = text ? visible_text(text) : NULL;
	free(text);
	return visible;
}

char *filter_kernel_text(const struct filter *filter, const char *mangled)
{
	return printed_text(filter->options, ROW_KERNEL, mangled, filter->options->names);
}

/* NULL if memory is out. */
static struct printed_name *find_name(struct filter *filter, enum row_kind kind, uint64_t offset,
				      int mode)
{
	const uint64_t key[ENTRY_NUMBERS] = {offset, kind == ROW_KERNEL};
	const char *text = session_string(filter->session, offset);
	struct printed_name *name = entry_of(&filter->names, key, sizeof(*name));
	char *full;

	if (!name || name->text)
		return name;
	full = readable_name(filter->options, kind, text);
	if (full) {
		name->shown = filter_matches(filter, kind, full);
		name->text = printed_text(filter->options, kind, text, mode);
	}
	free(full);
	return name->text ? name : NULL;
}

/* By text; the kernels that share one in the order in which the session met them. */
static int compare_names(const void *left, const void *right)
{
	const struct printed_name *a = *(struct printed_name *const *)left;
	const struct printed_name *b = *(struct printed_name *const *)right;

	return strcmp(a->text, b->text) ?: IN_ORDER(a->entry.key[0], b->entry.key[0]);
}

/* The longer name that tells a kernel from others, if there is room for it, or its number. */
static char *tell_apart(const struct filter *filter, const struct printed_name *name, size_t number)
{
	size_t most = filter->options->name_most ? filter->options->name_most : DISTINCT_MOST;
	char *text = NULL;

	if (number)
		return asprintf(&text, "%s #%zu", name->text, number) < 0 ? NULL : text;
	text = printed_text(filter->options, ROW_KERNEL,
			    session_string(filter->session, name->entry.key[0]), NAMES_SHORT);
	if (!text || strlen(text) <= most)
		return text;
	free(text);
	return strdup(name->text);
}

/* Changes the names that several kernels share: to longer ones, or by numbers behind them. */
static int tell_names_apart(struct filter *filter, struct printed_name **names, size_t count,
			    bool numbers)
{
	size_t first = 0;

	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && strcmp(names[i]->text, names[first]->text) == 0)
			continue;
		for (size_t j = first; i - first > 1 && j < i; j++) {
			char *text = tell_apart(filter, names[j], numbers ? j - first + 1 : 0);

			if (!text)
				return -ENOMEM;
			free(names[j]->text);
			names[j]->text = text;
		}
		first = i;
	}
	return 0;
}

/* With short names, those of all kernels are needed to know which of them are shared. */
static int name_kernels(struct filter *filter)
{
	bool distinct = filter->options->names == NAMES_DISTINCT;
	size_t most = filter->options->name_most, count = 0;
	struct printed_name **names;
	struct row *row;
	int error = 0;

	session_for_each_row (filter->session, row)
		if (row->kind == ROW_KERNEL &&
		    !find_name(filter, row->kind, row->name, filter->options->names))
			return -ENOMEM;
	names = calloc(HASH_COUNT(filter->names) + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	entries_for_each (struct printed_name, filter->names, name)
		names[count++] = name;
	if (distinct)
		error = tell_names_apart(filter, names, count, false);
	for (size_t i = 0; i < count && most; i++)
		cut_middle(names[i]->text, most - NUMBER_MOST);
	if (!error)
		error = tell_names_apart(filter, names, count, true);
	free(names);
	return error;
}

int filter_init(struct filter *filter, const struct session *session, const struct options *options)
{
	int error = 0;

	*filter = (struct filter){.session = session, .options = options};
	if (options->kernels &&
	    regcomp(&filter->kernels, options->kernels, REG_EXTENDED | REG_NOSUB))
		return -EINVAL;
	if (options->exclude_kernels &&
	    regcomp(&filter->exclude_kernels, options->exclude_kernels, REG_EXTENDED | REG_NOSUB)) {
		if (options->kernels)
			regfree(&filter->kernels);
		return -EINVAL;
	}
	if (options->names != NAMES_FULL && options->names != NAMES_AUTO)
		error = name_kernels(filter);
	if (error)
		filter_free(filter);
	return error;
}

void filter_free(struct filter *filter)
{
	if (filter->options->kernels)
		regfree(&filter->kernels);
	if (filter->options->exclude_kernels)
		regfree(&filter->exclude_kernels);
	entries_for_each (struct printed_name, filter->names, name)
		free(name->text);
	entries_free(&filter->names);
}

const char *filter_name(struct filter *filter, enum row_kind kind, uint64_t offset)
{
	struct printed_name *name = find_name(filter, kind, offset, NAMES_FULL);

	return name ? name->text : NULL;
}

bool filter_shows(struct filter *filter, enum row_kind kind, uint64_t offset, int device)
{
	struct printed_name *name = find_name(filter, kind, offset, NAMES_FULL);

	return name && name->shown && filter_shows_device(filter, device);
}

bool filter_shows_device(const struct filter *filter, int device)
{
	return device < 0 || device >= SESSION_DEVICES || filter->options->devices >> device & 1;
}

bool filter_matches(const struct filter *filter, enum row_kind kind, const char *name)
{
	const struct options *options = filter->options;

	if (kind != ROW_KERNEL)
		return true;
	if (options->kernels && regexec(&filter->kernels, name, 0, NULL, 0) != 0)
		return false;
	return !options->exclude_kernels ||
	       regexec(&filter->exclude_kernels, name, 0, NULL, 0) != 0;
}
