/* SPDX-License-Identifier: MIT */
#include "preload/collector/stream_ends.h"

#include <stdlib.h>

#include "preload/base/clock.h"
#include "preload/collector/drain.h"
#include "preload/collector/match.h"
#include "preload/driver/driver.h"
#include "preload/events/event_queue.h"
#include "preload/handles/capture.h"
#include "preload/handles/stream.h"

/* How often ended streams are checked. Much longer than a store takes to reach other processors;
 * the rings are drained in between. Chosen. */
#define CHECK_NS    10000000u
/* After this many checks, a minute or more, records that have not come are no longer waited for.
 * Chosen. */
#define MOST_CHECKS 6000u

static struct stream *waiting;
static uint64_t next_check;

/*
 * Whether a stream can be freed. A call that began before the stream ended may still leave a call
 * record that refers to it. Once no such call is in progress all such records are in the rings, and
 * have been read by the next check.
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
	/* Calls that begin from now on cannot find these streams. They are checked from the next
	 * time on. */
	*link = stream_take_ended();
	for (stream = *link; stream; stream = stream->next)
		stream->ended = clock_ticks();
}

/* How many streams are waited for; more are not. Chosen. */
#define MARKS 256

static CUevent marks[MARKS];
static unsigned mark_count;

static void mark_stream(struct stream *stream)
{
	CUevent event;

	if (mark_count == MARKS || !stream->records || !match_pending(stream->records) ||
	    !context_use(stream->context) ||
	    driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return;
	if (driver.cuEventRecord(event, stream->handle) == CUDA_SUCCESS)
		marks[mark_count++] = event;
	else
		driver.cuEventDestroy_v2(event);
}

void end_marks_set(void)
{
	if (!capture_is_live())
		stream_visit(mark_stream);
}

bool end_marks_reached(void)
{
	/* An error means that the context has ended, and its work with it. */
	while (mark_count > 0 && driver.cuEventQuery(marks[mark_count - 1]) != CUDA_ERROR_NOT_READY)
		driver.cuEventDestroy_v2(marks[--mark_count]);
	return mark_count == 0;
}
