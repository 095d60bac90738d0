/* SPDX-License-Identifier: MIT */
/*
 * SIM_LIMIT_S=N: the process ends by SIGKILL N seconds after it loaded this library, and each that
 * it forks N seconds after the fork, so that one that hangs holds up no test for ever. A timer of
 * the kernel's takes no thread of the program's, and no signal that the program could handle or
 * block.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long seconds;

/* By the system calls themselves: a library in front may give clocks and timers another time. */
static void start_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	const struct itimerspec limit = {.it_value = {.tv_sec = seconds}};
	int timer;

	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
		syscall(SYS_timer_settime, timer, 0, &limit, NULL);
}

__attribute__((constructor)) static void limit(void)
{
	const char *text = getenv("SIM_LIMIT_S");

	seconds = text ? atol(text) : 0;
	if (seconds <= 0)
		return;
	start_timer();
	pthread_atfork(NULL, NULL, start_timer);
}
