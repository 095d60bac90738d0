/* SPDX-License-Identifier: MIT */
/* Profiles come in the order of their files, opened ahead by one, and what cannot be is told. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "report/merge/merge.h"
#include "tests/unit/one_folder.h"

#define FILES 5

static char paths[FILES][64];
static const char *names[FILES];
static struct read_ahead ahead;
static bool refuses_threads;

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
							  const pthread_attr_t *attributes,
							  void *(*function)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
			RTLD_NEXT, "pthread_create");

	return refuses_threads ? EAGAIN : next(thread, attributes, function, argument);
}

BEFORE_EACH
{
	for (int i = 0; i < FILES; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%d", folder, i);
		names[i] = paths[i];
	}
}

AFTER_EACH
{
	refuses_threads = false;
	for (int i = 0; i < FILES; i++)
		unlink(paths[i]);
}

static void profile(int number, unsigned rows)
{
	struct session *session;

	assert_int_equal(session_create(&session, paths[number], SESSION_KEPT), 0);
	for (unsigned i = 0; i < rows; i++) {
		char name[32];
		struct row *row;

		snprintf(name, sizeof(name), "kernel%u", i);
		row = session_row(session, ROW_KERNEL, name, 0);
		row->calls = 1;
		session_add_sample(session, &row->cupti, 1000 + i);
	}
	session_header(session)->pid = 100 + number;
	session_header(session)->cupti_active = session_header(session)->finished = 1;
	session_close(session);
}

static void each_file_in_its_turn(void)
{
	const struct read_profile *read;
	char expected[128];

	profile(0, 3);
	profile(1, 3);
	profile(3, 3);
	assert_int_equal(truncate(paths[3], 100000), 0);
	ahead = (struct read_ahead){.paths = names, .count = FILES};
	for (int i = 0; i < FILES; i++) {
		read = read_ahead_next(&ahead);
		assert_non_null(read);
		if (i == 3) {
			assert_null(read->session);
			snprintf(expected, sizeof(expected),
				 "%s: a ktime profile that is cut short", paths[3]);
			assert_string_equal(read->message, expected);
			continue;
		}
		assert_non_null(read->session);
		assert_int_equal(session_header(read->session)->pid, 100 + i);
		/* Not opened before its place is free: that of the file before the one before. */
		if (i == 0)
			profile(2, 3);
		if (i == 2)
			profile(4, 3);
	}
	assert_null(read_ahead_next(&ahead));
	assert_null(read_ahead_next(&ahead));
	read_ahead_stop(&ahead);
}

TEST(profiles_come_in_the_order_of_their_files)
{
	each_file_in_its_turn();
}

TEST(without_a_thread_they_come_too)
{
	refuses_threads = true;
	each_file_in_its_turn();
}

/* Memory that is left behind is found at the end of the program, a thread that waits by this one,
 * and an address range that is, since few are covered, by the file that is cut. */
TEST(it_ends_whenever_it_is_stopped)
{
	for (int i = 0; i < FILES; i++)
		profile(i, 3);
	for (int asked = 0; asked <= FILES; asked++) {
		ahead = (struct read_ahead){.paths = names, .count = FILES};
		for (int i = 0; i < asked; i++)
			assert_non_null(read_ahead_next(&ahead));
		read_ahead_stop(&ahead);
	}
	ahead = (struct read_ahead){.paths = names, .count = 0};
	assert_null(read_ahead_next(&ahead));
	read_ahead_stop(&ahead);
}

static void handle_fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	if (session_fault(information->si_addr))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

TEST(a_file_may_be_cut_while_it_is_added_up)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	const struct read_profile *read;
	struct merge *merge;
	char message[128];
	struct row *row;
	size_t rows = 0;

	action.sa_sigaction = handle_fault;
	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
	for (int i = 0; i < FILES; i++)
		profile(i, 100);
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	ahead = (struct read_ahead){.paths = names, .count = FILES};
	for (int i = 0; i < FILES; i++) {
		read = read_ahead_next(&ahead);
		assert_non_null(read->session);
		assert_int_equal(truncate(paths[i], 0), 0);
		assert_int_equal(merge_add(merge, read->session, message, sizeof(message)), 0);
	}
	read_ahead_stop(&ahead);
	/* Rows are read when a file is opened; histograms, as they are added up, are lost. */
	session_for_each_row (merge_session(merge), row) {
		assert_int_equal(row->cupti.count, FILES);
		assert_int_equal(histogram_count(session_histogram(merge_session(merge),
								   row->cupti.histogram)),
				 0);
		rows++;
	}
	assert_int_equal(rows, 100);
	merge_free(merge);
}
