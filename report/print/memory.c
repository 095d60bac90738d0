/* SPDX-License-Identifier: MIT */
/* What the program held of memory: a line of every report. */
#include "report/memory/memory_use.h"

#include "report/print/number.h"
#include "report/print/report.h"

/* All kinds together, on all devices and the host. */
struct memory_totals {
	uint64_t allocations, held, held_count;
};

static struct memory_totals totals_of(const struct session *session)
{
	struct memory_totals totals = {0};
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		if (use->kind == ALLOCATION_TOTAL)
			continue;
		totals.allocations += use->allocations;
		totals.held += use->held;
		totals.held_count += use->held_count;
	}
	return totals;
}

/* "96 MB on device 0, at 1.21 s"; "8 MB of managed memory". */
static void write_peak(const struct session *session, const struct memory_use *use, FILE *file)
{
	const uint64_t start = session_header(session)->start_realtime;
	char text[NUMBER_SIZE];

	fputs(number_bytes_about(text, use->peak), file);
	if (use->kind != ALLOCATION_TOTAL)
		fprintf(file, " of %s", allocation_text(use->kind));
	if (use->device >= 0)
		fprintf(file, " on device %d", use->device);
	if (use->kind == ALLOCATION_TOTAL && use->peak_time >= start)
		fprintf(file, " at %s", number_about(text, (double)(use->peak_time - start), 3));
}

/* "; 3 of 120 allocations not freed, 24 MB; 40 allocations a second" */
static void write_totals(const struct session *session, const struct memory_totals *totals,
			 FILE *file)
{
	const struct session_header *header = session_header(session);
	double wall = (double)header->counters[COUNTER_wall_ns];
	/* Of a shorter run the rate says nothing. */
	double rate = wall >= 1e9 ? 1e9 * (double)totals->allocations / wall : 0;
	char held[NUMBER_SIZE], count[NUMBER_SIZE];

	number_count(count, totals->allocations);
	if (totals->held_count)
		fprintf(file, "; %s of %s allocations %s", number_count(held, totals->held_count),
			count, header->finished ? "not freed" : "held");
	else
		fprintf(file, "; all %s allocations freed", count);
	if (totals->held_count)
		fprintf(file, ", %s", number_bytes_about(held, totals->held));
	if (rate >= 1)
		fprintf(file, "; %s allocations a second", number_count(count, (uint64_t)rate));
}

void memory_line_write(const struct session *session, const char *prefix, FILE *file)
{
	const struct memory_totals totals = totals_of(session);
	const struct memory_use *use;
	const char *separator = "";

	if (!totals.allocations)
		return;
	fprintf(file, "%sMemory: at most ", prefix);
	session_for_each_memory_use(session, use)
	{
		if (allocation_is_on_device(use->kind))
			continue;
		fputs(separator, file);
		separator = ", ";
		write_peak(session, use, file);
	}
	write_totals(session, &totals, file);
	fputs(".\n", file);
}
