/* SPDX-License-Identifier: MIT */
/* Each row's histogram, drawn in text. */
#include <string.h>

#include "report/print/number.h"
#include "report/print/report.h"
#include "report/print/table.h"

#define LINES_MOST 16
#define BAR_WIDTH  50

/*
 * Draws the buckets between the first and the last that are not empty, `step` to a line. There must
 * be a sample in one of them.
 */
static void write_histogram(const struct histogram *histogram, FILE *file)
{
	static const char bar[] = "##################################################";
	unsigned first = 0, last = HISTOGRAM_BUCKETS - 1, step = 1;
	uint64_t counts[LINES_MOST] = {0}, largest = 0;
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	while (first < last && histogram->buckets[first] == 0)
		first++;
	while (last > first && histogram->buckets[last] == 0)
		last--;
	while ((last - first) / step >= LINES_MOST)
		step++;
	for (unsigned bucket = first; bucket <= last; bucket++)
		counts[(bucket - first) / step] += histogram->buckets[bucket];
	for (unsigned i = 0; i <= (last - first) / step; i++)
		if (counts[i] > largest)
			largest = counts[i];
	for (unsigned i = 0; i <= (last - first) / step; i++) {
		unsigned from = first + i * step;
		unsigned to = from + step - 1 < last ? from + step - 1 : last;
		/* Rounded up: what is there is seen. */
		uint64_t width = (counts[i] * BAR_WIDTH + largest - 1) / largest;

		fprintf(file, "%10s ..%10s  %10llu  %.*s\n",
			number_time(low, histogram_bucket_low(from)),
			number_time(high, histogram_bucket_high(to) - 1),
			(unsigned long long)counts[i], (int)width, bar);
	}
}

int histograms_write(const struct session *session, const struct options *options, FILE *file)
{
	int error = 0;

	for (enum table_section section = TABLE_GPU; section <= TABLE_API && !error; section++) {
		struct table table;

		if (section == TABLE_API && !(options->trace & TRACE_API))
			break;
		error = table_collect(&table, session, options, section, TABLE_ALL_DEVICES, true);
		for (size_t i = 0; !error && i < table.count; i++) {
			const struct histogram *histogram = table.rows[i].histogram;

			/* A damaged file may have one of zeros for calls that were timed. */
			if (!histogram || histogram_count(histogram) == 0)
				continue;
			fprintf(file, "\n%s\n", table.rows[i].name);
			write_histogram(histogram, file);
		}
		if (!error)
			table_free(&table);
	}
	return error;
}
