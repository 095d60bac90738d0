/* SPDX-License-Identifier: MIT */
#include "report/command/remains.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/command/daemon.h"
#include "report/prometheus/prometheus.h"
#include "report/options/filename.h"
#include "report/options/rank.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
#include "report/session/folder.h"

/* Adds the profile that a pattern names; -ENOMEM. */
static int find_pattern(const char *pattern, const struct name_codes *codes,
			struct left_profile **profiles, size_t *count, bool *is_there)
{
	char message[128], *path = filename_expand(pattern, codes, message, sizeof(message));
	int error = path ? left_profile_at(profiles, count, path) : 0;

	*is_there = path && access(path, F_OK) == 0;
	free(path);
	return error == -ENOMEM ? error : 0;
}

/* The profiles of -o, by the names that they may have. */
static int find_named(const struct options *options, pid_t pid, struct left_profile **profiles,
		      size_t *count)
{
	const char *asked = options->export_profile;
	char pattern[PATH_MAX];
	struct process_rank rank;
	struct name_codes codes;
	bool is_there = true;
	int error;

	rank_find(&rank, options->rank_variable);
	codes = (struct name_codes){pid, rank.rank, -1};
	if (!rank_file_pattern(pattern, sizeof(pattern), asked, &rank))
		snprintf(pattern, sizeof(pattern), "%s", asked);
	error = find_pattern(pattern, &codes, profiles, count, &is_there);
	for (unsigned ordinal = 1; !error && (ordinal == 1 || is_there); ordinal++) {
		if (!rank_file_pattern_of_process(pattern, sizeof(pattern), asked, &rank, ordinal))
			break;
		error = find_pattern(pattern, &codes, profiles, count, &is_there);
	}
	return error;
}

static void report_on(const struct left_profile *profile, const struct options *options, int status)
{
	char message[PATH_MAX + 128];
	struct session *session;
	struct process_rank rank;
	struct name_codes codes;
	struct log_file log;
	int error = session_open(&session, profile->path);

	if (error)
		return;
	/* Where the file cannot be had, it is stderr. */
	rank_find(&rank, options->rank_variable);
	codes = (struct name_codes){profile->pid, rank.rank, -1};
	log_file_resolve(&log, options->log_file, &codes, message, sizeof(message));
	if (!options->quiet && WIFSIGNALED(status))
		log_file_say(profile->pid, "the program was killed (%s): its profile tells this",
			     strsignal(WTERMSIG(status)));
	else if (!options->quiet)
		log_file_say(profile->pid, "the program ended without a report: its profile tells "
					   "this");
	error = report_deliver(session, options, &log,
			       !log.path || log_file_is_continued(&log, profile->pid), message,
			       sizeof(message));
	if (error)
		log_file_say(profile->pid, "%s; ktime show %s prints it", message, profile->path);
	else if (!profile->kept)
		unlink(profile->path);
	log_file_free(&log);
	session_close(session);
}

static void settle(const struct left_profile *profile, const struct options *options, int status)
{
	bool own = profile->user == geteuid();

	if (own && !profile->reported)
		report_on(profile, options, status);
	/* Of a program that became another user: what others wrote is not read unasked. */
	else if (!profile->reported)
		log_file_say(profile->pid,
			     "the program ended without a report as another user: ktime show %s "
			     "prints it",
			     profile->path);
	/* A program that gave up its rights could not remove it. */
	else if (own && !profile->kept)
		unlink(profile->path);
}

/* A program that was killed could not remove it. */
static void remove_metrics(const struct options *options, pid_t pid)
{
	char message[512];
	char *path = options->prometheus
			     ? prometheus_path(options->prometheus, options->rank_variable, pid,
					       message, sizeof(message))
			     : NULL;

	if (path)
		unlink(path);
	free(path);
}

/* Those of the programs that a process was, one after the other. */
static int find_in_tree(const char *tree, pid_t pid, struct left_profile **profiles, size_t *count)
{
	char path[PATH_MAX];
	int error = 0;

	for (unsigned i = 1; !error; i++) {
		snprintf(path, sizeof(path), TREE_FILE, tree, (int)pid, i);
		error = left_profile_at(profiles, count, path);
	}
	return error == -ENOMEM ? error : 0;
}

void remains_report(const struct options *options, const char *tree, const struct child *child,
		    int status)
{
	struct options own = *options;
	struct left_profile *profiles;
	size_t count;
	int error = left_profiles_find(&profiles, &count);

	remove_metrics(options, child->pid);
	own.only_process = child->pid;
	if (!error && options->export_profile)
		error = find_named(options, child->pid, &profiles, &count);
	if (!error && tree)
		error = find_in_tree(tree, child->pid, &profiles, &count);
	for (size_t i = 0; !error && i < count; i++) {
		const struct left_profile *profile = &profiles[i];

		if (profile->pid == child->pid && profile->started == child->started)
			settle(profile, &own, status);
	}
	left_profiles_free(profiles, count);
}

#define GOES_ON "the program goes on in the background, as process %d, where it is profiled: "

static void say_daemon(const struct options *options, pid_t program, pid_t daemon)
{
	char message[PATH_MAX + 128], pattern[PATH_MAX], *path = NULL;
	const char *asked = options->export_profile;
	struct process_rank rank;
	struct name_codes codes;
	struct log_file log;

	rank_find(&rank, options->rank_variable);
	codes = (struct name_codes){daemon, rank.rank, -1};
	log_file_resolve(&log, options->log_file, &codes, message, sizeof(message));
	if (asked)
		path = filename_expand(
			rank_file_pattern(pattern, sizeof(pattern), asked, &rank) ? pattern : asked,
			&codes, message, sizeof(message));
	if (log.path)
		log_file_say(program, GOES_ON "its report will be in %s", (int)daemon, log.path);
	else if (path)
		log_file_say(program, GOES_ON "ktime show %s prints its profile", (int)daemon,
			     path);
	else
		log_file_say(program,
			     GOES_ON "ktime list names its profile, and ktime show prints it",
			     (int)daemon);
	free(path);
	log_file_free(&log);
}

void remains_say_daemons(const struct options *options, const struct child *child)
{
	pid_t daemons[DAEMONS_MOST];
	size_t count = options->quiet ? 0 : daemons_find(child->pid, daemons);

	for (size_t i = 0; i < count; i++)
		say_daemon(options, child->pid, daemons[i]);
}
