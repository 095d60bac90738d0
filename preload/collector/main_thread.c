/* SPDX-License-Identifier: MIT */
#include "preload/collector/collector.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "report/session/files.h"

/* How often the collector checks. Chosen. */
#define CHECK_NS      1000000000u
/* How long CUPTI's late start waits for a test of gates on the spare thread, which may wait for the
 * driver's lock (H200: 1.2 s). Chosen. */
#define SPARE_WAIT_NS 2000000000u

/* The collector and the reporter. */
static unsigned ktime_threads = 2;

static pthread_t main_thread;
static bool main_thread_known;

__attribute__((constructor)) static void note_main_thread(void)
{
	main_thread = pthread_self();
	/* A library that is opened later may be opened by another thread. */
	main_thread_known = syscall(SYS_gettid) == getpid();
}

/*
 * The number of the process's threads; 0: not known. It is the link count of /proc/self/task less
 * two (proc_task_getattr() in the kernel), so no file is opened: a sandboxed program may not open
 * one, or has no descriptor left.
 */
static unsigned count_threads(void)
{
	struct stat folder;

	return stat("/proc/self/task", &folder) == 0 && folder.st_nlink > 2
		       ? (unsigned)folder.st_nlink - 2
		       : 0;
}

void main_thread_add_own(unsigned threads)
{
	ktime_threads += threads;
}

/* How many threads have the name of the calling one. */
static unsigned count_namesakes(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char own[32] = "", path[64], name[32];
	const struct dirent *task;
	unsigned count = 0;

	prctl(PR_GET_NAME, own);
	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task->d_name);
		file_line(path, name, sizeof(name));
		count += strcmp(name, own) == 0;
	}
	if (tasks)
		closedir(tasks);
	return count;
}

static unsigned growth(unsigned before, unsigned after)
{
	return after > before ? after - before : 0;
}

int main_thread_start_cupti(const struct cupti_settings *settings, char *reason, size_t size)
{
	unsigned before = count_threads();
	sigset_t signals;
	int error;

	/* CUPTI's threads inherit what the calling one blocks. */
	background_thread_block_signals(&signals);
	error = cupti_start(settings, reason, size);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	ktime_threads += growth(before, count_threads());
	return error;
}

struct later_start {
	const struct cupti_settings *settings;
	char *reason;
	size_t size;
	int error;
};

/* On ktime's spare thread, whose name is counted before and after. */
static void start_later(void *argument)
{
	struct later_start *later = argument;
	unsigned all = count_threads(), namesakes = count_namesakes(), started;

	later->error = cupti_start(later->settings, later->reason, later->size);
	started = growth(namesakes, count_namesakes());
	ktime_threads += started ? started : growth(all, count_threads());
}

int main_thread_start_cupti_later(const struct cupti_settings *settings, char *reason, size_t size)
{
	struct later_start later = {.settings = settings, .reason = reason, .size = size};
	int error = -EBUSY;

	if (!sandbox_calls_begin()) {
		snprintf(reason, size,
			 "CUPTI was not started: the program may have sandboxed itself");
		return -EPERM;
	}
	if (spare_thread_wait(clock_ns(CLOCK_MONOTONIC) + SPARE_WAIT_NS))
		error = spare_thread_call(start_later, &later);
	if (!error)
		spare_thread_wait(UINT64_MAX);
	if (error)
		snprintf(reason, size, "CUPTI was not started: no thread for that (%s)",
			 strerror(-error));
	sandbox_calls_end();
	return error ? error : later.error;
}

/* Without a system call, which a sandboxed program may be ended for: the kernel clears a thread's
 * number at its end, and glibc has no clock for a thread without one. */
static bool has_ended(void)
{
	clockid_t clock;

	return main_thread_known && pthread_getcpuclockid(main_thread, &clock) == ESRCH;
}

bool main_thread_was_last(uint64_t now)
{
	static uint64_t checked;
	unsigned threads;

	if (!has_ended() || now - checked < CHECK_NS)
		return false;
	checked = now;
	/* The process's count of threads includes the ended main thread. */
	threads = count_threads();
	return threads && threads <= ktime_threads + 1;
}
