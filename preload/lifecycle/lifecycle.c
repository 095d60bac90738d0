/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/lifecycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "cupti/library.h"
#include "preload/base/background_thread.h"
#include "preload/base/budget.h"
#include "preload/base/clock.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/collector/collector.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/events/gates.h"
#include "preload/launch/cold_path.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/memory/holdings.h"
#include "preload/metrics/metrics.h"
#include "preload/reporter/reporter.h"
#include "report/devices/describe.h"
#include "report/names/shell_word.h"
#include "report/options/filename.h"
#include "report/options/log_file.h"
#include "report/session/environment.h"

/* How long ktime's threads may take to begin, at the start and before a sandbox. Chosen. */
#define BEGIN_WAIT_NS	UINT64_C(100000000)
#define SANDBOX_WAIT_NS UINT64_C(2000000000)

/* Another preload that looks the driver's functions up past ktime. */
#define IN_FRONT                                                                                   \
	"%s has a dlsym of its own, which comes before ktime's; put libktime.so first in "         \
	"LD_PRELOAD"

struct run run;

/* What was done, and is done once. */
static struct {
	_Atomic bool registered, prepared, said_unused, said_late;
} once;

/* What is known of this process. Written while the library is loaded, and by the thread that starts
 * ktime. */
static struct {
	pid_t pid;
	bool makes_no_call;		 /* the process is ending: no call is left to be timed */
	char words[4096], command[4096]; /* as the system has them, and as a shell reads them */
	/* The process that the loader loaded the library into, of which this may be a child. */
	pid_t loaded, loaded_session, loaded_parent;
} process;

/* How CUPTI was started. Written by the thread that starts ktime. */
static struct {
	bool started;
	bool starts_later; /* amid the run, or never: recording.h */
	struct cupti_settings settings;
	char reason[256];
} cupti;

static void read_settings(void)
{
	const char *text = environment_get("KTIME_OPTIONS");
	char message[256];

	options_defaults(&run.settings);
	if (text && options_parse_string(&run.settings, text, message, sizeof(message))) {
		options_free(&run.settings);
		options_defaults(&run.settings);
		log_file_say(process.pid, "KTIME_OPTIONS: %s; going on with the defaults", message);
	}
	/* --start off keeps the profiling window closed at first, as --profile-from-start off. */
	run.settings.profile_from_start &= run.settings.start;
}

static void read_command(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t length = file ? fread(process.words, 1, sizeof(process.words) - 1, file) : 0;

	if (file)
		fclose(file);
	process.words[length] = '\0';
	/* /proc may not be mounted. */
	if (!*process.words)
		length = (size_t)snprintf(process.words, sizeof(process.words), "%s",
					  program_invocation_name);
	/* What a program's shorter title leaves of the words is zeros. */
	while (length > 1 && process.words[length - 1] == '\0' && process.words[length - 2] == '\0')
		length--;
	shell_command_text(process.command, sizeof(process.command), process.words, length);
}

/* The devices: the driver describes them at the start; what only NVML knows is added at the end. */
static struct {
	size_t count;
	const char *no_nvml; /* why NVML could not be loaded; NULL: it was, or is not needed */
} devices;

/* report/devices has these functions without CUDA's types: for it CUresult, CUuuid and CUdevice are
 * int, 16 bytes and int. */
#define CALL_OF(call, function)                                                                    \
	.call = (__typeof__(((struct device_calls *)0)->call))(void *)function

/* Describes the devices as the driver knows them, and loads NVML if it is going to be asked. */
static void describe_devices(void)
{
	const struct device_calls calls = {
		CALL_OF(name, driver.cuDeviceGetName),
		CALL_OF(uuid, driver.cuDeviceGetUuid),
		CALL_OF(memory, driver.cuDeviceTotalMem_v2),
		CALL_OF(attribute, driver.cuDeviceGetAttribute),
	};
	int count = 0;

	driver.cuDeviceGetCount(&count);
	for (int i = 0; i < count && i < SESSION_DEVICES; i++)
		device_describe(&run.header->devices[devices.count++], &calls, i);
	/* NVML is loaded now, as at the end a thread of the program may hold the loader's lock. */
	if (options_want_rates(&run.settings) || run.settings.energy)
		devices.no_nvml = nvml_load(real_dlsym);
}

/* Says which of --devices is not there before the program spends its time. */
static void check_devices(void)
{
	uint64_t asked = run.settings.devices;
	uint64_t there = devices.count < 64 ? (UINT64_C(1) << devices.count) - 1 : UINT64_MAX;
	char last[16];

	if (asked == UINT64_MAX || devices.count == 0 || !(asked & ~there))
		return;
	snprintf(last, sizeof(last), "s 0 to %zu", devices.count - 1);
	log_file_say(process.pid, "--devices %d: there %s device%s%s",
		     __builtin_ctzll(asked & ~there), devices.count > 1 ? "are" : "is only",
		     devices.count > 1 ? last : " 0",
		     asked & there ? "" : "; no GPU operation is profiled");
}

static void describe_run(void)
{
	struct session_header *header = run.header;
	char hostname[256] = "";
	int version = 0;

	read_command();
	gethostname(hostname, sizeof(hostname) - 1);
	header->pid = process.pid;
	header->start_realtime = clock_ns(CLOCK_REALTIME);
	header->trace_start = header->start_realtime;
	header->command = session_intern(run.session, process.command);
	header->hostname = session_intern(run.session, hostname);
	driver.cuDriverGetVersion(&version);
	header->driver_version = (uint32_t)version;
	header->timer = (uint32_t)run.settings.timer;
	header->budget_percent = budget_percent();
	header->budget_given = budget_is_given();
	header->events_fraction = run.settings.events_fraction;
	header->trace_on = options_want_trace(&run.settings);
	if (run.settings.keep_trace.bytes)
		session_limit_trace(run.session, run.settings.keep_trace.bytes,
				    run.settings.keep_trace.ns);
	describe_devices();
}

/* Whether calls may be gated: ktime makes their stream wait on a word in memory (a gate) until the
 * call has returned. Not if launches block until the device is done, as with CUDA_LAUNCH_BLOCKING
 * or under some tools: the launch would wait for the gate, which opens only after it. */
static bool gates_are_allowed(void)
{
	const char *blocking = environment_get("CUDA_LAUNCH_BLOCKING");
	char reason[256];

	return run.settings.gate == GATE_AUTO && !run.settings.metrics &&
	       !(blocking && atoi(blocking)) && !driver_stand_in() &&
	       !refusal_by_environment(reason, sizeof(reason));
}

/* Whether this CUPTI can turn its recording off and on while the program runs, as --budget needs.
 */
static bool may_pause(void)
{
	if (!pause_is_safe())
		snprintf(cupti.reason, sizeof(cupti.reason),
			 "CUPTI is not used: with --budget it records in windows, which version %u "
			 "cannot do safely; use the CUPTI of " CUPTI_THAT_PAUSES ".",
			 (unsigned)library_functions()->version);
	return pause_is_safe();
}

/* Whether CUPTI shall record the nodes of graphs; else it records each graph launch as a whole. */
static bool graph_nodes_are_wanted(void)
{
	return library_version()->records_nodes &&
	       (run.settings.graph == GRAPH_NODE ||
		(run.settings.graph == GRAPH_AUTO && pause_is_safe()));
}

/* Loads CUPTI, starts it now if it is to record from the start, and chooses the plan by whether
 * that was possible. Starts the spare thread if gates or a later start of CUPTI need it. */
static void choose_clocks(void)
{
	bool for_budget = plan_waits_for_budget(), gates = gates_are_allowed(), loaded;
	/* If CUPTI is to record only a part of the run, ktime's hooks fill the API rows. */
	struct cupti_settings wanted = {
		.serial_kernels = !run.settings.concurrent_kernels,
		.runtime_api = run_wants_calls(ROW_RUNTIME_API) && !for_budget,
		/* Not if calls are shown by the runtime's names, as each driver function's record
		 * costs 0.15 us a launch more. */
		.driver_api = run_wants_calls(ROW_DRIVER_API) &&
			      !run_wants_calls(ROW_RUNTIME_API) && !for_budget,
		.unified_memory = !for_budget,
		.wake = collector_wake,
	};
	int version = 0;

	driver.cuDriverGetVersion(&version);
	library_symbol = real_dlsym;
	loaded = run.settings.timer != TIMER_EVENTS && !process.makes_no_call &&
		 !refusal_by_environment(cupti.reason, sizeof(cupti.reason)) &&
		 library_load(version, cupti.reason, sizeof(cupti.reason)) == 0 &&
		 (!for_budget || may_pause());
	wanted.graph_nodes = loaded && graph_nodes_are_wanted();
	cupti.settings = wanted;
	cupti.starts_later = loaded && (for_budget || plan_begins_later());
	cupti.started = loaded && !cupti.starts_later &&
			main_thread_start_cupti(&wanted, cupti.reason, sizeof(cupti.reason)) == 0;
	main_thread_add_own(run.settings.prometheus != NULL);
	plan_choose(cupti.started	  ? PLAN_MATCHED
		    : !cupti.starts_later ? PLAN_EVENTS
		    : for_budget	  ? PLAN_WAITING
					  : PLAN_DEFERRED,
		    loaded ? library_functions()->version : 0, wanted.runtime_api,
		    wanted.driver_api);
	if (gates)
		context_gates_allow(collector_wake);
	if (cupti.starts_later || (launch_state.events && gates))
		main_thread_add_own(spare_thread_start(cupti.starts_later) == 0);
}

static void describe_cupti(void)
{
	if (cupti.reason[0])
		session_note(run.session, "%s", cupti.reason);
	if (plan.driver_records)
		session_note(run.session,
			     "Driver functions that ktime calls itself, on events and contexts, "
			     "have no API rows: CUPTI does not tell whose call it was.");
	if (driver_stand_in())
		session_note(
			run.session,
			"%s stands in for the driver, as under ncu: times include what it does "
			"around each operation; run without it for the program's own times.",
			driver_stand_in());
	if (elf_definer_in_front("dlsym"))
		session_note(run.session, "Calls may be missing: " IN_FRONT ".",
			     elf_definer_in_front("dlsym"));
	if (!cupti.started && !cupti.starts_later && !run.settings.concurrent_kernels)
		session_note(run.session,
			     "Kernels may overlap: --concurrent-kernels off needs CUPTI.");
}

/* Warns if graphs are timed as wholes although the user did not ask for that. */
static void warn_of_whole_graphs(void)
{
	const char *more = "";
	const struct row *row;
	bool graphs = false;

	if (!cupti.started || run.settings.graph == GRAPH_WHOLE || cupti.settings.graph_nodes)
		return;
	if (library_version()->records_nodes)
		more = "; --graph node records them all the same";
	session_for_each_row (run.session, row)
		graphs |= row->kind == ROW_GRAPH;
	if (graphs)
		session_note(
			run.session,
			"CUDA graphs are timed as wholes: CUPTI's version %u can end or hang a "
			"program whose nodes are recorded. The CUPTI of " CUPTI_THAT_PAUSES
			" does not%s.",
			(unsigned)library_functions()->version, more);
}

/*
 * Ends the thread of --energy, and asks NVML what --bandwidth needs. On the collector thread, and
 * only at the end: initialising NVML can take longer than the rings of call records have room for.
 */
static void finish_devices(void)
{
	if (run.settings.energy && !energy_reader_end()) {
		session_note(run.session, "NVML did not answer at the end of the run: energy and "
					  "clocks end with its last answer.");
		devices.no_nvml = "NVML did not answer";
	}
	if (!options_want_rates(&run.settings))
		return;
	if (!devices.no_nvml)
		devices.no_nvml = nvml_describe(run.header->devices, devices.count);
	if (devices.no_nvml)
		session_note(run.session,
			     "The devices' PCIe and NVLink speeds are not known, so copies are not "
			     "compared with them: %s.",
			     devices.no_nvml);
}

static void finish_report(void)
{
	const char *name;

	if (!reporter_claim())
		return;
	prometheus_file_end();
	finish_devices();
	metrics_finish();
	warn_of_whole_graphs();
	for (unsigned i = 0; (name = driver_unknown_entry(i)); i++)
		session_note(run.session,
			     "%s was called or may have been: this driver has it, ktime "
			     "does not know it, and its work is not in the table",
			     name);
	output_finish();
}

__attribute__((constructor)) static void note_process(void)
{
	process.loaded = getpid();
	process.loaded_session = getsid(0);
	process.loaded_parent = getppid();
	environment_save("KTIME_OPTIONS");
}

/* The ktime command does not profile the processes that its program starts, unless told to. But one
 * that was forked and left the session, as daemon(3) does, is the program itself. */
static bool is_wanted_process(void)
{
	return !run.settings.only_process || run.settings.only_process == process.pid ||
	       (run.settings.only_process == process.loaded && getsid(0) != process.loaded_session);
}

/* Finds the process's rank. Returns whether --ranks wants it timed; if not, the settings are
 * changed so that operations are counted and none is timed. */
static bool is_timed_rank(struct process_rank *rank)
{
	bool timed;

	*rank = rank_find(run.settings.rank_variable);
	if (rank->rank < 0 && run.settings.rank_variable)
		log_file_say(process.pid,
			     "the rank is not known: the variable %s of --rank-variable is not "
			     "set to a number",
			     run.settings.rank_variable);
	timed = rank_is_listed(run.settings.ranks, rank->rank);
	if (!timed) {
		run.settings.timer = TIMER_EVENTS;
		run.settings.events = EVENTS_OFF;
		run.settings.keep_trace.bytes = 0;
		run.settings.print_gpu_trace = run.settings.print_api_trace = false;
	}
	return timed;
}

static void start_once(void)
{
	struct process_rank rank;
	bool timed;
	int error;

	process.pid = getpid();
	read_settings();
	if (!is_wanted_process()) {
		/* If the profiled command is a script, this may be ktime's only output. */
		if (!run.settings.quiet)
			log_file_say(process.pid, "%s",
				     "this process is not profiled: --profile-child-processes "
				     "includes it");
		return;
	}
	timed = is_timed_rank(&rank);
	error = output_create(&rank, timed);
	if (error) {
		log_file_say(process.pid,
			     "cannot start: the profile could be created neither in a file nor in "
			     "memory (%s); the program runs on without ktime",
			     strerror(-error));
		return;
	}
	driver_thread_start();
	describe_run();
	/* Before CUPTI is started: if this fails, CUPTI would cost time for nothing. */
	error = collector_start(finish_report);
	if (error) {
		log_file_say(process.pid,
			     "cannot start the collector thread (%s); the program runs on without "
			     "ktime",
			     strerror(-error));
		output_abandon();
		return;
	}
	output_start();
	check_devices();
	choose_clocks();
	/* Not before CUPTI is started: NVML initialised on one thread while CUPTI starts on another
	 * leaves a lock of the driver's held, and the program's next cuInit waits for it for ever
	 * (driver 580.159, CUPTI 13.0). */
	if (run.settings.energy)
		main_thread_add_own(energy_reader_start(devices.count, devices.no_nvml != NULL));
	describe_cupti();
	metrics_start(cupti.started ? "" : cupti.reason);
	run.header->events_active = launch_state.events;
	window_start(&(struct window_plan){run.settings.profile_from_start, run.settings.delay,
					   run.settings.duration, run.settings.every,
					   run.settings.timeout});
	if (window_stays_open())
		session_note(run.session,
			     "All is collected: each window is as long as the time from one to the "
			     "next (--every %g); --duration makes them shorter.",
			     run.settings.every);
	/* A trace of memory begins with the first allocation. */
	held_changes_want(trace_wants_memory());
	/* CUPTI may record calls of this thread before its first wrapped one, and gives no number
	 * of the kernel's for it. */
	if (options_want_trace(&run.settings) && !thread_self)
		thread_enter();
	collector_begin(cupti.starts_later ? &cupti.settings : NULL);
	error = output_start_reporter();
	if (error)
		session_note(run.session,
			     "Signals that end the program end it without a report: ktime's second "
			     "thread could not be started.");
	else
		endings_handle_signals(run.settings.only_process == process.loaded &&
				       process.loaded_parent == 1);
	output_start_metrics();
	background_threads_wait(BEGIN_WAIT_NS);
	/* Release: a thread that sees that ktime runs sees all of the above. */
	store_release(&launch_state.lifecycle, LIFECYCLE_RUNNING);
	plan_need_no_more(NEEDS_KTIME);
}

void lifecycle_initialised(void)
{
	int idle = LIFECYCLE_IDLE;

	if (atomic_compare_exchange_strong(&launch_state.lifecycle, &idle, LIFECYCLE_INITIALISED)) {
		process.pid = getpid();
		endings_register();
	} else {
		lifecycle_start();
	}
}

void lifecycle_start(void)
{
	int idle = LIFECYCLE_IDLE, initialised = LIFECYCLE_INITIALISED;

	if (!driver_load()) {
		/* As if the program had not initialised the driver: its end says why. */
		atomic_compare_exchange_strong(&launch_state.lifecycle, &initialised,
					       LIFECYCLE_IDLE);
		return;
	}
	if (atomic_compare_exchange_strong(&launch_state.lifecycle, &idle, LIFECYCLE_STARTING))
		endings_register();
	else if (!atomic_compare_exchange_strong(&launch_state.lifecycle, &initialised,
						 LIFECYCLE_STARTING))
		return;
	start_once();
	if (!lifecycle_running())
		store_release(&launch_state.lifecycle, LIFECYCLE_CLOSED);
}

void lifecycle_work_seen(void)
{
	if (!atomic_exchange(&once.registered, true))
		endings_register_at_exit();
}

void lifecycle_say_blind(void)
{
	const char *in_front = elf_definer_in_front("dlsym");

	process.pid = getpid();
	read_settings();
	if (!is_wanted_process())
		return;
	if (driver_trouble())
		log_file_say(process.pid, "cannot start: %s; the program ran without it",
			     driver_trouble());
	else if (in_front)
		log_file_say(process.pid, "cannot see this process's CUDA calls: " IN_FRONT,
			     in_front);
	else
		log_file_say(
			process.pid,
			"cannot see this process's CUDA calls: what makes them was loaded with %s, "
			"past LD_PRELOAD; load it without to have it profiled",
			"RTLD_DEEPBIND or dlmopen");
}

/* The program may be in a signal handler, or in a child of fork: this may not allocate. */
void lifecycle_say_unused(void)
{
	static const char line[] = "======== Warning: No CUDA application was profiled, exiting\n";
	static const char option[] = "--only-process ";
	const char *text = environment_get("KTIME_OPTIONS"), *last = NULL;

	for (const char *at = text; at && (at = strstr(at, option)); at += strlen(option))
		last = at + strlen(option);
	/* Only the process that the ktime command started was meant to use CUDA. */
	if (!last || atoi(last) != getpid() || strstr(text, "--quiet") ||
	    atomic_exchange(&once.said_unused, true))
		return;
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* nobody to tell */
}

static enum end_caller end_caller(void)
{
	if (driver_thread_is_calling())
		return END_IN_HOST_FUNCTION;
	return thread_self && thread_self->in_progress ? END_IN_CALL : END_OUTSIDE;
}

void lifecycle_prepare_for_sandbox(void)
{

	lifecycle_start_if_initialised();
	if (!lifecycle_running() || getpid() != process.pid ||
	    atomic_exchange(&once.prepared, true))
		return;
	/* On a busy machine a background thread may still not have begun. */
	background_threads_wait(SANDBOX_WAIT_NS);
	prometheus_file_end();
	sandbox_close();
	output_prepare_for_sandbox();
}

void lifecycle_finish(void)
{
	int state = LIFECYCLE_RUNNING;
	bool first;

	/* In a child made by vfork this is the parent's memory. */
	if (getpid() != process.pid)
		return;
	/* A program that has initialised the driver, and no more, has an empty report. */
	if (atomic_load(&launch_state.lifecycle) == LIFECYCLE_INITIALISED) {
		process.makes_no_call = true;
		lifecycle_start();
	}
	first = atomic_compare_exchange_strong(&launch_state.lifecycle, &state, LIFECYCLE_CLOSED);
	if (first)
		plan_need(NEEDS_KTIME);
	else if (state != LIFECYCLE_CLOSED && state != LIFECYCLE_ENDING)
		return;
	if (state == LIFECYCLE_ENDING) {
		/* A signal came first: the process ends by it, not by this exit. */
		cold_path_park();
		return;
	}
	/* Of several threads that end the process, the first one prints: another that returned
	 * early would end the process before the report is there. */
	if (!collector_finish(end_caller()) && first)
		reporter_print();
}

void lifecycle_end_by_signal(void)
{
	int state = LIFECYCLE_RUNNING;

	if (atomic_compare_exchange_strong(&launch_state.lifecycle, &state, LIFECYCLE_ENDING))
		plan_need(NEEDS_KTIME);
}

void lifecycle_survived(void)
{
	int state = LIFECYCLE_ENDING;

	atomic_compare_exchange_strong(&launch_state.lifecycle, &state, LIFECYCLE_CLOSED);
}

void lifecycle_late_work(void)
{
	int saved_errno = errno;

	/* Says that calls came after the report; not of a call that was made while the report was
	 * being made. */
	if (run.session && getpid() == process.pid && collector_wait_finished(0) &&
	    !atomic_exchange(&once.said_late, true))
		output_say_late();
	errno = saved_errno;
}
