/* SPDX-License-Identifier: MIT */
/* Which calls of exec end the program, so that the report is made before, and that each is passed
 * on with its own arguments; and the actions of signals that a program sets by older functions. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/lifecycle.h"

/* Old programs call them all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

_Atomic int lifecycle_state = LIFECYCLE_RUNNING;
static unsigned finished;

void lifecycle_finish(void)
{
	finished++;
	errno = 99;
}

void lifecycle_say_unused(void)
{
}

void lifecycle_prepare_for_sandbox(void)
{
}

/* What came to the next function of that name, as text. */
static char passed[PATH_MAX + 200];

static void note(const char *function, const char *path, char *const argv[], char *const envp[])
{
	size_t length = (size_t)snprintf(passed, sizeof(passed), "%s %s", function, path);

	for (; *argv; argv++)
		length += (size_t)snprintf(passed + length, sizeof(passed) - length, " %s", *argv);
	if (envp == environ)
		snprintf(passed + length, sizeof(passed) - length, " own environment");
	else if (envp)
		snprintf(passed + length, sizeof(passed) - length, " with %s", *envp);
}

static int next_execve(const char *path, char *const argv[], char *const envp[])
{
	note("execve", path, argv, envp);
	return errno == 5 ? 11 : -11;
}

static int next_execv(const char *path, char *const argv[])
{
	note("execv", path, argv, NULL);
	return 12;
}

static int next_execvp(const char *file, char *const argv[])
{
	note("execvp", file, argv, NULL);
	return 13;
}

static int next_execvpe(const char *file, char *const argv[], char *const envp[])
{
	note("execvpe", file, argv, envp);
	return 14;
}

static int next_fexecve(int fd, char *const argv[], char *const envp[])
{
	note("fexecve", fd >= 0 ? "fd" : "none", argv, envp);
	return 15;
}

static int next_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	(void)signal;
	(void)action;
	(void)old;
	return 0;
}

static int interrupted;

static int next_siginterrupt(int signal, int interrupt)
{
	interrupted = interrupt;
	return signal == SIGKILL ? -1 : 0;
}

static sighandler_t answered;

#define NEXT_HANDLER(name)                                                                         \
	static sighandler_t next_##name(int signal, sighandler_t handler)                          \
	{                                                                                          \
		note(#name, strsignal(signal), (char *const[]){NULL}, NULL);                       \
		return handler == SIG_ERR ? SIG_ERR : answered;                                    \
	}
NEXT_HANDLER(signal)
NEXT_HANDLER(sysv_signal)
NEXT_HANDLER(sigset)

/* This libc has no execveat, and of the functions that set a handler three. */
void *next_symbol(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {{"execve", next_execve},   {"execv", next_execv},
			 {"execvp", next_execvp},   {"execvpe", next_execvpe},
			 {"fexecve", next_fexecve}, {"sigaction", next_sigaction},
			 {"signal", next_signal},   {"sysv_signal", next_sysv_signal},
			 {"sigset", next_sigset},   {"siginterrupt", next_siginterrupt}};

	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].function;
	return NULL;
}

static struct sigaction set;
static int set_signal;
static sighandler_t present = SIG_IGN;

int endings_set_action(int signal, const struct sigaction *action, struct sigaction *old,
		       int (*real)(int, const struct sigaction *, struct sigaction *))
{
	assert_ptr_equal(real, next_sigaction);
	set_signal = signal;
	set = action ? *action : (struct sigaction){.sa_handler = SIG_ERR};
	if (old)
		*old = (struct sigaction){.sa_handler = present};
	return signal == SIGKILL ? -1 : 0;
}

static char folder[] = "/tmp/ktime-exec-XXXXXX";
static char program[PATH_MAX], plain[PATH_MAX];

static void make_file(char *path, const char *name, mode_t mode)
{
	int file;

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	file = open(path, O_WRONLY | O_CREAT, mode);
	assert_true(file >= 0);
	close(file);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	make_file(program, "program", 0700);
	make_file(plain, "plain", 0600);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(program);
	unlink(plain);
	return rmdir(folder);
}

static int start(void **state)
{
	(void)state;
	finished = 0;
	passed[0] = '\0';
	errno = 5;
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	return 0;
}

static char *const arguments[] = {"one", "two", NULL}, *const environment[] = {"A=1", NULL};

/* Whether the report was made since the last question. */
static bool reported(void)
{
	bool made = finished == 1;

	assert_true(finished <= 1);
	finished = 0;
	return made;
}

static void a_file_that_may_be_executed_ends_the_program(void **state)
{
	char expected[PATH_MAX + 100];

	(void)state;
	assert_int_equal(execve(program, arguments, environment), 11);
	assert_true(reported());
	snprintf(expected, sizeof(expected), "execve %s one two with A=1", program);
	assert_string_equal(passed, expected);
	execve(plain, arguments, environment);
	assert_false(reported());
	execve(folder, arguments, environment);
	assert_false(reported());
	execve("/nowhere", arguments, environment);
	assert_false(reported());
	assert_int_equal(execv(program, arguments), 12);
	assert_true(reported());
	execv(plain, arguments);
	assert_false(reported());
	/* A process without a report passes through. */
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	execv(program, arguments);
	assert_false(reported());
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	execv(program, arguments);
	assert_true(reported());
}

static void a_name_is_looked_for_in_the_folders_of_path(void **state)
{
	char path[3 * PATH_MAX], *before = strdup(getenv("PATH"));

	(void)state;
	assert_int_equal(chdir("/"), 0);
	snprintf(path, sizeof(path), "/nowhere:%s:/", folder);
	setenv("PATH", path, 1);
	assert_int_equal(execvp("program", arguments), 13);
	assert_true(reported());
	assert_string_equal(passed, "execvp program one two");
	execvp("plain", arguments);
	assert_false(reported());
	assert_int_equal(execvpe("program", arguments, environment), 14);
	assert_true(reported());
	assert_string_equal(passed, "execvpe program one two with A=1");
	/* A name with a slash is a path, and none is nothing. */
	execvp(program, arguments);
	assert_true(reported());
	execvp("/program", arguments);
	assert_false(reported());
	execvp("", arguments);
	assert_false(reported());
	/* An empty folder is the current one. */
	setenv("PATH", "/nowhere:", 1);
	execvp("program", arguments);
	assert_false(reported());
	assert_int_equal(chdir(folder), 0);
	execvp("program", arguments);
	assert_true(reported());
	setenv("PATH", "", 1);
	execvp("program", arguments);
	assert_true(reported());
	setenv("PATH", "/nowhere", 1);
	execvp("program", arguments);
	assert_false(reported());
	/* As libc has it. */
	unsetenv("PATH");
	execvp("sh", arguments);
	assert_true(reported());
	execvp("program", arguments);
	assert_false(reported());
	/* A folder too long for a path is passed by. */
	memset(path, 'x', PATH_MAX);
	snprintf(path + PATH_MAX, sizeof(path) - PATH_MAX, ":%s", folder);
	setenv("PATH", path, 1);
	execvp("program", arguments);
	assert_true(reported());
	setenv("PATH", before, 1);
	free(before);
}

static void a_descriptor_of_a_file_ends_the_program(void **state)
{
	int file = open(program, O_RDONLY), directory = open(folder, O_RDONLY);

	(void)state;
	assert_int_equal(fexecve(file, arguments, environment), 15);
	assert_true(reported());
	assert_string_equal(passed, "fexecve fd one two with A=1");
	fexecve(directory, arguments, environment);
	assert_false(reported());
	fexecve(-1, arguments, environment);
	assert_false(reported());
	/* A function that libc does not have. */
	errno = 5;
	assert_int_equal(execveat(file, "", arguments, environment, AT_EMPTY_PATH), -1);
	assert_int_equal(errno, ENOSYS);
	assert_true(reported());
	execveat(directory, "program", arguments, environment, 0);
	assert_true(reported());
	execveat(directory, "program", arguments, environment, AT_EMPTY_PATH);
	assert_true(reported());
	execveat(directory, "plain", arguments, environment, 0);
	assert_false(reported());
	execveat(directory, "", arguments, environment, AT_EMPTY_PATH);
	assert_false(reported());
	execveat(file, "", arguments, environment, 0);
	assert_false(reported());
	close(file);
	close(directory);
}

static void lists_of_arguments_become_arrays(void **state)
{
	char expected[PATH_MAX + 100];

	(void)state;
	assert_int_equal(execl(program, "one", "two", "three", (char *)NULL), 11);
	assert_true(reported());
	snprintf(expected, sizeof(expected), "execve %s one two three own environment", program);
	assert_string_equal(passed, expected);
	errno = 5;
	assert_int_equal(execle(program, "one", (char *)NULL, environment), 11);
	snprintf(expected, sizeof(expected), "execve %s one with A=1", program);
	assert_string_equal(passed, expected);
	finished = 0;
	assert_int_equal(execlp("/nowhere", "one", "two", (char *)NULL), 14);
	assert_string_equal(passed, "execvpe /nowhere one two own environment");
	assert_false(reported());
}

static void handler(int signal)
{
	(void)signal;
}

static void own_handler(int signal)
{
	(void)signal;
}

sighandler_t endings_seen_handler(sighandler_t seen)
{
	return seen == own_handler ? SIG_DFL : seen;
}

extern sighandler_t bsd_signal(int signal, sighandler_t handler);

static void older_functions_are_libcs_and_leave_ktimes_default_action(void **state)
{
	(void)state;
	answered = own_handler;
	set_signal = 0;
	passed[0] = '\0';
	assert_ptr_equal(signal(SIGTERM, handler), SIG_DFL);
	assert_string_equal(passed, "signal Terminated");
	answered = handler;
	assert_ptr_equal(sysv_signal(SIGTERM, SIG_IGN), handler);
	assert_string_equal(passed, "sysv_signal Terminated");
	assert_int_equal(set_signal, 0);
	/* The action is another one than the default. */
	assert_ptr_equal(signal(SIGTERM, SIG_DFL), handler);
	assert_ptr_equal(set.sa_handler, SIG_ERR);
	present = SIG_DFL;
	assert_ptr_equal(sigset(SIGTERM, SIG_DFL), handler);
	assert_string_equal(passed, "sigset Terminated");
	assert_int_equal(set_signal, SIGTERM);
	assert_ptr_equal(set.sa_handler, SIG_DFL);
	assert_ptr_equal(signal(SIGTERM, SIG_ERR), SIG_ERR);
	assert_ptr_equal(bsd_signal(SIGTERM, SIG_DFL), SIG_ERR);
	assert_int_equal(errno, ENOSYS);
	set_signal = 0;
	assert_int_equal(siginterrupt(SIGKILL, 2), -1);
	assert_int_equal(set_signal, 0);
	assert_int_equal(siginterrupt(SIGHUP, 1), 0);
	assert_int_equal(interrupted, 1);
	assert_int_equal(set_signal, SIGHUP);
	assert_int_equal(sigaction(SIGINT, NULL, NULL), 0);
	assert_int_equal(set_signal, SIGINT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_file_that_may_be_executed_ends_the_program, start),
		cmocka_unit_test_setup(a_name_is_looked_for_in_the_folders_of_path, start),
		cmocka_unit_test_setup(a_descriptor_of_a_file_ends_the_program, start),
		cmocka_unit_test_setup(lists_of_arguments_become_arrays, start),
		cmocka_unit_test_setup(older_functions_are_libcs_and_leave_ktimes_default_action,
				       start),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
