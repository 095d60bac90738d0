/* SPDX-License-Identifier: MIT */
/* Whether the process that wrote a profile still runs, by more than its number. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/session/owner.h"
#include "tests/unit/test.h"

static struct session_header header;

BEFORE_EACH
{
	header = (struct session_header){.pid = getpid()};
	owner_of_this_process(&header.owner);
}

TEST(a_process_is_known_by_boot_namespace_and_start)
{
	const struct session_owner owner = header.owner;

	assert_int_equal(strlen(owner.boot), 36);
	assert_true(owner.started > 0 && owner.pid_namespace > 0);
	assert_int_equal(owner.started, process_started(getpid()));
	assert_int_equal(owner_state(&header), OWNER_RUNS);
	/* Another process of that number. */
	header.owner.started++;
	assert_int_equal(owner_state(&header), OWNER_ENDED);
	header.owner = owner;
	header.owner.boot[0] ^= 1;
	assert_int_equal(owner_state(&header), OWNER_ENDED);
	header.owner = owner;
	header.owner.pid_namespace++;
	assert_int_equal(owner_state(&header), OWNER_UNKNOWN);
	header.owner = owner;
	header.owner.started = 0;
	assert_int_equal(owner_state(&header), OWNER_UNKNOWN);
	header.owner = owner;
	header.owner.boot[0] = '\0';
	assert_int_equal(owner_state(&header), OWNER_UNKNOWN);
	header.owner = owner;
	header.owner.pid_namespace = 0;
	assert_int_equal(owner_state(&header), OWNER_UNKNOWN);
}

TEST(one_that_ended_is_told)
{
	pid_t child = fork();
	siginfo_t ending;

	assert_true(child >= 0);
	if (child == 0) {
		pause();
		_exit(0);
	}
	header.pid = child;
	header.owner.started = process_started(child);
	assert_true(header.owner.started >= process_started(getpid()));
	assert_int_equal(owner_state(&header), OWNER_RUNS);
	kill(child, SIGKILL);
	/* A zombie, as one stays whose parent never asks, and then gone. */
	assert_int_equal(waitid(P_PID, (id_t)child, &ending, WEXITED | WNOWAIT), 0);
	assert_int_equal(process_started(child), header.owner.started);
	assert_int_equal(owner_state(&header), OWNER_ENDED);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(process_started(child), 0);
	assert_int_equal(owner_state(&header), OWNER_ENDED);
}

static void *outlive_the_first_thread(void *pipe_end)
{
	char byte;

	/* Ends with the test, which has the other end. */
	_exit((int)read(*(int *)pipe_end, &byte, 1));
}

TEST(one_whose_first_thread_alone_has_ended_runs)
{
	char line[64] = "";
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		pthread_t thread;

		close(ends[1]);
		if (pthread_create(&thread, NULL, outlive_the_first_thread, &ends[0]) != 0)
			_exit(2);
		pthread_exit(NULL);
	}
	close(ends[0]);
	header.pid = child;
	header.owner.started = process_started(child);
	for (unsigned waited = 0; waited < 60000 && !strstr(line, "Z (zombie)"); waited++) {
		FILE *file = process_open(child, "status");

		while (file && fgets(line, sizeof(line), file) && strncmp(line, "State:", 6) != 0)
			;
		if (file)
			fclose(file);
		poll(NULL, 0, 1);
	}
	assert_non_null(strstr(line, "Z (zombie)"));
	assert_int_equal(owner_state(&header), OWNER_RUNS);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(owner_state(&header), OWNER_ENDED);
}

/* A program may have closed its standard input: the next file gets its number. */
TEST(a_closed_standard_input_changes_nothing)
{
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 3);
	struct session_owner owner;

	close(0);
	owner_of_this_process(&owner);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (saved >= 0) {
		assert_int_equal(dup2(saved, 0), 0);
		close(saved);
	}
	assert_memory_equal(&owner, &header.owner, sizeof(owner));
}
