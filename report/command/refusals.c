/* SPDX-License-Identifier: MIT */
/* What is refused before a program is run, as it would come to light after hours otherwise. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/prometheus/prometheus.h"
#include "report/session/files.h"

/* A name with codes that the report, or the library, will expand. */
static int check_name(const char *option, const char *pattern)
{
	/* No rank is known yet where PROGRAM starts the ranks. */
	const struct name_codes codes = {getpid(), 0, 0};
	char message[512];
	char *name = pattern ? filename_expand(pattern, &codes, message, sizeof(message)) : NULL;

	if (pattern && !name)
		return visible_fail(-EINVAL, "ktime: option --%s: %s", option, message);
	free(name);
	return 0;
}

static int check_metrics_file(const struct options *options)
{
	char message[512], *path;
	int error = 0;

	/* PROGRAM may start the ranks. */
	if (!options->prometheus || strstr(options->prometheus, "%r"))
		return 0;
	path = prometheus_path(options->prometheus, options->rank_variable, getpid(), message,
			       sizeof(message));
	if (!path)
		return visible_fail(-EINVAL, "ktime: option --prometheus: %s", message);
	error = new_file_check_folder(path);
	if (error)
		visible_line(stderr, "ktime: %s cannot be written: %s", path,
			     new_file_error(error));
	free(path);
	return error;
}

/* The library reads the variable before the options of the command line, and goes on with the
 * defaults where it cannot: told here, nothing was run in vain. */
static int check_variable(const struct options *options)
{
	const char *text = getenv("KTIME_OPTIONS");
	struct options of_variable;
	char message[256];
	int error = 0;

	options_defaults(&of_variable);
	if (text)
		error = options_parse_string(&of_variable, text, message, sizeof(message));
	if (error)
		visible_line(stderr, "ktime: KTIME_OPTIONS: %s", message);
	else if ((options->keep_trace.bytes || of_variable.keep_trace.bytes) &&
		 !options->export_profile && !of_variable.export_profile)
		error = visible_fail(-EINVAL, "ktime: --keep-trace keeps the trace in the profile: "
					      "give -o FILE too");
	options_free(&of_variable);
	return error;
}

bool is_refused(const struct options *options)
{
	return check_variable(options) || check_name("context-name", options->context_name) ||
	       check_name("stream-name", options->stream_name) ||
	       check_name("process-name", options->process_name) || check_metrics_file(options);
}
