/* SPDX-License-Identifier: MIT */
/*
 * What a program left: profiles without a report, processes in which it goes on, and the profiles
 * of the processes that it started.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/merge/merge.h"
#include "report/options/filename.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
#include "report/prometheus/prometheus.h"
#include "report/session/folder.h"
#include "report/session/owner.h"

/* Adds the profile that a pattern names; -ENOMEM. */
static int find_pattern(const char *pattern, const struct name_codes *codes,
			struct left_profiles *profiles, bool *is_there)
{
	char message[128], *path = filename_expand(pattern, codes, message, sizeof(message));
	int error = path ? left_profiles_add(profiles, path) : 0;

	*is_there = path && access(path, F_OK) == 0;
	free(path);
	return error == -ENOMEM ? error : 0;
}

/* The profiles of -o, by the names that they may have. */
static int find_named(const struct options *options, pid_t pid, struct left_profiles *profiles)
{
	const char *asked = options->export_profile;
	const struct process_rank rank = rank_find(options->rank_variable);
	const struct name_codes codes = {pid, rank.rank, -1};
	char pattern[PATH_MAX];
	bool is_there = true;
	int error;

	rank_file_pattern(pattern, sizeof(pattern), asked, &rank);
	error = find_pattern(pattern, &codes, profiles, &is_there);
	for (unsigned ordinal = 1; !error && (ordinal == 1 || is_there); ordinal++) {
		if (!rank_file_pattern_of_process(pattern, sizeof(pattern), asked, &rank, ordinal))
			break;
		error = find_pattern(pattern, &codes, profiles, &is_there);
	}
	return error;
}

static void report_on(const struct left_profile *profile, const struct options *options, int status)
{
	const struct name_codes codes = {profile->pid, rank_find(options->rank_variable).rank, -1};
	char message[PATH_MAX + 128];
	struct session *session;
	struct log_file log;
	int error = session_open(&session, profile->path);

	if (error)
		return;
	/* Where the file cannot be had, it is stderr. */
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
	/* The program has become another user: files of other users are not read unasked. */
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

/* Finds the profiles of the programs that a process has become one after the other, by exec. */
static int find_in_tree(const char *tree, pid_t pid, struct left_profiles *profiles)
{
	char path[PATH_MAX];
	int error = 0;

	for (unsigned i = 1; !error; i++) {
		snprintf(path, sizeof(path), TREE_FILE, tree, (int)pid, i);
		error = left_profiles_add(profiles, path);
	}
	return error == -ENOMEM ? error : 0;
}

void remains_report(const struct options *options, const char *tree, const struct child *child,
		    int status)
{
	struct options own = *options;
	struct left_profiles profiles;
	int error = left_profiles_find(&profiles);

	remove_metrics(options, child->pid);
	own.only_process = child->pid;
	if (!error && options->export_profile)
		error = find_named(options, child->pid, &profiles);
	if (!error && tree)
		error = find_in_tree(tree, child->pid, &profiles);
	for (size_t i = 0; !error && i < profiles.count; i++) {
		const struct left_profile *profile = &profiles.of[i];

		if (profile->pid == child->pid && profile->started == child->started)
			settle(profile, &own, status);
	}
	left_profiles_free(&profiles);
}

/* How many processes are looked for in which a program goes on. */
#define DAEMONS_MOST 8
#define VARIABLE     "KTIME_OPTIONS="
/* A process that forks and ends while /proc is read hides its child from this pass, not from the
 * next. */
#define PASSES	     3
/* How often the processes are looked at, until nothing has changed for a number of looks. Looks are
 * counted, as a clock may stand still. */
#define LOOK_US	     10000
/* For a process that is still to leave the session, or that has. */
#define REST_LOOKS   10
/* The leader of a new session is the daemon, or forks it and ends. */
#define LEADER_LOOKS 50
/* The most looks, if the processes never come to rest. */
#define LOOKS_MOST   200

/* A process that the program left. */
struct left {
	pid_t pid, session;
	bool rests; /* else it may be on its way to fork, or to end, on a busy machine for long */
};

/* Whether the text has the option that launch.c adds for this program. */
static bool has_option(const char *text, const char *option)
{
	const char *at = strstr(text, option);

	return at && !isdigit((unsigned char)at[strlen(option)]);
}

static bool is_left_by(pid_t process, const char *option)
{
	FILE *file = process_open(process, "environ");
	char *text = NULL;
	size_t size = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getdelim(&text, &size, '\0', file) > 0)
		found = strncmp(text, VARIABLE, strlen(VARIABLE)) == 0 && has_option(text, option);
	free(text);
	fclose(file);
	return found;
}

/* Whether the process is still there. */
static bool look_at(pid_t process, struct left *left)
{
	FILE *file = process_open(process, "stat");
	char text[512], state, *name_end;
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	int session;

	if (file)
		fclose(file);
	text[length] = '\0';
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %c %*d %*d %d", &state, &session) != 2)
		return false;
	*left = (struct left){.pid = process, .session = session, .rests = strchr("STt", state)};
	return true;
}

static size_t find_once(const char *option, struct left all[DAEMONS_MOST])
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;
	pid_t process;

	while (processes && count < DAEMONS_MOST && (entry = readdir(processes))) {
		process = atoi(entry->d_name);
		if (process > 0 && is_left_by(process, option) && look_at(process, &all[count]))
			count++;
	}
	if (processes)
		closedir(processes);
	return count;
}

static size_t find_left(const char *option, struct left all[DAEMONS_MOST])
{
	size_t count = 0;

	for (unsigned pass = 0; count == 0 && pass < PASSES; pass++)
		count = find_once(option, all);
	return count;
}

/* How many looks in a row have to find the same processes; 0: these two looks did not, or some
 * process does not rest. */
static unsigned looks_needed(const struct left *now, const struct left *before, size_t count)
{
	unsigned needed = REST_LOOKS;

	for (size_t i = 0; i < count; i++) {
		if (now[i].pid != before[i].pid || now[i].session != before[i].session ||
		    !now[i].rests)
			return 0;
		if (now[i].session == now[i].pid)
			needed = LEADER_LOOKS;
	}
	return needed;
}

/* Looks at the processes until they have come to rest, or LOOKS_MOST times. Returns how many are
 * left. */
static size_t let_settle(const char *option, struct left now[DAEMONS_MOST], size_t count)
{
	struct left before[DAEMONS_MOST];
	unsigned same = 0, needed = REST_LOOKS;
	size_t count_before;

	for (unsigned looks = 0; count > 0 && looks < LOOKS_MOST && same < needed; looks++) {
		memcpy(before, now, sizeof(before));
		count_before = count;
		usleep(LOOK_US);
		count = find_left(option, now);
		needed = count == count_before ? looks_needed(now, before, count) : 0;
		same = needed ? same + 1 : 0;
		needed = needed ? needed : REST_LOOKS;
	}
	return count;
}

#define GOES_ON "the program goes on in the background, as process %d, where it is profiled: "

static void say_daemon(const struct options *options, pid_t program, pid_t daemon)
{
	const struct process_rank rank = rank_find(options->rank_variable);
	const struct name_codes codes = {daemon, rank.rank, -1};
	char message[PATH_MAX + 128], pattern[PATH_MAX], *path = NULL;
	struct log_file log;

	log_file_resolve(&log, options->log_file, &codes, message, sizeof(message));
	if (options->export_profile) {
		rank_file_pattern(pattern, sizeof(pattern), options->export_profile, &rank);
		path = filename_expand(pattern, &codes, message, sizeof(message));
	}
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

/*
 * The processes are found by what the command put into the program's environment. A process that
 * has a session of its own only to fork the daemon in it, as daemon(3) does, and to end is waited
 * for. It takes as long as reading /proc where there are none, 0.1 to 0.5 s where they have come to
 * rest, and 2 s at most.
 */
void remains_say_daemons(const struct options *options, const struct child *child)
{
	struct left left[DAEMONS_MOST] = {{0}};
	char option[32];
	size_t count;

	if (options->quiet)
		return;
	snprintf(option, sizeof(option), "--only-process %d", (int)child->pid);
	count = let_settle(option, left, find_left(option, left));
	for (size_t i = 0; i < count; i++)
		if (left[i].session != getsid(0))
			say_daemon(options, child->pid, left[i].pid);
}

/* Makes the folder for the processes' profiles. It is on disk, not in memory, as there may be many.
 */
char *tree_create(const struct options *options)
{
	const char *folder = getenv("TMPDIR");
	char *path;

	/* With -o the processes' profiles are kept where the user wants them. */
	if (!options->profile_children || options->export_profile)
		return NULL;
	if (asprintf(&path, "%s/ktime-tree.XXXXXX", folder && *folder == '/' ? folder : "/tmp") < 0)
		return NULL;
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

static int is_profile(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* The files in the order of their names; their number, or less than 0. */
static int list_files(const char *folder, char ***files)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_profile, versionsort);

	*files = count > 0 ? calloc((size_t)count, sizeof(**files)) : NULL;
	for (int i = 0; i < count; i++) {
		if (*files && asprintf(&(*files)[i], "%s/%s", folder, entries[i]->d_name) < 0)
			(*files)[i] = NULL;
		free(entries[i]);
	}
	free(entries);
	return *files ? count : -1;
}

static void write_summary(struct session *session, const struct options *asked)
{
	struct options options = *asked;
	char message[512];

	/* Every process has a line of its own. */
	options.slowest = session_header(session)->processes;
	options.print_gpu_trace = options.print_api_trace = false;
	if (show_session(session, "the processes", &options, true, message, sizeof(message)))
		log_file_say(getpid(), "%s; there is no summary over the processes", message);
}

void tree_report(const struct options *options, const char *folder)
{
	struct merge *merge = NULL;
	char **files;
	int count;

	if (!folder)
		return;
	count = list_files(folder, &files);
	if (count > 1 &&
	    !merge_files(&merge, NULL, false, false, (const char *const *)files, (size_t)count))
		write_summary(merge_session(merge), options);
	merge_free(merge);
	for (int i = 0; i < count; i++) {
		if (files[i])
			unlink(files[i]);
		free(files[i]);
	}
	free(files);
	rmdir(folder);
}
