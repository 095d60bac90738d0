/* SPDX-License-Identifier: MIT */
/* What the program held of memory: a line of every report, and the tables of --memory. */
#include "report/session/memory_use.h"

#include <errno.h>
#include <stdlib.h>

#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/print/report.h"
#include "report/session/estimate.h"

#define SITES_SHOWN 20 /* origins in a table for reading. Chosen. */

/* All kinds together, on all devices and the host. */
struct memory_totals {
	uint64_t allocations, held, held_count;
	/* What was held at some time: of a part of a run, also what was allocated before. */
	uint64_t all;
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
		totals.all += use->held_count + use->frees;
	}
	if (totals.all < totals.allocations)
		totals.all = totals.allocations;
	return totals;
}

static int number_of(const struct job_process *process)
{
	return process->rank.rank >= 0 ? process->rank.rank : process->pid;
}

/* " (rank 3 on node7 and 2 more)": the processes of a merged profile that held so much of a device.
 */
static void write_holders(const struct session *session, uint64_t peak, FILE *file)
{
	const struct job_process *process, *first = NULL;
	size_t count = 0;

	session_for_each_process(session, process)
	{
		if (process->memory_peak != peak)
			continue;
		if (!count++ || number_of(process) < number_of(first))
			first = process;
	}
	if (!first)
		return;
	fprintf(file, " (%s %d on ", first->rank.rank >= 0 ? "rank" : "process", number_of(first));
	visible_write(session_string(session, first->hostname), file);
	if (count > 1)
		fprintf(file, " and %zu more", count - 1);
	fputc(')', file);
}

/* "96 MB on device 0 at 1.21 s", of a merged profile "96 MB on device 0 (rank 3 on node7)";
 * "8 MB of managed memory". */
static void write_peak(const struct session *session, const struct memory_use *use, FILE *file)
{
	const uint64_t start = session_header(session)->start_realtime;
	char text[NUMBER_SIZE];

	fputs(number_bytes_about(text, use->peak), file);
	if (use->kind != ALLOCATION_TOTAL)
		fprintf(file, " of %s", allocation_text(use->kind));
	if (use->device >= 0)
		fprintf(file, " on device %d", use->device);
	if (use->kind != ALLOCATION_TOTAL)
		return;
	if (session_header(session)->processes)
		write_holders(session, use->peak, file);
	else if (use->peak_time >= start)
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

	number_count(count, totals->all);
	if (totals->held_count)
		fprintf(file, "; %s%s of %s allocations %s", header->processes ? "in all " : "",
			number_count(held, totals->held_count), count,
			header->finished ? "not freed" : "held");
	else
		fprintf(file, "; all %s allocations freed", count);
	if (totals->held_count)
		fprintf(file, ", %s", number_bytes_about(held, totals->held));
	if (rate >= 1)
		fprintf(file, "; %s allocation%s a second%s",
			number_count(count, to_unsigned(rate)), to_unsigned(rate) == 1 ? "" : "s",
			header->processes ? " in each" : "");
}

void memory_line_write(const struct session *session, const char *prefix, FILE *file)
{
	static const enum allocation_kind kinds[] = {ALLOCATION_TOTAL, ALLOCATION_MANAGED,
						     ALLOCATION_PINNED, ALLOCATION_REGISTERED};
	const struct memory_totals totals = totals_of(session);
	const uint64_t graphs = session_header(session)->counters[COUNTER_memory_graphs];
	const struct memory_use *use;
	const char *separator = "";
	char count[NUMBER_SIZE];

	if (!totals.all && !graphs)
		return;
	fprintf(file, "%sMemory: ", prefix);
	if (totals.all)
		fprintf(file, "%sat most ",
			session_header(session)->processes ? "of one process " : "");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		session_for_each_memory_use(session, use)
		{
			if (use->kind != kinds[i])
				continue;
			fputs(separator, file);
			separator = ", ";
			write_peak(session, use, file);
		}
	if (totals.all)
		write_totals(session, &totals, file);
	if (graphs)
		fprintf(file, "%s%s allocation%s by launches of graphs, which %s not followed",
			totals.all ? "; " : "", number_count(count, graphs), graphs == 1 ? "" : "s",
			graphs == 1 ? "is" : "are");
	fputs(".\n", file);
}

/* "device memory on device 0" */
static void write_place(uint32_t kind, int32_t device, FILE *file)
{
	if (kind == ALLOCATION_TOTAL)
		fputs("together", file);
	else
		fputs(allocation_text(kind), file);
	if (device >= 0)
		fprintf(file, " on device %d", device);
}

static uint64_t since_start(const struct session *session, uint64_t time)
{
	const uint64_t start = session_header(session)->start_realtime;

	return time > start ? time - start : 0;
}

static void write_use(const struct session *session, const struct memory_use *use, FILE *file)
{
	char held[NUMBER_SIZE], peak[NUMBER_SIZE], time[NUMBER_SIZE];

	fprintf(file, "%8s  %8s  %8s  %11llu  %11llu  ", number_bytes_about(held, use->held),
		number_bytes_about(peak, use->peak),
		number_about(time, (double)since_start(session, use->peak_time), 3),
		(unsigned long long)use->allocations, (unsigned long long)use->frees);
	write_place(use->kind, use->device, file);
	fputc('\n', file);
}

/* What was largest at the peak, and then in the end. */
static int compare_sites(const void *one, const void *other)
{
	const struct memory_site *a = *(const struct memory_site *const *)one;
	const struct memory_site *b = *(const struct memory_site *const *)other;

	if (a->at_peak != b->at_peak)
		return a->at_peak < b->at_peak ? 1 : -1;
	if (a->held != b->held)
		return a->held < b->held ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Those of a session, the largest first: an array that the caller frees, NULL if memory is out. */
static const struct memory_site **sites_of(const struct session *session, size_t *count)
{
	const struct memory_site **sites, *site;

	*count = 0;
	session_for_each_memory_site(session, site)(*count)++;
	sites = malloc((*count + 1) * sizeof(*sites));
	if (!sites)
		return NULL;
	*count = 0;
	session_for_each_memory_site(session, site) sites[(*count)++] = site;
	qsort(sites, *count, sizeof(*sites), compare_sites);
	return sites;
}

static void write_named(const struct session *session, const char *before, uint64_t name,
			FILE *file)
{
	const char *text = session_string(session, name);

	if (!*text)
		return;
	fputs(before, file);
	visible_write(text, file);
}

/* "device memory on device 0, thread 17, in train/forward, after [CUDA memcpy HtoD]" */
static void write_site(const struct session *session, const struct memory_site *site, FILE *file)
{
	char peak[NUMBER_SIZE], held[NUMBER_SIZE], size[NUMBER_SIZE];

	fprintf(file, "%8s  %11llu  %8s  %11llu  %8s  ", number_bytes_about(peak, site->at_peak),
		(unsigned long long)site->at_peak_count, number_bytes_about(held, site->held),
		(unsigned long long)site->allocations,
		site->size ? number_bytes_about(size, site->size) : "several");
	write_place(site->kind, site->device, file);
	if (site->thread)
		fprintf(file, ", thread %u", site->thread);
	write_named(session, ", in ", site->range, file);
	write_named(session, ", after ", site->operation, file);
	fputc('\n', file);
}

static void write_text(const struct session *session, const struct memory_site *const *sites,
		       size_t count, FILE *file)
{
	const struct memory_use *use;

	fprintf(file, "\nMemory%s:\n%8s  %8s  %8s  %11s  %11s\n",
		session_header(session)->processes ? ", its peak that of one process" : "", "Held",
		"Peak", "At", "Allocations", "Freed");
	session_for_each_memory_use(session, use) write_use(session, use, file);
	/* A merged profile does not tell. */
	if (!count)
		return;
	fprintf(file, "\nLargest at the peak:\n%8s  %11s  %8s  %11s  %8s\n", "At peak", "Number",
		"Held", "Allocations", "Each");
	for (size_t i = 0; i < count && i < SITES_SHOWN; i++)
		write_site(session, sites[i], file);
	if (count > SITES_SHOWN)
		fprintf(file, "%zu more (--csv lists them)\n", count - SITES_SHOWN);
}

static void write_csv_place(uint32_t kind, int32_t device, FILE *file)
{
	fprintf(file, "\"%s\",", allocation_key(kind));
	if (device >= 0)
		fprintf(file, "%d", device);
}

static void write_csv(const struct session *session, const struct memory_site *const *sites,
		      size_t count, FILE *file)
{
	const struct memory_use *use;

	fputs("\"Memory\",\"Device\",\"Held\",\"Held Number\",\"Peak\",\"Peak At "
	      "(ns)\",\"Allocations\",\"Allocated\",\"Freed\"\n",
	      file);
	session_for_each_memory_use(session, use)
	{
		write_csv_place(use->kind, use->device, file);
		fprintf(file, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu\n",
			(unsigned long long)use->held, (unsigned long long)use->held_count,
			(unsigned long long)use->peak,
			(unsigned long long)since_start(session, use->peak_time),
			(unsigned long long)use->allocations, (unsigned long long)use->allocated,
			(unsigned long long)use->frees);
	}
	fputs("\"Memory\",\"Device\",\"Thread\",\"Range\",\"After\",\"Size\",\"At "
	      "Peak\",\"At Peak Number\",\"Held\",\"Held Number\",\"Allocations\","
	      "\"Allocated\"\n",
	      file);
	for (size_t i = 0; i < count; i++) {
		const struct memory_site *site = sites[i];

		write_csv_place(site->kind, site->device, file);
		fprintf(file, ",%u,", site->thread);
		csv_write_text(session_string(session, site->range), file);
		fputc(',', file);
		csv_write_text(session_string(session, site->operation), file);
		fprintf(file, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu\n",
			(unsigned long long)site->size, (unsigned long long)site->at_peak,
			(unsigned long long)site->at_peak_count, (unsigned long long)site->held,
			(unsigned long long)site->held_count, (unsigned long long)site->allocations,
			(unsigned long long)site->allocated);
	}
}

int memory_table_write(const struct session *session, const struct options *options, FILE *file)
{
	const struct memory_site **sites;
	size_t count;

	if (!totals_of(session).all)
		return 0;
	sites = sites_of(session, &count);
	if (!sites)
		return -ENOMEM;
	if (options->csv)
		write_csv(session, sites, count, file);
	else
		write_text(session, sites, count, file);
	free(sites);
	return 0;
}
