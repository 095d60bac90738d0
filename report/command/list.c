/* SPDX-License-Identifier: MIT */
/* Profiles that programs left behind: `ktime list`, `ktime clean`. */
#include "report/command/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/live/live.h"
#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/session/folder.h"

/* "0,2,3" */
static const char *device_list(uint64_t devices, char *text, size_t size)
{
	size_t length = 0;

	snprintf(text, size, "-");
	for (unsigned i = 0; i < SESSION_DEVICES && length < size; i++)
		if (devices >> i & 1)
			length += (size_t)snprintf(text + length, size - length, "%s%u",
						   length ? "," : "", i);
	return text;
}

static void write_line(const struct left_profile *profile, FILE *file)
{
	static const char *const states[] = {"running", "ended", "unknown"};
	time_t seconds = (time_t)(profile->since / 1000000000u);
	char since[32] = "-", number[16], size[NUMBER_SIZE], devices[3 * SESSION_DEVICES];
	struct tm date;

	if (profile->since && localtime_r(&seconds, &date))
		strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", &date);
	fprintf(file, "%7d  %-8s  %-19s  %8s  %-7s  %-3s  ", (int)profile->pid,
		processes_user(profile->user, number, sizeof(number)), since,
		number_size(size, profile->bytes), states[profile->state],
		device_list(profile->devices, devices, sizeof(devices)));
	visible_write(profile->path, file);
	fputs("  ", file);
	visible_write(profile->command, file);
	fputc('\n', file);
}

int list_write(bool left_only, FILE *file)
{
	struct left_profiles profiles;
	int count = 0, error = left_profiles_find(&profiles);

	if (error)
		return error;
	for (size_t i = 0; i < profiles.count && count < INT_MAX; i++) {
		if (left_only && (profiles.of[i].state == OWNER_RUNS || profiles.of[i].reported))
			continue;
		if (count++ == 0)
			fprintf(file, "%7s  %-8s  %-19s  %8s  %-7s  %-3s  %s  %s\n", "PID", "User",
				"Since", "Size", "State", "GPU", "File", "Command");
		write_line(&profiles.of[i], file);
	}
	left_profiles_free(&profiles);
	return count;
}

int command_list(const struct options *options, const char *const *files, size_t files_count)
{
	int count = list_write(false, stdout);

	(void)options;
	(void)files;
	(void)files_count;
	if (count < 0)
		return visible_fail(EXIT_FAILURE, "ktime: %s", strerror(-count));
	if (count == 0)
		puts("No profiles.");
	return EXIT_SUCCESS;
}

int command_clean(const struct options *options, const char *const *files, size_t files_count)
{
	struct left_profiles profiles = {NULL, 0};
	size_t removed = 0;
	int status = EXIT_SUCCESS, error;

	(void)options;
	/* All profiles, or those of the files that are named. */
	error = files_count ? 0 : left_profiles_find(&profiles);
	for (size_t i = 0; i < files_count && !error; i++) {
		error = left_profiles_add(&profiles, files[i]);
		if (error)
			visible_line(stderr, "ktime: %s: %s", files[i],
				     error == -EINVAL ? "no profile" : strerror(-error));
	}
	if (error)
		status = EXIT_FAILURE;
	for (size_t i = 0; i < profiles.count; i++) {
		const struct left_profile *profile = &profiles.of[i];

		if (profile->state != OWNER_ENDED || profile->kept)
			continue;
		if (unlink(profile->path) < 0) {
			visible_line(stderr, "ktime: %s: %s", profile->path, strerror(errno));
			status = EXIT_FAILURE;
			continue;
		}
		removed++;
		visible_line(stdout, "removed %s", profile->path);
	}
	if (removed == 0 && status == EXIT_SUCCESS)
		puts("No profile of a program that has ended.");
	left_profiles_free(&profiles);
	return status;
}
