/* SPDX-License-Identifier: MIT */
/*
 * A program that is about to sandbox itself says so by prctl: before a filter of system calls it
 * has to give up new privileges, unless it is privileged itself. Afterwards what the report needs
 * may be refused, or end the process.
 */
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/export.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/lifecycle.h"

static int (*real_prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* Before there can be a child of fork, which must not ask the loader. */
__attribute__((constructor)) static void find_prctl(void)
{
	*(void **)&real_prctl = next_symbol("prctl");
}

EXPORT int prctl(int option, ...)
{
	unsigned long with[4];
	va_list arguments;

	va_start(arguments, option);
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		with[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		lifecycle_prepare_for_sandbox();
	/* Another library's constructor may come first. */
	if (!real_prctl)
		return (int)syscall(SYS_prctl, option, with[0], with[1], with[2], with[3]);
	return real_prctl(option, with[0], with[1], with[2], with[3]);
}
