/* SPDX-License-Identifier: MIT */
/* Profiles get names of their own, are found again, and are swept when nobody needs them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/session/folder.h"
#include "tests/unit/one_folder.h"

#define HOUR_NS (3600 * 1000000000ULL)

BEFORE_EACH
{
	assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
}

AFTER_EACH
{
	unsetenv("XDG_RUNTIME_DIR");
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static const char *path_of(char *path, size_t size, const char *suffix)
{
	snprintf(path, size, "%s/ktime.%d%s", folder, (int)getpid(), suffix);
	return path;
}

/* A profile that was begun `hours` hours ago and written for one hour. */
static void leave_profile(const char *path, unsigned hours, unsigned flags,
			  void (*change)(struct session_header *))
{
	struct session *session;

	assert_int_equal(session_create(&session, path, flags), 0);
	session_header(session)->start_realtime = now() - hours * HOUR_NS;
	session_header(session)->counters[COUNTER_wall_ns] = HOUR_NS;
	if (change)
		change(session_header(session));
	session_close(session);
}

static void of_another_start(struct session_header *header)
{
	header->owner.started++;
}

static void of_another_boot(struct session_header *header)
{
	header->owner.boot[0] ^= 1;
}

static void of_another_container(struct session_header *header)
{
	header->owner.pid_namespace++;
}

TEST(a_name_that_is_taken_is_left_alone)
{
	struct session *sessions[3];
	char path[128], expected[128];
	static const char *const suffixes[] = {"", ".2", ".3"};

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(folder_create(&sessions[i], false, path, sizeof(path)), 0);
		assert_string_equal(path, path_of(expected, sizeof(expected), suffixes[i]));
	}
	for (unsigned i = 0; i < 3; i++) {
		session_close(sessions[i]);
		assert_int_equal(unlink(path_of(path, sizeof(path), suffixes[i])), 0);
	}
}

TEST(only_what_nobody_needs_is_swept)
{
	static const struct {
		unsigned hours, flags;
		void (*change)(struct session_header *);
		bool swept;
	} cases[] = {
		{48, 0, of_another_start, true},
		{48, 0, of_another_boot, true},
		/* Its process runs, or may in another container. */
		{48, 0, NULL, false},
		{48, 0, of_another_container, false},
		/* Its last hour ended less than a day ago. */
		{24, 0, of_another_start, false},
		{26, 0, of_another_start, true},
		{48, SESSION_KEPT, of_another_start, false},
	};
	char path[128], made[128];
	struct session *session;

	snprintf(path, sizeof(path), "%s/ktime.1", folder);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		leave_profile(path, cases[i].hours, cases[i].flags, cases[i].change);
		assert_int_equal(folder_create(&session, false, made, sizeof(made)), 0);
		session_close(session);
		assert_int_equal(unlink(made), 0);
		assert_int_equal(access(path, F_OK), cases[i].swept ? -1 : 0);
		unlink(path);
	}
}

TEST(what_is_no_profile_is_not_swept)
{
	static const char *const names[] = {"ktime.1", "ktime.1.old", "other"};
	char path[128], made[128];
	struct session *session;
	struct stat status;
	int fd;

	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (i == 0) {
			fd = open(path, O_CREAT | O_WRONLY, 0600);
			assert_int_equal(write(fd, "text", 4), 4);
			close(fd);
		} else {
			leave_profile(path, 48, 0, of_another_start);
		}
		assert_int_equal(folder_create(&session, false, made, sizeof(made)), 0);
		session_close(session);
		assert_int_equal(unlink(made), 0);
		assert_int_equal(stat(path, &status), 0);
		unlink(path);
	}
}

static const struct left_profile *find(const struct left_profiles *profiles, const char *path)
{
	for (size_t i = 0; i < profiles->count; i++)
		if (strcmp(profiles->of[i].path, path) == 0)
			return &profiles->of[i];
	return NULL;
}

TEST(profiles_are_found_with_their_state)
{
	char own[2][32];
	const struct {
		const char *name;
		void (*change)(struct session_header *);
		enum owner_state state;
	} cases[] = {
		{own[0], NULL, OWNER_RUNS},
		{own[1], NULL, OWNER_RUNS},
		{"ktime.1", NULL, OWNER_UNKNOWN}, /* a copy */
		{"ktime.2", of_another_start, OWNER_ENDED},
		{"ktime.3.7", of_another_boot, OWNER_ENDED},
		{"ktime.4", of_another_container, OWNER_UNKNOWN},
	};
	struct left_profiles profiles;
	char path[128];

	snprintf(own[0], sizeof(own[0]), "ktime.%d", (int)getpid());
	snprintf(own[1], sizeof(own[1]), "ktime.%d.2", (int)getpid());
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, cases[i].name);
		leave_profile(path, 2, 0, cases[i].change);
	}
	assert_int_equal(left_profiles_find(&profiles), 0);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct left_profile *profile;

		snprintf(path, sizeof(path), "%s/%s", folder, cases[i].name);
		profile = find(&profiles, path);
		assert_non_null(profile);
		assert_int_equal(profile->state, cases[i].state);
		assert_int_equal(profile->pid, getpid());
		assert_int_equal(profile->user, geteuid());
		assert_int_equal(profile->until - profile->since, HOUR_NS);
		assert_false(profile->reported);
		unlink(path);
	}
	left_profiles_free(&profiles);
}

/* As anybody can say. */
TEST(a_file_of_another_user_is_of_no_process_of_this_one)
{
	struct left_profiles profiles = {NULL, 0};
	char path[128];

	if (geteuid() != 0)
		skip();
	snprintf(path, sizeof(path), "%s/ktime.%d", folder, (int)getpid());
	leave_profile(path, 2, 0, NULL);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(left_profiles_add(&profiles, path), 0);
	assert_int_equal(profiles.of[0].state, OWNER_UNKNOWN);
	left_profiles_free(&profiles);
	unlink(path);
}

TEST(a_name_in_use_is_not_overwritten)
{
	struct session *session;
	char path[128];
	pid_t holder;

	snprintf(path, sizeof(path), "%s/kept", folder);
	for (int overwrite = 0; overwrite < 2; overwrite++) {
		leave_profile(path, 1, SESSION_KEPT, NULL);
		assert_int_equal(folder_holder(path), getpid());
		assert_int_equal(folder_create_kept(&session, path, false, overwrite, &holder),
				 -EBUSY);
		assert_int_equal(holder, getpid());
		unlink(path);
		leave_profile(path, 1, SESSION_KEPT, of_another_start);
		assert_int_equal(folder_holder(path), 0);
		assert_int_equal(folder_create_kept(&session, path, false, overwrite, &holder),
				 overwrite ? 0 : -EEXIST);
		session_close(session);
		unlink(path);
	}
}
