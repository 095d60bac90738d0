/* SPDX-License-Identifier: MIT */
#include "preload/collector/main_thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "preload/base/background_thread.h"
#include "preload/base/sanitizer.h"

/* Fields of /proc/self/stat, counted from after the command, which is in parentheses and may hold
 * any character: see proc(5). */
#define STATE_FIELD   0
#define THREADS_FIELD 17
/* How often the collector checks. Chosen. */
#define CHECK_NS      1000000000u

/* The text of a file; "" if it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
}

/* The start of a field of the file `path`, which is read into `text`; "" if that fails. */
static const char *read_field(const char *path, unsigned field, char *text, size_t size)
{
	const char *at;

	read_text(path, text, size);
	at = strrchr(text, ')');
	at = at ? at + 2 : "";
	while (field-- && at) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? at : "";
}

/* The collector and the reporter. */
static unsigned ktime_threads = 2;

static unsigned count_threads(void)
{
	char text[1024];

	return (unsigned)strtoul(read_field("/proc/self/stat", THREADS_FIELD, text, sizeof(text)),
				 NULL, 10);
}

void main_thread_add_own(unsigned threads)
{
	ktime_threads += threads;
}

/* How many threads have the name of the calling one. */
static unsigned count_namesakes(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char own[32] = "", path[64], text[32];
	const struct dirent *task;
	unsigned count = 0;

	prctl(PR_GET_NAME, own);
	strcat(own, "\n");
	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task->d_name);
		read_text(path, text, sizeof(text));
		count += strcmp(text, own) == 0;
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
	int error = cupti_start(settings, reason, size);

	ktime_threads += growth(before, count_threads());
	return error;
}

struct later_start {
	const struct cupti_settings *settings;
	char *reason;
	size_t size;
	int error;
};

/* On a thread that has the collector's name, and is counted before and after. */
static void *start_later(void *argument)
{
	struct later_start *later = argument;
	unsigned all = count_threads(), namesakes = count_namesakes(), started;

	sanitizer_ignore_begin();
	later->error = cupti_start(later->settings, later->reason, later->size);
	started = growth(namesakes, count_namesakes());
	ktime_threads += started ? started : growth(all, count_threads());
	sanitizer_ignore_end();
	return NULL;
}

int main_thread_start_cupti_later(const struct cupti_settings *settings, char *reason, size_t size)
{
	struct later_start later = {.settings = settings, .reason = reason, .size = size};
	int error = background_thread_call(start_later, &later);

	if (error)
		snprintf(reason, size, "CUPTI was not started: no thread for that (%s)",
			 strerror(-error));
	return error ? error : later.error;
}

bool main_thread_was_last(uint64_t now, void (*ended)(void))
{
	static uint64_t checked;
	static bool reported;
	char path[64], text[1024];

	if (now - checked < CHECK_NS)
		return false;
	checked = now;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	if (*read_field(path, STATE_FIELD, text, sizeof(text)) != 'Z')
		return false;
	/* The process's count of threads includes the ended main thread. */
	if (count_threads() <= ktime_threads + 1)
		return true;
	if (!reported)
		ended();
	reported = true;
	return false;
}
