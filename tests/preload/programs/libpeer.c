/* SPDX-License-Identifier: MIT */
/*
 * Another preload. It wraps getenv and finds the real one through dlsym(RTLD_NEXT, …): the one
 * after this library. With PEER_DLSYM it has a dlsym of its own as well, and says what that is
 * asked for.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(99);
}

EXPORT char *getenv(const char *name)
{
	static char *(*next)(const char *);
	static __thread int depth;
	char *value;

	if (depth) {
		say("peer: found itself\n");
		_exit(99);
	}
	depth++;
	if (!next) {
		*(void **)&next = dlsym(RTLD_NEXT, "getenv");
		say("peer: called\n");
	}
	value = next(name);
	depth--;
	return value;
}

#ifdef PEER_DLSYM
/* Ends in a jump, as any dlsym has to: the real one looks at who called. */
__attribute__((optimize("O2"))) EXPORT void *dlsym(void *handle, const char *name)
{
	static void *(*next)(void *, const char *);

	if (!next)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	if (!next)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
	if (strcmp(name, "cuGetProcAddress_v2") == 0)
		say("peer: asked for cuGetProcAddress_v2\n");
	return next(handle, name);
}
#endif
