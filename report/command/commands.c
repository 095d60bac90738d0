/* SPDX-License-Identifier: MIT */
/* The table of the commands, and what is printed from it and from the table of options. */
#include "report/command/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

#define ANY SIZE_MAX
#define INSTEAD(...)
#define COMMAND(name, operands, least, most, usage, examples)                                      \
	{#name, OPERANDS_##operands, least, most, command_##name, usage, examples},
const struct command commands[] = {
#include "report/options/commands.def"
};
#undef COMMAND
#undef INSTEAD

const struct command *command_find(const char *name)
{
	for (size_t i = 1; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return commands;
}

const char *command_instead(const char *name)
{
#define COMMAND(...)
#define INSTEAD(name, text) {#name, text},
	static const struct {
		const char *name, *text;
	} others[] = {
#include "report/options/commands.def"
	};
#undef INSTEAD
#undef COMMAND

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].name, name) == 0)
			return others[i].text;
	return NULL;
}

static const char exit_statuses[] =
	"Exit status of ktime PROGRAM: PROGRAM's own; if a signal ended it, ktime ends by the same "
	"one,\n"
	"which shells show as 128 and the signal's number. Else, and of the other commands:\n"
	"    0  done\n"
	"    1  failed: a file, a program or a device is not there, or refuses\n"
	"    2  wrong usage: nothing was done, no program was started\n"
	"    3  ktime diff --fail-above: B is slower by more than that\n"
	"    4  ktime diff --fail-above cannot tell: rows are missing in a file\n"
	"  126  PROGRAM cannot be run\n"
	"  127  PROGRAM is not there\n"
	"  141  nobody reads the output any more (SIGPIPE), as behind | head\n";

/* Columns that an option and its argument take before its text. */
#define OPTION_COLUMNS 33

static const char *const section_titles[] = {
	[SECTION_COLLECT] = "What is collected",
	[SECTION_PRINT] = "What is printed",
	[SECTION_FILE] = "Files and the rest",
	[SECTION_UNSERVED] = "Options of nvprof that ktime accepts and ignores",
};

/* Writes the options of a section whose `commands` have all of the given bits. */
static void write_section(enum option_section section, unsigned mask, FILE *file)
{
	bool any = false;

	for (size_t i = 0; i < option_table_size; i++) {
		const struct option_entry *entry = &option_table[i];
		const char letter[] = {'-', entry->letter, ',', ' ', '\0'};
		char text[80];

		if (entry->section != section || (entry->commands & mask) != mask)
			continue;
		if (!any)
			fprintf(file, "%s:\n", section_titles[section]);
		any = true;
		snprintf(text, sizeof(text), "%s--%s%s%s", entry->letter ? letter : "", entry->name,
			 *entry->argument ? " " : "", entry->argument);
		fprintf(file, "  %-*s  %s\n", OPTION_COLUMNS, text, entry->help);
	}
}

int help_write(const struct command *command, const char *topic, FILE *file)
{
	unsigned mask = 1u << (command - commands);

	if (topic && strcmp(topic, "nvprof") == 0) {
		write_section(SECTION_UNSERVED, mask, file);
		return 0;
	}
	if (topic && strcmp(topic, "exit") == 0) {
		fputs(exit_statuses, file);
		return 0;
	}
	if (topic && strcmp(topic, "all") != 0)
		return -EINVAL;
	if (!topic && command == commands)
		mask |= OPTION_FIRST;
	fprintf(file, "usage: %s", command->usage);
	for (int section = SECTION_COLLECT; section < SECTION_UNSERVED; section++)
		write_section(section, mask, file);
	if (*command->examples)
		fprintf(file, "Examples:\n%s", command->examples);
	return 0;
}

/* What an option takes: "-" nothing, "file", its words, or "any" that cannot be completed. Of a
 * kind with a word beside other values that word. */
static void write_value(const struct option_entry *entry, FILE *file)
{
	bool words = entry->kind == OPTION_ON_OFF || entry->kind == OPTION_CHOICE ||
		     entry->kind == OPTION_SET || entry->kind == OPTION_EVENTS;

	if (!*entry->argument)
		fputs("-", file);
	else if (entry->kind == OPTION_DEVICES || entry->kind == OPTION_KEEP)
		fputs("all", file);
	else if (entry->section == SECTION_UNSERVED || !(words || entry->kind == OPTION_FILE))
		fputs("any", file);
	else
		fputs(words ? entry->argument : "file", file);
}

/* A command's operands, in the place of an option: "-" none, "program", "file", "process", or the
 * words that may stand there; and its usage's second line. */
static void write_operands(const struct command *command, FILE *file)
{
	static const char *const kinds[] = {"-", "program", "file", "process", ""};
	const char *text = strchr(command->usage, '\n') + 1;

	fprintf(file, "%s\toperand\t-\t%s", command->name, kinds[command->operands]);
	if (command->operands == OPERANDS_TOPIC) {
		fputs("all|nvprof|exit", file);
		for (size_t i = 1; i < COMMAND_COUNT; i++)
			fprintf(file, "|%s", commands[i].name);
	}
	fprintf(file, "\toffered\t%.*s\n", (int)strcspn(text, "\n"), text);
}

void completion_write(FILE *file)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		write_operands(&commands[i], file);
		for (size_t j = 0; j < option_table_size; j++) {
			const struct option_entry *entry = &option_table[j];

			if (entry->section == SECTION_HIDDEN || !(entry->commands & 1u << i))
				continue;
			fprintf(file, "%s\t--%s\t%s%c\t", commands[i].name, entry->name,
				entry->letter ? "-" : "", entry->letter ? entry->letter : '-');
			write_value(entry, file);
			fprintf(file, "\t%s\t%s\n",
				entry->section == SECTION_UNSERVED ? "ignored" : "offered",
				entry->help);
		}
	}
}

int command_help(const struct options *options, const char *const *files, size_t count)
{
	const char *topic = count ? files[0] : NULL;
	const struct command *command = command_find(topic ? topic : "");

	(void)options;
	if (command != commands)
		topic = NULL;
	if (help_write(command, topic, stdout) == 0)
		return EXIT_SUCCESS;
	return visible_fail(
		EXIT_BAD_USAGE,
		"ktime: no help on %s (ktime help, with a command, all, nvprof or exit)", topic);
}
