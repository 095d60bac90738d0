/* SPDX-License-Identifier: MIT */
/* What is told of profiles that are left, in which order, and where they are looked for. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/live/live.h"
#include "report/session/folder.h"
#include "tests/unit/test.h"

static char memory[64], disk[64];

BEFORE_EACH
{
	strcpy(memory, "/tmp/ktime-left-XXXXXX");
	strcpy(disk, "/tmp/ktime-left-XXXXXX");
	assert_non_null(mkdtemp(memory));
	assert_non_null(mkdtemp(disk));
	assert_int_equal(setenv("XDG_RUNTIME_DIR", memory, 1) || setenv("TMPDIR", disk, 1), 0);
}

AFTER_EACH
{
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("TMPDIR");
	assert_int_equal(rmdir(memory) || rmdir(disk), 0);
}

static char *leave(char path[128], const char *folder, const char *name, uint64_t since)
{
	struct session *session;
	struct session_header *header;

	snprintf(path, 128, "%s/%s", folder, name);
	assert_int_equal(session_create(&session, path, 0), 0);
	header = session_header(session);
	header->start_realtime = since;
	header->counters[COUNTER_wall_ns] = 7;
	header->owner.started++;
	header->devices[1].used = header->devices[63].used = 1;
	header->command = session_intern(session, "./app of a name");
	session_close(session);
	return path;
}

/* The profiles that lie in this test's folders. */
static size_t find_own(struct left_profiles *profiles, const struct left_profile *own[8])
{
	size_t count = 0;

	assert_int_equal(left_profiles_find(profiles), 0);
	for (size_t i = 0; i < profiles->count; i++)
		if (strncmp(profiles->of[i].path, memory, strlen(memory)) == 0 ||
		    strncmp(profiles->of[i].path, disk, strlen(disk)) == 0)
			own[count++] = &profiles->of[i];
	return count;
}

TEST(the_oldest_is_the_first_in_all_folders)
{
	const struct left_profile *own[8];
	struct left_profiles profiles;
	char path[5][128];

	leave(path[2], disk, "ktime.1", 500);
	leave(path[1], memory, "ktime.2.9", 400);
	leave(path[0], memory, "ktime.33", 300);
	/* As old as one another: by name. */
	leave(path[4], memory, "ktime.5", 600);
	leave(path[3], memory, "ktime.4", 600);
	assert_int_equal(find_own(&profiles, own), 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(own[i]->path, path[i]);
	left_profiles_free(&profiles);
	for (int i = 0; i < 5; i++)
		unlink(path[i]);
}

TEST(a_folder_of_two_names_is_looked_through_once)
{
	const struct left_profile *own[8];
	struct left_profiles profiles;
	char path[128], other[80];

	leave(path, memory, "ktime.1", 500);
	snprintf(other, sizeof(other), "%s/../%s", memory, strrchr(memory, '/') + 1);
	setenv("TMPDIR", other, 1);
	assert_int_equal(find_own(&profiles, own), 1);
	left_profiles_free(&profiles);
	/* Neither one that is not there, nor no name at all, is any harm. */
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(find_own(&profiles, own), 1);
	left_profiles_free(&profiles);
	setenv("TMPDIR", "", 1);
	assert_int_equal(find_own(&profiles, own), 1);
	left_profiles_free(&profiles);
	unlink(path);
}

TEST(names_that_are_no_profiles_are_passed_over)
{
	static const char *const names[] = {"ktime.",	 "ktime.x",	"ktime.1x", "ktime.1.",
					    "ktime.1.x", "ktime.1.2.3", "xktime.1", "ktime"};
	const struct left_profile *own[8];
	struct left_profiles profiles;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		leave(path, memory, names[i], 500);
		assert_int_equal(find_own(&profiles, own), 0);
		left_profiles_free(&profiles);
		unlink(path);
	}
	/* A name as it should be, and a link to elsewhere, or text. */
	leave(path, disk, "other", 500);
	snprintf(path, sizeof(path), "%s/ktime.1", memory);
	assert_int_equal(symlink("other", path), 0);
	assert_int_equal(find_own(&profiles, own), 0);
	left_profiles_free(&profiles);
	unlink(path);
	snprintf(path, sizeof(path), "%s/other", disk);
	unlink(path);
}

TEST(a_file_tells_all_of_itself)
{
	struct left_profiles profiles = {NULL, 0};
	struct session *session;
	char path[128], other[128];
	struct stat status;

	leave(path, memory, "any name", 500);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(left_profiles_add(&profiles, path), 0);
	assert_int_equal(profiles.count, 1);
	assert_string_equal(profiles.of->path, path);
	assert_string_equal(profiles.of->command, "./app of a name");
	assert_int_equal(profiles.of->pid, getpid());
	assert_int_equal(profiles.of->started, process_started(getpid()) + 1);
	assert_int_equal(profiles.of->since, 500);
	assert_int_equal(profiles.of->until, 507);
	assert_int_equal(profiles.of->bytes, status.st_size);
	assert_int_equal(profiles.of->user, geteuid());
	assert_true(profiles.of->devices == (2 | 1ull << 63));
	assert_int_equal(profiles.of->state, OWNER_ENDED);
	assert_false(profiles.of->reported);
	assert_false(profiles.of->kept);
	/* The next is added to it. */
	snprintf(other, sizeof(other), "%s/other", memory);
	assert_int_equal(session_create(&session, other, SESSION_KEPT), 0);
	session_header(session)->reported = 1;
	session_close(session);
	assert_int_equal(left_profiles_add(&profiles, other), 0);
	assert_int_equal(profiles.count, 2);
	assert_true(profiles.of[1].reported && profiles.of[1].kept);
	assert_string_equal(profiles.of[1].command, "");
	assert_int_equal(left_profiles_add(&profiles, "/nonexistent"), -ENOENT);
	assert_int_equal(left_profiles_add(&profiles, "/dev/null"), -EINVAL);
	assert_int_equal(profiles.count, 2);
	left_profiles_free(&profiles);
	unlink(path);
	unlink(other);
}

/* Under another name than those of all the folders a trace's profile lies on disk. */
TEST(traces_lie_on_disk)
{
	struct session *session;
	char path[128], expected[128];

	assert_int_equal(folder_create(&session, true, path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "%s/ktime.%d", disk, (int)getpid());
	assert_string_equal(path, expected);
	session_close(session);
	unlink(path);
	assert_int_equal(folder_create(&session, false, path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "%s/ktime.%d", memory, (int)getpid());
	assert_string_equal(path, expected);
	session_close(session);
	unlink(path);
}

/* This process's name in /tmp, which is everybody's: a killed process may have left a file of one
 * that had this number. */
static void name_in_tmp(char *expected, size_t size)
{
	snprintf(expected, size, "/tmp/ktime.%d", (int)getpid());
	unlink(expected);
}

TEST(where_the_folder_is_gone_another_is_taken)
{
	struct session *session;
	char path[128], expected[128];

	setenv("TMPDIR", "/nonexistent", 1);
	name_in_tmp(expected, sizeof(expected));
	assert_int_equal(folder_create(&session, true, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
	session_close(session);
	unlink(path);
	/* A path that is cut short is no path. */
	assert_int_equal(folder_create(&session, true, path, 8), -ENAMETOOLONG);
	assert_int_equal(folder_create(&session, true, path, strlen(expected)), -ENAMETOOLONG);
	assert_int_equal(folder_create(&session, true, path, strlen(expected) + 1), 0);
	session_close(session);
	unlink(expected);
}

TEST(names_run_out_after_64)
{
	struct session *sessions[64], *session;
	char path[128], expected[128];

	for (int i = 0; i < 64; i++)
		assert_int_equal(folder_create(&sessions[i], true, path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "%s/ktime.%d.64", disk, (int)getpid());
	assert_string_equal(path, expected);
	/* The other folder has one. */
	name_in_tmp(expected, sizeof(expected));
	assert_int_equal(folder_create(&session, true, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
	session_close(session);
	unlink(path);
	for (int i = 0; i < 64; i++) {
		session_close(sessions[i]);
		snprintf(path, sizeof(path), i ? "%s/ktime.%d.%d" : "%s/ktime.%d", disk,
			 (int)getpid(), i + 1);
		assert_int_equal(unlink(path), 0);
	}
}

/* What a command may not have: a folder, a device, and what a file of the name becomes. */
TEST(a_profile_replaces_files_alone)
{
	struct session *session;
	char path[128];
	pid_t holder = 5;

	assert_int_equal(folder_create_kept(&session, memory, false, true, &holder), -EISDIR);
	assert_int_equal(holder, 0);
	snprintf(path, sizeof(path), "%s/file", memory);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(folder_holder(path), 0);
	assert_int_equal(folder_create_kept(&session, path, false, false, &holder), -EEXIST);
	assert_int_equal(folder_create_kept(&session, path, false, true, &holder), 0);
	assert_int_equal(session_header(session)->kept, 1);
	session_close(session);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(folder_create_kept(&session, path, false, true, &holder), -EINVAL);
	unlink(path);
	assert_int_equal(folder_holder(path), 0);
}

TEST(programs_are_named_without_folder_and_arguments)
{
	static const struct {
		const char *command, *name;
	} programs[] = {{"./train --path a/b", "train"},
			{"/opt/bin/app", "app"},
			{"app x", "app"},
			{"", ""},
			{"dir/ x", ""},
			{"a\033b", "a?b"}};
	char name[16];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		processes_program(programs[i].command, name, sizeof(name));
		assert_string_equal(name, programs[i].name);
	}
	processes_program("an-application-of-a-long-name", name, 8);
	assert_string_equal(name, "an-appl");
}
