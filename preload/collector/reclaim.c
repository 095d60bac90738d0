/* SPDX-License-Identifier: MIT */
#include "preload/collector/reclaim.h"

#include <stdlib.h>

#include "preload/collector/match.h"
#include "preload/base/clock.h"
#include "preload/collector/drain.h"
#include "preload/collector/calls.h"
#include "preload/handles/stream.h"
#include "preload/events/event_queue.h"

/* Much longer than a processor keeps a store to itself; the rings are drained in between. */
#define CHECK_NS	   10000000u
/* A minute or more: records that have not come by then are not waited for. */
#define MOST_CHECKS 6000u

static struct stream *waiting;
static uint64_t next_check;

/*
 * A call that began before the stream ended may still have it at hand, and leaves a span that
 * names it. Once no such call is under way all spans are in the rings, and read by the next look.
 */
static bool is_free(struct stream *stream)
{
	stream->checks++;
	if (!stream->unused) {
		stream->unused = !drain_call_before(stream->ended);
		return false;
	}
	return event_queue_forget(stream) &&
	       (!stream->records || match_forget(stream->records, stream->checks > MOST_CHECKS));
}

void reclaim_streams(uint64_t now)
{
	struct stream **link = &waiting, *stream;

	if (now < next_check)
		return;
	next_check = now + CHECK_NS;
	while ((stream = *link)) {
		if (is_free(stream)) {
			*link = stream->next;
			free(stream);
		} else {
			link = &stream->next;
		}
	}
	/* No call that begins from here on finds these. They are looked at from the next time on.
	 */
	*link = stream_take_ended();
	for (stream = *link; stream; stream = stream->next)
		stream->ended = clock_ticks();
}
