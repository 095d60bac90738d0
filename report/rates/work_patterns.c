/* SPDX-License-Identifier: MIT */
/* Which kernels the declarations of --bytes, --flops and --work are meant for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/demangle.h"
#include "report/rates/rates.h"

int work_patterns_init(struct work_patterns *patterns, const struct options *options)
{
	const struct declared_work *declared;
	size_t count = 0;

	*patterns = (struct work_patterns){NULL, 0};
	for (declared = options->declared; declared; declared = declared->next)
		count++;
	patterns->patterns = calloc(count + 1, sizeof(*patterns->patterns));
	if (!patterns->patterns)
		return -ENOMEM;
	for (declared = options->declared; declared; declared = declared->next) {
		struct work_pattern *pattern = &patterns->patterns[patterns->count];

		pattern->declared = declared;
		/* It compiled when the option was read. */
		if (regcomp(&pattern->regex, declared->pattern, REG_EXTENDED | REG_NOSUB)) {
			work_patterns_free(patterns);
			return -ENOMEM;
		}
		patterns->count++;
	}
	return 0;
}

void work_patterns_free(struct work_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		regfree(&patterns->patterns[i].regex);
	free(patterns->patterns);
	*patterns = (struct work_patterns){NULL, 0};
}

static void assign(struct row_work *work, const struct declared_work *declared)
{
	int i = 0;

	switch (declared->kind) {
	case DECLARED_BYTES:
		work->bytes = declared;
		break;
	case DECLARED_FLOPS:
		work->flops = declared;
		break;
	case DECLARED_WORK:
		while (i < WORK_UNITS && work->units[i] &&
		       strcmp(work->units[i]->unit, declared->unit) != 0)
			i++;
		if (i < WORK_UNITS)
			work->units[i] = declared;
		break;
	}
}

int work_patterns_match(struct work_patterns *patterns, const char *mangled, bool demangling,
			struct row_work *work)
{
	char *readable;

	*work = (struct row_work){.bytes = NULL};
	if (patterns->count == 0)
		return 0;
	readable = demangling ? demangle(mangled) : NULL;
	if (!readable)
		readable = strdup(mangled);
	if (!readable)
		return -ENOMEM;
	for (size_t i = 0; i < patterns->count; i++) {
		struct work_pattern *pattern = &patterns->patterns[i];

		if (regexec(&pattern->regex, readable, 0, NULL, 0) != 0)
			continue;
		pattern->matched = true;
		assign(work, pattern->declared);
	}
	free(readable);
	return 0;
}

int work_patterns_warn(const struct session *session, const struct options *options,
		       const char *prefix, FILE *file)
{
	struct work_patterns patterns;
	struct row_work work;
	struct row *row;
	int error = work_patterns_init(&patterns, options);

	session_for_each_row (session, row)
		if (!error && row->kind == ROW_KERNEL)
			error = work_patterns_match(&patterns, session_string(session, row->name),
						    options->demangling, &work);
	for (size_t i = 0; i < patterns.count && !error; i++)
		if (!patterns.patterns[i].matched)
			fprintf(file, "%sWarning: --%s '%s' matches no kernel's full name\n",
				prefix, declared_option(patterns.patterns[i].declared->kind),
				patterns.patterns[i].declared->text);
	work_patterns_free(&patterns);
	return error;
}
