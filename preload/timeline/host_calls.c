/* SPDX-License-Identifier: MIT */
#include "preload/timeline/host_calls.h"

#include <stdlib.h>

static struct host_call *calls;
static uint32_t count; /* of all that were added */

uint32_t host_calls_add(const struct host_call *call)
{
	if (!calls)
		calls = malloc(HOST_CALLS_KEPT * sizeof(*calls));
	if (!calls)
		return 0;
	/* 0 is no number, also after 2^32 calls. */
	if (++count == 0)
		count = HOST_CALLS_KEPT;
	calls[count % HOST_CALLS_KEPT] = *call;
	return count;
}

const struct host_call *host_calls_get(uint32_t number)
{
	return number && calls && count - number < HOST_CALLS_KEPT
		       ? &calls[number % HOST_CALLS_KEPT]
		       : NULL;
}

void host_calls_note_wait(uint32_t number)
{
	if (host_calls_get(number))
		calls[number % HOST_CALLS_KEPT].flags |= HOST_CALL_WAITED;
}

bool host_calls_soon_forgotten(uint32_t number)
{
	return number && count - number > HOST_CALLS_KEPT / 2;
}

size_t host_calls_memory(void)
{
	return (count < HOST_CALLS_KEPT ? count : HOST_CALLS_KEPT) * sizeof(*calls);
}
