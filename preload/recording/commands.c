/* SPDX-License-Identifier: MIT */
#include "preload/recording/commands.h"

#include <errno.h>

#include "preload/launch/window.h"
#include "report/control/control.h"

static struct session *session;
static struct control_page *page;
static void (*collect)(void);
/* What the page had last: another process may have written to any of it since. */
static uint32_t answered, updating;

void commands_start(struct session *the_session, void (*the_collect)(void))
{
	session = the_session;
	collect = the_collect;
	page = (struct control_page *)((char *)session_header(session) +
				       session_header(session)->control);
	answered = page->request;
}

void commands_writing(bool writing)
{
	if ((updating & 1) == writing)
		return;
	/* Release: what was written is seen by whoever sees an even number. */
	__atomic_store_n(&page->updating, ++updating, __ATOMIC_RELEASE);
	/* Nothing is written before the number is odd. */
	if (writing)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int carry_out(uint32_t command, uint64_t duration)
{
	switch (command) {
	case CONTROL_ON:
		return window_command(true, duration);
	case CONTROL_OFF:
		return window_command(false, 0);
	case CONTROL_COLLECT:
		collect();
		return 0;
	default:
		return -EINVAL;
	}
}

void commands_update(void)
{
	uint32_t request = __atomic_load_n(&page->request, __ATOMIC_ACQUIRE);

	window_update(session);
	page->open = window_is_open();
	if (request == answered)
		return;
	answered = request;
	page->result = carry_out(page->command, page->duration);
	page->open = window_is_open();
	/* Copied right after, the profile has what was asked for. */
	commands_writing(false);
	__atomic_store_n(&page->answered, answered, __ATOMIC_RELEASE);
}
