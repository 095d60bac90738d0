/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include "report/compare/diff.h"
#include "report/export/export.h"

/* Of ktime's own options that are not on what is printed, those that have a meaning here. */
static const struct option show_options[] = {
	{"log-file", required_argument, NULL, 0},
	{"import-profile", required_argument, NULL, 'i'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

const struct command commands[] = {
	{"show", command_show, show_options, true, true},
	{"export", command_export, export_options, true, false},
	{"diff", command_diff, diff_options, false, false},
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);
