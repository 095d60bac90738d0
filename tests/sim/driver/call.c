/* SPDX-License-Identifier: MIT */
/* What happens around every call: the lock, faults on demand, the log, and the driver's life. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/driver/sim.h"
#include "tests/sim/driver/activity.h"
#include "tests/sim/driver/context.h"
#include "tests/sim/driver/host.h"
#include "tests/sim/driver/stream.h"
#include "tests/sim/driver/timeline.h"

struct fault {
	char entry[96];
	uint64_t call; /* counted from 1; 0: every one */
	CUresult result;
	uint64_t seen;
	struct fault *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static enum {
	BEFORE_INIT,
	RUNNING,
	TORN_DOWN,
	FORKED,
} life;
static struct fault *faults;
static FILE *log_file;
static uint32_t correlation;
static __thread struct sim_call *current;
static __thread uint32_t runtime_correlation; /* of the runtime's call that this is part of */
static __thread int thread_number;
static int threads;

uint64_t sim_setting(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : fallback;
}

/* SIM_FAULT="cuEventRecord:5:700,cuLaunchKernel:*:719": entry, which call, CUresult, or one of the
 * numbers below. */
static void read_faults(void)
{
	const char *text = getenv("SIM_FAULT");
	char number[24];
	int result, length;

	while (text && *text) {
		struct fault *fault = calloc(1, sizeof(*fault));

		if (!fault || sscanf(text, "%95[^:]:%23[^:]:%d%n", fault->entry, number, &result,
				     &length) != 3) {
			fprintf(stderr, "sim: SIM_FAULT wants ENTRY:CALL:RESULT,… not '%s'\n",
				text);
			free(fault);
			return;
		}
		fault->call = strcmp(number, "*") ? strtoull(number, NULL, 10) : 0;
		fault->result = result;
		fault->next = faults;
		faults = fault;
		text += length;
		text += *text == ',';
	}
}

enum {
	STUCK_WITH_LOCK = -1,
	STUCK = -2,
	WAITS = -3,
	WAITS_WITH_LOCK = -4,
};

/* The thread's calls keep the lock while they wait. */
static __thread bool keeps_lock;

static void sleep_once(void *unused)
{
	(void)unused;
	pause();
}

/* A call that fails leaves errno as its system call did. CUPTI's come from its callbacks too, under
 * the driver's lock. */
static int fault_of(const char *entry)
{
	int result = 0;

	pthread_mutex_lock(&fault_lock);
	for (struct fault *fault = faults; fault; fault = fault->next) {
		if (strcmp(fault->entry, entry))
			continue;
		fault->seen++;
		if (!fault->call || fault->call == fault->seen)
			result = fault->result;
	}
	pthread_mutex_unlock(&fault_lock);
	if (result == WAITS || result == WAITS_WITH_LOCK) {
		keeps_lock = result == WAITS_WITH_LOCK;
		stream_wait_all(context_current());
		keeps_lock = false;
		return 0;
	}
	while (result == STUCK_WITH_LOCK)
		pause();
	while (result == STUCK)
		sim_call_out(sleep_once, NULL);
	if (result)
		errno = EIO;
	return result;
}

int sim_activity_fault(const char *entry)
{
	int result = fault_of(entry);

	if (result && log_file) {
		fprintf(log_file, "0 %s (nil) 0 %d\n", entry, result);
		fflush(log_file);
	}
	return result;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The driver does not work in a child of a process that has initialised it. */
static void in_child(void)
{
	pthread_mutex_unlock(&lock);
	if (life == RUNNING)
		life = FORKED;
}

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle;

static void tear_down(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	life = TORN_DOWN;
	if (log_file)
		fflush(log_file);
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void load(void)
{
	const char *path = getenv("SIM_LOG");

	read_faults();
	if (path && *path) {
		log_file = fopen(path, "ae");
		if (!log_file)
			fprintf(stderr, "sim: cannot write SIM_LOG %s: %s\n", path,
				strerror(errno));
	}
	pthread_atfork(before_fork, after_fork, in_child);
}

CUresult sim_start(void)
{
	if (life == BEFORE_INIT) {
		life = RUNNING;
		/* What atexit() is in a library; ThreadSanitizer's forgets the library, and calls
		 * this after a runtime has unloaded it. */
		__cxa_atexit(tear_down, NULL, __dso_handle);
	}
	return CUDA_SUCCESS;
}

struct sim_call *sim_call(void)
{
	return current;
}

static CUresult allowed(enum sim_needs needs)
{
	if (needs == SIM_NEEDS_NOTHING)
		return life == FORKED ? CUDA_ERROR_NOT_INITIALIZED : CUDA_SUCCESS;
	if (life == TORN_DOWN)
		return CUDA_ERROR_DEINITIALIZED;
	if (life != RUNNING)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (host_is_calling())
		return CUDA_ERROR_NOT_PERMITTED;
	if (needs == SIM_NEEDS_CONTEXT)
		return context_usable();
	return CUDA_SUCCESS;
}

static _Atomic uint32_t memsets;

static bool is_memset(const struct sim_call *call)
{
	return call->entry && strncmp(call->entry, "cuMemset", strlen("cuMemset")) == 0;
}

uint32_t sim_activity_memsets(void)
{
	return atomic_load(&memsets);
}

CUresult sim_enter(struct sim_call *call, enum sim_needs needs)
{
	CUresult result;

	if (is_memset(call))
		atomic_fetch_add(&memsets, 1);
	pthread_mutex_lock(&lock);
	call->outer = current;
	current = call;
	call->host_ns = timeline_host_ns();
	result = allowed(needs);
	if (!call->entry)
		return result;
	call->correlation = runtime_correlation ? runtime_correlation : ++correlation;
	if (result == CUDA_SUCCESS)
		result = (CUresult)fault_of(call->entry);
	return result;
}

CUresult sim_leave(struct sim_call *call, CUresult result)
{
	if (call->entry && log_file) {
		if (!thread_number)
			thread_number = ++threads;
		fprintf(log_file, "%d %s %p %zu %d\n", thread_number, call->entry,
			(void *)call->stream, call->bytes, result);
		fflush(log_file);
	}
	if (call->entry && timeline_call_cost_ns(call->entry))
		timeline_spend_host(timeline_call_cost_ns(call->entry));
	if (call->entry)
		activity_api_call(&(struct sim_api_call){
			.name = call->entry,
			.start_ns = call->host_ns,
			.end_ns = timeline_call_end_ns(call->host_ns),
			.correlation = call->correlation,
			.result = result,
		});
	current = call->outer;
	pthread_mutex_unlock(&lock);
	if (is_memset(call))
		atomic_fetch_sub(&memsets, 1);
	return result;
}

void sim_call_out(void (*function)(void *), void *argument)
{
	struct sim_call *call = current;

	if (keeps_lock) {
		function(argument);
		return;
	}
	current = NULL;
	pthread_mutex_unlock(&lock);
	function(argument);
	pthread_mutex_lock(&lock);
	current = call;
}

static void runtime_begin(struct sim_api_call *call)
{
	pthread_mutex_lock(&lock);
	call->runtime = true;
	call->correlation = runtime_correlation = ++correlation;
	call->start_ns = timeline_host_ns();
	pthread_mutex_unlock(&lock);
}

static void runtime_end(struct sim_api_call *call)
{
	pthread_mutex_lock(&lock);
	runtime_correlation = 0;
	call->end_ns = timeline_call_end_ns(call->start_ns);
	activity_api_call(call);
	pthread_mutex_unlock(&lock);
}

/* Private tables by UUID, by which the real runtime tells the driver's tools of its calls too. */
SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuGetExportTable, (const void **table, const CUuuid *id),
		  (table, id))
{
	static const struct sim_runtime_table runtime_table = {runtime_begin, runtime_end};

	if (!table || !id || memcmp(id, SIM_RUNTIME_TABLE, sizeof(*id)))
		return CUDA_ERROR_INVALID_VALUE;
	*table = &runtime_table;
	return CUDA_SUCCESS;
}

/* The entries of libcuda that the simulation does not model. */
CUresult sim_not_supported(const char *entry);
CUresult sim_not_supported(const char *entry)
{
	struct sim_call call = {.entry = entry};
	CUresult result = sim_enter(&call, SIM_NEEDS_INIT);

	return sim_leave(&call, result == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : result);
}
