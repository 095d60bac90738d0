/* SPDX-License-Identifier: MIT */
#include "preload/base/background_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/base/atomics.h"
#include "preload/base/futex.h"

/* The size of a background thread's stack. glibc's default is that of `ulimit -s`, which may be too
 * small: demangling and the report take up to 300 KB. */
#define STACK_BYTES	  (1UL << 20)
/* The usual stack of a main thread; only pages that are used take memory. */
#define LARGE_STACK_BYTES (8UL << 20)

/* The process's settings when libktime.so was loaded. */
static struct {
	/* Room for 8192, as the kernel's limit is. */
	cpu_set_t processors[8192 / CPU_SETSIZE];
	bool processors_known;
} at_load;

static __thread bool is_own __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void note_processors(void)
{
	at_load.processors_known =
		sched_getaffinity(0, sizeof(at_load.processors), at_load.processors) == 0;
}

void background_thread_block_signals(sigset_t *before)
{
	/* Not blocked: signals that the thread's own instructions raise, for which the kernel would
	 * end the process without a report if they were blocked. SIGBUS is also raised by an access
	 * to a profile whose file another process has truncated. */
	static const int raised_by_itself[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(raised_by_itself) / sizeof(raised_by_itself[0]); i++)
		sigdelset(&all, raised_by_itself[i]);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

bool background_thread_returns_signal(int signal, siginfo_t *info, void *context)
{
	if (!is_own || (info->si_code != SI_USER && info->si_code != SI_QUEUE))
		return false;
	sigaddset(&((ucontext_t *)context)->uc_sigmask, signal);
	/* The kernel refuses SI_USER from a thread that is not the process's first. */
	info->si_code = SI_QUEUE;
	syscall(SYS_rt_sigqueueinfo, getpid(), signal, info);
	return true;
}

/* The threads that were started, in turn. ktime has five at most. */
static struct {
	struct beginning {
		void *(*run)(void *);
		const char *name;
	} threads[8];
	unsigned started_count;
	_Atomic uint32_t begun_count;
} own_threads;

/*
 * Makes glibc's malloc() do now the system calls that it does once in a thread: for a new arena
 * (sched_getaffinity), and when an arena first shrinks (openat of /proc/sys/vm/overcommit_memory).
 * Later, in a sandbox, they might end the process. Allocates blocks small enough to come from the
 * arena, and frees enough of them for it to shrink.
 */
static void use_malloc_once(void)
{
	void *volatile blocks[6];

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		blocks[i] = malloc(60000);
	for (size_t i = sizeof(blocks) / sizeof(blocks[0]); i-- > 0;)
		free(blocks[i]);
}

static void *begin(void *argument)
{
	const struct beginning *beginning = argument;

	is_own = true;
	pthread_setname_np(pthread_self(), beginning->name);
	use_malloc_once();
	atomic_fetch_add(&own_threads.begun_count, 1);
	futex_wake(&own_threads.begun_count);
	return beginning->run(NULL);
}

void background_threads_wait(uint64_t nanoseconds)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + nanoseconds;
	uint32_t begun;

	while ((begun = atomic_load(&own_threads.begun_count)) < own_threads.started_count)
		if (!futex_wait_while(&own_threads.begun_count, begun, end))
			break;
}

/* Which settings a new thread is given; fewer if the kernel refuses them. */
enum settings { ALL_SETTINGS, PROCESSORS_ALONE, NO_SETTINGS };

static int create(struct beginning *beginning, size_t stack, enum settings settings)
{
	const struct sched_param no_priority = {0};
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, stack);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (settings == ALL_SETTINGS) {
		pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
		pthread_attr_setschedparam(&attributes, &no_priority);
	}
	/* Set from here, as the new thread might not get to run on the processor of this one. */
	if (settings <= PROCESSORS_ALONE && at_load.processors_known)
		pthread_attr_setaffinity_np(&attributes, sizeof(at_load.processors),
					    at_load.processors);
	error = -pthread_create(&thread, &attributes, begin, beginning);
	pthread_attr_destroy(&attributes);
	return error;
}

static int start(void *(*run)(void *), const char *name, size_t stack)
{
	struct beginning *beginning = &own_threads.threads[own_threads.started_count];
	sigset_t before;
	int error;

	if (beginning ==
	    own_threads.threads + sizeof(own_threads.threads) / sizeof(own_threads.threads[0]))
		return -EAGAIN;
	*beginning = (struct beginning){run, name};
	background_thread_block_signals(&before);
	error = create(beginning, stack, ALL_SETTINGS);
	/* From SCHED_IDLE there is no way back without rights, and a set of processors that the
	 * process has lost meanwhile is refused. */
	for (int left = PROCESSORS_ALONE; error && error != -EAGAIN && left <= NO_SETTINGS; left++)
		error = create(beginning, stack, (enum settings)left);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	own_threads.started_count += !error;
	return error;
}

int background_thread_start(void *(*run)(void *), const char *name)
{
	return start(run, name, STACK_BYTES);
}

/* The spare thread is in a call while `calls` is odd, or is about to be. */
static struct {
	_Atomic uint32_t calls;
	void (*function)(void *);
	void *argument;
	bool started;
} spare;

static void *run_spare(void *unused)
{
	(void)unused;
	sanitizer_ignore_begin();
	for (;;) {
		/* Acquire: with what is to be called. */
		uint32_t calls = load_acquire(&spare.calls);

		if (calls % 2 == 0) {
			futex_wait(&spare.calls, calls, UINT64_C(3600000000000));
			continue;
		}
		spare.function(spare.argument);
		/* Release: who sees this sees what was done. */
		store_release(&spare.calls, calls + 1);
		futex_wake(&spare.calls);
	}
	return NULL;
}

int spare_thread_start(bool for_others)
{
	int error = start(run_spare, "ktime spare", for_others ? LARGE_STACK_BYTES : STACK_BYTES);

	spare.started = !error;
	return error;
}

int spare_thread_call(void (*function)(void *), void *argument)
{
	uint32_t calls = load_acquire(&spare.calls);

	if (!spare.started)
		return -EAGAIN;
	if (calls % 2)
		return -EBUSY;
	spare.function = function;
	spare.argument = argument;
	store_release(&spare.calls, calls + 1);
	futex_wake(&spare.calls);
	return 0;
}

bool spare_thread_wait(uint64_t end)
{
	uint32_t calls = load_acquire(&spare.calls);

	return calls % 2 == 0 || futex_wait_while(&spare.calls, calls, end);
}

/* Chosen. */
#define CLOSE_WAIT_NS 100000000u
#define CLOSED	      (UINT32_C(1) << 31)

/* The number of threads inside system calls that a sandbox may refuse, plus CLOSED once
 * sandbox_close() was called. */
static _Atomic uint32_t open_calls;

void sandbox_calls_end(void)
{
	if (atomic_fetch_sub(&open_calls, 1) & CLOSED)
		futex_wake(&open_calls);
}

bool sandbox_calls_begin(void)
{
	if (!(atomic_fetch_add(&open_calls, 1) & CLOSED))
		return true;
	sandbox_calls_end();
	return false;
}

void sandbox_close(void)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + CLOSE_WAIT_NS;
	uint32_t now = atomic_fetch_or(&open_calls, CLOSED) | CLOSED;

	while (now != CLOSED && futex_wait_while(&open_calls, now, end))
		now = atomic_load(&open_calls);
}
