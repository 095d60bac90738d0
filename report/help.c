/* SPDX-License-Identifier: MIT */
#include "report/help.h"

#include <errno.h>
#include <string.h>

#include "report/options.h"

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

static void write_bash(FILE *file)
{
	size_t i;

	fputs("# bash completion of ktime; made by ktime --completion bash\n"
	      "_ktime()\n{\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tcase $previous in\n",
	      file);
	for (i = 0; i < option_table_size; i++) {
		const struct option_entry *entry = &option_table[i];

		if (!is_offered(entry) || !*entry->argument)
			continue;
		fprintf(file, "\t--%s", entry->name);
		if (entry->letter)
			fprintf(file, "|-%c", entry->letter);
		fputs(") COMPREPLY=(", file);
		if (is_choice(entry)) {
			fputs("$(compgen -W '", file);
			write_words(entry->argument, file);
			fputs("' -- \"$current\")", file);
		} else if (entry->kind == OPTION_FILE) {
			fputs("$(compgen -f -- \"$current\")", file);
		}
		fputs("); return ;;\n", file);
	}
	fputs("\tesac\n\tif [[ $current == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '", file);
	for (i = 0; i < option_table_size; i++)
		if (is_offered(&option_table[i]))
			fprintf(file, "--%s ", option_table[i].name);
	fputs("' -- \"$current\"))\n\telif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W 'show export diff' -- \"$current\")"
	      " $(compgen -c -- \"$current\")"
	      " $(compgen -f -- \"$current\"))\n"
	      "\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$current\"))\n\tfi\n}\n"
	      "complete -o filenames -F _ktime ktime\n",
	      file);
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
