/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/sim/driver/host.h"
#include "tests/sim/driver/sim.h"

struct task {
	void (*function)(void *);
	void *argument;
	struct task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static uint64_t enqueued, done;
static bool thread_running;
static __thread bool calling;

static void *run(void *unused)
{
	struct task *task;

	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!first)
			pthread_cond_wait(&changed, &lock);
		task = first;
		first = task->next;
		if (!first)
			last = &first;
		pthread_mutex_unlock(&lock);
		calling = true;
		task->function(task->argument);
		calling = false;
		free(task);
		pthread_mutex_lock(&lock);
		done++;
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

static bool start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;

	if (thread_running)
		return true;
	/* It may still run when a cudart unloads this library at exit. */
	dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	thread_running = !pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (thread_running)
		pthread_detach(thread);
	return thread_running;
}

bool host_is_calling(void)
{
	return calling;
}

void host_enqueue(void (*function)(void *), void *argument)
{
	struct task *task = malloc(sizeof(*task));

	pthread_mutex_lock(&lock);
	if (task && start_thread()) {
		*task = (struct task){function, argument, NULL};
		*last = task;
		last = &task->next;
		enqueued++;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
}

uint64_t host_last(void)
{
	uint64_t number;

	pthread_mutex_lock(&lock);
	number = enqueued;
	pthread_mutex_unlock(&lock);
	return number;
}

bool host_done(uint64_t number)
{
	bool is_done;

	pthread_mutex_lock(&lock);
	is_done = done >= number;
	pthread_mutex_unlock(&lock);
	return is_done;
}

static void wait_for(void *number)
{
	pthread_mutex_lock(&lock);
	while (done < *(uint64_t *)number)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void host_wait(uint64_t number)
{
	if (!host_done(number))
		sim_call_out(wait_for, &number);
}
