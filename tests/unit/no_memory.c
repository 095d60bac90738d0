/* SPDX-License-Identifier: MIT */
#include "tests/unit/no_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <regex.h>

#include "tests/unit/test.h"

#define OUTPUT_SIZE (1 << 18)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static unsigned long allocations, refused; /* those so far, and the one that fails; 0: none */
static long live;

static bool is_refused(void)
{
	if (++allocations != refused)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *memory)
{
	live += memory != NULL;
	return memory;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return is_refused() ? NULL : counted(__libc_malloc(size));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : counted(__libc_calloc(count, size));
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
	if (is_refused())
		return NULL;
	return memory ? __libc_realloc(memory, size) : counted(__libc_malloc(size));
}

__attribute__((visibility("default"))) void free(void *memory)
{
	live -= memory != NULL;
	__libc_free(memory);
}

/* glibc's own leaves memory behind. */
__attribute__((visibility("default"))) int regcomp(regex_t *regex, const char *pattern, int flags)
{
	static int (*next)(regex_t *, const char *, int);
	unsigned long refuse = refused;
	int error;

	if (is_refused())
		return REG_ESPACE;
	if (!next)
		next = (int (*)(regex_t *, const char *, int))dlsym(RTLD_NEXT, "regcomp");
	refused = 0;
	error = next(regex, pattern, flags);
	refused = refuse;
	return error;
}

static int run(run_function *function, const void *argument, unsigned long refuse)
{
	static char text[OUTPUT_SIZE], buffer[1 << 16];
	FILE *file;
	int error;

	file = fmemopen(text, OUTPUT_SIZE, "w");
	assert_non_null(file);
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	allocations = 0;
	refused = refuse;
	error = function(file, argument);
	refused = 0;
	fclose(file);
	return error;
}

void refuse_each(run_function *function, const void *argument, const char *name, unsigned long step,
		 bool cleans_up)
{
	unsigned long count;

	/* The first run may leave what is made once. */
	assert_int_equal(run(function, argument, 0), 0);
	assert_int_equal(run(function, argument, 0), 0);
	count = allocations;
	for (unsigned long i = 1; i <= count; i += step) {
		long before = live;

		run(function, argument, i);
		if (cleans_up && live != before)
			fail_msg("%s: %ld left of allocations when the %luth of %lu fails", name,
				 live - before, i, count);
	}
}
