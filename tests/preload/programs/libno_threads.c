/* SPDX-License-Identifier: MIT */
/* Another preload, under which no thread can be started, as at a limit of processes, once
 * NO_THREADS_AFTER are there (0). */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int (*creator)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
							  const pthread_attr_t *attributes,
							  void *(*run)(void *), void *argument)
{
	static _Atomic int started;
	const char *most = getenv("NO_THREADS_AFTER");
	creator real = (creator)dlsym(RTLD_NEXT, "pthread_create");

	if (atomic_fetch_add(&started, 1) >= (most ? atoi(most) : 0) || !real)
		return EAGAIN;
	return real(thread, attributes, run, argument);
}
