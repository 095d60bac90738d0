/* SPDX-License-Identifier: MIT */
#include "report/compare/comparison.h"

#include <math.h>
#include <string.h>

/* The least ratio of times that three digits show. */
#define SEEN	      1.0005

/* At which probability a change is one for a reader, who looks at one row, as its interval does. */
#define CHANCE_OF_ROW 0.05

const char *verdict_text(enum verdict verdict)
{
#define VERDICT_TEXT(name, text, class) text,
	static const char *const texts[] = {VERDICTS(VERDICT_TEXT)};
#undef VERDICT_TEXT

	return texts[verdict];
}

bool verdict_is_change(enum verdict verdict)
{
	return verdict != VERDICT_SAME && verdict != VERDICT_UNDER &&
	       verdict != VERDICT_CANNOT_TELL && verdict != VERDICT_UNTIMED;
}

bool verdict_is_of_speed(enum verdict verdict)
{
	return verdict == VERDICT_SLOWER || verdict == VERDICT_FASTER;
}

bool change_is_beyond(const struct change *change, double threshold)
{
	return fabs(log(change->ratio)) > log1p(threshold);
}

bool change_may_be_none(const struct change *change)
{
	return change->low <= 1 && change->high >= 1;
}

const char *change_text(char text[CHANGE_SIZE], double ratio)
{
	const double factor = ratio > 1 ? ratio : 1 / ratio;

	if (!(factor >= SEEN))
		return strcpy(text, isnan(ratio) ? "-" : "as fast");
	snprintf(text, CHANGE_SIZE, "%.*f times %s",
		 factor < 1.1	? 3
		 : factor < 100 ? 2
				: 0,
		 factor, ratio > 1 ? "slower" : "faster");
	return text;
}

const char *change_interval(char text[NUMBER_SIZE], const struct change *change)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	snprintf(text, NUMBER_SIZE, "%.12s..%.12s", number_ratio(low, change->low),
		 number_ratio(high, change->high));
	return isnan(change->low) ? "-" : text;
}

const char *times_text(char text[TIMES_SIZE], double a, double b)
{
	char before[NUMBER_SIZE], after[NUMBER_SIZE];

	snprintf(text, TIMES_SIZE, "%s -> %s", number_about(before, a, 3),
		 number_about(after, b, 3));
	return text;
}

bool comparison_is_api(const struct comparison_row *row)
{
	return row->a ? row->a->api : row->b->api;
}

bool comparison_is_of_single_runs(const struct comparison *comparison)
{
	return comparison->a->runs < 2 || comparison->b->runs < 2;
}

bool comparison_run_changed(const struct comparison *comparison)
{
	return change_is_beyond(&comparison->wall, comparison->threshold) &&
	       !change_may_be_none(&comparison->wall);
}

const struct part *comparison_most_part(const struct comparison *comparison)
{
	const struct parts *parts = &comparison->parts;

	for (size_t i = 0; parts->known && i < PART_COUNT; i++)
		if (parts->parts[i].change * parts->whole > 0)
			return &parts->parts[i];
	return NULL;
}

const char *comparison_name(const struct comparison_row *row)
{
	return row->a ? row->a->name : row->b->name;
}

const char *comparison_label(const struct comparison_row *row)
{
	return row->versions ?: comparison_name(row);
}

/* NAN: not known of each run that has the row. */
static struct moved moved_of(const struct profile_row *row)
{
	double bytes = 0, total = 0;

	if (!row)
		return (struct moved){NAN, NAN};
	for (const struct row_run *run = row->runs; run < row->runs + row->run_count; run++) {
		bytes += run->bytes > 0 ? run->bytes : NAN;
		total += run->total;
	}
	return (struct moved){bytes / (double)row->run_count, bytes / total};
}

bool comparison_moved(const struct comparison_row *row, struct moved moved[2])
{
	moved[0] = moved_of(row->a);
	moved[1] = moved_of(row->b);
	return moved[0].rate > 0 && moved[1].rate > 0;
}

bool comparison_calls_vary(const struct comparison *comparison, const struct comparison_row *row)
{
	const struct profile_row *a = row->a, *b = row->b;

	if (!a || !b)
		return false;
	/* Of the runs that did not time the row the calls are not known. */
	if (a->run_count != comparison->a->runs || b->run_count != comparison->b->runs)
		return true;
	for (size_t i = 0; i < a->run_count; i++)
		if (a->runs[i].calls != b->runs[0].calls)
			return true;
	for (size_t i = 0; i < b->run_count; i++)
		if (b->runs[i].calls != a->runs[0].calls)
			return true;
	return false;
}

const char *comparison_why_unsure(const struct comparison *comparison,
				  const struct comparison_row *row)
{
	const struct change *change =
		comparison_calls_vary(comparison, row) ? &row->total : &row->average;

	if (row->verdict != VERDICT_CANNOT_TELL)
		return NULL;
	if (isnan(change->ratio))
		return "no time";
	if (comparison_is_of_single_runs(comparison) && (row->a->timed < 2 || row->b->timed < 2))
		return "1 call";
	if (isnan(change->probability))
		return "not in all runs";
	return change->probability <= CHANCE_OF_ROW &&
			       !change_is_beyond(change, comparison->threshold)
		       ? "near threshold"
		       : "could be chance";
}

const char *comparison_verdict(const struct comparison *comparison, enum verdict verdict,
			       char text[VERDICT_SIZE])
{
	if (verdict != VERDICT_UNDER)
		return verdict_text(verdict);
	snprintf(text, VERDICT_SIZE, "under %g %%", comparison->threshold * 100);
	return text;
}

const char *comparison_row_verdict(const struct comparison *comparison,
				   const struct comparison_row *row, char text[VERDICT_SIZE])
{
	const char *why = comparison_why_unsure(comparison, row);

	if (!why || !comparison_is_of_single_runs(comparison))
		return comparison_verdict(comparison, row->verdict, text);
	snprintf(text, VERDICT_SIZE, "%s: %s", verdict_text(row->verdict), why);
	return text;
}
