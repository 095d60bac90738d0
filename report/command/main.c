/* SPDX-License-Identifier: MIT */
/* The ktime command. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/command/launch.h"
#include "report/command/show.h"
#include "report/metrics/metrics_text.h"
#include "report/names/visible.h"
#include "report/options/nearest.h"
#include "report/session/new_file.h"

#define BAD_USAGE 2
#define NOT_FOUND 127

static int answer_help(const struct command *command, const char *topic)
{
	if (help_write(command, topic, stdout) == 0)
		return EXIT_SUCCESS;
	visible_line(stderr, "ktime: no help on %s (--help, --help all, --help nvprof)", topic);
	return BAD_USAGE;
}

static bool is_on_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	/* As execvp does without PATH. */
	for (path = path ? path : "/bin:/usr/bin";; path++) {
		size_t length = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s%s%s", (int)length, path, length ? "/" : "",
			 program);
		if (access(file, X_OK) == 0)
			return true;
		path += length;
		if (!*path)
			return false;
	}
}

/* Whether there is such a program, as far as can be told; says what may have been meant if not. */
static bool check_program(const char *program)
{
	struct nearest nearest = {NULL, 0};

	if (strchr(program, '/') || is_on_path(program))
		return true;
	for (size_t i = 1; i < command_count; i++)
		nearest_consider(&nearest, program, strlen(program), commands[i].name);
	nearest_consider(&nearest, program, strlen(program), "--help");
	if (access(program, X_OK) == 0)
		visible_line(stderr, "ktime: %s is not on PATH; did you mean ./%s?", program,
			     program);
	else if (nearest.name)
		visible_line(stderr, "ktime: no program %s on PATH; did you mean ktime %s?",
			     program, nearest.name);
	else
		visible_line(stderr, "ktime: no program %s on PATH", program);
	return false;
}

/* argv[first] is the program; the words before it are options. */
static int run_program(const struct options *options, int argc, char **argv, int first)
{
	int count = first - 1;

	if (first == argc) {
		fputs("ktime: no program given (ktime --help)\n", stderr);
		return BAD_USAGE;
	}
	if (!check_program(argv[first]))
		return NOT_FOUND;
	/* "--" ends the options; it is not one. */
	if (count > 0 && strcmp(argv[first - 1], "--") == 0)
		count--;
	return launch(options, argv + 1, count, argv + first);
}

/* For LD_PRELOAD, where the command cannot be the program's parent. */
static int print_library(void)
{
	char *library = launch_library();

	if (!library) {
		fputs(LAUNCH_NO_LIBRARY, stderr);
		return EXIT_FAILURE;
	}
	puts(library);
	free(library);
	return EXIT_SUCCESS;
}

static int main_run(struct options *options, int argc, char **argv)
{
	char message[512];
	int first;

	if (options_parse_arguments(options, argc, argv, &first, message, sizeof(message))) {
		visible_line(stderr, "ktime: %s", message);
		return BAD_USAGE;
	}
	if (options->help)
		return answer_help(&commands[0], first < argc ? argv[first] : NULL);
	if (options->version) {
		puts("ktime " KTIME_VERSION);
		return EXIT_SUCCESS;
	}
	if (options->library)
		return print_library();
	if (options->query_metrics) {
		metrics_list(stdout);
		return EXIT_SUCCESS;
	}
	if (options->completion) {
		completion_write(stdout);
		return EXIT_SUCCESS;
	}
	/* As nvprof: the report goes to stderr. */
	if (options->import_profile)
		return show_files(options, &options->import_profile, 1, options->log_file);
	return run_program(options, argc, argv, first);
}

/* The files that options name to be read. */
static size_t named_inputs(const struct options *options, const char **inputs, size_t most)
{
	size_t count = 0;

	if (options->since)
		inputs[count++] = options->since;
	if (options->profile)
		inputs[count++] = options->profile;
	for (const struct declared_work *work = options->declared; work && count < most;
	     work = work->next)
		if (work->file && (count == 0 || inputs[count - 1] != work->file))
			inputs[count++] = work->file;
	return count;
}

/* Whether a file is written that is read as well, or is written twice; says so. */
static bool overwrites_input(const struct command *command, const struct options *options,
			     const char *const *files, size_t count)
{
	const char *const outputs[] = {options->export_profile, options->sqlite,  options->perfetto,
				       options->chrome,		options->json,	  options->markdown,
				       options->html,		options->log_file};
	const char *inputs[64];
	size_t named = named_inputs(options, inputs, sizeof(inputs) / sizeof(inputs[0]));

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		const char *output = outputs[i];
		bool is_input = false;

		for (size_t j = 0; output && j < count && !is_input; j++)
			is_input = is_same_file(output, files[j]);
		for (size_t j = 0; output && j < named && !is_input; j++)
			is_input = is_same_file(output, inputs[j]);
		for (size_t j = 0; output && j < i && !is_input; j++)
			is_input = outputs[j] &&
				   (is_same_file(output, outputs[j]) ||
				    (strcmp(output, outputs[j]) == 0 && strcmp(output, "-") != 0 &&
				     access(output, F_OK) < 0));
		if (!is_input)
			continue;
		visible_line(stderr,
			     "ktime %s: the output %s is one of the files that are read, or "
			     "another output",
			     command->name, output);
		return true;
	}
	return false;
}

/* argv[0] is the command; options may stand before, between and behind its files. */
static int main_command(const struct command *command, struct options *options, int argc,
			char **argv)
{
	const char **files = calloc((size_t)argc + 1, sizeof(*files));
	int first, status = BAD_USAGE;
	char message[512];
	size_t count = 0;

	options->command = command->option_mask;
	if (!files) {
		visible_line(stderr, "ktime %s: %s", command->name, strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	for (; argc > 1; argc -= first, argv += first) {
		if (options_parse_arguments(options, argc, argv, &first, message,
					    sizeof(message))) {
			visible_line(stderr, "ktime %s: %s", command->name, message);
			goto out;
		}
		if (first > 1 && strcmp(argv[first - 1], "--") == 0)
			options->separator = count;
		if (first == argc)
			break;
		files[count++] = argv[first];
		/* What follows a program's name is the program's. */
		if (!command->runs_program)
			continue;
		while (++first < argc)
			files[count++] = argv[first];
		break;
	}
	if (options->import_profile)
		files[count++] = options->import_profile;
	if (options->help)
		status = answer_help(command, NULL);
	else if (count < command->operands_least || count > command->operands_most)
		visible_line(stderr, "ktime %s: %s %s%s given; usage: %.*s", command->name,
			     count == 0	  ? "no"
			     : count == 1 ? "one"
					  : "too many",
			     command->runs_program ? "program" : "file", count > 1 ? "s" : "",
			     (int)strcspn(command->usage, "\n"), command->usage);
	else if (!overwrites_input(command, options, files, count))
		status = command->run(options, files, count);
out:
	free(files);
	return status;
}

/* A profile may be cut by another process while it is read. */
static void handle_fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	if (session_fault(information->si_addr))
		return;
	/* The fault comes again, and ends the process. */
	signal(number, SIG_DFL);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	struct options options;
	int status;

	action.sa_sigaction = handle_fault;
	sigaction(SIGBUS, &action, NULL);
	options_defaults(&options);
	status = command ? main_command(command, &options, argc - 1, argv + 1)
			 : main_run(&options, argc, argv);
	options_free(&options);
	return status;
}
