/* SPDX-License-Identifier: MIT */
#include "report/html/distribution.h"

#include <math.h>

#include "report/sheet/number.h"

/* Bars of a histogram. Chosen: about what fits beside a name, in half a kilobyte. */
#define BARS_MOST  48
#define BAR_WIDTH  10
#define BAR_HEIGHT 60

struct bars {
	unsigned first, step, count; /* buckets: the first one, how many a bar has; bars */
	uint64_t calls[BARS_MOST], all, largest;
};

/* False if there is no sample. */
static bool make_bars(struct bars *bars, const struct histogram *histogram)
{
	unsigned last = HISTOGRAM_BUCKETS - 1;

	*bars = (struct bars){.step = 1};
	while (bars->first < last && histogram->buckets[bars->first] == 0)
		bars->first++;
	while (last > bars->first && histogram->buckets[last] == 0)
		last--;
	while ((last - bars->first) / bars->step >= BARS_MOST)
		bars->step++;
	bars->count = (last - bars->first) / bars->step + 1;
	for (unsigned bucket = bars->first; bucket <= last; bucket++)
		bars->calls[(bucket - bars->first) / bars->step] += histogram->buckets[bucket];
	for (unsigned i = 0; i < bars->count; i++) {
		bars->all += bars->calls[i];
		bars->largest = bars->calls[i] > bars->largest ? bars->calls[i] : bars->largest;
	}
	return bars->largest > 0;
}

static void write_histogram(struct html *html, const struct bars *bars)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE], calls[NUMBER_SIZE], most[NUMBER_SIZE];

	number_time(low, histogram_bucket_low(bars->first));
	number_time(high, histogram_bucket_high(bars->first + bars->count * bars->step - 1) - 1);
	fprintf(html->file,
		"<figure>\n<svg class=\"histogram\" role=\"img\" viewBox=\"0 0 %u %u\" "
		"preserveAspectRatio=\"none\" aria-label=\"Histogram of %s calls from %s to %s, at "
		"most %s in a bar\"><path d=\"",
		bars->count * BAR_WIDTH, BAR_HEIGHT, number_count(calls, bars->all), low, high,
		number_count(most, bars->largest));
	for (unsigned i = 0; i < bars->count; i++) {
		/* Rounded up: what is there is seen. */
		double share = (double)bars->calls[i] / (double)bars->largest;
		unsigned height = (unsigned)ceil(share * BAR_HEIGHT);

		if (height)
			fprintf(html->file, "M%u %dv-%uh%dv%uz", i * BAR_WIDTH, BAR_HEIGHT, height,
				BAR_WIDTH - 1, height);
	}
	fprintf(html->file,
		"\"/></svg>\n<figcaption><span>%s</span><span>%s</span></figcaption>\n</figure>\n",
		low, high);
}

static void write_percentile(struct html *html, const struct table_row *row, const char *name,
			     double fraction)
{
	char text[NUMBER_SIZE];

	fprintf(html->file, "<div><dt>%s</dt><dd>%s</dd></div>", name,
		number_time(text, histogram_percentile_within(row->histogram, fraction,
							      row->minimum, row->maximum)));
}

static void write_percentiles(struct html *html, const struct table_row *row)
{
	char text[NUMBER_SIZE];

	fputs("<dl class=\"percentiles\">", html->file);
	fprintf(html->file, "<div><dt>Min</dt><dd>%s</dd></div>", number_time(text, row->minimum));
	write_percentile(html, row, "Med", 0.5);
	write_percentile(html, row, "p90", 0.9);
	write_percentile(html, row, "p95", 0.95);
	write_percentile(html, row, "p99", 0.99);
	write_percentile(html, row, "p99.9", 0.999);
	fprintf(html->file, "<div><dt>Max</dt><dd>%s</dd></div></dl>\n",
		number_time(text, row->maximum));
}

/* In words, as the lines below the table of `ktime show` have it. */
static void write_estimate(struct html *html, const struct table_row *row)
{
	char total[NUMBER_SIZE], timed[NUMBER_SIZE], calls[NUMBER_SIZE];

	if (isnan(row->error))
		number_about(total, (double)row->total, 3);
	else
		number_range(total, (double)row->total, row->error);
	fprintf(html->file, "<p class=\"estimate\">Estimate: %s%s, from %s of %s calls%s%s.</p>\n",
		total, isnan(row->error) ? "" : " (95 %)", number_count(timed, row->timed),
		number_count(calls, row->counted), isnan(row->error) ? "; no interval: " : "",
		isnan(row->error) ? table_without_interval(row) : "");
}

void distribution_write(struct html *html, const struct table_row *row)
{
	struct bars bars;

	if (!row->timed)
		return;
	if (row->estimated)
		write_estimate(html, row);
	/* A damaged file may have one of zeros for calls that were timed. */
	if (!row->histogram || !make_bars(&bars, row->histogram))
		return;
	write_histogram(html, &bars);
	write_percentiles(html, row);
}
