/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The continued fraction of the incomplete beta function, by Lentz's method. Source: Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 26.5.8.
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 / fmax(fabs(1 - (a + b) * x / (a + 1)), tiny), fraction = d;

	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		fraction *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		change = c * d;
		fraction *= change;
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return fraction;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Of |t| or more, both sides; Abramowitz and Stegun 26.7.1. */
static double student_probability(double t, double freedom)
{
	if (freedom > 1e6) /* as good as normal, and the fraction converges slowly there */
		return erfc(fabs(t) / M_SQRT2);
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* The standard error of the difference of two means, and its degrees of freedom. */
struct welch {
	double error, freedom;
};

static struct welch welch(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b)
{
	double square_a = variance_a / (double)count_a, square_b = variance_b / (double)count_b;
	double square = square_a + square_b;

	return (struct welch){.error = sqrt(square),
			      .freedom = square * square /
					 (square_a * square_a / (double)(count_a - 1) +
					  square_b * square_b / (double)(count_b - 1))};
}

double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b)
{
	struct welch test = welch(count_a, variance_a, count_b, variance_b);

	if (mean_a == mean_b)
		return 1;
	if (test.error <= 0)
		return 0;
	return student_probability((mean_a - mean_b) / test.error, test.freedom);
}

double welch_margin(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b)
{
	struct welch test = welch(count_a, variance_a, count_b, variance_b);
	double low = 0, high = 13; /* t is 12.7 with one degree of freedom, and less with more */

	if (test.error <= 0)
		return 0;
	while (high - low > 1e-9) {
		double middle = (low + high) / 2;

		if (student_probability(middle, test.freedom) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high * test.error;
}

/* What is written in more than one way, and what it becomes. */
static const char *const spellings[][2] = {
	{"(anonymous namespace)", "{}"}, {"<unnamed>", "{}"},	       {"_GLOBAL__N_1", "{}"},
	{"operator ()", "operator{}"},	 {"operator()", "operator{}"},
};

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '$')
		length++;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(text, word, length);
}

/* The length of "(int)" in "(int)4" and of "int=" in "int=4"; 0 where a text begins otherwise. */
static size_t value_type_length(const char *text)
{
	bool cast = *text == '(';
	size_t length = strcspn(text, cast ? ")<>,=" : "()<>,=");
	const char *value;

	if (text[length] != (cast ? ')' : '='))
		return 0;
	value = text + ++length;
	value += *value == '-';
	return isdigit((unsigned char)*value) ? length : 0;
}

/* Takes one token off the text and writes what stands for it; returns the end of what it wrote. */
static char *take_token(const char **text, char *end, bool first_of_list)
{
	size_t length;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		if (strncmp(*text, spellings[i][0], strlen(spellings[i][0])))
			continue;
		*text += strlen(spellings[i][0]);
		return stpcpy(end, spellings[i][1]);
	}
	length = first_of_list ? value_type_length(*text) : 0;
	if (length) {
		*text += length;
		return end;
	}
	length = word_length(*text);
	if (!length) {
		if (**text != ' ')
			*end++ = **text;
		++*text;
		return end;
	}
	if (!is_word(*text, length, "const") && !is_word(*text, length, "void"))
		end = mempcpy(end, *text, length);
	*text += length;
	return end;
}

char *canonical_name(const char *name, bool base)
{
	/* No spelling becomes longer. */
	char *result = malloc(strlen(name) + 1), *end = result;
	int templates = 0;

	if (!result)
		return NULL;
	while (*name && !(base && templates == 0 && *name == '(' && end > result)) {
		char before = end > result ? end[-1] : '\0';
		char *token = end;

		end = take_token(&name, end, before == '<' || before == ',');
		if (end == token + 1)
			templates += (*token == '<') - (*token == '>');
	}
	*end = '\0';
	return result;
}

static void add_pair(struct comparison *comparison, const struct profile_row *a,
		     const struct profile_row *b)
{
	comparison->rows[comparison->count++] = (struct comparison_row){.a = a, .b = b};
}

/* A row without another one so far. */
struct unpaired {
	char *name; /* by which it is compared */
	const struct profile_row *row;
	bool of_b;
};

static int compare_unpaired(const void *left, const void *right)
{
	const struct unpaired *x = left, *y = right;

	return strcmp(x->name, y->name);
}

/* How names are compared: as they are, as canonical_name() has them, and that without parameters.
 */
enum naming { NAMING_EXACT, NAMING_CANONICAL, NAMING_BASE, NAMINGS };

/* Pairs rows whose name no third row has; `*count` becomes how many are left. */
static int pair_by_name(struct comparison *comparison, struct unpaired *rows, size_t *count,
			enum naming naming)
{
	size_t end, left = 0;

	for (struct unpaired *row = rows; row < rows + *count; row++) {
		const char *key = row->row->entry.text;

		free(row->name);
		row->name = naming == NAMING_EXACT
				    ? strdup(key)
				    : canonical_name(key, naming == NAMING_BASE && *key != '[');
		if (!row->name)
			return -ENOMEM;
	}
	qsort(rows, *count, sizeof(*rows), compare_unpaired);
	for (size_t i = 0; i < *count; i = end) {
		for (end = i + 1; end < *count && !compare_unpaired(&rows[i], &rows[end]); end++)
			;
		if (end - i == 2 && rows[i].of_b != rows[i + 1].of_b) {
			add_pair(comparison, rows[i + rows[i].of_b].row,
				 rows[i + !rows[i].of_b].row);
			free(rows[i].name);
			free(rows[i + 1].name);
			continue;
		}
		for (; i < end; i++)
			rows[left++] = rows[i];
	}
	*count = left;
	return 0;
}

/* Pairs the rows of one half of two profiles. */
static int pair_half(struct comparison *comparison, const struct text_entry *a,
		     const struct text_entry *b)
{
	struct unpaired *rows = calloc(HASH_COUNT(a) + HASH_COUNT(b) + 1, sizeof(*rows));
	size_t count = 0;
	int error = 0;

	if (!rows)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		entries_for_each(const struct profile_row, side ? b : a, row)
		{
			rows[count++] = (struct unpaired){.row = row, .of_b = side};
		}
	}
	for (enum naming naming = 0; naming < NAMINGS && !error; naming++)
		error = pair_by_name(comparison, rows, &count, naming);
	for (size_t i = 0; i < count; i++) {
		if (!error)
			add_pair(comparison, rows[i].of_b ? NULL : rows[i].row,
				 rows[i].of_b ? rows[i].row : NULL);
		free(rows[i].name);
	}
	free(rows);
	return error;
}

static int pair_rows(struct comparison *comparison, const struct profile *a,
		     const struct profile *b)
{
	size_t most = 1;
	int error = 0;

	for (int i = 0; i < 2; i++)
		most += HASH_COUNT(a->rows[i]) + HASH_COUNT(b->rows[i]);
	comparison->rows = calloc(most, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	for (int i = 0; i < 2 && !error; i++) {
		comparison->gpu_count = comparison->count;
		error = pair_half(comparison, a->rows[i], b->rows[i]);
	}
	if (error)
		comparison_free(comparison);
	return error;
}

/* Comparisons with a verdict by chance, of all, and how they are shared out. */
#define CHANCE	     0.02
#define GPU_PART     0.7
#define API_PART     0.2
#define ALL_GPU_PART 0.1

/* Equal but for what other tools round. */
#define EQUAL	     1e-3

const char *verdict_text(enum verdict verdict)
{
#define VERDICT_TEXT(name, text, class) text,
	static const char *const texts[] = {VERDICTS(VERDICT_TEXT)};
#undef VERDICT_TEXT

	return texts[verdict];
}

bool comparison_is_api(const struct comparison_row *row)
{
	return row->a ? row->a->api : row->b->api;
}

bool comparison_is_of_single_runs(const struct comparison *comparison)
{
	return comparison->a->runs < 2 || comparison->b->runs < 2;
}

const char *comparison_name(const struct comparison_row *row)
{
	return row->a ? row->a->name : row->b->name;
}

/* Logarithms of times: their noise is about the same in short rows and in long ones. */
struct sample {
	uint64_t count;
	double mean, squares; /* of the distances from the mean (Welford) */
};

static void sample_add(struct sample *sample, double time)
{
	double value = log(time > 0 ? time : NAN), distance = value - sample->mean;

	sample->count++;
	sample->mean += distance / (double)sample->count;
	sample->squares += distance * (value - sample->mean);
}

static double sample_variation(const struct sample *sample)
{
	return sample->squares / (double)(sample->count - 1);
}

static const struct change no_change = {NAN, NAN, NAN, NAN};

static struct change compare_samples(const struct sample *a, const struct sample *b)
{
	double distance = b->mean - a->mean, variance_a, variance_b, margin;
	struct change change = no_change;

	if (!a->count || !b->count || isnan(distance))
		return change;
	change.ratio = exp(distance);
	if (a->count < 2 || b->count < 2)
		return change;
	variance_a = sample_variation(a);
	variance_b = sample_variation(b);
	change.probability =
		welch_probability(a->count, a->mean, variance_a, b->count, b->mean, variance_b);
	margin = welch_margin(a->count, variance_a, b->count, variance_b);
	change.low = exp(distance - margin);
	change.high = exp(distance + margin);
	return change;
}

/* Of each run, its average or its total. */
static struct sample runs_of(const struct profile_row *row, bool totals)
{
	struct sample sample = {0};

	for (size_t i = 0; i < row->run_count; i++)
		sample_add(&sample, totals ? row->runs[i].total : row->runs[i].average);
	return sample;
}

/* The calls of a single run, which say nothing of the noise between runs. */
static struct sample calls_of(const struct profile_row *row)
{
	double relative = row->variance / (row->average * row->average);

	return (struct sample){.count = row->timed,
			       .mean = log(row->average > 0 ? row->average : NAN),
			       .squares = relative * (double)(row->timed - 1)};
}

static bool is_beyond(const struct change *change, double threshold)
{
	return fabs(log(change->ratio)) > log1p(threshold);
}

/* `chance`: at which probability a change counts. */
static enum verdict judge(const struct comparison *comparison, const struct change *change,
			  double chance)
{
	double limit = 1 + comparison->threshold;

	if (isnan(change->ratio))
		return VERDICT_CANNOT_TELL;
	if (change->probability <= chance && is_beyond(change, comparison->threshold))
		return change->ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
	if (comparison_is_of_single_runs(comparison))
		return is_beyond(change, EQUAL) ? VERDICT_CANNOT_TELL : VERDICT_SAME;
	return change->low >= 1 / limit && change->high <= limit ? VERDICT_SAME
								 : VERDICT_CANNOT_TELL;
}

/* Where it does not, the totals change as the averages do. */
static bool calls_vary(const struct profile_row *a, const struct profile_row *b)
{
	for (size_t i = 0; i < a->run_count; i++)
		if (a->runs[i].calls != b->runs[0].calls)
			return true;
	for (size_t i = 0; i < b->run_count; i++)
		if (b->runs[i].calls != a->runs[0].calls)
			return true;
	return false;
}

static bool is_compared(const struct comparison_row *row)
{
	return row->a && row->b && row->a->run_count && row->b->run_count;
}

static void judge_row(const struct comparison *comparison, struct comparison_row *row,
		      double chance)
{
	const struct profile_row *a = row->a, *b = row->b;
	struct sample sample_a, sample_b;
	bool single = comparison_is_of_single_runs(comparison), totals;
	enum verdict of_totals;

	row->average = row->total = no_change;
	if (!a || !b) {
		row->verdict = a ? VERDICT_ONLY_A : VERDICT_ONLY_B;
		return;
	}
	if (!is_compared(row)) {
		row->verdict = VERDICT_UNTIMED;
		return;
	}
	sample_a = single ? calls_of(a) : runs_of(a, false);
	sample_b = single ? calls_of(b) : runs_of(b, false);
	row->average = compare_samples(&sample_a, &sample_b);
	if (single)
		row->average.low = row->average.high = NAN;
	/* A run that did not time the row has a total, but not one that is known. */
	totals = !single && a->run_count == comparison->a->runs &&
		 b->run_count == comparison->b->runs && calls_vary(a, b);
	if (totals)
		chance /= 2;
	row->verdict = judge(comparison, &row->average, chance);
	if (!totals)
		return;
	sample_a = runs_of(a, true);
	sample_b = runs_of(b, true);
	row->total = compare_samples(&sample_a, &sample_b);
	if (row->verdict == VERDICT_FASTER || row->verdict == VERDICT_SLOWER)
		return;
	of_totals = judge(comparison, &row->total, chance);
	if (of_totals == VERDICT_SLOWER)
		row->verdict = VERDICT_MORE_TIME;
	else if (of_totals == VERDICT_FASTER)
		row->verdict = VERDICT_LESS_TIME;
}

/* A run's time. */
static double time_of(const struct profile_row *row, size_t runs)
{
	return row ? row->total / (double)runs : 0;
}

/* Both sides' time in a row that is compared: its weight. */
static double weight_of(const struct comparison *comparison, const struct comparison_row *row)
{
	return is_compared(row)
		       ? time_of(row->a, comparison->a->runs) + time_of(row->b, comparison->b->runs)
		       : 0;
}

/* Judges the rows of one half, which share a part of the chance for a wrong verdict. */
static void judge_rows(const struct comparison *comparison, struct comparison_row *rows,
		       size_t count, double chance)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += weight_of(comparison, &rows[i]);
	for (size_t i = 0; i < count; i++)
		judge_row(comparison, &rows[i],
			  all > 0 ? chance * weight_of(comparison, &rows[i]) / all : 0);
}

/* Adds a row's times to each run's total. */
static void add_to_runs(double *totals, const struct profile_row *row)
{
	for (size_t i = 0; row && i < row->run_count; i++)
		totals[row->runs[i].run] += row->runs[i].total;
}

static struct sample sample_of(const double *times, size_t count)
{
	struct sample sample = {0};

	for (size_t i = 0; i < count; i++)
		sample_add(&sample, times[i]);
	return sample;
}

/*
 * All GPU activities. What one profile alone has the time of would make that profile's total longer
 * by all of it.
 */
static int judge_total(struct comparison *comparison)
{
	double *totals = calloc(comparison->a->runs + comparison->b->runs, sizeof(*totals));
	double *totals_b = totals + comparison->a->runs;
	struct sample a, b;

	if (!totals)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->verdict == VERDICT_UNTIMED) {
			comparison->gpu_untimed++;
			continue;
		}
		comparison->gpu_a += time_of(row->a, comparison->a->runs);
		comparison->gpu_b += time_of(row->b, comparison->b->runs);
		add_to_runs(totals, row->a);
		add_to_runs(totals_b, row->b);
	}
	a = sample_of(totals, comparison->a->runs);
	b = sample_of(totals_b, comparison->b->runs);
	free(totals);
	comparison->gpu = compare_samples(&a, &b);
	comparison->gpu_verdict = judge(comparison, &comparison->gpu, CHANCE * ALL_GPU_PART);
	/* Of one run a side nothing says how sure the total is. */
	if (comparison_is_of_single_runs(comparison) &&
	    is_beyond(&comparison->gpu, comparison->threshold))
		comparison->gpu_verdict =
			comparison->gpu.ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
	return 0;
}

/* Of calls that nothing timed it is not known how much longer they take. */
static double difference(const struct comparison *comparison, const struct comparison_row *row)
{
	return row->verdict == VERDICT_UNTIMED ? 0
					       : fabs(time_of(row->b, comparison->b->runs) -
						      time_of(row->a, comparison->a->runs));
}

static int compare_rows(const void *left, const void *right, void *argument)
{
	const struct comparison_row *x = left, *y = right;
	const struct comparison *comparison = argument;
	uint32_t runs = comparison->a->runs;

	return IN_ORDER(difference(comparison, y), difference(comparison, x))
		       ?: IN_ORDER(time_of(y->a, runs), time_of(x->a, runs))
		       ?: strcmp(comparison_name(x), comparison_name(y));
}

int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double threshold)
{
	size_t api_count;
	int error;

	*comparison = (struct comparison){.a = a, .b = b};
	comparison->threshold = !isnan(threshold)			   ? threshold
				: comparison_is_of_single_runs(comparison) ? THRESHOLD_RUN
									   : THRESHOLD_RUNS;
	error = pair_rows(comparison, a, b);
	if (error)
		return error;
	api_count = comparison->count - comparison->gpu_count;
	judge_rows(comparison, comparison->rows, comparison->gpu_count, CHANCE * GPU_PART);
	judge_rows(comparison, comparison->rows + comparison->gpu_count, api_count,
		   CHANCE * API_PART);
	error = judge_total(comparison);
	if (error) {
		comparison_free(comparison);
		return error;
	}
	qsort_r(comparison->rows, comparison->gpu_count, sizeof(*comparison->rows), compare_rows,
		comparison);
	qsort_r(comparison->rows + comparison->gpu_count, api_count, sizeof(*comparison->rows),
		compare_rows, comparison);
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->rows);
	*comparison = (struct comparison){0};
}
