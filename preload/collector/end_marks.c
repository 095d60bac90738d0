/* SPDX-License-Identifier: MIT */
#include "preload/collector/end_marks.h"

#include <stddef.h>

#include "preload/collector/match.h"
#include "preload/driver/driver.h"
#include "preload/handles/capture.h"

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
