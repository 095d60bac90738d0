/* SPDX-License-Identifier: MIT */
#include "report/merge/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 40

void progress_wipe(struct progress *progress)
{
	if (progress->bar)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 60, "");
	progress->bar = false;
}

void progress_show(struct progress *progress, uint64_t done, uint64_t count)
{
	int full;

	/* Not more often than it changes. */
	if (done < progress->next)
		return;
	progress->next = done + count / BAR_WIDTH;
	if (count < BAR_WIDTH || count < progress->least || !isatty(STDERR_FILENO))
		return;
	full = (int)((double)done / (double)count * BAR_WIDTH);
	fprintf(stderr, "\r%s [%.*s%*s] %" PRIu64 " of %" PRIu64, progress->what, full,
		"########################################", BAR_WIDTH - full, "", done, count);
	fflush(stderr);
	progress->bar = true;
}
