/* SPDX-License-Identifier: MIT */
/* The ktime command. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/names/visible.h"
#include "report/session/files.h"

static char speaker[32] = "ktime"; /* "ktime show" */

static bool is_among(const char *path, const char *const *others, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (others[i] && is_same_file(path, others[i]))
			return true;
	return false;
}

/* As is_among(), for a file that is not there yet: by its name. */
static bool is_new_among(const char *path, const char *const *others, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (others[i] && strcmp(path, others[i]) == 0)
			return strcmp(path, "-") != 0 && access(path, F_OK) < 0;
	return false;
}

/* Whether a file is written that is read as well, or is written twice; says so. */
static bool overwrites_input(const struct options *options, const char *const *files, size_t count)
{
	const char *const outputs[] = {options->export_profile, options->sqlite,  options->perfetto,
				       options->chrome,		options->json,	  options->markdown,
				       options->html,		options->log_file};
	const char *const named[] = {options->since, options->profile};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		const struct declared_work *work = options->declared;
		bool taken;

		if (!outputs[i])
			continue;
		taken = is_among(outputs[i], files, count) || is_among(outputs[i], named, 2) ||
			is_among(outputs[i], outputs, i) || is_new_among(outputs[i], outputs, i);
		for (; work && !taken; work = work->next)
			taken = is_among(outputs[i], &work->file, 1);
		if (!taken)
			continue;
		visible_line(
			stderr,
			"%s: the output %s is one of the files that are read, or another output",
			speaker, outputs[i]);
		return true;
	}
	return false;
}

/* Options may stand before, between and behind the operands, which have room for `argc`. 0 or
 * -EINVAL with a line on stderr. */
static int read_arguments(const struct command *command, struct options *options, int argc,
			  char **argv, const char **operands, size_t *count)
{
	char message[512];
	bool ended;
	int first;

	options->command = 1u << (command - commands);
	for (; argc > 1; argc -= first, argv += first) {
		if (options_parse_arguments(options, argc, argv, &first, message, sizeof(message)))
			return visible_fail(-EINVAL, "%s: %s", speaker, message);
		ended = first > 1 && strcmp(argv[first - 1], "--") == 0;
		if (ended)
			options->separator = *count;
		if (first == argc)
			break;
		operands[(*count)++] = argv[first];
		/* What follows a program's name is the program's. */
		if (command->operands != OPERANDS_PROGRAM)
			continue;
		options->words = argv + 1;
		options->word_count = first - 1 - ended;
		while (++first < argc)
			operands[(*count)++] = argv[first];
		/* "-- A -- B": two programs. Without the first, "--" is the program's too. */
		for (size_t i = 0; ended && i < *count && !options->separator; i++)
			if (strcmp(operands[i], "--") == 0)
				options->separator = i + 1;
		break;
	}
	return 0;
}

static int run_command(const struct command *command, const struct options *options,
		       const char **operands, size_t count)
{
	static const char *const what[] = {"operand", "program", "file", "process", "topic"};
	bool named = command != commands;

	if (options->help && named) {
		help_write(command, NULL, stdout);
		return EXIT_SUCCESS;
	}
	if (options->help)
		return command_help(options, operands, count > 0);
	if (named && options->import_profile)
		operands[count++] = options->import_profile;
	if (count < command->least || count > command->most)
		return visible_fail(EXIT_BAD_USAGE, "%s: %s %s%s given; usage: %.*s", speaker,
				    count == 0	 ? "no"
				    : count == 1 ? "one"
						 : "too many",
				    what[command->operands],
				    count < 2				    ? ""
				    : command->operands == OPERANDS_PROCESS ? "es"
									    : "s",
				    (int)strcspn(command->usage, "\n"), command->usage);
	/* The files of a program to be run are checked when it is started. */
	if (named && overwrites_input(options, operands, count))
		return EXIT_BAD_USAGE;
	if (!named && count > 0 && !options->help && is_refused(options))
		return EXIT_BAD_USAGE;
	return command->run(options, operands, count);
}

/* Another process may truncate a merged profile while ktime writes it, which raises a signal. */
static void handle_fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	if (session_fault(information->si_addr))
		return;
	/* The fault is raised again at once, and ends the process. */
	signal(number, SIG_DFL);
}

int main(int argc, char **argv)
{
	const struct command *command = command_find(argc > 1 ? argv[1] : "");
	const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	struct options options;
	int status = EXIT_BAD_USAGE;
	size_t count = 0;

	action.sa_sigaction = handle_fault;
	sigaction(SIGBUS, &action, NULL);
	/* Who reads the output may have seen enough. A program inherits what was set for it. */
	if (command->operands != OPERANDS_PROGRAM)
		signal(SIGPIPE, SIG_DFL);
	options_defaults(&options);
	if (command != commands) {
		snprintf(speaker, sizeof(speaker), "ktime %s", command->name);
		argc--;
		argv++;
	}
	if (!operands) {
		visible_line(stderr, "%s: %s", speaker, strerror(ENOMEM));
		status = EXIT_FAILURE;
	} else if (!read_arguments(command, &options, argc, argv, operands, &count)) {
		status = run_command(command, &options, operands, count);
		if (status == EXIT_SUCCESS && (fflush(stdout) != 0 || ferror(stdout)))
			status = visible_fail(EXIT_FAILURE, "%s: %s", speaker, strerror(errno));
	}
	free(operands);
	options_free(&options);
	return status;
}
