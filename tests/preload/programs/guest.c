/* SPDX-License-Identifier: MIT */
/*
 * guest WAY…: what a program settles for its threads, and what ktime's must leave alone. Each way
 * works the device with "first".
 *
 *   realtime   by a thread under SCHED_FIFO, on one processor; then computes until a signal ends it
 *   threads    by a thread as above; then prints of each of ktime's threads, which are SIGNAL in
 *              number, the policy, the number of processors, whether all signals are blocked that
 *              no instruction raises, and the name
 *   unshare    after cuInit, into a user namespace of its own, which a process of several threads
 *              may not have; prints what came of it
 *   sandbox    after a first kernel, in a sandbox that opens and removes no file and starts no
 *              thread; "early": after cuInit; "killing": in one that ends the process for any
 *              system call that the program does not make
 *   locked     with all memory locked that is mapped from its begin on; prints the KiB of it on
 *              standard error
 *   init       by nothing: calls cuInit alone
 *   sigwait, signalfd  blocks SIGNAL and waits for it, in a second thread; "late": after cuInit;
 *              "gone": the main thread has ended
 *
 * SIGNAL is a number; 0: each that can be blocked.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static const char *ways;
static CUcontext context;
static sigset_t waited_for;

static bool is(const char *way)
{
	return strstr(ways, way) != NULL;
}

static void work(void)
{
	CUfunction kernel = check_kernel("first");

	for (int i = 0; i < 100; i++)
		check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
}

static void become_realtime(void)
{
	const struct sched_param priority = {.sched_priority = 50};
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	EXPECT(0, sched_setaffinity(0, sizeof(one), &one));
	/* Without the rights for it, one processor has to do. */
	sched_setscheduler(0, SCHED_FIFO, &priority);
}

/* The value of a line of a thread's status, in `text`; false if the thread has ended. */
static bool read_status(const char *thread, const char *format, void *value)
{
	char path[300], line[200];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", thread);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		found |= sscanf(line, format, value) == 1;
	if (file)
		fclose(file);
	return found;
}

static bool blocks_all(const char *thread)
{
	unsigned long long blocked = 0;

	if (!read_status(thread, "SigBlk: %llx", &blocked))
		return false;
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		/* The two between are the C library's own. */
		bool may_be_open = signal == SIGKILL || signal == SIGSTOP || signal == SIGILL ||
				   signal == SIGBUS || signal == SIGFPE || signal == SIGSEGV ||
				   signal == SIGSYS || (signal >= 32 && signal < SIGRTMIN);

		if (!may_be_open && !(blocked >> (signal - 1) & 1))
			return false;
	}
	return true;
}

/* How many threads of ktime's there are, which are printed if asked for. */
static int count_threads(bool print)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	cpu_set_t processors;
	int count = 0;

	while ((task = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(task->d_name);
		char name[32] = "";

		if (thread == 0 || !read_status(task->d_name, "Name: %31[^\n]", name) ||
		    strncmp(name, "ktime", 5) != 0)
			continue;
		count++;
		if (!print)
			continue;
		EXPECT(0, sched_getaffinity(thread, sizeof(processors), &processors));
		printf("%d %d %s %s\n", sched_getscheduler(thread), CPU_COUNT(&processors),
		       blocks_all(task->d_name) ? "blocked" : "unblocked", name);
	}
	closedir(tasks);
	return count;
}

/* Each names itself once it runs. */
static void list_threads(int threads)
{
	for (int i = 0; count_threads(false) < threads; i++) {
		EXPECT(1, i < 60000); /* a minute */
		usleep(1000);
	}
	count_threads(true);
}

static void filter_all_threads(struct sock_filter *filter, size_t size)
{
	struct sock_fprog program = {(unsigned short)(size / sizeof(*filter)), filter};

	EXPECT(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	EXPECT(0,
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

/* Answers EPERM to what a sandbox is there to refuse. */
static void enter_sandbox(void)
{
#define ON(call, action)                                                                           \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE(call) ON(call, SECCOMP_RET_ERRNO | EPERM)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(openat),
		REFUSE(unlinkat),
		REFUSE(clone),
		REFUSE(clone3),
#ifdef SYS_open
		REFUSE(open),
		REFUSE(unlink),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	filter_all_threads(filter, sizeof(filter));
}

/* Ends the process for what this program does not need. */
static void enter_killing_sandbox(void)
{
#define ALLOW(call) ON(call, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(ioctl),
		ALLOW(close),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mprotect),
		ALLOW(madvise),
		ALLOW(brk),
		ALLOW(futex),
		ALLOW(clock_gettime),
		ALLOW(clock_nanosleep),
		ALLOW(rt_sigprocmask),
		ALLOW(sched_yield),
		ALLOW(fstat),
#ifdef SYS_newfstatat
		ALLOW(newfstatat),
#endif
		ALLOW(getpid),
		ALLOW(gettid),
		ALLOW(exit),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	filter_all_threads(filter, sizeof(filter));
}

static void *wait_for_signal(void *unused)
{
	int got = 0;

	CHECK(cuCtxSetCurrent(context));
	work();
	if (is("signalfd")) {
		struct signalfd_siginfo info;
		int file = signalfd(-1, &waited_for, 0);

		EXPECT(0, puts("ready") < 0 || fflush(stdout));
		if (read(file, &info, sizeof(info)) == sizeof(info))
			got = (int)info.ssi_signo;
	} else {
		EXPECT(0, puts("ready") < 0 || fflush(stdout));
		sigwait(&waited_for, &got);
	}
	printf("%d\n", got);
	exit(4);
	return unused;
}

static void block(const char *signal)
{
	sigemptyset(&waited_for);
	if (atoi(signal))
		sigaddset(&waited_for, atoi(signal));
	else
		sigfillset(&waited_for);
	pthread_sigmask(SIG_BLOCK, &waited_for, NULL);
}

int main(int argc, char **argv)
{
	const char *signal = argc > 2 ? argv[2] : "0";
	volatile unsigned long computed = 0;
	unsigned long locked;
	char own[20];
	pthread_t waiter;

	ways = argc > 1 ? argv[1] : "";
	if (is("realtime") || is("threads"))
		become_realtime();
	else if (!is("late"))
		block(signal);
	if (is("unshare") || is("init") || is("early"))
		CHECK(cuInit(0));
	if (is("early"))
		enter_sandbox();
	if (is("init"))
		return 0;
	if (is("unshare"))
		puts(unshare(CLONE_NEWUSER) ? strerror(errno) : "unshared");
	if (is("locked"))
		EXPECT(0, mlockall(MCL_FUTURE));
	context = check_context();
	if (is("sandbox") && !is("early")) {
		check_launch(check_kernel("second"), NULL);
		if (is("killing"))
			enter_killing_sandbox();
		else
			enter_sandbox();
	}
	if (is("unshare") || is("locked") || is("sandbox")) {
		work();
		snprintf(own, sizeof(own), "%d", (int)getpid());
		if (is("locked") && read_status(own, "VmLck: %lu", &locked))
			fprintf(stderr, "locked %lu\n", locked);
		return 0;
	}
	if (is("realtime") || is("threads")) {
		work();
		if (is("threads")) {
			list_threads(atoi(signal));
			return 0;
		}
		puts("ready");
		fflush(stdout);
		for (;;)
			computed++;
	}
	if (is("late"))
		block(signal);
	pthread_create(&waiter, NULL, wait_for_signal, NULL);
	if (is("gone"))
		pthread_exit(NULL);
	pthread_join(waiter, NULL);
	return 0;
}
