/* SPDX-License-Identifier: MIT */
/* The ways out of a process that run no handler: the report is made before. */
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/export.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/lifecycle.h"

typedef void exit_function(int status);
static exit_function *real__exit, *real__Exit;

/* Before there can be a child of fork, which must not ask the loader: another thread of the parent
 * may have been in it. */
__attribute__((constructor)) static void find_exits(void)
{
	real__exit = (exit_function *)next_symbol("_exit");
	real__Exit = (exit_function *)next_symbol("_Exit");
}

/* _exit runs no handlers: Python's os._exit and many a worker process end like that. */
static void leave(exit_function *real, int status) __attribute__((noreturn));
static void leave(exit_function *real, int status)
{
	if (atomic_load(&lifecycle_state) == LIFECYCLE_IDLE)
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
	leave(real__exit, status);
}

EXPORT void _Exit(int status)
{
	leave(real__Exit, status);
}
