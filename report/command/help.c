/* SPDX-License-Identifier: MIT */
#include "report/command/help.h"

#include <errno.h>
#include <string.h>

#include "report/command/commands.h"
#include "report/options/options.h"

static const char usage[] =
	"usage: ktime [options] PROGRAM [arguments]    run PROGRAM, print where the GPU's time "
	"went\n"
	"       ktime show [options] FILE...           print a report again\n"
	"       ktime export [options] FILE            write a report for other tools (--help)\n"
	"       ktime diff [options] A B               compare two reports (--help)\n"
	"\n"
	"Without this command: LD_PRELOAD=libktime.so KTIME_OPTIONS='options' PROGRAM\n"
	"\n"
	"Processes that PROGRAM starts are profiled with --profile-child-processes; with "
	"LD_PRELOAD,\n"
	"which they inherit, they always are.\n";

static const char *const section_titles[] = {
	[SECTION_COLLECT] = "What is collected",
	[SECTION_PRINT] = "What is printed",
	[SECTION_FILE] = "Files and the rest",
	[SECTION_UNSERVED] = "Options of nvprof's that are accepted and have no effect",
};

static void write_option(const struct option_entry *entry, FILE *file)
{
	char letter[] = {'-', entry->letter, ',', ' ', '\0'};

	fprintf(file, "  %s--%s%s%s\n", entry->letter ? letter : "    ", entry->name,
		*entry->argument ? " " : "", entry->argument);
	fprintf(file, "          %s\n", entry->help);
}

void help_write(FILE *file)
{
	enum option_section section;
	size_t i;

	fputs(usage, file);
	for (section = SECTION_COLLECT; section < SECTION_HIDDEN; section++) {
		fprintf(file, "\n%s:\n", section_titles[section]);
		for (i = 0; i < option_table_size; i++)
			if (option_table[i].section == section)
				write_option(&option_table[i], file);
	}
}

static bool is_offered(const struct option_entry *entry)
{
	return entry->section < SECTION_UNSERVED;
}

static bool is_choice(const struct option_entry *entry)
{
	return entry->kind == OPTION_ON_OFF || entry->kind == OPTION_CHOICE ||
	       entry->kind == OPTION_SET || entry->kind == OPTION_EVENTS;
}

/* "a|b|c" as "a b c" */
static void write_words(const char *choices, FILE *file)
{
	for (; *choices; choices++)
		fputc(*choices == '|' ? ' ' : *choices, file);
}

/* One of a case's patterns: the option of any command. */
static void write_pattern(const struct option_entry *entry, const char *before, FILE *file)
{
	fprintf(file, "%s*:--%s", before, entry->name);
	if (entry->letter)
		fprintf(file, "|*:-%c", entry->letter);
}

/* What stands behind an option: words, "file", or what cannot be completed, "any". */
static void write_kinds(FILE *file)
{
	const char *before = "\t";
	size_t i;

	for (i = 0; i < option_table_size; i++) {
		const struct option_entry *entry = &option_table[i];

		if (!*entry->argument || (is_offered(entry) && is_choice(entry)))
			continue;
		if (is_offered(entry) && entry->kind == OPTION_FILE)
			continue;
		write_pattern(entry, before, file);
		before = "|";
	}
	fputs(") kind=any ;;\n", file);
	for (i = 0; i < option_table_size; i++) {
		const struct option_entry *entry = &option_table[i];

		if (!is_offered(entry) || (!is_choice(entry) && entry->kind != OPTION_FILE))
			continue;
		write_pattern(entry, "\t", file);
		fputs(") kind='", file);
		write_words(entry->kind == OPTION_FILE ? "file" : entry->argument, file);
		fputs("' ;;\n", file);
	}
}

/* The kinds of what a command's options take that are not ktime's. */
static void write_command_kinds(const struct command *command, FILE *file)
{
	const struct option *option;

	if (command->prints_report)
		return;
	for (option = command->options; option->name; option++)
		if (option->has_arg)
			fprintf(file, "\t%s:--%s) kind=%s ;;\n", command->name, option->name,
				command->takes_files ? "file" : "any");
	fprintf(file, "\t%s:*) ;;\n", command->name);
}

static void write_option_names(const struct command *command, FILE *file)
{
	const struct option *option;
	size_t i;

	fprintf(file, "\t%s) options='", command ? command->name : "*");
	for (i = 0; i < option_table_size; i++)
		if (command ? command->prints_report && option_table[i].section == SECTION_PRINT
			    : is_offered(&option_table[i]))
			fprintf(file, "--%s ", option_table[i].name);
	for (option = command ? command->options : NULL; option && option->name; option++)
		fprintf(file, "--%s ", option->name);
	fputs("' ;;\n", file);
}

/*
 * Words are compared as bash splits them: at "=", which is then a word of its own. Behind the
 * program's name, or behind "--", nothing is ktime's.
 */
static const char bash_function[] =
	"_ktime()\n{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} command='' kind='' ended='' options word index\n"
	"\tif ((COMP_CWORD > 1)) && [[ \" $_ktime_commands \" == *\" ${COMP_WORDS[1]} \"* ]]; "
	"then\n"
	"\t\tcommand=${COMP_WORDS[1]}\n"
	"\tfi\n"
	"\tfor ((index = ${#command} ? 2 : 1; index < COMP_CWORD; index++)); do\n"
	"\t\tword=${COMP_WORDS[index]}\n"
	"\t\tif [[ $kind ]]; then\n"
	"\t\t\t[[ $word == = ]] || kind=''\n"
	"\t\telif [[ $word == -- ]]; then\n"
	"\t\t\tended=options\n"
	"\t\telif [[ ! $ended && $word == -?* ]]; then\n"
	"\t\t\t[[ $word =~ ^-[$_ktime_flags]+.$ ]] && word=-${word: -1}\n"
	"\t\t\t_ktime_kind \"$command:$word\"\n"
	"\t\telif [[ ! $command ]]; then\n"
	"\t\t\tended=program\n"
	"\t\t\tbreak\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t[[ $kind && $current == = ]] && current=''\n"
	"\t_ktime_options \"$command\"\n"
	"\tcase $kind in\n"
	"\tany) COMPREPLY=(); return ;;\n"
	"\tfile) set -- -f ;;\n"
	"\t?*) set -- -W \"$kind\" ;;\n"
	"\t*)\n"
	"\t\tif [[ ! $ended && $current == -* ]]; then\n"
	"\t\t\tset -- -W \"$options\"\n"
	"\t\telif [[ $command || $ended == program ]]; then\n"
	"\t\t\tset -- -f\n"
	"\t\telif ((COMP_CWORD == 1)); then\n"
	"\t\t\tset -- -c -f -W \"$_ktime_commands\"\n"
	"\t\telse\n"
	"\t\t\tset -- -c -f\n"
	"\t\tfi ;;\n"
	"\tesac\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$current\")\n"
	"}\n"
	"complete -o filenames -F _ktime ktime\n";

static void write_bash(FILE *file)
{
	size_t i;

	fputs("# bash completion of ktime; made by ktime --completion bash\n_ktime_commands='",
	      file);
	for (i = 0; i < command_count; i++)
		fprintf(file, "%s%s", i ? " " : "", commands[i].name);
	fputs("'\n_ktime_flags='", file);
	for (i = 0; i < option_table_size; i++)
		if (option_table[i].letter && !*option_table[i].argument)
			fputc(option_table[i].letter, file);
	fputs("'\n_ktime_kind()\n{\n\tcase $1 in\n", file);
	for (i = 0; i < command_count; i++)
		write_command_kinds(&commands[i], file);
	write_kinds(file);
	fputs("\tesac\n}\n_ktime_options()\n{\n\tcase $1 in\n", file);
	for (i = 0; i < command_count; i++)
		write_option_names(&commands[i], file);
	write_option_names(NULL, file);
	fputs("\tesac\n}\n", file);
	fputs(bash_function, file);
}

static void write_zsh(FILE *file)
{
	size_t i;

	fputs("#compdef ktime\n# zsh completion of ktime; made by ktime --completion zsh\n"
	      "_arguments -S \\\n",
	      file);
	for (i = 0; i < option_table_size; i++) {
		const struct option_entry *entry = &option_table[i];
		const char *help;

		if (!is_offered(entry))
			continue;
		fprintf(file, "\t'--%s[", entry->name);
		/* In a specification ' ends the string and : and ] end a field. */
		for (help = entry->help; *help; help++) {
			if (*help == '\'')
				fputs("'\\''", file);
			else if (strchr(":[]", *help))
				fprintf(file, "\\%c", *help);
			else
				fputc(*help, file);
		}
		fputc(']', file);
		if (is_choice(entry)) {
			fputs(":value:(", file);
			write_words(entry->argument, file);
			fputc(')', file);
		} else if (entry->kind == OPTION_FILE) {
			fputs(":file:_files", file);
		} else if (*entry->argument) {
			fputs(":value: ", file);
		}
		fputs("' \\\n", file);
	}
	fputs("\t'*::program:_normal'\n", file);
}

int completion_write(const char *shell, FILE *file)
{
	if (strcmp(shell, "bash") == 0)
		write_bash(file);
	else if (strcmp(shell, "zsh") == 0)
		write_zsh(file);
	else
		return -EINVAL;
	return 0;
}
