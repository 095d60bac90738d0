/* SPDX-License-Identifier: MIT */
/*
 * Works the device, prints a line, and ends in the way that the argument names: with a status of
 * 3 where the way leaves one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static CUfunction kernel;

static void work(void)
{
	char host[1000] = "";
	CUdeviceptr device;

	check_context();
	kernel = check_kernel("first");
	CHECK(cuMemAlloc(&device, sizeof(host)));
	CHECK(cuMemcpyHtoD(device, host, sizeof(host)));
	for (int i = 0; i < 10; i++)
		check_launch(kernel, NULL);
	CHECK(cuMemcpyDtoH(host, device, sizeof(host)));
}

/* Not through a null pointer, which a sanitizer would see first. */
static void *fault(void *argument)
{
	volatile char *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*page = 1;
	return argument;
}

static void *launch(void *argument)
{
	CHECK(cuCtxSetCurrent(argument));
	for (int i = 0; i < 10; i++)
		check_launch(kernel, NULL);
	return NULL;
}

static void run_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument) == 0)
		pthread_join(thread, NULL);
}

static void end_by_return(void)
{
}

static void end_by_exit(void)
{
	exit(3);
}

static void end_by_quick_exit(void)
{
	quick_exit(3);
}

static void end_by__exit(void)
{
	_exit(3);
}

static void end_by__Exit(void)
{
	_Exit(3);
}

static void end_by_abort(void)
{
	abort();
}

static void end_by_SIGTERM(void)
{
	raise(SIGTERM);
}

#define RAISED(signal)                                                                             \
	static void end_by_##signal(void)                                                          \
	{                                                                                          \
		raise(signal);                                                                     \
	}
RAISED(SIGPOLL)
RAISED(SIGPWR)
RAISED(SIGSTKFLT)
RAISED(SIGRTMIN)
RAISED(SIGRTMAX)

/* A file that would grow beyond its limit. */
static void end_by_SIGXFSZ(void)
{
	const struct rlimit limit = {1 << 24, RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &limit);
	EXPECT(-1, pwrite(fileno(tmpfile()), "", 1, 1 << 24));
}

static void end_by_SIGSEGV(void)
{
	run_thread(fault, NULL);
}

static void end_by_SIGKILL(void)
{
	wait_for_ktime_at_rest();
	raise(SIGKILL);
}

/* A program's own handler stays in place. */
static void leave(int number)
{
	_exit(40 + number);
}

static void end_by_handler(void)
{
	signal(SIGTERM, leave);
	raise(SIGTERM);
}

static void end_by_work_in_flight(void)
{
	check_launch(kernel, NULL);
}

static void end_by_reset(void)
{
	check_launch(kernel, NULL);
	CHECK(cuDevicePrimaryCtxReset(0));
}

/* The work lasts longer than what is to happen while the context ends. */
#define MEANWHILE_US 200000

static _Atomic int launched;

static void *reset(void *context)
{
	CHECK(cuCtxSetCurrent(context));
	kernel = check_kernel("second");
	/* The first one goes without events, which are what is waited for. */
	for (int i = 0; i < 2; i++)
		check_launch(kernel, NULL);
	launched = 1;
	/* Whatever comes of it: the process may be over meanwhile. */
	cuDevicePrimaryCtxReset(0);
	return NULL;
}

static void end_by_exit_in_reset(void)
{
	CUcontext context;
	pthread_t thread;

	CHECK(cuCtxGetCurrent(&context));
	if (pthread_create(&thread, NULL, reset, context))
		return;
	while (!launched)
		usleep(1000);
	usleep(MEANWHILE_US);
	exit(3);
}

static void *leave_by_exit(void *unused)
{
	(void)unused;
	exit(3);
}

/* Another thread's exit waits for what is in flight. */
static void begin_exit(void)
{
	pthread_t thread;

	kernel = check_kernel("second");
	for (int i = 0; i < 2; i++)
		check_launch(kernel, NULL);
	if (pthread_create(&thread, NULL, leave_by_exit, NULL) == 0)
		usleep(MEANWHILE_US);
}

static void end_by__exit_in_exit(void)
{
	begin_exit();
	_exit(3);
}

/* Alone, the process may be over before: it looks at no result. */
static void *reset_later(void *context)
{
	cuCtxSetCurrent(context);
	usleep(MEANWHILE_US);
	cuDevicePrimaryCtxReset(0);
	return NULL;
}

static void end_by_reset_in_exit(void)
{
	CUcontext context;
	pthread_t thread;

	CHECK(cuCtxGetCurrent(&context));
	kernel = check_kernel("second");
	for (int i = 0; i < 2; i++)
		check_launch(kernel, NULL);
	pthread_create(&thread, NULL, reset_later, context);
	exit(3);
}

static void end_by_SIGALRM_in_reset(void)
{
	CUcontext context;

	CHECK(cuCtxGetCurrent(&context));
	ualarm(MEANWHILE_US, 0);
	reset(context);
	pause();
}

static void end_by_thread(void)
{
	CUcontext context;

	CHECK(cuCtxGetCurrent(&context));
	for (int i = 0; i < 4; i++)
		run_thread(launch, context);
}

/* By the system call: ThreadSanitizer takes a descriptor that another thread has just opened, as
 * the collector may have, for a race. */
static void end_by_closing_files(void)
{
	for (int file = 3; file < 1024; file++)
		syscall(SYS_close, file);
}

/* The program that takes over prints whether it has its arguments and its environment. */
#define SHELL	 "/bin/sh"
#define QUESTION "test \"$0$1$ENVIRONMENT\" = onetwo && exit 3"
static char *const arguments[] = {"sh", "-c", QUESTION, "one", "two", NULL};
static char *const environment[] = {"ENVIRONMENT=two", NULL};
static char *const shorter[] = {"sh", "-c", QUESTION, "one", NULL};

static void end_by_execve_in_exit(void)
{
	begin_exit();
	execve(SHELL, shorter, environment);
}

static void end_by_execve(void)
{
	execve(SHELL, shorter, environment);
}

static void end_by_execv(void)
{
	execv(SHELL, arguments);
}

static void end_by_execvp(void)
{
	execvp("sh", arguments);
}

static void end_by_execvpe(void)
{
	execvpe("sh", shorter, environment);
}

static void end_by_fexecve(void)
{
	fexecve(open(SHELL, O_RDONLY | O_CLOEXEC), shorter, environment);
}

static void end_by_execveat(void)
{
	execveat(open("/bin", O_RDONLY | O_CLOEXEC), "sh", shorter, environment, 0);
}

static void end_by_execl(void)
{
	execl(SHELL, "sh", "-c", QUESTION, "one", "two", (char *)NULL);
}

static void end_by_execlp(void)
{
	execlp("sh", "sh", "-c", QUESTION, "one", "two", (char *)NULL);
}

static void end_by_execle(void)
{
	execle(SHELL, "sh", "-c", QUESTION, "one", (char *)NULL, environment);
}

/* Another program that makes the GPU work. */
static void end_by_execution_of_itself(void)
{
	execl("/proc/self/exe", "endings", "return", (char *)NULL);
}

/* What cannot be executed leaves the program, and ktime, as they are. */
static void work_late(void)
{
	for (int i = 0; i < 3; i++)
		check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
}

/* The handler was registered before the first work, and so runs after ktime's. */
static void end_by_late_work(void)
{
}

static void end_by_failing_exec(void)
{
	EXPECT(-1, execl("/nowhere/sh", "sh", (char *)NULL));
	EXPECT(ENOENT, errno);
	EXPECT(-1, execl("sh", "sh", (char *)NULL));
	EXPECT(ENOENT, errno);
	EXPECT(-1, execlp("nowhere-on-path", "sh", (char *)NULL));
	EXPECT(ENOENT, errno);
	EXPECT(-1, execvp("nowhere-on-path", arguments));
	EXPECT(ENOENT, errno);
	EXPECT(-1, execvpe("", arguments, environment));
	EXPECT(ENOENT, errno);
	EXPECT(-1, execv("/tmp", arguments));
	EXPECT(EACCES, errno);
	EXPECT(-1, execveat(AT_FDCWD, "nowhere", arguments, environment, 0));
	EXPECT(ENOENT, errno);
	EXPECT(-1, fexecve(open("/tmp", O_RDONLY), arguments, environment));
	EXPECT(EACCES, errno);
	check_launch(kernel, NULL);
}

/* The child has the parent's state: it must not make the parent's report. */
static void end_by_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execve(SHELL, shorter, environment);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	check_launch(kernel, NULL);
}

static const struct {
	const char *name;
	void (*end)(void);
} ways[] = {
#define WAY(name)                                                                                  \
	{                                                                                          \
#name, end_by_##name                                                               \
	}
	WAY(return ),	    WAY(exit),		 WAY(quick_exit),
	WAY(_exit),	    WAY(_Exit),		 WAY(abort),
	WAY(SIGTERM),	    WAY(SIGPOLL),	 WAY(SIGPWR),
	WAY(SIGSTKFLT),	    WAY(SIGRTMIN),	 WAY(SIGRTMAX),
	WAY(SIGXFSZ),	    WAY(SIGSEGV),	 WAY(SIGKILL),
	WAY(handler),	    WAY(reset),		 WAY(thread),
	WAY(closing_files), WAY(work_in_flight), WAY(execve),
	WAY(execv),	    WAY(execvp),	 WAY(execvpe),
	WAY(fexecve),	    WAY(execveat),	 WAY(execl),
	WAY(execlp),	    WAY(execle),	 WAY(failing_exec),
	WAY(vfork),	    WAY(late_work),	 WAY(execution_of_itself),
	WAY(exit_in_reset), WAY(reset_in_exit),	 WAY(SIGALRM_in_reset),
	WAY(_exit_in_exit), WAY(execve_in_exit),
#undef WAY
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name))
			continue;
		if (ways[i].end == end_by_late_work) {
			check_context();
			atexit(work_late);
		}
		work();
		puts("worked");
		fflush(stdout);
		ways[i].end();
		return 3;
	}
	fprintf(stderr, "usage: %s WAY\n", argv[0]);
	return 2;
}
