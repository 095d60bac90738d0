/* SPDX-License-Identifier: MIT */
#include "report/merge/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "report/names/visible.h"
#include "report/session/files.h"

#define BAR_WIDTH 40

void progress_wipe(struct progress *progress)
{
	if (progress->bar)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 60, "");
	progress->bar = false;
}

void progress_show(struct progress *progress, uint64_t done, uint64_t count)
{
	int full;

	/* Not more often than it changes. */
	if (done < progress->next)
		return;
	progress->next = done + count / BAR_WIDTH;
	if (count < BAR_WIDTH || count < progress->least || !isatty(STDERR_FILENO))
		return;
	full = (int)((double)done / (double)count * BAR_WIDTH);
	fprintf(stderr, "\r%s [%.*s%*s] %" PRIu64 " of %" PRIu64, progress->what, full,
		"########################################", BAR_WIDTH - full, "", done, count);
	fflush(stderr);
	progress->bar = true;
}

static void *open_next(void *argument)
{
	struct read_ahead *ahead = argument;
	struct read_profile *profile = &ahead->profiles[ahead->next % 2];

	session_close(profile->session);
	session_load(&profile->session, ahead->paths[ahead->next], profile->message,
		     sizeof(profile->message));
	return NULL;
}

static void wait_for_thread(struct read_ahead *ahead)
{
	if (ahead->has_thread)
		pthread_join(ahead->thread, NULL);
	ahead->has_thread = false;
}

const struct read_profile *read_ahead_next(struct read_ahead *ahead)
{
	struct read_profile *profile = &ahead->profiles[ahead->next % 2];

	if (ahead->next == ahead->count)
		return NULL;
	if (ahead->has_thread)
		wait_for_thread(ahead);
	else
		open_next(ahead);
	ahead->next++;
	ahead->has_thread = ahead->next < ahead->count &&
			    pthread_create(&ahead->thread, NULL, open_next, ahead) == 0;
	return profile;
}

void read_ahead_stop(struct read_ahead *ahead)
{
	wait_for_thread(ahead);
	session_close(ahead->profiles[0].session);
	session_close(ahead->profiles[1].session);
}

/* Of more files that are left out only the number is told. Chosen. */
#define NAMED_MOST 20

struct left_out {
	size_t count;
	struct progress progress;
};

static void leave_out(struct merge *merge, struct left_out *left, const char *message)
{
	progress_wipe(&left->progress);
	if (left->count < NAMED_MOST) {
		visible_line(stderr, "ktime: left out: %s", message);
		session_note(merge_session(merge), "Left out: %s.", message);
	}
	left->count++;
}

/* Adds a file's profile, or leaves it out; an error is of the merged profile. */
static int add_profile(struct merge *merge, struct left_out *left,
		       const struct read_profile *profile, const char *path)
{
	char message[512], reason[128];
	int error;

	if (!profile->session) {
		leave_out(merge, left, profile->message);
		return 0;
	}
	error = merge_add(merge, profile->session, reason, sizeof(reason));
	if (error != -EXDEV)
		return error;
	snprintf(message, sizeof(message), "%.380s: %s", path, reason);
	leave_out(merge, left, message);
	return 0;
}

static int add_files(struct merge *merge, const char *const *paths, size_t count)
{
	struct left_out left = {.progress = {.what = "Merging"}};
	struct read_ahead ahead = {.paths = paths, .count = count};
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		progress_show(&left.progress, i, count);
		error = add_profile(merge, &left, read_ahead_next(&ahead), paths[i]);
	}
	read_ahead_stop(&ahead);
	progress_wipe(&left.progress);
	if (left.count > NAMED_MOST)
		visible_line(stderr, "ktime: left out: %zu more files", left.count - NAMED_MOST);
	if (!error && !session_header(merge_session(merge))->processes)
		error = -ENODATA;
	if (!error)
		merge_finish(merge);
	return error;
}

int merge_files(struct merge **merge, const char *output, bool overwrite, bool whole_trace,
		const char *const *paths, size_t count)
{
	struct new_file place = {.path = NULL};
	int error = 0, fd;

	*merge = NULL;
	if (output) {
		fd = new_file_open(&place, output,
				   NEW_FILE_PROFILE | (overwrite ? NEW_FILE_REPLACES : 0), 0600);
		if (fd < 0)
			error = fd;
		else
			close(fd);
	}
	if (!error)
		error = merge_start(merge, place.temporary, whole_trace);
	if (!error)
		error = add_files(*merge, paths, count);
	if (!error && output)
		error = session_kept(merge_session(*merge));
	if (!error && output)
		error = new_file_place(&place);
	new_file_abandon(&place);
	if (!error)
		return 0;
	if (error == -ENODATA)
		fputs("ktime: no profile could be merged\n", stderr);
	else
		visible_line(stderr, "ktime: %s: %s", output ? output : "merging",
			     new_file_error(error));
	merge_free(*merge);
	*merge = NULL;
	return error;
}
