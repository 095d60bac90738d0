/* SPDX-License-Identifier: MIT */
/* The ktime command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/command/commands.h"
#include "report/command/help.h"
#include "report/command/launch.h"
#include "report/options/options.h"
#include "report/command/show.h"

#define BAD_USAGE 2

/* What does not run a program. */
static int answer(const struct options *options)
{
	if (options->help) {
		help_write(stdout);
		return EXIT_SUCCESS;
	}
	if (options->version) {
		puts("ktime " KTIME_VERSION);
		return EXIT_SUCCESS;
	}
	if (options->completion) {
		if (completion_write(options->completion, stdout) == 0)
			return EXIT_SUCCESS;
		fprintf(stderr, "ktime: no completion for %s, only for bash and zsh\n",
			options->completion);
		return BAD_USAGE;
	}
	/* As nvprof: a report goes to stderr. */
	return show_files(options, &options->import_profile, 1, options->log_file);
}

int main(int argc, char **argv)
{
	static char name[] = "ktime";
	struct options options;
	char message[512];
	int first, status;
	size_t i;

	for (i = 0; argc > 1 && i < command_count; i++)
		if (strcmp(argv[1], commands[i].name) == 0) {
			/* What getopt's messages begin with. */
			argv[1] = name;
			return commands[i].run(argc - 1, argv + 1);
		}
	options_defaults(&options);
	if (options_parse_arguments(&options, argc, argv, &first, message, sizeof(message))) {
		fprintf(stderr, "ktime: %s\n", message);
		return BAD_USAGE;
	}
	if (options.help || options.version || options.completion || options.import_profile) {
		status = answer(&options);
	} else if (first == argc) {
		fputs("ktime: which program? (ktime --help tells more)\n", stderr);
		status = BAD_USAGE;
	} else {
		/* "--" ends the options; it is none of them. */
		int count = first - 1;

		if (count > 0 && strcmp(argv[first - 1], "--") == 0)
			count--;
		status = launch(&options, argv + 1, count, argv + first);
	}
	options_free(&options);
	return status;
}
