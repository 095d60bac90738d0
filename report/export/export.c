/* SPDX-License-Identifier: MIT */
/* `ktime export`: a session in other tools' formats. */
#include "report/export/export.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "report/export/output.h"
#include "report/session/load.h"

#define MESSAGE_SIZE 512
#define EXIT_USAGE   2

static const char usage[] =
	"Usage: ktime export [-f] [--sqlite OUT] [--chrome OUT] [--json OUT] FILE\n"
	"Writes a session file in the formats of other tools.\n"
	"  --sqlite OUT  an Nsight Systems SQLite export, which `nsys stats OUT` reads\n"
	"  --chrome OUT  a trace for Perfetto and chrome://tracing\n"
	"  --json OUT    everything the session holds\n"
	"  -f, --force-overwrite  replace files that exist\n"
	"OUT may be - for standard output, except with --sqlite.\n";

enum { FORMAT_SQLITE, FORMAT_CHROME, FORMAT_JSON, FORMAT_COUNT };

/* What an option writes, and whether it needs records of single operations. */
static const struct export_format {
	bool needs_trace;
	int (*write_file)(struct session *session, FILE *file, char *message, size_t size);
	int (*write_path)(struct session *session, const char *path, char *message, size_t size);
} formats[FORMAT_COUNT] = {
	[FORMAT_SQLITE] = {true, NULL, export_sqlite},
	[FORMAT_CHROME] = {true, export_chrome, NULL},
	[FORMAT_JSON] = {false, export_json, NULL},
};

#define IS_FORMAT 256
const struct option export_options[] = {
	[FORMAT_SQLITE] = {"sqlite", required_argument, NULL, IS_FORMAT},
	[FORMAT_CHROME] = {"chrome", required_argument, NULL, IS_FORMAT},
	[FORMAT_JSON] = {"json", required_argument, NULL, IS_FORMAT},
	{"force-overwrite", no_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

struct arguments {
	const char *outputs[FORMAT_COUNT];
	const char *input;
	bool overwrite;
};

/* 0; -EINVAL after saying why; 1 where the usage was asked for. */
static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
	bool any = false;
	int letter, format;

	optind = 1;
	while ((letter = getopt_long(argc, argv, "fh", export_options, &format)) != -1) {
		switch (letter) {
		case 'f':
			arguments->overwrite = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		case IS_FORMAT:
			arguments->outputs[format] = optarg;
			any = true;
			break;
		default:
			return -EINVAL;
		}
	}
	if (!any || optind != argc - 1) {
		fprintf(stderr, "ktime: %s\n%s",
			any ? "export takes one session file" : "export to what?", usage);
		return -EINVAL;
	}
	arguments->input = argv[optind];
	return 0;
}

static int write_output(struct session *session, const struct export_format *format,
			const struct arguments *arguments, char *message, size_t size)
{
	const char *path = arguments->outputs[format - formats];
	char reason[MESSAGE_SIZE] = "";
	struct output output;
	int error;

	error = output_open(&output, path, arguments->overwrite, message, size);
	if (error)
		return error;
	if (format->write_file) {
		error = format->write_file(session, output.file, reason, sizeof(reason));
	} else if (output.temporary) {
		error = format->write_path(session, output.temporary, reason, sizeof(reason));
	} else {
		error = -EINVAL;
		snprintf(reason, sizeof(reason), "--%s needs a regular file",
			 export_options[format - formats].name);
	}
	if (!error)
		return output_finish(&output, message, size);
	snprintf(message, size, "%s: %s", path, reason);
	output_abandon(&output);
	return error;
}

int command_export(int argc, char **argv)
{
	struct arguments arguments = {0};
	char message[MESSAGE_SIZE] = "";
	struct session *session = NULL;
	int error;
	size_t i;

	error = parse_arguments(&arguments, argc, argv);
	if (error)
		return error > 0 ? 0 : EXIT_USAGE;
	error = session_load(&session, arguments.input, message, sizeof(message));
	for (i = 0; i < FORMAT_COUNT && !error; i++) {
		if (!arguments.outputs[i])
			continue;
		if (formats[i].needs_trace && !session_next_trace(session, NULL)) {
			error = -ENODATA;
			snprintf(message, sizeof(message),
				 "%s: no records of single operations for --%s: record them with "
				 "--print-gpu-trace --print-api-trace -o FILE",
				 arguments.input, export_options[i].name);
			break;
		}
		error = write_output(session, &formats[i], &arguments, message, sizeof(message));
	}
	if (error)
		fprintf(stderr, "ktime: %s\n", message);
	session_close(session);
	return error ? 1 : 0;
}
