/* SPDX-License-Identifier: MIT */
/*
 * --profile-child-processes: the profiles of all processes that the program starts lie in a folder
 * until the program ends; then a summary over them follows their own reports.
 */
#ifndef KTIME_REPORT_COMMAND_TREE_H
#define KTIME_REPORT_COMMAND_TREE_H

#include "report/options/options.h"

/* Makes the folder, whose path the caller frees; NULL if there is none: then there is no summary.
 */
char *tree_create(const struct options *options);
/*
 * Writes the summary, unless fewer than two processes used CUDA, and removes the folder. NULL is
 * fine. Processes that still run go on, and what they do is in no summary.
 */
void tree_report(const struct options *options, const char *folder);

#endif
