/* SPDX-License-Identifier: MIT */
#include "preload/recording/recording.h"

#include <errno.h>

#include "preload/base/futex.h"
#include "preload/base/run.h"
#include "preload/launch/window.h"
#include "report/control/control.h"
#include "report/options/options.h"

/* How long the collector writes nothing after CONTROL_COLLECT, so that the process that asked for
 * it can copy the profile: a thread's ring has room for 22 ms of the fastest launching. Chosen. */
#define COPY_NS 10000000u

/* For the collector. */
static struct {
	struct control_page *page;
	void (*collect)(void);
	/* What the page had last: another process may have written to any of it since. */
	uint32_t answered, updating;
} commands;

void commands_start(void (*the_collect)(void))
{
	commands.collect = the_collect;
	commands.page = (struct control_page *)((char *)run.header + run.header->control);
	/* Not what is asked for by now: that is still to be carried out. */
	commands.answered = commands.page->answered;
}

void commands_writing(bool writing)
{
	if ((commands.updating & 1) == writing)
		return;
	/* Release: what was written is seen by whoever sees an even number. */
	__atomic_store_n(&commands.page->updating, ++commands.updating, __ATOMIC_RELEASE);
	/* Nothing is written before the number is odd. */
	if (writing)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int open_trace(unsigned what, uint64_t duration)
{
	deferred_start_now(commands.collect);
	return trace_window_open(what, duration);
}

static int carry_out(uint32_t command, uint64_t duration)
{
	switch (command) {
	case CONTROL_ON:
		deferred_start_now(commands.collect);
		return window_command(true, duration);
	case CONTROL_OFF:
		return window_command(false, 0);
	case CONTROL_COLLECT:
		commands.collect();
		recording_update_rows();
		trace_window_stop();
		return 0;
	case CONTROL_TRACE_GPU:
		return open_trace(TRACE_GPU, duration);
	case CONTROL_TRACE_API:
		return open_trace(TRACE_API, duration);
	case CONTROL_TRACE_BOTH:
		return open_trace(TRACE_GPU | TRACE_API, duration);
	case CONTROL_TRACE_END:
		return trace_window_close();
	default:
		return -EINVAL;
	}
}

void commands_update(void)
{
	uint32_t request = __atomic_load_n(&commands.page->request, __ATOMIC_ACQUIRE), command;

	if (window_is_due())
		deferred_start_now(commands.collect);
	window_update();
	/* Or the program has opened the window itself. */
	if (window_is_open())
		deferred_start_now(commands.collect);
	trace_window_update();
	commands.page->open = window_is_open();
	if (request == commands.answered)
		return;
	commands.answered = request;
	command = __atomic_load_n(&commands.page->command, __ATOMIC_RELAXED);
	commands.page->result = carry_out(command, commands.page->duration);
	commands.page->open = window_is_open();
	/* Copied right after, the profile has what was asked for. */
	commands_writing(false);
	__atomic_store_n(&commands.page->answered, commands.answered, __ATOMIC_RELEASE);
	if (command != CONTROL_COLLECT)
		return;
	futex_sleep(COPY_NS);
	commands_writing(true);
}
