/* SPDX-License-Identifier: MIT */
/* Prints what each of the functions that set a signal's handler does, once CUDA is in use. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "tests/sim/programs/check.h"

/* Old programs call them all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

typedef sighandler_t set_function(int signal, sighandler_t handler);

static volatile sig_atomic_t calls, blocked;

static void handle(int signal)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	blocked = sigismember(&mask, signal);
	calls++;
}

static const char *name_of(sighandler_t handler)
{
	return handler == SIG_DFL    ? "default"
	       : handler == SIG_IGN  ? "ignored"
	       : handler == SIG_ERR  ? "error"
	       : handler == SIG_HOLD ? "held"
	       : handler == handle   ? "handler"
				     : "other";
}

/* Flags and mask mean nothing beside the default action. */
static void say_action(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) < 0) {
		puts(" none");
		return;
	}
	if (action.sa_handler == SIG_DFL) {
		puts(" default");
		return;
	}
	printf(" %s%s%s%s%s\n", name_of(action.sa_handler),
	       action.sa_flags & SA_RESTART ? " restart" : "",
	       action.sa_flags & (int)SA_RESETHAND ? " once" : "",
	       action.sa_flags & SA_NODEFER ? " nested" : "",
	       sigismember(&action.sa_mask, signal) ? " masked" : "");
}

static void say_refusal(set_function *set, int signal, sighandler_t handler)
{
	errno = 0;
	printf(" %s,", name_of(set(signal, handler)));
	printf(" errno %d\n", errno);
}

static void try(const char *name, int signal)
{
	set_function *set = (set_function *)dlsym(RTLD_DEFAULT, name);

	if (!set) {
		printf("%s: none\n", name);
		return;
	}
	calls = 0;
	printf("%s %d: %s,", name, signal, name_of(set(signal, handle)));
	say_action(signal);
	raise(signal);
	printf(" %d call%s,", (int)calls, blocked ? ", blocked" : "");
	say_action(signal);
	printf(" %s,", name_of(set(signal, SIG_IGN)));
	say_action(signal);
	printf(" %s,", name_of(set(signal, SIG_DFL)));
	say_action(signal);
	say_refusal(set, signal, SIG_ERR);
	say_refusal(set, 4711, handle);
}

static void try_interruption(int signal_number)
{
	for (int interrupt = 1; interrupt >= 0; interrupt--) {
		printf("siginterrupt %d: %d,", interrupt, siginterrupt(signal_number, interrupt));
		say_action(signal_number);
		printf(" %s,", name_of(signal(signal_number, handle)));
		say_action(signal_number);
		printf(" %d,", siginterrupt(signal_number, !interrupt));
		say_action(signal_number);
		signal(signal_number, SIG_DFL);
	}
}

static void try_hold(int signal_number)
{
	printf("hold: %s", name_of(sigset(signal_number, SIG_HOLD)));
	printf(" %s", name_of(sigset(signal_number, SIG_HOLD)));
	raise(signal_number);
	printf(" %s", name_of(sigset(signal_number, handle)));
	printf(" %d", (int)calls);
	printf(" %d", sigignore(signal_number));
	printf(" %s\n", name_of(sigset(signal_number, SIG_DFL)));
}

int main(void)
{
	static const char *const names[] = {"signal",	   "bsd_signal",    "ssignal",
					    "sysv_signal", "__sysv_signal", "sigset"};
	const int signals[] = {SIGUSR2, SIGTERM, SIGSEGV, SIGPOLL, SIGRTMIN};

	check_context();
	try_interruption(SIGUSR1);
	try_interruption(SIGRTMAX);
	try_interruption(4711);
	try_hold(SIGHUP);
	try_hold(SIGRTMAX);
	try_hold(4711);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++)
			try(names[i], signals[k]);
	return 0;
}
