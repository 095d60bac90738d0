/* SPDX-License-Identifier: MIT */
/* Findings as sentences: the same in a report, a summary and a page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings/advice.h"
#include "report/names/cut_name.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/rates/rates.h"
#include "report/rates/slow_copies.h"
#include "report/session/estimate.h"

/* What the device waited for, behind the time that this took. */
static const char *const cause_phrases[IDLE_CAUSE_COUNT] = {
	[IDLE_PROGRAM] = "while the program was between CUDA calls",
	[IDLE_AFTER_WAIT] = "between the end of a synchronizing call and the next launch",
	[IDLE_CALL] = "while the program was in ",
	[IDLE_FIRST_LAUNCH] = "in first launches of kernels, which load code",
	[IDLE_LATENCY] = "between launches and their kernels' starts",
	[IDLE_DEPENDENCY] = "while queued work waited for another stream or engine",
	[IDLE_GRAPH] = "between the nodes of graphs",
	[IDLE_SHORT] = "in gaps under 5 us",
	[IDLE_UNRESOLVED] = "for a cause that is not known",
};

static void write_range_name(const struct session *session, const struct nvtx_range *range,
			     FILE *file)
{
	const char *name = session_string(session, range->name);

	visible_write(*name ? name : "<unnamed>", file);
}

/* " (cudaMemcpy)", " (3 cudaEventSynchronize, 4 cudaMemcpy)". */
static void write_functions(const struct session *session, const struct finding *finding,
			    FILE *file)
{
	const struct functions *functions = &finding->functions;
	const char *before = " (";
	char number[NUMBER_SIZE];

	for (unsigned i = 0; i < functions->count; i++) {
		const char *name = session_string(session, functions->of[i].name);

		if (!*name)
			continue;
		fputs(before, file);
		if (finding->counted && functions->count > 1)
			fprintf(file, "%s ", number_count(number, functions->of[i].calls));
		visible_write(name, file);
		before = ", ";
	}
	if (*before == ',')
		fputs(")", file);
	if (finding->calls_in.range) {
		fprintf(file, ", %s of them in range ",
			number_count(number, finding->calls_in.calls));
		write_range_name(session, finding->calls_in.range, file);
	}
}

static void write_cause(const struct session *session, const struct finding_cause *cause,
			FILE *file)
{
	char time[NUMBER_SIZE];
	const char *name = session_string(session, cause->name);

	if (!cause->time || cause->cause >= IDLE_CAUSE_COUNT)
		return;
	fprintf(file, ", %s of it %s", number_about(time, (double)cause->time, 3),
		cause_phrases[cause->cause]);
	if (cause->cause == IDLE_CALL)
		visible_write(*name ? name : "other CUDA calls", file);
}

/* What the host did before the GPU's work or after it. */
static void write_host(const struct session *session, const struct finding *finding, FILE *file)
{
	char time[NUMBER_SIZE];

	if (finding->cause.time) {
		fprintf(file, ", %s%s of it in ", finding->possible ? "perhaps " : "",
			finding->cause.time < finding->time
				? number_about(time, (double)finding->cause.time, 3)
				: "all");
		visible_write(session_string(session, finding->cause.name), file);
	}
	if (10 * finding->no_call >= finding->time && finding->no_call)
		fprintf(file, ", at least %s of it in no CUDA call",
			number_about(time, (double)finding->no_call, 3));
}

/* Of a name between others. Chosen. */
#define NAME_MOST    48

/* From which part of a finding's time on its longest gap is more than one of many. Chosen. */
#define LONGEST_PART 0.1

/* Of a long gap its time is the finding's. */
static void write_gap(const struct session *session, const struct finding *finding, FILE *file)
{
	char *before = idle_plain_name(session_string(session, finding->gap.before));
	char *after = idle_plain_name(session_string(session, finding->gap.after));
	char time[NUMBER_SIZE];

	if (before && after && *before && *after) {
		/* What is a mean of a process does not say how long it is. */
		const bool shown =
			finding->kind != FINDING_GAP || session_header(session)->processes;

		cut_middle(before, NAME_MOST);
		cut_middle(after, NAME_MOST);
		fputs(",", file);
		if (shown)
			fprintf(file, " %s %s",
				finding->kind == FINDING_GAP ? "once" : "the longest",
				number_about(time, (double)finding->gap.time, 3));
		fprintf(file, " between %s and %s", before, after);
	}
	free(before);
	free(after);
}

static void write_process(const struct job_process *process, FILE *file)
{
	if (!process)
		fputs("one process", file);
	else if (process->rank.rank >= 0)
		fprintf(file, "rank %d", process->rank.rank);
	else
		fprintf(file, "process %d", process->pid);
}

/* From which factor on calls are more, or longer, than those of others. Chosen. */
#define CALLS_MORE 1.05

static bool has_more_calls(const struct uneven *uneven)
{
	return (double)uneven->calls >= CALLS_MORE * uneven->others_calls;
}

/* " (400 calls, against 300, on average 1.25 times as long)"; where an average hides it " (400
 * calls, 100 of them about 2.0 times as long, against 300)" */
static void write_calls(const struct uneven *uneven, FILE *file)
{
	const uint64_t others = to_unsigned(uneven->others_calls + 0.5);
	char number[NUMBER_SIZE];

	fprintf(file, " (%s call%s", number_count(number, uneven->calls),
		uneven->calls == 1 ? "" : "s");
	if (uneven->long_calls)
		fprintf(file, ", %s of them about %.1f times as long",
			number_count(number, uneven->long_calls), uneven->long_factor);
	if (uneven->calls == others)
		fputs(uneven->long_calls ? ", as many in each" : " in each", file);
	else
		fprintf(file, ", against %s", number_count(number, others));
	if (uneven->longer >= CALLS_MORE && !uneven->long_calls)
		fprintf(file, ", on average %.2f times as long", uneven->longer);
	fputs(")", file);
}

/* ": give each rank about 350 calls of equal length"; of some long calls ": give rank 0 about 50 of
 * the long ones" */
static void write_even(const struct uneven *uneven, FILE *file)
{
	const bool more = has_more_calls(uneven), longer = uneven->longer >= CALLS_MORE;
	const uint64_t calls = to_unsigned(uneven->even_calls + 0.5);
	char number[NUMBER_SIZE];

	/* Whoever makes a single long call has the others wait. */
	if (!uneven->calls || (!more && !longer) || uneven->long_calls == 1)
		return;
	fputs(": give ", file);
	if (more && uneven->long_calls) {
		if (uneven->other)
			write_process(uneven->other, file);
		else
			fputs("the others", file);
		fprintf(file, " about %s of the long ones",
			number_count(number, to_unsigned(uneven->long_beyond + 0.5)));
		return;
	}
	fprintf(file, "each %s",
		uneven->slowest && uneven->slowest->rank.rank >= 0 ? "rank" : "process");
	if (more)
		fprintf(file, " about %s", number_count(number, calls));
	fprintf(file, " call%s%s", more && calls == 1 ? "" : "s", longer ? " of equal length" : "");
}

/* "; rank 0's GPU is idle for 31.0 ms more: it probably waits (a wait in MPI is not seen)" */
static void write_waits(const struct finding *finding, FILE *file)
{
	const struct uneven *uneven = &finding->uneven;
	char time[NUMBER_SIZE];

	fputs(finding->shared ? "; for " : "; ", file);
	if (uneven->other)
		write_process(uneven->other, file);
	else
		fputs("the others", file);
	fputs(finding->shared ? " the GPU that all share is"
	      : uneven->other ? "'s GPU is"
			      : "' GPUs are",
	      file);
	fprintf(file, " idle for %s more%s: %s (a wait in MPI is not seen)",
		number_about(time, (double)uneven->waited_each, 3), uneven->other ? "" : " each",
		uneven->other ? "it probably waits" : "they probably wait");
}

/* What the finding's time is a part of, ns, by its percentage. */
static double whole_of(const struct finding *finding)
{
	return 100 * (double)finding->time / finding->percent;
}

/* " (0.8 % of the run)", where the profile is of a part of the run. */
static void write_part_of_run(const struct session *session, const struct finding *finding,
			      FILE *file)
{
	const struct session_header *header = session_header(session);
	const double percent = time_percent(finding->time, header->counters[COUNTER_wall_ns]);

	if (!header->counters[COUNTER_operations_outside] || header->processes ||
	    finding_is_of_run(finding) || percent <= 0 || percent > 100)
		return;
	fprintf(file, " (%s%.1f %% of the %s)", percent < 0.1 ? "under " : "",
		percent < 0.1 ? 0.1 : percent, run_word(session));
}

/* " of the run's 270 ms": as a time, which says what it is of where a percentage does not. */
static void write_whole(const struct session *session, const struct finding *finding, FILE *file)
{
	const bool job = session_header(session)->processes;
	const bool several = finding->device < 0 && devices_used(session) > 1;
	char time[NUMBER_SIZE];

	if (finding->percent > 0 && finding_is_of_run(finding))
		fprintf(file, " of the %s's %s", run_word(session),
			number_about(time, whole_of(finding), 3));
	else if (finding->percent > 0)
		fprintf(file, " of %s %s",
			job	  ? "a process's"
			: several ? "the GPUs'"
				  : "the GPU's",
			number_about(time, whole_of(finding), 3));
	else if (job)
		fputs(" a process", file);
	write_part_of_run(session, finding, file);
}

/* ": rank 1 has 31.4 ms more to do in saxpy than rank 0. Even work saves up to …" */
static void write_uneven(const struct session *session, const struct finding *finding, FILE *file)
{
	const struct uneven *uneven = &finding->uneven;
	char *name = idle_plain_name(session_string(session, uneven->row->name));
	char time[NUMBER_SIZE], other[NUMBER_SIZE];

	if (name)
		cut_middle(name, NAME_MOST);
	fputs(": ", file);
	write_process(uneven->slowest, file);
	fprintf(file, " has %s more to do in %s than ", number_about(time, (double)uneven->more, 3),
		name ? name : "a kernel");
	free(name);
	if (uneven->other)
		write_process(uneven->other, file);
	else
		fputs("the others on average", file);
	if (uneven->calls)
		write_calls(uneven, file);
	else if (uneven->operations && uneven->slowest->operations == uneven->operations)
		fprintf(file, " (%s operations in all in each)",
			number_count(time, uneven->operations));
	else if (uneven->operations)
		fprintf(file, " (%s operations in all, against %s)",
			number_count(time, uneven->slowest->operations),
			number_count(other, uneven->operations));
	if (uneven_waits(uneven))
		write_waits(finding, file);
	fprintf(file, ". Even work saves up to %s", number_about(time, (double)finding->time, 3));
	write_whole(session, finding, file);
	if (finding->percent > 0)
		fprintf(file, ", to about %s",
			number_about(other, whole_of(finding) - (double)finding->time, 3));
	write_even(uneven, file);
	fputc('.', file);
}

/* Whether a range's name says that other threads' launches in it are autograd's. */
static bool by_autograd(const struct session *session, const struct host_range *range)
{
	return runs_python(session) &&
	       strcasestr(session_string(session, range->range->name), "backward");
}

/* What was launched meanwhile. Of other threads it is known when by a trace, otherwise only how
 * much of all was launched in no range. */
static void write_launched(const struct session *session, const struct finding *finding, FILE *file)
{
	const struct host_range *range = &finding->range;
	const struct range_times *times = &finding->range_times;
	char time[NUMBER_SIZE];

	fprintf(file, " The range's own thread launched %s%sGPU work there",
		range->gpu ? number_about(time, (double)range->gpu, 3) : "no ",
		range->gpu ? " of " : "");
	if (times->by_others)
		fprintf(file, ", %s %s%s%s", times->several ? "other threads" : "another thread",
			number_about(time, (double)times->by_others, 3), range->gpu ? "" : " of it",
			by_autograd(session, range)
				? ": in PyTorch autograd's thread launches the kernels of backward"
				: "");
	fputs(".", file);
	if (!times->by_others && !times->known && range->outside)
		fprintf(file,
			" In no range, perhaps for this one by another thread, %s of GPU work were "
			"launched.",
			number_about(time, (double)range->outside, 3));
}

/* Parts of a time that add up as they are printed. */
struct printed_parts {
	uint64_t step;	     /* of the last digit */
	uint64_t sum, steps; /* of the parts up to here */
};

/* A part's steps: how many the sum has more with it. */
static uint64_t next_part(struct printed_parts *parts, uint64_t time)
{
	const uint64_t before = parts->steps;

	parts->sum += time;
	parts->steps = (parts->sum + parts->step / 2) / parts->step;
	return parts->steps - before;
}

/* " Of the 37.5 ms without GPU work the host was in backward for 19.7 ms (of its 37.9 ms), …" */
static void write_split(const struct session *session, const struct idle_by_range *split,
			FILE *file)
{
	struct printed_parts parts = {.step = number_step(split->all)};
	char time[NUMBER_SIZE], number[NUMBER_SIZE];
	const char *separator = " ";
	uint64_t steps;

	if (!split->count)
		return;
	fprintf(file, " Of the %s without GPU work the host was",
		number_about(time, (double)split->all, 3));
	for (unsigned i = 0; i < split->count; i++) {
		const struct range_idle *idle = &split->named[i];

		fprintf(file, "%sin ", separator);
		write_range_name(session, idle->range, file);
		fprintf(file, " for %s",
			number_steps(time, next_part(&parts, idle->time), parts.step));
		if (!i)
			fprintf(file, " (of its %s)", number_about(time, (double)idle->host, 3));
		separator = ", ";
	}
	steps = next_part(&parts, split->in_others);
	if (steps)
		fprintf(file, ", in %s other range%s for %s", number_count(number, split->others),
			split->others == 1 ? "" : "s", number_steps(time, steps, parts.step));
	steps = next_part(&parts, split->elsewhere);
	if (steps)
		fprintf(file, ", elsewhere for %s", number_steps(time, steps, parts.step));
	fputs(".", file);
}

static void write_range(const struct session *session, const struct finding *finding, FILE *file)
{
	const struct host_range *range = &finding->range;
	char time[NUMBER_SIZE], idle[NUMBER_SIZE];

	fputs(" The host was in range ", file);
	write_range_name(session, range->range, file);
	fprintf(file, " for %s", number_about(time, (double)range->time, 3));
	if (range->in) {
		fprintf(file, " of the %s of ", number_about(time, (double)range->around, 3));
		write_range_name(session, range->in, file);
	}
	if (session_header(session)->processes)
		fputs(" in each process", file);
	if (finding->range_times.known && !finding->range_times.split.count)
		fprintf(file, "; in those %s the GPU was idle for %s",
			number_about(time, (double)range->time, 3),
			number_about(idle, (double)finding->range_times.idle, 3));
	fputs(".", file);
	write_launched(session, finding, file);
	write_split(session, &finding->range_times.split, file);
}

/* From which part of its time on, in percent, a GPU is idle for so long that faster kernels help
 * little. Chosen. */
#define HOST_BEHIND_PERCENT 33

/* Of faster kernels, that the GPU waits for the host first. */
static bool host_is_behind(const struct session *session, const struct finding *finding)
{
	const struct session_header *header = session_header(session);
	uint64_t whole, idle;

	if (finding->kind != FINDING_FP32_MATRIX || finding->device < 0 || header->processes)
		return false;
	idle = idle_time(&header->uses[finding->device], &whole);
	return time_percent(idle, whole) > HOST_BEHIND_PERCENT;
}

/* What pinned memory would save. */
static void write_slow(const struct session *session, FILE *file)
{
	struct slow_copies copies;
	char text[64], time[NUMBER_SIZE], least[NUMBER_SIZE];

	/* Without a record of its memory the program may hold pinned memory. */
	if (!session_next_item(session, SEGMENT_MEMORY, NULL) || holds_pinned(session) ||
	    !slow_copies_find(session, &copies))
		return;
	fprintf(file, " At %.0f ", copies.least);
	if (copies.most - copies.least >= 1)
		fprintf(file, "to %.0f ", copies.most);
	fprintf(file,
		"%% of %s's peak their memory looks pageable: pinned they would take %s at best "
		"instead of %s.",
		peak_text(PEAK_HOST, copies.of, text, sizeof(text)),
		number_about(least, (double)copies.at_peak, 3),
		number_about(time, (double)copies.time, 3));
}

void finding_write(const struct session *session, const struct finding *finding, FILE *file)
{
	const char *rest = strchrnul(finding->what, '@'), *gaps;
	char number[NUMBER_SIZE], time[NUMBER_SIZE];

	if (finding->device >= 0 && devices_used(session) > 1)
		fprintf(file, "GPU %d: ", finding->device);
	if (finding->count && session_header(session)->processes)
		fputs("in all processes ", file);
	if (finding->count)
		fprintf(file, "%s ", number_count(number, finding->count));
	fprintf(file, "%.*s", (int)(rest - finding->what), finding->what);
	if (*rest)
		write_functions(session, finding, file);
	rest += *rest != '\0';
	/* Where the number of gaps stands, in the words before it and behind it. */
	gaps = strchrnul(rest, '#');
	fprintf(file, "%.*s", (int)(gaps - rest), rest);
	if (*gaps)
		fprintf(file, "%s%s", number_count(number, finding->gaps), gaps + 1);
	if (finding->uneven.row) {
		write_uneven(session, finding, file);
		return;
	}
	fprintf(file, ", %s", number_about(time, (double)finding->time, 3));
	write_whole(session, finding, file);
	if (finding->gap.time && (double)finding->gap.time >= LONGEST_PART * (double)finding->time)
		write_gap(session, finding, file);
	if (finding_is_outside(finding))
		write_host(session, finding, file);
	else
		write_cause(session, &finding->cause, file);
	if (finding->devices > 1)
		fprintf(file, ", and on %u other GPU%s", finding->devices - 1,
			finding->devices > 2 ? "s" : "");
	fprintf(file, ": %s%s.", finding->advice,
		host_is_behind(session, finding)
			? "; of little use while the GPU is idle for so long"
			: "");
	if (finding->kind == FINDING_SYNCHRONOUS)
		write_slow(session, file);
	if (finding->range.range)
		write_range(session, finding, file);
}
