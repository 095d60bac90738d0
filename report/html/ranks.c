/* SPDX-License-Identifier: MIT */
/* The ranks of a job side by side: each one's GPU time as a bar, what of it was collectives and
 * waiting in them, and how long its devices were busy, in one scale. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/plot.h"
#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/session/estimate.h"

/* Ranks that are drawn, and that have their figures at the pointer. Chosen: 150 KB, and a page
 * stays under 1 MB. */
#define RANKS_MOST  1024
#define TITLES_MOST 256
/* The picture's width. Chosen: two ranks are no walls. */
#define RANK_REM    4
#define LEAST_REM   24
#define TEXTS_REM   3.5

/* What makes up a bar, from below. */
enum part { PART_OWN, PART_COLLECTIVES, PART_WAITING, PARTS };
static const struct {
	const char *class, *text;
} parts[PARTS] = {
	{"busy-kernels", "work of its own"},
	{"collectives", "collectives"},
	{"waiting", "waiting for others in collectives"},
};

struct rank {
	int number;
	uint64_t gpu, busy, parts[PARTS];
	bool at_least; /* of the waiting only a bound is known */
	const char *node;
};

struct ranks {
	struct html *html;
	struct rank *ranks; /* by their number, no two of which are equal */
	size_t count;
	const struct rank *slowest;
	double mean; /* ns of own work */
	struct axis x, y;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	return IN_ORDER(a->number, b->number);
}

static struct rank rank_of(const struct job *job, const struct job_process *process)
{
	const struct process_wait *wait = waits_of(&job->waits, job->session, process);
	uint64_t waited = wait ? to_unsigned(wait->is_exact ? wait->exact : wait->least) : 0;
	uint64_t collectives =
		process->collectives < process->gpu ? process->collectives : process->gpu;

	LOWER(waited, collectives);
	return (struct rank){.number = process->rank.rank,
			     .gpu = process->gpu,
			     .busy = process->busy,
			     .parts = {process->gpu - collectives, collectives - waited, waited},
			     .at_least = wait && !wait->is_exact && collectives,
			     .node = session_string(job->session, process->hostname)};
}

/* Several processes can be of one rank. */
static void join_equal(struct ranks *ranks)
{
	size_t last = 0;

	for (size_t i = 1; i < ranks->count; i++) {
		struct rank *rank = &ranks->ranks[last], *next = &ranks->ranks[i];

		if (next->number != rank->number) {
			ranks->ranks[++last] = *next;
			continue;
		}
		rank->gpu += next->gpu;
		rank->busy += next->busy;
		rank->at_least |= next->at_least;
		for (unsigned part = 0; part < PARTS; part++)
			rank->parts[part] += next->parts[part];
	}
	ranks->count = ranks->count ? last + 1 : 0;
}

/* How much room the texts of the other axis take, in ranks: some 56 pixels of a picture as wide as
 * write_figure() makes it, and at most as a page. */
static double margin_of(int count)
{
	const double least = 0.17 * count, page = 0.055 * count;
	const double most = TEXTS_REM / (double)RANK_REM;

	return least < most ? least : page > most ? page : most;
}

static int collect(struct ranks *ranks, const struct job *job)
{
	uint64_t most = 0;

	ranks->ranks = calloc(job->count + 1, sizeof(*ranks->ranks));
	if (!ranks->ranks)
		return -ENOMEM;
	for (size_t i = 0; i < job->count; i++)
		if (job->processes[i]->rank.rank >= 0)
			ranks->ranks[ranks->count++] = rank_of(job, job->processes[i]);
	qsort(ranks->ranks, ranks->count, sizeof(*ranks->ranks), compare_ranks);
	join_equal(ranks);
	for (size_t i = 0; i < ranks->count; i++) {
		const struct rank *rank = &ranks->ranks[i];

		ranks->mean += (double)rank->parts[PART_OWN] / (double)ranks->count;
		if (!ranks->slowest || rank->parts[PART_OWN] > ranks->slowest->parts[PART_OWN])
			ranks->slowest = rank;
		RAISE(most, rank->gpu);
		RAISE(most, rank->busy);
	}
	if (ranks->count) {
		int first = ranks->ranks[0].number, last = ranks->ranks[ranks->count - 1].number;

		double margin = margin_of(last - first + 1);

		ranks->x = (struct axis){.low = first - 0.5 - margin,
					 .high = last + 0.5,
					 .whole = true,
					 .margin = margin,
					 .text = plot_number_text};
		/* Above the bars the slowest is named. */
		ranks->y = (struct axis){
			.high = 1.2 * (double)most, .pixels = PLOT_HEIGHT, .text = plot_time_text};
	}
	return 0;
}

static double height_of(const struct ranks *ranks, double time)
{
	return PLOT_HEIGHT * axis_percent(&ranks->y, time) / 100;
}

/* A rectangle in the rank's column. */
static void write_box(const struct ranks *ranks, const struct rank *rank, double from, double to)
{
	double left = axis_percent(&ranks->x, rank->number - 0.4);

	fprintf(ranks->html->file, "<rect x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"",
		left, PLOT_HEIGHT - to, axis_percent(&ranks->x, rank->number + 0.4) - left,
		to - from);
}

/* Of all ranks one part. */
static void write_part(const struct ranks *ranks, enum part part)
{
	fprintf(ranks->html->file, "<g class=\"%s\">", parts[part].class);
	for (size_t i = 0; i < ranks->count; i++) {
		const struct rank *rank = &ranks->ranks[i];
		double from = 0;

		for (unsigned below = 0; below < part; below++)
			from += (double)rank->parts[below];
		if (!rank->parts[part])
			continue;
		write_box(ranks, rank, height_of(ranks, from),
			  height_of(ranks, from + (double)rank->parts[part]));
		fputs("/>", ranks->html->file);
	}
	fputs("</g>\n", ranks->html->file);
}

static void write_busy(const struct ranks *ranks)
{
	fputs("<g class=\"mark\">", ranks->html->file);
	for (size_t i = 0; i < ranks->count; i++) {
		double height = height_of(ranks, (double)ranks->ranks[i].busy);

		write_box(ranks, &ranks->ranks[i], height - 1, height + 1);
		fputs("/>", ranks->html->file);
	}
	fputs("</g>\n", ranks->html->file);
}

/* What is said at the pointer, anywhere in the rank's column. */
static void write_titles(const struct ranks *ranks)
{
	char gpu[NUMBER_SIZE], text[NUMBER_SIZE];

	fputs("<g class=\"titles\">", ranks->html->file);
	for (size_t i = 0; i < ranks->count && ranks->count <= TITLES_MOST; i++) {
		const struct rank *rank = &ranks->ranks[i];

		write_box(ranks, rank, 0, PLOT_HEIGHT);
		fprintf(ranks->html->file, "><title>rank %d%s", rank->number,
			*rank->node ? " on " : "");
		html_text(ranks->html, rank->node);
		fprintf(ranks->html->file, ": GPU time %s",
			number_about(gpu, (double)rank->gpu, 3));
		for (unsigned part = 0; part < PARTS; part++)
			if (rank->parts[part])
				fprintf(ranks->html->file, "%s%s %s%s",
					part == PART_OWN ? "; " : ", ", parts[part].text,
					part == PART_WAITING && rank->at_least ? "at least " : "",
					number_about(text, (double)rank->parts[part], 3));
		fprintf(ranks->html->file, "; busy %s</title></rect>",
			number_about(text, (double)rank->busy, 3));
	}
	fputs("</g>\n", ranks->html->file);
}

static void write_slowest(const struct ranks *ranks)
{
	const struct rank *rank = ranks->slowest;
	double at = axis_percent(&ranks->x, rank->number);

	fprintf(ranks->html->file,
		"<line class=\"pointer\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"4\" y2=\"%.1f\"/>"
		"<text x=\"%.2f%%\" dx=\"%d\" y=\"14\"%s>most work: rank %d</text>\n",
		at, at, PLOT_HEIGHT - height_of(ranks, (double)rank->gpu), at, at > 60 ? -5 : 5,
		at > 60 ? " text-anchor=\"end\"" : "", rank->number);
}

static void write_legend(const struct ranks *ranks)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n", ranks->html->file);
	for (unsigned part = 0; part < PARTS; part++) {
		size_t i = 0;

		while (i < ranks->count && !ranks->ranks[i].parts[part])
			i++;
		if (i == ranks->count)
			continue;
		fputs("<li>", ranks->html->file);
		stack_swatch(ranks->html, parts[part].class);
		fprintf(ranks->html->file, "%s</li>\n", parts[part].text);
	}
	fputs("<li>", ranks->html->file);
	stack_swatch(ranks->html, "mark");
	fputs("busy: overlapping operations count once</li>\n</ul>\n", ranks->html->file);
}

static void write_figure(struct ranks *ranks)
{
	const double most = (double)ranks->slowest->parts[PART_OWN];
	size_t rem = RANK_REM * (size_t)(ranks->x.high - ranks->x.low);
	char label[160], text[NUMBER_SIZE];

	/* Who sees it reads the rest in the tiles above, and in the picture. */
	snprintf(label, sizeof(label),
		 "GPU time of %zu ranks. Rank %d has most work of its own: %s, %.2f times the mean",
		 ranks->count, ranks->slowest->number, number_about(text, most, 3),
		 most / ranks->mean);
	fprintf(ranks->html->file, "<figure class=\"wide\" style=\"--plot-width:%zurem\">\n",
		rem > LEAST_REM ? rem : LEAST_REM);
	plot_begin(ranks->html, &ranks->x, &ranks->y, label);
	for (unsigned part = 0; part < PARTS; part++)
		write_part(ranks, part);
	write_busy(ranks);
	write_slowest(ranks);
	write_titles(ranks);
	plot_end(ranks->html, &ranks->y);
	write_legend(ranks);
	fprintf(ranks->html->file, "<figcaption>GPU time of %zu ranks</figcaption>\n</figure>\n",
		ranks->count);
}

int ranks_write(struct html *html, const struct job *job)
{
	struct ranks ranks = {.html = html};
	int error = collect(&ranks, job);

	if (!error && ranks.count > 1 && ranks.mean > 0 && ranks.x.high - ranks.x.low <= RANKS_MOST)
		write_figure(&ranks);
	free(ranks.ranks);
	return error;
}
