/* SPDX-License-Identifier: MIT */
/* ktime's threads have nothing of the thread that starts them, and take none of the program's
 * signals. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/background_thread.h"
#include "tests/unit/test.h"

static const int raised_by_itself[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};

static sem_t done;
static sigset_t blocked;
static size_t stack;
static char name[16];
static int detached, policy;
static cpu_set_t processors;

static void *look_around(void *unused)
{
	pthread_attr_t attributes;
	void *start;

	pthread_getname_np(pthread_self(), name, sizeof(name));
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &stack);
	pthread_attr_getdetachstate(&attributes, &detached);
	pthread_attr_destroy(&attributes);
	policy = sched_getscheduler(0);
	sched_getaffinity(0, sizeof(processors), &processors);
	sem_post(&done);
	return unused;
}

static void wait_until_done(void)
{
	while (sem_wait(&done) && errno == EINTR)
		;
}

static bool raises_by_itself(int signal)
{
	for (size_t i = 0; i < sizeof(raised_by_itself) / sizeof(raised_by_itself[0]); i++)
		if (raised_by_itself[i] == signal)
			return true;
	return false;
}

TEST(all_signals_but_those_of_faults_are_blocked)
{
	sigset_t before, after;

	assert_int_equal(sem_init(&done, 0, 0), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(background_thread_start(look_around, "ktime around"), 0);
	background_threads_wait(UINT64_C(1000000000));
	wait_until_done();
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		bool blockable = signal != SIGKILL && signal != SIGSTOP &&
				 !raises_by_itself(signal) && (signal < 32 || signal >= SIGRTMIN);

		assert_int_equal(sigismember(&blocked, signal), blockable);
		assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
	}
	assert_true(stack >= 1 << 20);
	assert_true(stack < 2 << 20);
	assert_int_equal(detached, PTHREAD_CREATE_DETACHED);
	assert_string_equal(name, "ktime around");
}

/* Where the rights for it are there, the starting thread is a real-time one. */
TEST(processors_and_policy_are_those_of_the_process)
{
	const struct sched_param priority = {.sched_priority = 1}, none = {0};
	cpu_set_t all, one;

	assert_int_equal(sem_init(&done, 0, 0), 0);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	sched_setscheduler(0, SCHED_FIFO, &priority);
	assert_int_equal(background_thread_start(look_around, "ktime around"), 0);
	sched_setscheduler(0, SCHED_OTHER, &none);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	wait_until_done();
	assert_int_equal(policy, SCHED_OTHER);
	assert_true(CPU_EQUAL(&processors, &all));
}

static sem_t may_end;
static _Atomic int calls;

static void be_called(void *argument)
{
	assert_ptr_equal(argument, &calls);
	look_around(NULL);
	while (sem_wait(&may_end) && errno == EINTR)
		;
	atomic_fetch_add(&calls, 1);
}

TEST(the_spare_thread_makes_one_call_at_a_time)
{
	assert_int_equal(sem_init(&done, 0, 0), 0);
	assert_int_equal(sem_init(&may_end, 0, 0), 0);
	assert_int_equal(spare_thread_call(be_called, &calls), -EAGAIN);
	assert_true(spare_thread_wait(0));
	assert_int_equal(spare_thread_start(true), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(spare_thread_call(be_called, &calls), 0);
		wait_until_done();
		assert_int_equal(spare_thread_call(be_called, &calls), -EBUSY);
		assert_false(spare_thread_wait(0));
		sem_post(&may_end);
		assert_true(spare_thread_wait(UINT64_MAX));
		assert_int_equal(atomic_load(&calls), i + 1);
	}
	assert_true(stack >= 8 << 20);
	assert_true(sigismember(&blocked, SIGTERM));
}

static void take(int signal, siginfo_t *info, void *context)
{
	background_thread_returns_signal(signal, info, context);
}

static void *stay(void *unused)
{
	sem_post(&done);
	for (;;)
		pause();
	return unused;
}

/* The thread alone has it unblocked, so that the kernel chooses that. */
TEST(a_fault_that_is_sent_to_the_process_waits_for_the_program)
{
	const struct sigaction own = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
	sigset_t segv, before;
	siginfo_t info = {0};

	assert_int_equal(sem_init(&done, 0, 0), 0);
	sigaction(SIGSEGV, &own, NULL);
	sigemptyset(&segv);
	sigaddset(&segv, SIGSEGV);
	pthread_sigmask(SIG_BLOCK, &segv, &before);
	assert_int_equal(background_thread_start(stay, "ktime stay"), 0);
	wait_until_done();
	kill(getpid(), SIGSEGV);
	while (sigwaitinfo(&segv, &info) < 0 && errno == EINTR)
		;
	assert_int_equal(info.si_signo, SIGSEGV);
	assert_int_equal(info.si_pid, getpid());
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	signal(SIGSEGV, SIG_DFL);
}

TEST(what_is_sent_to_a_thread_of_the_program_is_its_own)
{
	siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_USER};

	assert_false(background_thread_returns_signal(SIGSEGV, &info, NULL));
}
