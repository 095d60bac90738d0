/* SPDX-License-Identifier: MIT */
/* Merging files: what cannot be merged is named, and on a terminal a bar shows how far it is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/merge/merge.h"
#include "report/merge/progress.h"
#include "report/merge/read_ahead.h"
#include "report/names/visible.h"

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
		fputs("ktime: left out: ", stderr);
		visible_write(message, stderr);
		fputc('\n', stderr);
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

static int add_files(struct merge *merge, struct left_out *left, const char *const *paths,
		     size_t count)
{
	struct read_ahead *ahead;
	int error = read_ahead_start(&ahead, paths, count);

	for (size_t i = 0; i < count && !error; i++) {
		progress_show(&left->progress, i, count);
		error = add_profile(merge, left, read_ahead_next(ahead), paths[i]);
	}
	read_ahead_stop(ahead);
	progress_wipe(&left->progress);
	return error;
}

int merge_files(struct merge **merge, const char *output, bool whole_trace,
		const char *const *paths, size_t count)
{
	struct left_out left = {.progress = {.what = "Merging"}};
	int error = merge_start(merge, output, whole_trace);

	if (error) {
		fprintf(stderr, "ktime: %s: %s%s\n", output ? output : "merging", strerror(-error),
			error == -EEXIST ? " (-f replaces it)" : "");
		return error;
	}
	error = add_files(*merge, &left, paths, count);
	if (left.count > NAMED_MOST)
		fprintf(stderr, "ktime: left out: %zu more files\n", left.count - NAMED_MOST);
	if (!error && !session_header(merge_session(*merge))->processes) {
		fputs("ktime: no profile could be merged\n", stderr);
		error = -ENODATA;
	} else if (error) {
		fprintf(stderr, "ktime: %s: %s\n", output ? output : "merging", strerror(-error));
	}
	if (!error) {
		merge_finish(*merge);
		return 0;
	}
	merge_free(*merge);
	*merge = NULL;
	/* What merge_start() made. */
	if (output)
		unlink(output);
	return error;
}
