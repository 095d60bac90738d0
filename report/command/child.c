/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/session/owner.h"

/* The signals that ktime passes on to the program when somebody sends them to ktime. */
static const int passed_on[] = {SIGHUP,	 SIGINT,  SIGQUIT,  SIGTERM, SIGALRM, SIGUSR1,
				SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP, SIGPOLL, SIGPWR};
/* The terminal sends these to a whole process group: ktime stops when the program does. */
static const int held_back[] = {SIGTTIN, SIGTTOU, SIGCHLD};

static void waited_signals(sigset_t *signals)
{
	sigemptyset(signals);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(signals, passed_on[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(signals, signal);
	sigaddset(signals, SIGCHLD);
}

int child_fork(struct child *child)
{
	const struct sigaction as_usual = {.sa_handler = SIG_DFL};
	int death_signal = 0;
	sigset_t signals;

	waited_signals(&signals);
	for (size_t i = 0; i < sizeof(held_back) / sizeof(held_back[0]); i++)
		sigaddset(&signals, held_back[i]);
	sigprocmask(SIG_BLOCK, &signals, &child->mask);
	/* A parent that ignores SIGCHLD does not get its child's status. */
	sigaction(SIGCHLD, &as_usual, &child->child_action);
	prctl(PR_GET_PDEATHSIG, &death_signal);
	child->pid = fork();
	if (child->pid < 0)
		return -errno;
	if (child->pid > 0) {
		child->started = process_started(child->pid);
		return child->pid;
	}
	/* The signal that ktime gets when its parent ends: a child does not inherit this setting.
	 */
	if (death_signal)
		prctl(PR_SET_PDEATHSIG, death_signal);
	sigaction(SIGCHLD, &child->child_action, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	return 0;
}

/*
 * The terminal sends its signals to the whole process group, and so to the program as well; the end
 * of the terminal is told to the leader of the session alone. An alarm that was set before ktime
 * was executed is not the program's any more.
 */
static bool is_for_program(const struct child *child, const siginfo_t *information)
{
	if (information->si_code == SI_KERNEL)
		return information->si_signo == SIGALRM ||
		       (information->si_signo == SIGHUP && getsid(0) == getpid());
	return information->si_pid != child->pid;
}

/* Whether the child has ended, with its status. */
static bool has_ended(const struct child *child, int *status)
{
	while (waitpid(child->pid, status, WUNTRACED | WNOHANG) == child->pid) {
		if (!WIFSTOPPED(*status))
			return true;
		/* The shell waits for ktime, and gives the terminal to others when it stops. */
		if (WSTOPSIG(*status) != SIGSTOP)
			raise(SIGSTOP);
	}
	return false;
}

/* Passes a signal on, with the value that may come with it. */
static void pass_on(const struct child *child, const siginfo_t *information)
{
	if (information->si_code == SI_QUEUE)
		sigqueue(child->pid, information->si_signo, information->si_value);
	else
		kill(child->pid, information->si_signo);
}

int child_wait(const struct child *child)
{
	siginfo_t information;
	sigset_t signals;
	int status;

	waited_signals(&signals);
	while (!has_ended(child, &status))
		if (sigwaitinfo(&signals, &information) > 0 && information.si_signo != SIGCHLD &&
		    is_for_program(child, &information))
			pass_on(child, &information);
	return status;
}

int child_end_alike(int status)
{
	const struct rlimit none = {0};
	sigset_t signals;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* A core that is piped to a program is not bound by the limit. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&signals);
	sigaddset(&signals, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	raise(WTERMSIG(status));
	/* The first process of a container does not die by its own signals. */
	return 128 + WTERMSIG(status);
}
