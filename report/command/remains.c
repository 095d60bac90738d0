/* SPDX-License-Identifier: MIT */
#include "report/command/remains.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/options/filename.h"
#include "report/print/log_file.h"
#include "report/print/report.h"
#include "report/session/folder.h"

/* The profile of -o, by the two names that it may have. */
static int find_named(const struct options *options, pid_t pid, struct left_profile **profiles,
		      size_t *count)
{
	char message[128], own[PATH_MAX];
	char *path = filename_expand(options->export_profile, pid, -1, message, sizeof(message));
	int error = 0;

	if (!path)
		return 0;
	snprintf(own, sizeof(own), "%s.%d", path, (int)pid);
	error = left_profile_at(profiles, count, path);
	if (error != -ENOMEM)
		error = left_profile_at(profiles, count, own);
	free(path);
	return error == -ENOMEM ? error : 0;
}

static void report_on(const struct left_profile *profile, const struct options *options, int status)
{
	char message[PATH_MAX + 128];
	struct session *session;
	struct log_file log;
	int error = session_open(&session, profile->path);

	if (error)
		return;
	/* Where the file cannot be had, it is stderr. */
	log_file_resolve(&log, options->log_file, profile->pid, message, sizeof(message));
	if (!options->quiet && WIFSIGNALED(status))
		log_file_say(profile->pid, "the program was killed (%s): its profile tells this",
			     sigdescr_np(WTERMSIG(status)));
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

void remains_report(const struct options *options, const struct child *child, int status)
{
	struct options own = *options;
	struct left_profile *profiles;
	size_t count;
	int error = left_profiles_find(&profiles, &count);

	own.only_process = child->pid;
	if (!error && options->export_profile)
		error = find_named(options, child->pid, &profiles, &count);
	for (size_t i = 0; !error && i < count; i++) {
		const struct left_profile *profile = &profiles[i];

		if (profile->pid == child->pid && profile->started == child->started)
			settle(profile, &own, status);
	}
	left_profiles_free(profiles, count);
}
