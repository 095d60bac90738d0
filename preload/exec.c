/* SPDX-License-Identifier: MIT */
/*
 * exec: another program takes over the process, and no handler of this one's runs. The report is
 * made before. A child of fork or vfork, which has the parent's state and another process number,
 * goes through untouched.
 *
 * Each function is passed on as itself: libc's own reach execve by a way that no preload sees, and
 * other preloads have wrappers of these too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "preload/control.h"
#include "preload/export.h"
#include "preload/lookup.h"

/*
 * A program may try one path after another until one is there. A file without a slash is searched
 * for by libc, and will as a rule be found.
 */
static bool may_be_executed(const char *path)
{
	return path && (!strchr(path, '/') || access(path, X_OK) == 0);
}

/* What is next in the loader's order, after the report where this program comes to its end. */
static void *pass_on(_Atomic uintptr_t *cell, const char *name, bool ends)
{
	uintptr_t real = atomic_load_explicit(cell, memory_order_relaxed);
	int saved_errno = errno;

	if (!real) {
		real = (uintptr_t)next_symbol(name);
		atomic_store_explicit(cell, real, memory_order_relaxed);
	}
	if (ends)
		control_finish();
	errno = real ? saved_errno : ENOSYS;
	return (void *)real;
}

#define EXEC(name, parameters, arguments, ends)                                                    \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		static _Atomic uintptr_t cell;                                                     \
		bool is_end = control_running() && (ends);                                         \
		int(*real) parameters = (int(*) parameters)pass_on(&cell, #name, is_end);          \
                                                                                                   \
		return real ? real arguments : -1;                                                 \
	}

EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp),
     may_be_executed(path))
EXEC(execv, (const char *path, char *const argv[]), (path, argv), may_be_executed(path))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv), may_be_executed(file))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp),
     may_be_executed(file))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp), true)
EXEC(execveat, (int fd, const char *path, char *const argv[], char *const envp[], int flags),
     (fd, path, argv, envp, flags), flags &AT_EMPTY_PATH || faccessat(fd, path, X_OK, 0) == 0)

static size_t count_arguments(const char *first, va_list *list)
{
	size_t count = 0;

	for (const char *argument = first; argument; argument = va_arg(*list, const char *))
		count++;
	return count;
}

typedef int exec_function(const char *path, char *const argv[], char *const envp[]);

/* Both lists stand behind `first`. execle's environment comes after the NULL that ends them. */
static int pass_list(exec_function *pass, const char *path, const char *first, va_list *list,
		     va_list *again, bool environment_follows)
{
	size_t count = count_arguments(first, list);
	char *argv[count + 1];
	char *const *envp = environ;

	argv[0] = (char *)first;
	for (size_t i = 1; i <= count; i++)
		argv[i] = va_arg(*again, char *);
	if (environment_follows)
		envp = va_arg(*again, char *const *);
	return pass(path, argv, envp);
}

#define EXEC_LIST(name, pass, environment_follows)                                                 \
	EXPORT int name(const char *path, const char *first, ...)                                  \
	{                                                                                          \
		va_list list, again;                                                               \
		int result;                                                                        \
                                                                                                   \
		va_start(list, first);                                                             \
		va_copy(again, list);                                                              \
		result = pass_list(pass, path, first, &list, &again, environment_follows);         \
		va_end(again);                                                                     \
		va_end(list);                                                                      \
		return result;                                                                     \
	}

EXEC_LIST(execl, execve, false)
EXEC_LIST(execle, execve, true)
EXEC_LIST(execlp, execvpe, false)
