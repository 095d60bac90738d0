/* SPDX-License-Identifier: MIT */
/*
 * exec: another program takes over the process, and no handler of this one's runs. The report is
 * made before. A child of fork or vfork, which has the parent's state and another process number,
 * goes through untouched.
 *
 * Each function is passed on as itself: libc's own reach execve by a way that no preload sees, and
 * other preloads have wrappers of these too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/export.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/lifecycle.h"

/*
 * A program may try one path after another until one is there. The system call is made by itself
 * for glibc's function is of 2.33.
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
 * A name without a slash is in one of PATH's folders, of which an empty one is the current. Only as
 * much stack as the path needs: it may be a child's of vfork, or a small one.
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

enum function {
#define FUNCTION_ENUM(name, parameters, arguments, ends) FUNCTION_##name,
	EXEC_FUNCTIONS(FUNCTION_ENUM)
#undef FUNCTION_ENUM
		FUNCTION_COUNT
};

static const char *const names[FUNCTION_COUNT] = {
#define FUNCTION_NAME(name, parameters, arguments, ends) #name,
	EXEC_FUNCTIONS(FUNCTION_NAME)
#undef FUNCTION_NAME
};

static _Atomic uintptr_t real_functions[FUNCTION_COUNT];

static void *real_function(enum function function)
{
	uintptr_t real = atomic_load_explicit(&real_functions[function], memory_order_relaxed);

	if (!real) {
		real = (uintptr_t)next_symbol(names[function]);
		atomic_store_explicit(&real_functions[function], real, memory_order_relaxed);
	}
	return (void *)real;
}

/*
 * A child of fork calls these as a rule, and must not ask the loader: another thread of the parent
 * may have been in it.
 */
__attribute__((constructor)) static void find_functions(void)
{
	int saved_errno = errno;

	for (enum function function = 0; function < FUNCTION_COUNT; function++)
		real_function(function);
	dlerror(); /* of those that an older libc does not have */
	errno = saved_errno;
}

/* What is next in the loader's order, after the report where this program comes to its end. */
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
