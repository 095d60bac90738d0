/* SPDX-License-Identifier: MIT */
/* The table of the commands, and what is printed from it and from the table of options. */
#include "report/command/commands.h"

#include <errno.h>
#include <string.h>

#define ANY SIZE_MAX
#define COMMAND(name, runs_program, least, most, usage, examples)                                  \
	{#name, runs_program, least, most, command_##name, usage, examples},
const struct command commands[] = {
#include "report/options/commands.def"
};
#undef COMMAND

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

/* What an option takes: "-" nothing, "file", its words, or "any" that cannot be completed. */
static void write_value(const struct option_entry *entry, FILE *file)
{
	bool words = entry->kind == OPTION_ON_OFF || entry->kind == OPTION_CHOICE ||
		     entry->kind == OPTION_SET || entry->kind == OPTION_EVENTS;

	if (!*entry->argument)
		fputs("-", file);
	else if (entry->section == SECTION_UNSERVED || !(words || entry->kind == OPTION_FILE))
		fputs("any", file);
	else
		fputs(words ? entry->argument : "file", file);
}

void completion_write(FILE *file)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
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
