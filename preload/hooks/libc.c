/* SPDX-License-Identifier: MIT */
/*
 * The functions of libc that libktime.so exports: the ways out of a process that run no handler,
 * exec and _exit, before which the report is made; what a program sets of its signals' actions; and
 * prctl, by which it says that it is about to sandbox itself.
 *
 * Each function is passed on as itself: libc's own reach one another by a way that no preload sees,
 * and other preloads have wrappers of these too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/atomics.h"
#include "preload/base/export.h"
#include "preload/base/lifecycle_state.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/lifecycle.h"

/*
 * Whether exec of a path can succeed; programs try one path after another. newfstatat is called by
 * number, as glibc has a function for it only since 2.33.
 */
static bool may_be_executed(int folder, const char *path)
{
	struct stat file;

	return path && faccessat(folder, path, X_OK, 0) == 0 &&
	       syscall(SYS_newfstatat, folder, path, &file, 0) == 0 && S_ISREG(file.st_mode);
}

static bool is_file(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
}

/*
 * Whether a file can be executed by a name without a slash in a folder of PATH; an empty folder is
 * the current one. Takes little stack, as the stack may be small, or the parent's after vfork.
 */
static bool is_in_folder(const char *folder, size_t length, const char *name)
{
	size_t size = length + 1 + strlen(name) + 1;
	char path[size <= PATH_MAX ? size : 1], *at = path;

	if (size > PATH_MAX)
		return false;
	if (length > 0) {
		at = mempcpy(at, folder, length);
		*at++ = '/';
	}
	strcpy(at, name);
	return may_be_executed(AT_FDCWD, path);
}

static bool may_be_found(const char *name)
{
	const char *folders = getenv("PATH"), *end;

	if (!name || !*name || strchr(name, '/'))
		return may_be_executed(AT_FDCWD, name);
	/* As libc has it. */
	folders = folders ? folders : "/bin:/usr/bin";
	for (;; folders = end + 1) {
		end = strchrnul(folders, ':');
		if (is_in_folder(folders, (size_t)(end - folders), name))
			return true;
		if (!*end)
			return false;
	}
}

#define EXEC_FUNCTIONS(X)                                                                          \
	X(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp),  \
	  may_be_executed(AT_FDCWD, path))                                                         \
	X(execv, (const char *path, char *const argv[]), (path, argv),                             \
	  may_be_executed(AT_FDCWD, path))                                                         \
	X(execvp, (const char *file, char *const argv[]), (file, argv), may_be_found(file))        \
	X(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp), \
	  may_be_found(file))                                                                      \
	X(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp),             \
	  is_file(fd))                                                                             \
	X(execveat, (int fd, const char *path, char *const argv[], char *const envp[], int flags), \
	  (fd, path, argv, envp, flags),                                                           \
	  (flags & AT_EMPTY_PATH && !*path) ? is_file(fd) : may_be_executed(fd, path))

#define HANDLER_FUNCTIONS(X)                                                                       \
	X(signal) X(bsd_signal) X(ssignal) X(sysv_signal) X(__sysv_signal) X(sigset)

#define FUNCTIONS(X)                                                                               \
	EXEC_FUNCTIONS(X)                                                                          \
	HANDLER_FUNCTIONS(X) X(_exit) X(_Exit) X(prctl) X(sigaction) X(siginterrupt)

enum function {
#define FUNCTION_ENUM(name, ...) FUNCTION_##name,
	FUNCTIONS(FUNCTION_ENUM)
#undef FUNCTION_ENUM
		FUNCTION_COUNT
};

static const char *const names[FUNCTION_COUNT] = {
#define FUNCTION_NAME(name, ...) #name,
	FUNCTIONS(FUNCTION_NAME)
#undef FUNCTION_NAME
};

static _Atomic uintptr_t real_functions[FUNCTION_COUNT];

/* NULL if it was not looked for yet: another library's constructor may come before ktime's. */
static void *known_function(enum function function)
{
	return (void *)load_relaxed(&real_functions[function]);
}

/* The function that comes next in the loader's order; NULL if libc has no such function. */
static void *real_function(enum function function)
{
	void *real = known_function(function);

	if (!real) {
		real = next_symbol(names[function]);
		store_relaxed(&real_functions[function], (uintptr_t)real);
	}
	return real;
}

/*
 * Finding a symbol takes the loader's lock: so before there can be a signal's handler, or a child
 * of fork, which must not ask the loader as another thread of the parent may have been in it.
 */
__attribute__((constructor)) static void find_functions(void)
{
	int saved_errno = errno;

	for (enum function function = 0; function < FUNCTION_COUNT; function++)
		real_function(function);
	dlerror(); /* of those that an older libc does not have */
	errno = saved_errno;
}

/*
 * Returns libc's function. If the call ends this program without running its exit handlers
 * (`ends`), the report is written first; not in a child of fork or vfork, which has another process
 * number than the parent whose state it shares.
 */
static void *pass_on(enum function function, bool ends)
{
	int saved_errno = errno;
	void *real = real_function(function);

	if (ends)
		lifecycle_finish();
	errno = real ? saved_errno : ENOSYS;
	return real;
}

#define EXEC(name, parameters, arguments, ends)                                                    \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		bool is_end = lifecycle_reports() && (ends);                                       \
		int(*real) parameters = (int(*) parameters)pass_on(FUNCTION_##name, is_end);       \
                                                                                                   \
		return real ? real arguments : -1;                                                 \
	}
EXEC_FUNCTIONS(EXEC)
#undef EXEC

static size_t count_arguments(const char *first, va_list *list)
{
	size_t count = 0;
	va_list copy;

	va_copy(copy, *list);
	for (const char *argument = first; argument; argument = va_arg(copy, const char *))
		count++;
	va_end(copy);
	return count;
}

typedef int exec_function(const char *path, char *const argv[], char *const envp[]);

/* Passes the arguments, `first` and those in `list`, on as an array. execle's environment follows
 * the NULL that ends them. */
static int pass_list(exec_function *pass, const char *path, const char *first, va_list *list,
		     bool environment_follows)
{
	size_t count = count_arguments(first, list);
	char *argv[count + 1];
	char *const *envp = environ;

	argv[0] = (char *)first;
	for (size_t i = 1; i <= count; i++)
		argv[i] = va_arg(*list, char *);
	if (environment_follows)
		envp = va_arg(*list, char *const *);
	return pass(path, argv, envp);
}

#define EXEC_LIST(name, pass, environment_follows)                                                 \
	EXPORT int name(const char *path, const char *first, ...)                                  \
	{                                                                                          \
		va_list list;                                                                      \
		int result;                                                                        \
                                                                                                   \
		va_start(list, first);                                                             \
		result = pass_list(pass, path, first, &list, environment_follows);                 \
		va_end(list);                                                                      \
		return result;                                                                     \
	}

EXEC_LIST(execl, execve, false)
EXEC_LIST(execle, execve, true)
EXEC_LIST(execlp, execvpe, false)

/* _exit runs no handlers: Python's os._exit and many a worker process end like that. */
static void leave(enum function function, int status) __attribute__((noreturn));
static void leave(enum function function, int status)
{
	void (*real)(int) = (void (*)(int))known_function(function);

	if (atomic_load(&launch_state.lifecycle) == LIFECYCLE_IDLE)
		lifecycle_say_unused();
	else
		lifecycle_finish();
	if (real)
		real(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status)
{
	leave(FUNCTION__exit, status);
}

EXPORT void _Exit(int status)
{
	leave(FUNCTION__Exit, status);
}

/*
 * Before a filter of system calls a program has to give up new privileges, unless it is privileged
 * itself. Afterwards what the report needs may be refused, or end the process.
 */
EXPORT int prctl(int option, ...)
{
	int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long) =
		(int (*)(int, unsigned long, unsigned long, unsigned long,
			 unsigned long))known_function(FUNCTION_prctl);
	unsigned long with[4];
	va_list arguments;

	va_start(arguments, option);
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		with[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		lifecycle_prepare_for_sandbox();
	if (!real)
		return (int)syscall(SYS_prctl, option, with[0], with[1], with[2], with[3]);
	return real(option, with[0], with[1], with[2], with[3]);
}

/* What a program asks and sets of its signals' actions: see endings_set_action(). */
EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return endings_set_action(signal, action, old,
				  (int (*)(int, const struct sigaction *,
					   struct sigaction *))real_function(FUNCTION_sigaction));
}

/* signal(), sigset() and the like call libc's sigaction, not ktime's: if one of them has set the
 * default action, or changed ktime's handler, sets ktime's handler again. */
static void renew(int signal)
{
	int saved_errno = errno;
	struct sigaction present;

	if (sigaction(signal, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
		sigaction(signal, &present, NULL);
	errno = saved_errno;
}

static sighandler_t set_handler(enum function function, int signal, sighandler_t handler)
{
	sighandler_t (*set)(int, sighandler_t) =
		(sighandler_t(*)(int, sighandler_t))real_function(function);
	sighandler_t old = set ? set(signal, handler) : SIG_ERR;

	if (!set)
		errno = ENOSYS;
	else if (handler == SIG_DFL && old != SIG_ERR)
		renew(signal);
	return endings_seen_handler(old);
}

#define SET_HANDLER(name)                                                                          \
	EXPORT sighandler_t name(int signal, sighandler_t handler);                                \
	sighandler_t name(int signal, sighandler_t handler)                                        \
	{                                                                                          \
		return set_handler(FUNCTION_##name, signal, handler);                              \
	}
HANDLER_FUNCTIONS(SET_HANDLER)

EXPORT int siginterrupt(int signal, int interrupt)
{
	int (*real)(int, int) = (int (*)(int, int))real_function(FUNCTION_siginterrupt);
	int result = real ? real(signal, interrupt) : -1;

	if (result == 0)
		renew(signal);
	return result;
}
