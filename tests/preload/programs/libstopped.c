/* SPDX-License-Identifier: MIT */
/*
 * Another preload, under which time stands still, as under libfaketime with a fixed date: what libc
 * says of it is always the same, and a sleep does not end.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define SECONDS 1577836800 /* 2020-01-01 */

VISIBLE int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){.tv_sec = SECONDS};
	return 0;
}

VISIBLE int gettimeofday(struct timeval *now, void *zone)
{
	(void)zone;
	*now = (struct timeval){.tv_sec = SECONDS};
	return 0;
}

VISIBLE time_t time(time_t *now)
{
	if (now)
		*now = SECONDS;
	return SECONDS;
}

static int sleep_for_good(void)
{
	for (;;)
		pause();
	return 0;
}

VISIBLE int nanosleep(const struct timespec *duration, struct timespec *left)
{
	(void)duration;
	(void)left;
	return sleep_for_good();
}

VISIBLE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
			    struct timespec *left)
{
	(void)clock;
	(void)flags;
	return nanosleep(duration, left);
}

VISIBLE int usleep(useconds_t duration)
{
	(void)duration;
	return sleep_for_good();
}

VISIBLE int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
	(void)files;
	(void)count;
	(void)milliseconds;
	return sleep_for_good();
}

VISIBLE int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit,
		  const sigset_t *signals)
{
	(void)limit;
	(void)signals;
	return poll(files, count, -1);
}

/* The simulated CUPTI waits here, which would be over at once by the clock above. */
VISIBLE int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				   const struct timespec *end)
{
	int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	struct timespec soon;

	(void)end;
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &soon);
	soon.tv_nsec += 1000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000000000;
	}
	return real(condition, mutex, &soon);
}
