/* SPDX-License-Identifier: MIT */
/* Whether the process that wrote a profile still runs, by more than its number. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/session/owner.h"

static struct session_header header;

static int start(void **state)
{
	(void)state;
	header = (struct session_header){.pid = getpid()};
	owner_of_this_process(&header.owner);
	return 0;
}

static void a_process_is_known_by_boot_namespace_and_start(void **state)
{
	const struct session_owner owner = header.owner;

	(void)state;
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

static void one_that_ended_is_told(void **state)
{
	pid_t child = fork();

	(void)state;
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
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(process_started(child), 0);
	assert_int_equal(owner_state(&header), OWNER_ENDED);
}

/* A program may have closed its standard input: the next file gets its number. */
static void a_closed_standard_input_changes_nothing(void **state)
{
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 3);
	struct session_owner owner;

	(void)state;
	close(0);
	owner_of_this_process(&owner);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (saved >= 0) {
		assert_int_equal(dup2(saved, 0), 0);
		close(saved);
	}
	assert_memory_equal(&owner, &header.owner, sizeof(owner));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, start)
	const struct CMUnitTest tests[] = {
		TEST(a_process_is_known_by_boot_namespace_and_start),
		TEST(one_that_ended_is_told),
		TEST(a_closed_standard_input_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
