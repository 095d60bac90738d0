/* SPDX-License-Identifier: MIT */
/* Another preload, under which no thread can be started, as at a limit of processes. */
#include <errno.h>
#include <pthread.h>

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
							  const pthread_attr_t *attributes,
							  void *(*run)(void *), void *argument)
{
	(void)thread;
	(void)attributes;
	(void)run;
	(void)argument;
	return EAGAIN;
}
