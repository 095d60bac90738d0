/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/lifecycle.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "cupti/library.h"
#include "cupti/refusal.h"
#include "preload/base/clock.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/launch/window.h"
#include "preload/collector/collector.h"
#include "preload/collector/main_thread.h"
#include "preload/driver/driver.h"
#include "preload/lifecycle/endings.h"
#include "preload/reporter/reporter.h"
#include "preload/driver/real_symbol.h"
#include "report/options/filename.h"
#include "report/print/log_file.h"
#include "report/print/report.h"

_Atomic int lifecycle_state;

/* Longer than the reporter takes to end the process. */
#define SIGNAL_END_MS 2000
/* The collector and the reporter. */
#define OWN_THREADS   2

static struct session *session;
static struct log_file log_file;
static pid_t pid;
static struct {
	bool started;
	char reason[256];
} cupti;
static char session_path[PATH_MAX];

static void say(const char *format, const char *what)
{
	fprintf(stderr, "==%d== ktime: ", (int)pid);
	fprintf(stderr, format, what);
	fputc('\n', stderr);
}

static void read_settings(void)
{
	char message[256];

	if (settings_read(message, sizeof(message)))
		say("KTIME_OPTIONS: %s; going on with the defaults", message);
}

/* The file that -o asks for. */
static int create_kept_session(char *message, size_t size)
{
	char *path = filename_expand(settings.export_profile, pid, -1, message, size);
	int error = -EEXIST;

	if (!path)
		return -EINVAL;
	if (settings.force_overwrite || access(path, F_OK) < 0)
		error = session_create(&session, path, options_want_trace(&settings));
	if (!error)
		snprintf(session_path, sizeof(session_path), "%s", path);
	if (error)
		snprintf(message, size, "%s: %s%s", path, strerror(-error),
			 error == -EEXIST ? " (-f overwrites it)" : "");
	free(path);
	return error;
}

/*
 * The table lives in memory that outlasts the process if it is killed: on disk it would stall. A
 * trace may become longer than memory. Where the first folder cannot be had (su and containers
 * leave XDG_RUNTIME_DIR without it), there is one that every system has.
 */
static int create_recoverable_session(void)
{
	bool trace = options_want_trace(&settings);
	const char *folders[] = {getenv(trace ? "TMPDIR" : "XDG_RUNTIME_DIR"),
				 trace ? "/tmp" : "/dev/shm"};
	int error = -ENOENT;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]) && error; i++) {
		if (!folders[i] || !*folders[i])
			continue;
		snprintf(session_path, sizeof(session_path), "%s/ktime.%d", folders[i], (int)pid);
		error = session_create(&session, session_path, trace);
	}
	if (!error)
		return 0;
	error = session_create(&session, NULL, trace);
	if (!error)
		session_note(session,
			     "No file for the session could be made (%s): if the program "
			     "is killed, nothing is left.",
			     session_path);
	session_path[0] = '\0';
	return error;
}

static int create_session(void)
{
	char message[PATH_MAX + 128];

	if (settings.export_profile) {
		if (!create_kept_session(message, sizeof(message)))
			return 0;
		say("%s; the session is not kept", message);
		settings.export_profile = NULL;
	}
	return create_recoverable_session();
}

static void read_command(char *command, size_t size)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t length = file ? fread(command, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	while (length > 0 && command[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	command[length] = '\0';
}

static void describe_run(void)
{
	struct session_header *header = session_header(session);
	char command[4096], hostname[256] = "";
	int devices = 0, version = 0;

	read_command(command, sizeof(command));
	gethostname(hostname, sizeof(hostname) - 1);
	header->pid = pid;
	header->start_realtime = clock_ns(CLOCK_REALTIME);
	header->trace_start = header->start_realtime;
	header->command = session_intern(session, command);
	header->hostname = session_intern(session, hostname);
	driver.cuDriverGetVersion(&version);
	header->driver_version = (uint32_t)version;
	header->timer = (uint32_t)settings.timer;
	header->budget_percent = settings.budget;
	header->events_fraction = settings.events_fraction;
	header->trace_on = options_want_trace(&settings);
	if (settings.keep_trace)
		session_limit_trace(session, settings.keep_trace);
	driver.cuDeviceGetCount(&devices);
	for (int i = 0; i < devices && i < SESSION_DEVICES; i++) {
		struct device_info *device = &header->devices[i];
		size_t bytes = 0;
		int major = 0, minor = 0;

		driver.cuDeviceGetName(device->name, sizeof(device->name), i);
		if (driver.cuDeviceGetUuid)
			driver.cuDeviceGetUuid((CUuuid *)device->uuid, i);
		driver.cuDeviceTotalMem_v2(&bytes, i);
		device->memory = bytes;
		driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
					    i);
		driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
					    i);
		device->compute_capability = (uint32_t)(major * 10 + minor);
	}
}

static void start_cupti(void)
{
	struct cupti_settings wanted = {
		.graph_nodes = settings.graph == GRAPH_NODE,
		.serial_kernels = !settings.concurrent_kernels,
		.runtime_api = settings_want_calls(ROW_RUNTIME_API),
		/* What a cudart calls is known by the runtime's names unless the driver's are asked
		 * for: they cost 0.15 us a launch. */
		.driver_api = settings_want_calls(ROW_DRIVER_API) &&
			      !settings_want_calls(ROW_RUNTIME_API),
		.unified_memory = true,
		.wake = collector_wake,
	};
	unsigned threads = main_thread_count();
	int version = 0, devices = 0;

	driver.cuDriverGetVersion(&version);
	driver.cuDeviceGetCount(&devices);
	library_use_lookup(real_dlsym);
	cupti.started = settings.timer != TIMER_EVENTS &&
			!refusal_by_environment(cupti.reason, sizeof(cupti.reason)) &&
			library_load(version, cupti.reason, sizeof(cupti.reason)) == 0 &&
			cupti_start(&wanted, cupti.reason, sizeof(cupti.reason)) == 0;
	main_thread_set_own(main_thread_count() - threads + OWN_THREADS);
	mode_choose(cupti.started, wanted.runtime_api, wanted.driver_api, devices);
}

static void describe_cupti(void)
{
	struct session_header *header = session_header(session);

	if (cupti.started) {
		header->cupti_active = 1;
		header->cupti_version = library_functions()->version;
	}
	if (cupti.reason[0])
		session_note(session, "%s", cupti.reason);
	if (mode_driver_records)
		session_note(session, "Driver calls that ktime makes too, on events and contexts, "
				      "are not shown.");
	if (driver_stand_in())
		session_note(session,
			     "%s stands in for the driver, as under ncu: what it does around an "
			     "operation is in the times",
			     driver_stand_in());
	if (!cupti.started && !settings.concurrent_kernels)
		session_note(session, "Kernels may overlap: --concurrent-kernels off needs CUPTI.");
}

static void finish_report(struct session *finished)
{
	char message[PATH_MAX + 128];
	const char *name;
	FILE *output;

	if (!reporter_claim())
		return;
	for (unsigned i = 0; (name = driver_unknown_entry(i)); i++)
		session_note(finished,
			     "%s was called or may have been: this driver has it, ktime "
			     "does not know it, and its work is not in the table",
			     name);
	session_header(finished)->finished = 1;
	if (log_file_open(&log_file, true, &output, message, sizeof(message)) == 0) {
		report_write(finished, &settings, output);
		log_file_close(output);
	}
	if (!settings.export_profile && session_path[0])
		unlink(session_path);
}

static void write_start(void)
{
	char message[PATH_MAX + 128];
	FILE *output;

	if (log_file_resolve(&log_file, settings.log_file, pid, message, sizeof(message)) ||
	    log_file_open(&log_file, log_file_is_continued(&log_file, pid), &output, message,
			  sizeof(message))) {
		say("%s; the report goes to stderr", message);
		log_file_free(&log_file);
		if (log_file_open(&log_file, false, &output, message, sizeof(message)))
			return;
	}
	report_write_start(&settings, pid,
			   session_string(session, session_header(session)->command), output);
	log_file_close(output);
}

static bool is_wanted_process(void)
{
	/* The ktime command leaves the processes alone that its program starts. */
	return !settings.only_process || settings.only_process == pid;
}

/* Where the profile lies; NULL if it is in memory alone. */
static const char *kept_path(void)
{
	return session_path[0] ? session_path : NULL;
}

static void start_once(void)
{
	int error;

	pid = getpid();
	read_settings();
	if (!is_wanted_process()) {
		/* Of a script's run this may be all that is seen of ktime. */
		if (!settings.quiet)
			say("%s", "this process is not profiled: --profile-child-processes "
				  "includes it");
		return;
	}
	error = create_session();
	if (error) {
		say("cannot start: %s; the program runs on without it", strerror(-error));
		return;
	}
	describe_run();
	write_start();
	start_cupti();
	describe_cupti();
	session_header(session)->events_active = mode_events;
	window_start(settings.profile_from_start, settings.timeout);
	error = collector_start(session, finish_report, reporter_take_signals);
	if (error) {
		say("cannot start its thread: %s; the program runs on without it",
		    strerror(-error));
		return;
	}
	error = reporter_start(&(struct reporter_output){.session = session,
							 .path = log_file.path,
							 .descriptor = log_file.descriptor,
							 .kept = kept_path(),
							 .remove_kept = !settings.export_profile});
	if (error)
		session_note(session,
			     "Signals that end the program end it without a report: ktime's second "
			     "thread could not be started.");
	else
		endings_handle_signals();
	endings_register();
	/* Release: a thread that sees it running sees all of the above. */
	atomic_store_explicit(&lifecycle_state, LIFECYCLE_RUNNING, memory_order_release);
	if (mode_counting)
		count_only_block(-1);
}

void lifecycle_start(void)
{
	int idle = LIFECYCLE_IDLE;

	if (!driver_load() ||
	    !atomic_compare_exchange_strong(&lifecycle_state, &idle, LIFECYCLE_STARTING))
		return;
	start_once();
	if (!lifecycle_running())
		atomic_store_explicit(&lifecycle_state, LIFECYCLE_CLOSED, memory_order_release);
}

void lifecycle_work_seen(void)
{
	static _Atomic bool registered;

	if (!atomic_exchange(&registered, true))
		endings_register_at_exit();
}

void lifecycle_say_blind(void)
{
	pid = getpid();
	read_settings();
	if (!settings.only_process || settings.only_process == pid)
		say("cannot see this process's CUDA calls: what makes them was loaded with %s, "
		    "past "
		    "LD_PRELOAD; load it without to have it profiled",
		    "RTLD_DEEPBIND or dlmopen");
}

/* The program may be in a signal handler, or a child of fork: no memory may be asked for here. */
void lifecycle_say_unused(void)
{
	static const char line[] = "======== Warning: No CUDA application was profiled, exiting\n";
	static const char option[] = "--only-process ";
	static _Atomic bool said;
	const char *text = getenv("KTIME_OPTIONS"), *last = NULL;

	for (const char *at = text; at && (at = strstr(at, option)); at += strlen(option))
		last = at + strlen(option);
	/* Only the process that the ktime command started was meant to use CUDA. */
	if (!last || atoi(last) != getpid() || strstr(text, "--quiet") ||
	    atomic_exchange(&said, true))
		return;
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* nobody to tell */
}

void lifecycle_finish(void)
{
	int state = LIFECYCLE_RUNNING;
	bool first;

	/* In a child made by vfork this is the parent's memory. */
	if (getpid() != pid)
		return;
	first = atomic_compare_exchange_strong(&lifecycle_state, &state, LIFECYCLE_CLOSED);
	if (first)
		count_only_block(1);
	else if (state != LIFECYCLE_CLOSED && state != LIFECYCLE_ENDING)
		return;
	if (lifecycle_ending()) {
		/* A signal came first: the process ends by it, not by this exit. */
		reporter_wait(SIGNAL_END_MS);
		poll(NULL, 0, SIGNAL_END_MS);
	}
	/* The others would end the process before the first has the report. */
	if (!collector_finish() && first)
		say("%s", "the report was not ready in time");
}

void lifecycle_end_by_signal(void)
{
	int state = LIFECYCLE_RUNNING;

	if (atomic_compare_exchange_strong(&lifecycle_state, &state, LIFECYCLE_ENDING))
		count_only_block(1);
}
