/* SPDX-License-Identifier: MIT */
#include "preload/reporter/reporter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/background_thread.h"
#include "preload/base/futex.h"
#include "preload/base/run.h"
#include "report/prometheus/prometheus.h"
#include "report/session/files.h"
#include "report/session/environment.h"

/* How long the end of the run waits while the thread writes the file. Chosen: writing it takes a
 * millisecond. */
#define END_WAIT_NS 100000000u

/* The thread's, but for what is atomic. */
static struct {
	const char *profile;
	char *path;
	struct prometheus_place place;
	struct prometheus *metrics;
	_Atomic uint32_t ended, idle;
	_Atomic bool written; /* the file is there, and is this process's */
} metrics_file = {
	.idle = 1,
};

/* node_exporter reads the folder as another user, and takes files that end in .prom alone. */
static int write_file(void)
{
	struct session *session;
	struct new_file place;
	FILE *file;
	int fd, error = session_open(&session, metrics_file.profile);

	if (error)
		return error;
	error = prometheus_add(metrics_file.metrics, session, &metrics_file.place);
	session_close(session);
	if (error)
		return error;
	fd = new_file_open(&place, metrics_file.path, NEW_FILE_REPLACES, 0644);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "w");
	if (file) {
		error = prometheus_write(metrics_file.metrics, file);
		if (fclose(file) != 0 && !error)
			error = -errno;
	} else {
		error = -errno;
		close(fd);
	}
	if (!error && !atomic_load(&metrics_file.ended)) {
		error = new_file_place(&place);
		if (!error)
			atomic_store(&metrics_file.written, true);
	}
	new_file_abandon(&place);
	return error;
}

static void remove_file(void)
{
	if (atomic_exchange(&metrics_file.written, false))
		unlink(metrics_file.path);
}

static void *write_at_intervals(void *unused)
{
	(void)unused;
	sanitizer_ignore_begin();
	while (!atomic_load(&metrics_file.ended)) {
		atomic_store(&metrics_file.idle, 0);
		write_file();
		/* The end may have come between the check and the renaming. */
		if (atomic_load(&metrics_file.ended))
			remove_file();
		atomic_store(&metrics_file.idle, 1);
		futex_wake(&metrics_file.idle);
		futex_wait(&metrics_file.ended, 0,
			   (uint64_t)(run.settings.prometheus_interval * 1e9));
	}
	sanitizer_ignore_end();
	return NULL;
}

static const char *variable_of(const char *name, void *unused)
{
	(void)unused;
	return environment_get(name);
}

int prometheus_file_start(const char *the_profile, char *message, size_t size)
{
	char hostname[256] = "";
	int error;

	if (!run.settings.prometheus)
		return 0;
	if (!the_profile) {
		snprintf(message, size,
			 "--prometheus: no file could be made for the profile, from which the "
			 "metrics are read");
		return -ENOENT;
	}
	metrics_file.profile = the_profile;
	metrics_file.path = prometheus_path(run.settings.prometheus, run.settings.rank_variable,
					    getpid(), message, size);
	if (!metrics_file.path)
		return -EINVAL;
	error = new_file_check_folder(metrics_file.path);
	if (!error) {
		/* In a child that goes on with the program, nothing of its parent's holds. */
		atomic_store(&metrics_file.ended, 0);
		atomic_store(&metrics_file.idle, 1);
		/* On the program's thread: another one may change the environment later. */
		gethostname(hostname, sizeof(hostname) - 1);
		prometheus_place_of(&metrics_file.place, hostname, variable_of, NULL);
		metrics_file.metrics = prometheus_create(run.settings.prometheus_kernels);
		error = metrics_file.metrics ? 0 : -ENOMEM;
	}
	if (!error)
		error = background_thread_start(write_at_intervals, "ktime-metrics");
	if (error)
		snprintf(message, size, "--prometheus %s: %s", metrics_file.path, strerror(-error));
	return error;
}

void prometheus_file_end(void)
{
	if (!metrics_file.metrics || atomic_exchange(&metrics_file.ended, 1))
		return;
	futex_wake(&metrics_file.ended);
	if (!atomic_load(&metrics_file.idle))
		futex_wait(&metrics_file.idle, 0, END_WAIT_NS);
	remove_file();
}
