/* SPDX-License-Identifier: MIT */
/* Rows of two profiles are paired by name, and a verdict separates a difference from noise. */
#include <math.h>

#include "report/compare/compare.h"
#include "report/compare/headline.h"
#include "report/compare/labels.h"
#include "report/compare/next.h"
#include "report/compare/sides.h"
#include "report/compare/canonical.h"
#include "tests/unit/test.h"

static struct profile a, b;	      /* the runs that are being made */
static struct profile side_a, side_b; /* the sums of those that are done */
static struct comparison comparison;

BEFORE_EACH
{
	a = (struct profile){.source = "A"};
	b = (struct profile){.source = "B"};
	side_a = side_b = (struct profile){0};
	comparison = (struct comparison){0};
}

AFTER_EACH
{
	comparison_free(&comparison);
	profile_free(&a);
	profile_free(&b);
	profile_free(&side_a);
	profile_free(&side_b);
}

/* Adds `calls` calls whose times run from average - spread to average + spread. */
static void add(struct profile *profile, const char *name, unsigned calls, double average,
		double spread)
{
	struct profile_row *row = profile_row(profile, !strncmp(name, "cuda", 4), name, name);
	unsigned i;

	assert_non_null(row);
	for (i = 0; i < calls; i++) {
		double place = calls > 1 ? 2.0 * i / (calls - 1) - 1 : 0;

		profile_add_sample(row, (uint64_t)(average + place * spread + 0.5));
	}
}

/* Adds calls that nothing timed. */
static void add_untimed(struct profile *profile, const char *name, unsigned calls)
{
	struct profile_row *row = profile_row(profile, !strncmp(name, "cuda", 4), name, name);

	assert_non_null(row);
	profile_add_group(row, calls, 0, 0, 0, 0, 0, 0);
}

/* Ends a run on each side. */
static void end_runs(void)
{
	assert_int_equal(profile_add_run(&side_a, &a), 0);
	assert_int_equal(profile_add_run(&side_b, &b), 0);
	profile_free(&a);
	profile_free(&b);
	a = b = (struct profile){0};
}

static void compare_beyond(double threshold)
{
	static const char *const files[] = {"one"};

	side_a.files = side_b.files = files;
	side_a.file_count = side_b.file_count = 1;
	comparison_free(&comparison);
	assert_int_equal(compare_profiles(&comparison, &side_a, &side_b, threshold), 0);
}

static void compare(void)
{
	end_runs();
	compare_beyond(NAN);
}

/* Runs whose averages differ by these parts of a percent, in no order. */
static const double noise[] = {0.4, -0.7, 0.1, 0.9, -0.6};
#define RUNS (sizeof(noise) / sizeof(*noise))

static double noisy(double average, size_t run, double percent)
{
	return average * (1 + percent * noise[run % RUNS] / 100);
}

static const struct comparison_row *row_of(const char *name)
{
	size_t i;

	for (i = 0; i < comparison.count; i++)
		if (!strcmp(comparison_name(&comparison.rows[i]), name))
			return &comparison.rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static const char *verdict_of(const char *name)
{
	return verdict_text(row_of(name)->verdict);
}

static void row_says(const char *name, const char *expected)
{
	char text[VERDICT_SIZE];

	assert_string_equal(comparison_row_verdict(&comparison, row_of(name), text), expected);
}

static void check_canonical(const char *name, enum canonical form, const char *expected)
{
	char *canonical = canonical_name(name, form);

	assert_string_equal(canonical, expected);
	free(canonical);
}

TEST(names_lose_what_profilers_write_differently)
{
	check_canonical("vecAdd(float const *, float const *, float*, int)", CANONICAL_WHOLE,
			"vecAdd(float*,float*,float*,int)");
	check_canonical("vecAdd(const float *, const float *, float *, int)", CANONICAL_WHOLE,
			"vecAdd(float*,float*,float*,int)");
	check_canonical("k(void)", CANONICAL_WHOLE, "k()");
	check_canonical("k()", CANONICAL_WHOLE, "k()");
	check_canonical("void foo<int, bool=1>(int*)", CANONICAL_BASE, "foo<int,1>");
	check_canonical("void foo<int, (bool)1>(T1 *)", CANONICAL_BASE, "foo<int,1>");
	check_canonical("void f<(unsigned int)3, (int)-4, (E)1>()", CANONICAL_BASE, "f<3,-4,1>");
	check_canonical("void f<unsigned int=3, int=-4, E=1>(void)", CANONICAL_BASE, "f<3,-4,1>");
	check_canonical("_GLOBAL__N_1::kern(void*)", CANONICAL_WHOLE, "{}::kern(*)");
	check_canonical("<unnamed>::kern(void *)", CANONICAL_WHOLE, "{}::kern(*)");
	check_canonical("(anonymous namespace)::kern(void*)", CANONICAL_BASE, "{}::kern");
	check_canonical("A::operator ()(int) const", CANONICAL_BASE, "A::operator{}");
	check_canonical("constant(voided)", CANONICAL_WHOLE, "constant(voided)");
	check_canonical("f<g(int)>(int)", CANONICAL_BASE, "f<g(int)>");
	check_canonical("", CANONICAL_BASE, "");
}

TEST(rows_find_each_other_across_profilers)
{
	add(&a, "vecAdd(const float *, int)", 10, 1000, 10);
	add(&b, "vecAdd(float const *, int)", 10, 1000, 10);
	add(&a, "void k<foo<int>>(T1, const T1 *)", 10, 1000, 10);
	add(&b, "void k<foo<int>>(int, int const *)", 10, 1000, 10);
	add(&a, "[CUDA memset]", 10, 1000, 10);
	add(&b, "[CUDA memset]", 10, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 3);
	assert_string_equal(verdict_of("void k<foo<int>>(T1, const T1 *)"), "same");
	assert_string_equal(row_of("vecAdd(const float *, int)")->b->name,
			    "vecAdd(float const *, int)");
}

/* Versions and "_ptsz" name one call; two versions in one file stay two rows. */
TEST(calls_find_each_other_without_their_versions)
{
	add(&a, "cudaLaunchKernel_ptsz_v7000", 10, 1000, 10);
	add(&b, "cudaLaunchKernel", 10, 1000, 10);
	add(&a, "cudaGetDeviceProperties_v2", 10, 1000, 10);
	add(&b, "cudaGetDeviceProperties", 10, 1000, 10);
	add(&a, "cudaFoo", 10, 1000, 10);
	add(&a, "cudaFoo_v2", 10, 1000, 10);
	add(&b, "cudaFoo_v2", 10, 1000, 10);
	add(&a, "kernel_v2", 10, 1000, 10);
	add(&b, "kernel_v3", 10, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 6);
	assert_string_equal(verdict_of("cudaLaunchKernel_ptsz_v7000"), "same");
	assert_string_equal(verdict_of("cudaGetDeviceProperties_v2"), "same");
	assert_string_equal(verdict_of("cudaFoo"), "only in A");
	assert_string_equal(verdict_of("cudaFoo_v2"), "same");
	assert_string_equal(verdict_of("kernel_v2"), "only in A");
	assert_string_equal(verdict_of("kernel_v3"), "only in B");
}

TEST(overloads_are_not_taken_for_each_other)
{
	add(&a, "f(T1)", 10, 1000, 10);
	add(&b, "f(int)", 10, 1000, 10);
	add(&b, "f(float)", 10, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 3);
	assert_string_equal(verdict_of("f(T1)"), "only in A");
	assert_string_equal(verdict_of("f(int)"), "only in B");
	assert_string_equal(verdict_of("f(float)"), "only in B");
}

TEST(names_lose_what_tells_versions_of_a_kernel_apart)
{
	check_canonical("void copy<double>(int, double const *)", CANONICAL_NUMBERS, "copy<#>");
	check_canonical("void k<c10::Half, unsigned long, (int)4, true>(int)", CANONICAL_NUMBERS,
			"k<#,#,#,#>");
	check_canonical("void n::k<n::Add<float>, Sub>(int)", CANONICAL_NUMBERS,
			"n::k<n::Add<#>,Sub>");
	check_canonical("half(float)", CANONICAL_NUMBERS, "half");
	check_canonical("k32", CANONICAL_NUMBERS, "k32");
	check_canonical("void n::k<n::Add<float>, Sub>::f<int>(int)", CANONICAL_FUNCTION,
			"n::k::f");
	/* Signs of an expression are no brackets. */
	check_canonical("void k<(1) < (2)>(int)", CANONICAL_NUMBERS, "k<(1)<(2)>(int)");
	check_canonical("void k<(1) < (2)>(int)", CANONICAL_FUNCTION, "k<(1)<(2)>(int)");
}

static void are_versions(const char *name, const char *label)
{
	const struct comparison_row *row = row_of(name);

	assert_non_null(row->a);
	assert_non_null(row->b);
	assert_string_equal(comparison_label(row), label);
}

TEST(versions_of_a_kernel_are_one_row)
{
	add(&a, "void copy<double>(int, double const *)", 10, 2000, 10);
	add(&b, "void copy<float>(int, float const *)", 20, 1000, 10);
	/* Short names would be the same. */
	add(&a, "void n::map<n::Add<double>>(int)", 10, 3000, 10);
	add(&b, "void n::map<n::Add<float>>(int)", 10, 4000, 10);
	add(&a, "void n::reduce<128, n::Op<at::Half>>(int)", 10, 3000, 10);
	add(&b, "void n::reduce<512, n::Op<at::Half>>(int)", 10, 4000, 10);
	add(&a, "same(int)", 10, 1000, 10);
	add(&b, "same(int)", 10, 1000, 10);
	add(&a, "void other<float>(int)", 10, 1000, 10);
	add(&b, "void another<float>(int)", 10, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 6);
	are_versions("void n::reduce<128, n::Op<at::Half>>(int)",
		     "n::reduce<128, Op> -> <512, Op>");
	are_versions("void copy<double>(int, double const *)", "copy<double> -> <float>");
	are_versions("void n::map<n::Add<double>>(int)", "n::map<Add>: double -> float");
	assert_null(row_of("same(int)")->versions);
	assert_string_equal(verdict_of("void other<float>(int)"), "only in A");
	assert_string_equal(verdict_of("void another<float>(int)"), "only in B");
}

/* Files of one profiler write parameters in one way. */
TEST(a_kernel_with_other_parameters_is_a_version)
{
	a.source = b.source = "one";
	add(&a, "stencil(float*, int)", 10, 2000, 10);
	add(&b, "stencil(float*, int, int)", 10, 2000, 10);
	compare();
	are_versions("stencil(float*, int)", "stencil(float*, int) -> (float*, int, int)");
}

TEST(of_several_versions_equal_calls_tell_which_are_one)
{
	add(&a, "void k<float, 1>()", 10, 1000, 10);
	add(&a, "void k<float, 2>()", 20, 1000, 10);
	add(&a, "void k<float, 3>()", 30, 1000, 10);
	add(&b, "void k<double, 4>()", 20, 1000, 10);
	add(&b, "void k<double, 5>()", 30, 1000, 10);
	add(&b, "void k<double, 6>()", 30, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 5);
	are_versions("void k<float, 2>()", "k<float, 2> -> <double, 4>");
	assert_string_equal(verdict_of("void k<float, 1>()"), "only in A");
	assert_string_equal(verdict_of("void k<float, 3>()"), "only in A");
	assert_string_equal(verdict_of("void k<double, 5>()"), "only in B");
}

/* What a template argument names may be what the kernel computes. */
TEST(kernels_of_one_template_are_versions_only_if_their_calls_are_as_many)
{
	add(&a, "void map<Add>()", 10, 1000, 10);
	add(&b, "void map<Mul>()", 11, 1000, 10);
	add(&a, "void gemm<tile_128x64>()", 10, 1000, 10);
	add(&b, "void gemm<tile_64x64>()", 10, 1000, 10);
	/* Of three none is taken for the other. */
	add(&a, "void fold<Add>()", 10, 1000, 10);
	add(&b, "void fold<Mul>()", 10, 1000, 10);
	add(&b, "void fold<Sub>()", 12, 1000, 10);
	compare();
	assert_int_equal(comparison.count, 6);
	are_versions("void gemm<tile_128x64>()", "gemm<tile_128x64> -> <tile_64x64>");
	assert_string_equal(verdict_of("void map<Add>()"), "only in A");
	assert_string_equal(verdict_of("void map<Mul>()"), "only in B");
	assert_string_equal(verdict_of("void fold<Add>()"), "only in A");
}

TEST(the_headline_and_the_rows_say_which_versions_are_compared)
{
	add(&a, "void copy<double>(int)", 10, 200000, 10);
	add(&b, "void copy<float>(int)", 10, 100000, 10);
	add(&a, "gone", 1, 1000, 0);
	compare();
	assert_string_equal(comparison.headline,
			    "B is 2.00 times faster on the GPU (2.00 ms -> 1.00 ms, ratio 0.500, "
			    "one run a side: may be chance): "
			    "1 of 2 GPU rows faster, 1 only in A; most in copy<double> -> <float> "
			    "(2.00 ms -> 1.00 ms)");
	assert_string_equal(comparison.calls, "");
}

static void label_is(char **labels, const char *name, const char *expected)
{
	assert_string_equal(labels[row_of(name) - comparison.rows], expected);
}

TEST(labels_are_short_and_tell_rows_apart)
{
	static const char alone[] =
		"void at::native::reduce_kernel<512, at::native::ReduceOp<float, "
		"at::native::MeanOps<float, float, float>>>(at::native::ReduceOp<float>)";
	static const char add_functor[] =
		"void at::native::map<at::native::BinaryFunctor<float, float, float, "
		"at::native::AddFunctor<float>>>(int, float const *, float *)";
	static const char mul_functor[] =
		"void at::native::map<at::native::BinaryFunctor<float, float, float, "
		"at::native::MulFunctor<float>>>(int, float const *, float *)";
	char **labels;

	add(&a, alone, 10, 1000, 10);
	add(&b, alone, 10, 1000, 10);
	add(&a, add_functor, 10, 1000, 10);
	add(&b, add_functor, 10, 1000, 10);
	add(&b, mul_functor, 10, 1000, 10);
	add(&a, "short(int)", 10, 1000, 10);
	add(&a, "cudaFree", 10, 1000, 10);
	compare();
	labels = labels_make(&comparison);
	assert_non_null(labels);
	label_is(labels, alone, "at::native::reduce_kernel<512, ReduceOp>");
	label_is(labels, "short(int)", "short(int)");
	label_is(labels, "cudaFree", "cudaFree");
	assert_non_null(strstr(labels[row_of(add_functor) - comparison.rows], "Add"));
	assert_non_null(strstr(labels[row_of(mul_functor) - comparison.rows], "Mul"));
	for (size_t i = 0; i < comparison.count; i++)
		assert_true(strlen(labels[i]) <= LABEL_MOST);
	labels_free(labels, &comparison);
}

TEST(several_runs_show_a_shift_beyond_their_noise)
{
	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "slower", 20, noisy(100000, run, 1), 500);
		add(&b, "slower", 20, noisy(105000, run + 2, 1), 500);
		add(&a, "faster", 20, noisy(200000, run, 1), 500);
		add(&b, "faster", 20, noisy(190000, run + 3, 1), 500);
		add(&a, "same", 20, noisy(100000, run, 1), 500);
		add(&b, "same", 20, noisy(100300, run + 1, 1), 500);
		add(&a, "noisy", 20, noisy(100000, run, 5), 500);
		add(&b, "noisy", 20, noisy(105000, run + 2, 5), 500);
		end_runs();
	}
	compare_beyond(NAN);
	assert_int_equal(comparison.a->runs, RUNS);
	assert_string_equal(verdict_of("slower"), "slower");
	assert_true(fabs(row_of("slower")->average.ratio - 1.05) < 1e-4);
	assert_true(row_of("slower")->average.low > 1.035);
	assert_true(row_of("slower")->average.high < 1.065);
	assert_true(row_of("slower")->average.probability < 1e-4);
	/* The calls do not vary: the total changes as they do. */
	assert_true(fabs(row_of("slower")->total.ratio - 1.05) < 1e-4);
	assert_string_equal(verdict_of("faster"), "faster");
	assert_string_equal(verdict_of("same"), "same");
	assert_string_equal(verdict_of("noisy"), "cannot tell");
	compare_beyond(0.06);
	assert_string_equal(verdict_of("slower"), "cannot tell");
	compare_beyond(0.07);
	assert_string_equal(verdict_of("slower"), "same");
}

/* A call takes no longer, but there are more calls. */
TEST(more_calls_take_more_time)
{
	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "more", 20, noisy(100000, run, 1), 500);
		add(&b, "more", 30, noisy(100000, run + 2, 1), 500);
		add(&a, "less", 30, noisy(100000, run, 1), 500);
		add(&b, "less", 20, noisy(100000, run + 2, 1), 500);
		end_runs();
	}
	compare_beyond(NAN);
	assert_string_equal(verdict_of("more"), "more time");
	assert_true(fabs(row_of("more")->average.ratio - 1) < 1e-4);
	assert_true(fabs(row_of("more")->total.ratio - 1.5) < 1e-4);
	assert_string_equal(verdict_of("less"), "less time");
	assert_string_equal(verdict_text(comparison.gpu_verdict), "same");
}

/* A call takes longer, and there are more. */
TEST(a_slower_row_is_slower_whatever_its_calls)
{
	const struct change *total;

	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "k", 20 + (unsigned)run, noisy(100000, run, 1), 500);
		add(&b, "k", 30 + (unsigned)run, noisy(125000, run + 2, 2), 700);
		end_runs();
	}
	compare_beyond(NAN);
	assert_string_equal(verdict_of("k"), "slower");
	total = &row_of("k")->total;
	assert_true(total->ratio > 1.8 && total->low < total->ratio && total->high > total->ratio);
}

/* Only some of the runs called it. */
TEST(a_row_is_compared_by_the_runs_that_have_it)
{
	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "k", 20, noisy(100000, run, 1), 500);
		add(&b, "k", 20, noisy(100000, run + 1, 1), 500);
		if (run % 2 == 0)
			add(&a, "sometimes", 20, noisy(100000, run, 1), 500);
		add(&b, "sometimes", 20, noisy(200000, run, 1), 500);
		end_runs();
	}
	compare_beyond(NAN);
	assert_int_equal(row_of("sometimes")->a->run_count, 3);
	assert_string_equal(verdict_of("sometimes"), "slower");
	/* Three runs of A have it and all of B, so the ratio of what a run takes has no interval.
	 */
	assert_true(fabs(row_of("sometimes")->total.ratio - 2.0 * RUNS / 3) < 0.02);
	assert_true(isnan(row_of("sometimes")->total.low));
}

TEST(one_run_a_side_tells_only_what_is_beyond_the_threshold)
{
	add(&a, "slower", 100, 100000, 5000);
	add(&b, "slower", 100, 112000, 5000);
	add(&a, "faster", 100, 100000, 5000);
	add(&b, "faster", 100, 88000, 5000);
	add(&a, "near", 100, 100000, 500);
	add(&b, "near", 100, 105000, 500);
	add(&a, "equal", 100, 100000, 500);
	add(&b, "equal", 100, 100000, 500);
	compare();
	assert_string_equal(verdict_of("slower"), "slower");
	assert_true(fabs(row_of("slower")->average.ratio - 1.12) < 1e-6);
	assert_true(isnan(row_of("slower")->average.low));
	assert_string_equal(verdict_of("faster"), "faster");
	assert_string_equal(verdict_of("near"), "under threshold");
	row_says("near", "under 10 %");
	assert_string_equal(verdict_of("equal"), "same");
	row_says("equal", "same");
	compare_beyond(0.04);
	assert_string_equal(verdict_of("near"), "slower");
}

/* A single run: how many calls it has is known for certain, so the total is judged too. */
TEST(more_calls_of_a_single_run_take_more_time)
{
	add(&a, "more", 10, 100000, 500);
	add(&b, "more", 100, 100000, 500);
	add(&a, "less", 100, 100000, 500);
	add(&b, "less", 10, 100000, 500);
	add(&a, "one", 1, 100000, 0);
	add(&b, "one", 10, 100000, 0);
	add(&a, "apart", 5, 100000, 90000);
	add(&b, "apart", 50, 100000, 90000);
	/* A call that takes less time, but ten times as many. */
	add(&a, "faster", 10, 100000, 500);
	add(&b, "faster", 100, 50000, 500);
	add(&a, "slower", 10, 100000, 500);
	add(&b, "slower", 100, 150000, 500);
	/* Half the calls, of twice the time each. */
	add(&a, "halved", 10, 100000, 500);
	add(&b, "halved", 5, 200000, 500);
	compare();
	assert_string_equal(verdict_of("more"), "more time");
	assert_true(fabs(row_of("more")->average.ratio - 1) < 1e-6);
	assert_true(fabs(row_of("more")->total.ratio - 10) < 1e-6);
	assert_string_equal(verdict_of("less"), "less time");
	assert_string_equal(verdict_of("one"), "more time");
	assert_string_equal(verdict_of("apart"), "more time");
	assert_string_equal(verdict_of("faster"), "more time");
	assert_string_equal(verdict_of("slower"), "slower");
	assert_string_equal(verdict_of("halved"), "same");
	/* Of three runs beside one it is the mean of their calls. */
	profile_free(&side_a);
	side_a = (struct profile){0};
	for (unsigned run = 0; run < 3; run++) {
		add(&a, "more", 10, 100000, 500);
		assert_int_equal(profile_add_run(&side_a, &a), 0);
		profile_free(&a);
		a = (struct profile){0};
	}
	compare_beyond(NAN);
	assert_string_equal(verdict_of("more"), "more time");
	assert_true(fabs(row_of("more")->total.ratio - 10) < 1e-6);
}

/* A few calls more say nothing where the calls take so much less that the total is shorter. */
TEST(more_calls_and_a_shorter_total_are_no_verdict)
{
	add(&a, "k", 3, 100000, 90000);
	add(&b, "k", 4, 20000, 5000);
	compare();
	assert_string_equal(verdict_of("k"), "cannot tell");
}

/* The bytes of the run that is being made. */
static void moves(struct profile *profile, const char *name, double bytes)
{
	struct profile_row *row = text_entry_of(&profile->rows[0], name, 0);

	assert_non_null(row);
	row->bytes = bytes;
}

static void moved_is(const char *name, const char *expected)
{
	char text[MOVED_SIZE] = "";

	comparison_moved_text(&comparison, row_of(name), text);
	assert_string_equal(text, expected);
}

TEST(what_was_moved_is_compared_where_both_sides_know_it)
{
	static const char *const names[] = {"half", "slower", "alike", "in a", "unknown"};

	for (unsigned run = 0; run < 2; run++) {
		for (unsigned i = 0; i < 5; i++) {
			add(&a, names[i], 1, 1000000 + run, 0);
			add(&b, names[i], 1, i == 1 ? 2000000 : i == 2 ? 1010000 : 500000, 0);
		}
		moves(&a, "half", 1 << 20);
		moves(&b, "half", 1 << 19);
		moves(&a, "slower", 1 << 20);
		moves(&b, "slower", 1 << 20);
		moves(&a, "alike", 1 << 20);
		moves(&b, "alike", 1 << 20);
		moves(&a, "in a", 1 << 20);
		add(&a, "unsure", 1, 1000, 0);
		add(&b, "unsure", 1, run ? 1000 : 2000, 0);
		moves(&a, "unsure", 1 << 20);
		moves(&b, "unsure", 1 << 20);
		/* Of one of the runs it is not known. */
		moves(&a, "unknown", 1 << 20);
		moves(&b, "unknown", run ? NAN : 1 << 20);
		end_runs();
	}
	compare_beyond(NAN);
	moved_is("half", "bytes 1.0 MB -> 512 KB (0.500), 1.049 -> 1.049 GB/s");
	moved_is("slower", "1.049 -> 0.5243 GB/s");
	moved_is("alike", "");
	moved_is("in a", "");
	assert_string_equal(verdict_of("unsure"), "cannot tell");
	moved_is("unsure", "");
	moved_is("unknown", "");
}

static void headline_is(const char *expected)
{
	assert_string_equal(comparison.headline, expected);
}

TEST(the_headline_says_what_is_slower_and_where)
{
	add(&a, "k<int>(float*)", 10, 100000, 10);
	add(&b, "k<int>(float*)", 100, 100000, 10);
	add(&a, "slow", 10, 10000, 10);
	add(&b, "slow", 10, 15000, 10);
	add(&a, "fast", 10, 10000, 10);
	add(&b, "fast", 10, 5000, 10);
	add(&b, "new", 1, 1000, 0);
	compare();
	headline_is("B is 8.50 times slower on the GPU (1.20 ms -> 10.2 ms, one run a side): 1 of "
		    "4 GPU "
		    "rows with more time by more calls, 1 slower, 1 only in B; most in k<int> "
		    "(1.00 ms -> 10.0 ms, 10 -> 100 calls)");
}

TEST(the_headline_has_a_long_name_without_its_arguments)
{
	static const char name[] =
		"void at::native::vectorized_elementwise_kernel<(int)4, "
		"at::native::FillFunctor<float>, std::array<char *, (unsigned long)1>>(int)";

	add(&a, name, 10, 100000, 10);
	add(&b, name, 10, 200000, 10);
	compare();
	headline_is("B is 2.00 times slower on the GPU (1.00 ms -> 2.00 ms, one run a side: may be "
		    "chance): 1 of 1 GPU "
		    "rows slower; most in "
		    "vectorized_elementwise_kernel (1.00 ms -> 2.00 ms)");
}

TEST(the_line_of_the_calls_names_three_rows_whose_calls_differ)
{
	static const char *const names[] = {"k1<int>(int)", "k2(int)", "k3(int)", "k4(int)"};

	for (unsigned i = 0; i < 4; i++) {
		add(&a, names[i], 10, 1000 << (4 - i), 1);
		add(&b, names[i], i < 2 ? 20 : 5, 1000 << (4 - i), 1);
	}
	add(&a, "cudaFree", 100, 1000, 1);
	add(&b, "cudaFree", 109, 1000, 1);
	compare();
	assert_string_equal(comparison.calls, "Calls differ by more than 10 % in 4 of 5 rows: "
					      "k1<int> 10 -> 20, k2 10 -> 20, k3 10 -> 5 and 1 "
					      "more.");
}

TEST(calls_that_vary_between_runs_differ_only_if_all_runs_of_a_side_have_more)
{
	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "cudaEventQuery", 10 + 3 * (unsigned)run, 1000, 1);
		add(&b, "cudaEventQuery", 20 + 3 * (unsigned)run, 1000, 1);
		end_runs();
	}
	compare_beyond(NAN);
	assert_string_equal(comparison.calls, "");
	for (size_t run = 0; run < RUNS; run++) {
		add(&a, "cudaFree", 10 + (unsigned)run, 1000, 1);
		add(&b, "cudaFree", 20 + (unsigned)run, 1000, 1);
		end_runs();
	}
	compare_beyond(NAN);
	assert_string_equal(comparison.calls, "Calls differ by more than 2 % in 1 of 2 rows: "
					      "cudaFree 6 -> 11.");
}

TEST(nothing_is_told_of_a_file_that_is_damaged)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 200000, 10);
	end_runs();
	side_b.damaged = true;
	compare_beyond(NAN);
	headline_is("cannot tell: rows of B are missing");
	side_a.damaged = true;
	compare_beyond(NAN);
	headline_is("cannot tell: rows of A and B are missing");
	assert_string_equal(comparison.calls, "");
}

TEST(the_headline_says_what_is_faster_and_where)
{
	add(&a, "k", 10, 105000, 10);
	add(&b, "k", 10, 100000, 10);
	add(&a, "gone", 1, 60000, 0);
	end_runs();
	compare_beyond(0.04);
	headline_is("B is 1.11 times faster on the GPU (1.11 ms -> 1.00 ms, ratio 0.901, one run a "
		    "side): 1 of 2 GPU "
		    "rows faster, 1 only in A; most in gone (60.0 us, only in A)");
	assert_false(headline_in_doubt(&comparison));
}

TEST(the_headline_says_that_there_is_no_difference)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 103000, 10);
	add(&a, "once", 1, 1000, 0);
	add(&b, "once", 1, 1000, 0);
	add(&a, "cudaFree", 10, 1000, 1);
	add(&b, "cudaFree", 10, 1000, 1);
	compare();
	headline_is("no difference beyond 10 %");
}

TEST(the_headline_says_which_rows_differ_if_the_total_does_not)
{
	add(&a, "long", 10, 100000, 10);
	add(&b, "long", 10, 100000, 10);
	add(&a, "short", 10, 1000, 1);
	add(&b, "short", 10, 3000, 1);
	compare();
	headline_is("no difference beyond 10 % in total, but 1 of 2 GPU rows slower; most in "
		    "short (10.0 us -> 30.0 us)");
}

TEST(the_headline_says_of_which_rows_nothing_is_certain)
{
	add(&a, "long", 10, 100000, 10);
	add(&b, "long", 10, 100000, 10);
	add(&a, "once", 1, 1000, 0);
	add(&b, "once", 1, 3000, 0);
	compare();
	headline_is("no difference beyond 10 % in total; cannot tell of 1 of 2 GPU rows");
}

TEST(the_headline_says_which_api_calls_differ_if_the_gpu_does_not)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	add(&a, "cudaFree", 10, 1000, 1);
	add(&b, "cudaFree", 10, 3000, 1);
	compare();
	headline_is("no difference beyond 10 % on the GPU, but 1 of 1 API rows slower; most "
		    "in cudaFree (10.0 us -> 30.0 us)");
}

TEST(the_headline_says_that_the_host_makes_most_of_the_difference)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 50000, 10);
	a.wall = 20e6;
	b.wall = 30e6;
	compare();
	headline_is("B is 1.50 times slower (20.0 ms -> 30.0 ms, one run a side: may be chance); "
		    "on the GPU "
		    "2.00 times faster (1.00 ms -> 500 us), most in k");
	assert_true(headline_in_doubt(&comparison));
}

/* `end`: of the headline, behind what is said of the GPU's rows. */
static void walls_say(double wall_b, const char *expected, const char *end)
{
	comparison_free(&comparison);
	profile_free(&side_a);
	profile_free(&side_b);
	side_a = side_b = (struct profile){0};
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 200000, 10);
	a.wall = 10e6;
	b.wall = wall_b;
	compare();
	assert_memory_equal(comparison.headline, expected, strlen(expected));
	assert_string_equal(strstr(comparison.headline, "; the whole run") ?: "", end);
}

TEST(the_run_comes_first_in_the_headline_unless_the_gpu_explains_it)
{
	static const char gpu[] = "B is 2.00 times slower on the GPU (1.00 ms -> 2.00 ms, one run "
				  "a side: may be chance): ";

	walls_say(10.9e6, gpu, ""); /* within the threshold */
	walls_say(0, gpu, "");	    /* not known */
	/* It has a half, or not. */
	walls_say(12e6, gpu, "; the whole run: 10.0 ms -> 12.0 ms, more than GPU time explains");
	walls_say(12.1e6,
		  "B is 1.21 times slower (10.0 ms -> 12.1 ms, one run a side: may be chance); on "
		  "the GPU "
		  "2.00 times slower (1.00 ms -> 2.00 ms), most in k",
		  "");
}

TEST(of_several_runs_the_headline_has_a_whole_run_beyond_their_noise)
{
	static const struct {
		double noise;
		const char *expected;
	} cases[] = {
		{1, "B is 1.15 times slower (20.0 ms -> 23.0 ms); no difference beyond 2 % on "
		    "the GPU"},
		/* Beyond the 95 % interval, as it is once in twenty comparisons by chance. */
		{4, "no difference beyond 2 %; the whole run: 19.9 ms -> 23.1 ms, more than GPU "
		    "time explains"},
		{30, "no difference beyond 2 %"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		profile_free(&side_a);
		profile_free(&side_b);
		side_a = side_b = (struct profile){0};
		for (size_t run = 0; run < 3; run++) {
			add(&a, "k", 10, 100000, 10);
			add(&b, "k", 10, 100000, 10);
			a.wall = noisy(20e6, run, cases[i].noise);
			b.wall = noisy(23e6, run + 1, cases[i].noise);
			end_runs();
		}
		compare_beyond(NAN);
		headline_is(cases[i].expected);
		assert_true(comparison.wall.ratio > 1.1);
	}
}

TEST(the_headline_says_what_more_runs_would_tell)
{
	for (size_t run = 0; run < 2; run++) {
		add(&a, "k", 10, noisy(100000, run, 5), 10);
		add(&b, "k", 10, noisy(105000, run + 2, 5), 10);
		end_runs();
	}
	compare_beyond(NAN);
	assert_memory_equal(comparison.headline, "cannot tell: all GPU activities together take ",
			    46);
	assert_non_null(
		strstr(comparison.headline, " times as long in B, and more runs would tell"));
	assert_true(headline_in_doubt(&comparison));
}

static void idle(struct profile *profile, const char *cause, double total)
{
	assert_int_equal(profile_add_idle(profile, cause, total, NULL), 0);
	profile->idle_runs = 1;
}

static void idle_line_is(const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(idle_print(&comparison.idle, comparison.threshold, file),
			 *expected != '\0');
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

TEST(idle_time_is_compared_by_cause)
{
	for (unsigned run = 0; run < 2; run++) {
		add(&a, "k", 10, 100000, 10);
		add(&b, "k", 10, 100000, 10);
		idle(&a, "launch latency", 3e6);
		idle(&a, "cudaMalloc", 9e6);
		idle(&b, "cudaMalloc", 2e6);
		idle(&b, "launch latency", 4e6);
		idle(&b, "cudaFree", 0.5e6);
		end_runs();
	}
	compare_beyond(NAN);
	assert_int_equal(comparison.idle.count, 3);
	assert_string_equal(comparison.idle.changes[0].cause, "cudaMalloc");
	assert_true(comparison.idle.changes[0].a == 9e6 && comparison.idle.changes[0].b == 2e6);
	assert_string_equal(comparison.idle.changes[1].cause, "launch latency");
	assert_string_equal(comparison.idle.changes[2].cause, "cudaFree");
	idle_line_is("GPU idle: 12.0 ms in A, 6.50 ms in B; most of the difference: cudaMalloc, "
		     "9.00 ms -> 2.00 ms.\n");
	/* A run that does not know it leaves nothing to compare. */
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	idle(&a, "cudaMalloc", 9e6);
	end_runs();
	compare_beyond(NAN);
	assert_int_equal(comparison.idle.count, 0);
	idle_line_is("");
}

/* Of a run on one GPU. */
static void whole(struct profile *profile, double wall, double before, double busy)
{
	profile->before = before;
	profile->wall = wall;
	profile->busy = busy;
	profile->busy_runs = 1;
}

static void add_two_sides(void)
{
	add(&a, "[CUDA memcpy HtoD]", 2, 3e6, 10);
	add(&b, "[CUDA memcpy HtoD]", 2, 1e6, 10);
	moves(&a, "[CUDA memcpy HtoD]", 64 << 20);
	moves(&b, "[CUDA memcpy HtoD]", 32 << 20);
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 50000, 10);
	add(&a, "cudaMalloc", 1, 100e6, 0);
	add(&b, "cudaMalloc", 1, 110e6, 0);
	/* It changed more, but waits for the GPU. */
	add(&a, "cudaDeviceSynchronize", 1, 10e6, 0);
	add(&b, "cudaDeviceSynchronize", 1, 26e6, 0);
	idle(&a, "launch latency", 70e6);
	idle(&b, "launch latency", 40e6);
	idle(&a, "cudaFree", 1e6);
	idle(&b, "cudaFree", 1.5e6);
	whole(&a, 200e6, 120e6, 7e6);
	whole(&b, 177e6, 131e6, 2.5e6);
}

static void why_is(const char *expected)
{
	assert_string_equal(comparison.why, expected);
}

TEST(the_difference_of_the_whole_run_is_told_in_parts_that_add_up)
{
	add_two_sides();
	compare();
	why_is("Why: the GPU waited 70.0 ms -> 40.0 ms for launches to reach it; on the "
	       "GPU less data, 64 MB -> 32 MB at 11.18 -> 16.78 GB/s in [CUDA memcpy HtoD], and "
	       "shorter calls, 100 us -> 50.0 us a call in k.\n"
	       "The whole run takes 23.0 ms less: idle time -29.5 ms (mostly launch latency), "
	       "before the "
	       "first operation +11.0 ms (cudaMalloc +10.0 ms), GPU busy -4.50 ms (copies: "
	       "64 MB -> 32 MB).");
	headline_is("B is 1.13 times faster (200 ms -> 177 ms, one run a side: may be chance): "
		    "idle time "
		    "-29.5 ms, mostly launch latency; on the GPU 2.80 times faster (7.00 "
		    "ms -> 2.50 ms), most in [CUDA memcpy HtoD]");
}

/* What runs differ by is known of several: of calls that differ as much it is told. */
TEST(of_several_runs_calls_that_may_differ_by_chance_are_told_as_such)
{
	for (unsigned run = 0; run < 2; run++) {
		add_two_sides();
		add(&a, "cudaMalloc", 1, run ? 60e6 : 1e6, 0);
		add(&b, "cudaMalloc", 1, run ? 60e6 : 1e6, 0);
		end_runs();
	}
	compare_beyond(NAN);
	assert_non_null(strstr(comparison.why, "(cudaMalloc +10.0 ms, could be chance)"));
}

TEST(parts_that_make_up_for_each_other_are_told)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 300000, 10);
	idle(&a, "launch latency", 3e6);
	idle(&b, "launch latency", 1e6);
	whole(&a, 5e6, 0, 1e6);
	whole(&b, 5e6, 0, 3e6);
	compare();
	why_is("Why: longer calls, 100 us -> 300 us a call in k.\n"
	       "The whole run takes as long: GPU busy +2.00 ms, idle time -2.00 ms "
	       "(mostly launch latency).");
}

static void has_no_parts(void)
{
	assert_null(strstr(comparison.why, "The whole run"));
	assert_null(strstr(comparison.why, "waited"));
}

TEST(parts_of_a_run_that_do_not_add_up_are_not_told)
{
	/* Of several GPUs, or of estimates. */
	add_two_sides();
	b.busy_runs = 0;
	compare();
	has_no_parts();
	assert_null(strstr(comparison.headline, "mostly"));
	/* More than the whole. */
	profile_free(&side_a);
	profile_free(&side_b);
	side_a = side_b = (struct profile){0};
	add_two_sides();
	b.wall = 40e6;
	compare();
	has_no_parts();
	/* Small. */
	side_b.busy = side_a.busy;
	side_b.wall = 0;
	compare_beyond(0.5);
	has_no_parts();
}

static void blocks(struct profile *profile, const char *name, double count)
{
	struct profile_row *row = profile_row(profile, false, name, name);

	row->blocks = count * (double)row->calls;
	row->launches = row->calls;
}

/* Each makes a change of the GPU's time, or of the run's, and another cause. */
static void data_at_the_same_rate(void)
{
	add(&a, "[CUDA memcpy HtoD]", 2, 2e6, 10);
	add(&b, "[CUDA memcpy HtoD]", 2, 1e6, 10);
	moves(&a, "[CUDA memcpy HtoD]", 64 << 20);
	moves(&b, "[CUDA memcpy HtoD]", 32 << 20);
	/* A small change of another kind, and one to the other side, are not told. */
	add(&a, "k", 10, 10000, 10);
	add(&b, "k", 10, 5000, 10);
	add(&a, "longer", 10, 10000, 10);
	add(&b, "longer", 10, 20000, 10);
}

static void rate(void)
{
	add(&a, "[CUDA memcpy HtoD]", 2, 2e6, 10);
	add(&b, "[CUDA memcpy HtoD]", 2, 4e6, 10);
	moves(&a, "[CUDA memcpy HtoD]", 64 << 20);
	moves(&b, "[CUDA memcpy HtoD]", 64 << 20);
}

static void calls(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 100, 110000, 10);
	add(&a, "l", 10, 10000, 10);
	add(&b, "l", 30, 10000, 10);
}

/* That row is under the threshold, though it changed to the same side. */
static void same(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 50000, 10);
	add(&a, "l", 10, 100000, 10);
	add(&b, "l", 10, 95000, 10);
}

static void grids(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 55000, 10);
	blocks(&a, "k", 4096);
	blocks(&b, "k", 2048);
}

static void kernel(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 55000, 10);
	blocks(&a, "k", 4096);
	blocks(&b, "k", 4096);
}

static void one_side_alone(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "l", 10, 300000, 10);
	add(&b, "m", 10, 100000, 10);
}

static void untimed(void)
{
	kernel();
	add(&a, "l", 10, 1000000, 10);
	add_untimed(&b, "l", 10);
}

static void both_whole(double busy_b, const char *cause, double idle_a, double idle_b)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	idle(&a, cause, idle_a);
	idle(&b, cause, idle_b);
	whole(&a, 5e6 + idle_a, 1e6, 1e6);
	whole(&b, 4e6 + busy_b + idle_b, 1e6, busy_b);
}

static void host(void)
{
	both_whole(1e6, "the program between CUDA calls", 8e6, 4e6);
}

static void in_python(void)
{
	both_whole(1e6, "the program after a synchronizing call", 8e6, 2e6);
	b.command = strdup("/usr/bin/python3 train.py");
}

static void gap(struct profile *profile, double longest, const char *before)
{
	const struct idle_gaps gaps = {3, longest, before, "[CUDA memset]"};

	assert_int_equal(
		profile_add_idle(profile, "the program after a synchronizing call", 0, &gaps), 0);
}

static void synchronizing(void)
{
	both_whole(1e6, "the program after a synchronizing call", 8e6, 2e6);
	add(&a, "cudaMemcpy", 2, 100, 0);
	add(&b, "cudaMemcpy", 2, 100, 0);
	add(&a, "cudaMemcpyAsync", 2, 100, 0);
	add(&b, "cudaDeviceSynchronize", 1, 100, 0);
	a.synchronizing = 2;
	b.synchronizing = 3;
	gap(&a, 6e6, "[CUDA memcpy DtoH]");
	gap(&b, 1e6, "[CUDA memcpy DtoH]");
}

/* Calls that a row is short of, and other operations. */
static void synchronizing_otherwise(void)
{
	synchronizing();
	b.synchronizing = 4;
	gap(&b, 1.5e6, "k");
}

static void fewer_allocations(void)
{
	add(&a, "cudaMalloc", 10, 1e6, 0);
	add(&b, "cudaMalloc", 2, 1e6, 0);
	both_whole(1e6, "cudaMalloc", 8e6, 1e6);
}

static void longer_allocations(void)
{
	add(&a, "cudaMalloc", 10, 100000, 0);
	add(&b, "cudaMalloc", 10, 800000, 0);
	both_whole(1e6, "cudaMalloc", 1e6, 8e6);
}

static void several_causes(void)
{
	host();
	idle(&a, "cudaMalloc", 4e6);
	idle(&b, "cudaMalloc", 1e6);
	idle(&a, "cudaFree", 4e6);
	idle(&b, "cudaFree", 1e6);
	a.wall += 8e6;
	b.wall += 2e6;
}

static void before(void)
{
	both_whole(1e6, "cudaMalloc", 1e6, 1e6);
	b.before += 4e6;
	b.wall += 4e6;
}

static void after(void)
{
	both_whole(1e6, "cudaMalloc", 1e6, 1e6);
	b.wall += 4e6;
}

static void busy(void)
{
	both_whole(6e6, "cudaMalloc", 1e6, 1e6);
}

static void nothing(void)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 101000, 10);
}

TEST(the_cause_of_most_of_the_difference_is_told)
{
	static const struct {
		void (*add)(void);
		const char *expected;
	} cases[] = {
		{data_at_the_same_rate,
		 "Why: less data, 64 MB -> 32 MB at 16.78 GB/s as before in [CUDA memcpy HtoD]."},
		{rate, "Why: fewer GB/s, 16.78 -> 8.389 GB/s in [CUDA memcpy HtoD]."},
		{calls, "Why: more calls, 10 -> 100 in k (and 1 more row)."},
		{same, "Why: shorter calls, 100 us -> 50.0 us a call in k."},
		{grids, "Why: smaller grids, 4096 -> 2048 blocks and 100 us -> 55.0 us a call in "
			"k."},
		{kernel, "Why: shorter calls, 100 us -> 55.0 us a call at equal grid size in k."},
		{one_side_alone, "Why: what only B has, 3.00 ms in l (and 1 more row)."},
		{untimed, "Why: shorter calls, 100 us -> 55.0 us a call at equal grid size in k."},
		{host, "Why: the GPU waited 8.00 ms -> 4.00 ms for the program's own "
		       "work between CUDA calls, which perf shows and ktime does not."},
		{in_python, "Why: the GPU waited 8.00 ms -> 2.00 ms for the program's own "
			    "work after a synchronizing call, which py-spy shows and ktime does "
			    "not."},
		{synchronizing,
		 "Why: the GPU waited 8.00 ms -> 2.00 ms for the program's own work after "
		 "2 -> 3 synchronizing calls (0 -> 1 cudaDeviceSynchronize, 2 cudaMemcpy), which "
		 "perf shows and ktime does not; in 3 gaps, the longest 6.00 ms -> 1.00 ms, "
		 "between [CUDA "
		 "memcpy DtoH] and [CUDA memset]."},
		{synchronizing_otherwise,
		 "Why: the GPU waited 8.00 ms -> 2.00 ms for the program's own work after "
		 "a synchronizing call, which perf shows and ktime does not; in 3 -> 6 gaps, the "
		 "longest 6.00 "
		 "ms -> 1.50 ms, between [CUDA memcpy DtoH] and [CUDA memset] in A, k and [CUDA "
		 "memset] in B."},
		{fewer_allocations, "Why: the GPU waited 8.00 ms -> 1.00 ms for cudaMalloc "
				    "(10 -> 2 calls)."},
		{longer_allocations, "Why: the GPU waited 1.00 ms -> 8.00 ms for "
				     "cudaMalloc (100 us -> 800 us a call)."},
		{several_causes, "Why: the GPU waited 16.0 ms -> 6.00 ms for several causes."},
		{before, "Why: 1.00 ms -> 5.00 ms passed before the first operation."},
		{after, "Why: 3.00 ms -> 7.00 ms passed after the last operation."},
		{busy, ""},
		{nothing, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *why;

		profile_free(&side_a);
		profile_free(&side_b);
		side_a = side_b = (struct profile){0};
		cases[i].add();
		compare();
		why = comparison.why;
		/* The parts of the run are told elsewhere. */
		if (strstr(why, "The whole run"))
			*strstr(why, "The whole run") = '\0';
		if (*why && why[strlen(why) - 1] == '\n')
			why[strlen(why) - 1] = '\0';
		assert_string_equal(why, cases[i].expected);
	}
}

TEST(what_takes_less_time_for_less_data_is_not_faster)
{
	for (unsigned run = 0; run < 2; run++) {
		static const struct {
			const char *name;
			double time;
			double bytes;
		} rows[] = {
			{"half", 500000, 1 << 19},   /* at the same rate */
			{"worse", 600000, 1 << 19},  /* at a lower one */
			{"better", 200000, 1 << 19}, /* at a higher one, too */
			{"more", 2000000, 1 << 21},  /* and the other way round */
			{"slower", 2000000, 1 << 20},
		};

		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			add(&a, rows[i].name, 1, 1000000 + run, 0);
			add(&b, rows[i].name, 1, rows[i].time + run, 0);
			moves(&a, rows[i].name, 1 << 20);
			moves(&b, rows[i].name, rows[i].bytes);
		}
		end_runs();
	}
	compare_beyond(NAN);
	assert_string_equal(verdict_of("half"), "less data");
	assert_string_equal(verdict_of("worse"), "less data");
	assert_string_equal(verdict_of("better"), "faster");
	assert_string_equal(verdict_of("more"), "more data");
	assert_string_equal(verdict_of("slower"), "slower");
	headline_is(
		"B is 1.060 times slower on the GPU (5.00 ms -> 5.30 ms): 1 of 5 GPU rows slower, "
		"1 with more data, 1 faster; most in more (1.00 ms -> 2.00 ms)");
}

/* One call says nothing of chance, but how much it moved is known without. */
TEST(one_call_of_a_single_run_tells_less_data)
{
	add(&a, "half", 1, 1000000, 0);
	add(&b, "half", 1, 600000, 0);
	moves(&a, "half", 1 << 20);
	moves(&b, "half", 1 << 19);
	add(&a, "better", 1, 1000000, 0);
	add(&b, "better", 1, 200000, 0);
	moves(&a, "better", 1 << 20);
	moves(&b, "better", 1 << 19);
	add(&a, "longer", 1, 1000000, 0);
	add(&b, "longer", 1, 2000000, 0);
	moves(&a, "longer", 1 << 20);
	moves(&b, "longer", 1 << 19);
	compare();
	row_says("half", "less data");
	row_says("better", "cannot tell: 1 call");
	row_says("longer", "cannot tell: 1 call");
}

/* The cause that changed most changed the other way. */
TEST(the_line_of_idle_time_names_a_cause_that_goes_its_way)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	idle(&a, "cudaMalloc", 9e6);
	idle(&b, "cudaMalloc", 1e6);
	idle(&a, "cudaFree", 1e6);
	idle(&b, "cudaFree", 8e6);
	idle(&a, "launch latency", 1e6);
	idle(&b, "launch latency", 5e6);
	compare();
	idle_line_is("GPU idle: 11.0 ms in A, 14.0 ms in B; most of the difference: cudaFree, "
		     "1.00 ms -> 8.00 ms.\n");
}

TEST(idle_time_that_hardly_differs_has_no_line)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	idle(&a, "cudaMalloc", 9e6);
	idle(&b, "cudaMalloc", 9.5e6);
	compare();
	assert_int_equal(comparison.idle.count, 1);
	idle_line_is("");
	compare_beyond(0.05);
	idle_line_is("GPU idle: 9.00 ms in A, 9.50 ms in B; most of the difference: cudaMalloc, "
		     "9.00 ms -> 9.50 ms.\n");
}

static void writes(void (*write)(const struct comparison *comparison, FILE *file),
		   const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	write(&comparison, file);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

/* `what`: NULL if nothing is open. */
static void next_is(enum next next, const char *what, const char *command)
{
	char said[NEXT_SIZE], *text = NULL;
	const char *open = next_what(&comparison, next, said);
	size_t size;
	FILE *file;

	assert_string_equal(open ?: "", what ?: "");
	if (!what)
		return;
	file = open_memstream(&text, &size);
	assert_non_null(file);
	next_write(&comparison, next, file);
	fclose(file);
	assert_string_equal(text, command);
	free(text);
}

static void more_runs_are(const char *command)
{
	next_is(NEXT_RUNS,
		"Cannot tell: runs differ too much; a short row must differ more clearly than a "
		"long one. More runs tell",
		command);
}

static void host_needs(const char *command)
{
	next_is(NEXT_HOST, command ? "Next, what the program itself does" : NULL, command);
}

static void command_of(struct profile *side, const char *command)
{
	free(side->command);
	side->command = strdup(command);
	assert_non_null(side->command);
}

static void sides_are(const char *command_a, const char *command_b, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	command_of(&side_a, command_a);
	command_of(&side_b, command_b);
	sides_print(&comparison, file);
	fclose(file);
	assert_memory_equal(text, "A: one (A): ", 12);
	assert_string_equal(strstr(text, "\nB: one (B): ") + 13, expected);
	free(text);
}

static void write_lines(const struct comparison *compared, FILE *file)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	assert_non_null(lines);
	comparison_print_lines(compared, "", lines);
	fclose(lines);
	fprintf(file, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

TEST(the_data_of_versions_may_be_declared)
{
	add(&a, "copy<double>()", 10, 200000, 10);
	add(&b, "copy<float>()", 10, 100000, 10);
	blocks(&a, "copy<double>()", 4096);
	blocks(&b, "copy<float>()", 4096);
	compare();
	writes(write_lines,
	       "GPU rows: 1 faster (1 of these rows compares two versions of a kernel, whose names "
	       "differ in template arguments or parameters; their data may differ "
	       "too: --bytes declares it)");
}

TEST(the_sides_have_their_commands_and_what_differs_in_them)
{
	add(&a, "k", 1, 100000, 0);
	add(&b, "k", 1, 200000, 0);
	compare();
	sides_are("./app", "./app", "the same command\n");
	sides_are(
		"./app --type double -n 2", "./app --type float -n 2",
		"./app --type float -n 2\nThe commands differ in: --type double / --type float\n");
	sides_are("./app", "./app -x", "./app -x\nThe commands differ in: nothing / -x\n");
	sides_are("./app --old", "./app --new",
		  "./app --new\nThe commands differ in: --old / --new\n");
	sides_are("old/app 1", "new/app 1",
		  "new/app 1\nThe commands differ in: old/app / new/app\n");
	sides_are("./app 12 3", "./app 1", "./app 1\nThe commands differ in: 12 3 / 1\n");
	sides_are("./app", "./other", "./other\n");
}

TEST(what_cannot_be_told_is_answered_by_a_command)
{
	static const char *const files[] = {"b one", "b2", "b3"};

	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 100000, 10);
	compare();
	assert_null(next_why_unsure(&comparison));
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 200000, 10);
	end_runs();
	compare_beyond(NAN);
	assert_string_equal(
		next_why_unsure(&comparison),
		"runs differ too much; a short row must differ more clearly than a long one");
	side_b.files = files;
	side_b.file_count = 1;
	more_runs_are("ktime diff one MORE -- 'b one' MORE");
	side_b.file_count = 2;
	more_runs_are("ktime diff one MORE -- 'b one' b2 MORE");
	side_b.file_count = 3;
	more_runs_are("ktime diff one MORE -- 'b one' ... b3 MORE");
	command_of(&side_a, "./app --old");
	more_runs_are("ktime diff one MORE -- 'b one' ... b3 MORE");
	command_of(&side_b, "./app --new");
	more_runs_are("ktime bench -n 5 -- ./app --old -- ./app --new");
	/* Whose words are not known. */
	command_of(&side_b, "sh -c a; b");
	more_runs_are("ktime diff one MORE -- 'b one' ... b3 MORE");
	/* The same program, which has changed. */
	command_of(&side_b, "./app --old");
	more_runs_are("ktime diff one MORE -- 'b one' ... b3 MORE");
}

TEST(the_programs_own_work_is_shown_by_profiles_of_the_host)
{
	host();
	compare();
	command_of(&side_a, "./app 1");
	command_of(&side_b, "./app 2");
	host_needs("perf record -g -o a.data ./app 1; perf record -g -o b.data ./app 2; "
		   "perf diff a.data b.data");
	command_of(&side_a, "python3 a.py");
	command_of(&side_b, "python3 b.py");
	host_needs("py-spy record -o a.svg -- python3 a.py; "
		   "py-spy record -o b.svg -- python3 b.py");
	command_of(&side_b, "sh -c a; b");
	host_needs(NULL);
	/* What ktime itself shows. */
	command_of(&side_b, "./app 2");
	assert_true(comparison.parts.parts[0].kind == PART_IDLE);
	comparison.parts.parts[0].cause = "cudaMalloc";
	host_needs(NULL);
}

TEST(when_needs_a_trace_of_a_profile_that_has_none)
{
	compare();
	/* Another tool's, or that of a job. */
	next_is(NEXT_TRACES, NULL, NULL);
	next_is(NEXT_PAGES, NULL, NULL);
	side_b.path = strdup("b.ktime");
	next_is(NEXT_TRACES, NULL, NULL);
	next_is(NEXT_PAGES, "More on why, by the findings of B",
		"ktime show --html b.html b.ktime");
	command_of(&side_b, "./app 'a b'");
	next_is(NEXT_TRACES, "When: needs a trace of B",
		"ktime --keep-trace all -o trace.b.ktime ./app 'a b'");
	next_is(NEXT_TRACE_PAGES, "Then, to look at it",
		"ktime show --html trace.b.html trace.b.ktime");
	side_a.path = strdup("a 1.ktime");
	command_of(&side_a, "./app");
	next_is(NEXT_PAGES, "More on why, by the findings of each side",
		"ktime show --html a.html 'a 1.ktime'; ktime show --html b.html b.ktime");
	next_is(NEXT_TRACES, "When: needs a trace of each side",
		"ktime --keep-trace all -o trace.a.ktime ./app; "
		"ktime --keep-trace all -o trace.b.ktime ./app 'a b'");
	side_b.traced = true;
	next_is(NEXT_TRACES, "When: needs a trace of A",
		"ktime --keep-trace all -o trace.a.ktime ./app");
}

TEST(what_one_run_a_side_cannot_tell_has_its_reason)
{
	add(&a, "k", 1, 100000, 0);
	add(&b, "k", 1, 200000, 0);
	/* The calls differ by more than their averages do. */
	add(&a, "spread", 60, 5764, 5000);
	add(&b, "spread", 60, 7084, 5000);
	/* Certainly longer, but by more than the threshold or by less. */
	add(&a, "near", 100, 100000, 5000);
	add(&b, "near", 100, 109500, 5000);
	add(&a, "none", 2, 1000, 0);
	add(&b, "none", 2, 0, 0);
	compare();
	row_says("k", "cannot tell: 1 call");
	row_says("spread", "cannot tell: could be chance");
	row_says("near", "cannot tell: near threshold");
	row_says("none", "cannot tell: no time");
	assert_string_equal(next_why_unsure(&comparison),
			    "one call says nothing of chance, and calls that differ much say "
			    "little");
}

TEST(the_headline_counts_the_rows_of_which_nothing_is_certain)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 50000, 10);
	add(&a, "less", 10, 10000, 10);
	add(&b, "less", 10, 9200, 10);
	add(&a, "once", 1, 10000, 0);
	add(&b, "once", 1, 5000, 0);
	add(&a, "equal", 10, 1000, 0);
	add(&b, "equal", 10, 1000, 0);
	compare();
	headline_is("B is 1.85 times faster on the GPU (1.12 ms -> 607 us, ratio 0.542, one run a "
		    "side: may be chance): 1 of 4 GPU "
		    "rows faster, 1 under 10 %, 1 cannot tell; most in k (1.00 ms -> 500 us)");
}

/* A total of single runs is judged as rows are, by what is known. */
TEST(a_total_of_single_runs_within_the_threshold_is_under_it)
{
	add(&a, "k", 10, 100000, 10);
	add(&b, "k", 10, 103000, 10);
	compare();
	assert_int_equal(comparison.gpu_verdict, VERDICT_UNDER);
	headline_is("no difference beyond 10 %");
}

TEST(the_headline_says_which_side_has_no_times)
{
	add(&a, "k", 10, 100000, 10);
	add_untimed(&b, "k", 10);
	compare();
	headline_is("cannot tell: neither A nor B has times of GPU activities");
	comparison_free(&comparison);
	profile_free(&side_a);
	profile_free(&side_b);
	side_a = side_b = (struct profile){0};
	add(&a, "k", 10, 100000, 10);
	add(&a, "cudaFree", 10, 1000, 1);
	add(&b, "cudaFree", 10, 3000, 1);
	compare();
	headline_is("cannot tell: A alone has times of GPU activities");
}

/* Two runs a side tell something of the noise, and then the calls' own spread counts no more. */
TEST(two_runs_a_side_are_several)
{
	for (int run = 0; run < 2; run++) {
		add(&a, "k", 20, 100000 + 10 * run, 90000);
		add(&b, "k", 20, 150000 + 10 * run, 90000);
		end_runs();
		compare_beyond(NAN);
		assert_int_equal(comparison_is_of_single_runs(&comparison), run == 0);
	}
	assert_true(comparison.threshold == THRESHOLD_RUNS);
	assert_string_equal(verdict_of("k"), "slower");
	assert_true(row_of("k")->average.low > 1.49 && row_of("k")->average.high < 1.51);
}

TEST(a_shift_within_the_spread_of_the_calls_is_none)
{
	add(&a, "k", 3, 100000, 90000);
	add(&b, "k", 3, 20000, 5000);
	add(&a, "l", 1, 1000, 0);
	add(&b, "l", 1, 2000, 0);
	compare();
	assert_string_equal(verdict_of("k"), "cannot tell");
	assert_true(fabs(row_of("k")->average.ratio - 0.2) < 1e-6);
	assert_string_equal(verdict_of("l"), "cannot tell");
	assert_true(isnan(row_of("l")->average.probability));
}

TEST(what_one_run_did_not_time_is_no_difference)
{
	add(&a, "k", 10, 1000, 10);
	add(&b, "k", 10, 1010, 10);
	add_untimed(&a, "in b", 2);
	add(&b, "in b", 2, 9000, 10);
	add(&a, "in a", 2, 7000, 10);
	add_untimed(&b, "in a", 2);
	add_untimed(&a, "in none", 1);
	add_untimed(&b, "in none", 1);
	add(&b, "new", 3, 1000, 10);
	compare();
	assert_string_equal(verdict_of("in a"), "untimed");
	assert_string_equal(verdict_of("in b"), "untimed");
	assert_string_equal(verdict_of("in none"), "untimed");
	assert_string_equal(verdict_of("new"), "only in B");
	assert_true(isnan(row_of("in b")->average.ratio));
	assert_int_equal(comparison.verdicts[false][VERDICT_UNTIMED], 3);
	assert_true(comparison.gpu_a == 10000);
	assert_true(comparison.gpu_b == 13100);
	/* How far these are apart is not known: they do not come before what is. */
	assert_string_equal(comparison_name(&comparison.rows[0]), "new");
	assert_string_equal(comparison_name(&comparison.rows[1]), "k");
}

static void prints(enum sheet_form form, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	comparison_print(&comparison, form, file);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

TEST(in_markdown_each_line_is_a_paragraph_and_a_command_is_code)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	add_two_sides();
	compare();
	comparison_print(&comparison, SHEET_MARKDOWN, file);
	fclose(file);
	assert_non_null(strstr(text, "\n\nMore runs tell:\n\n    ktime "));
	assert_non_null(
		strstr(text, "100 us -&#62; 50.0 us a call in k.\n\nThe whole run takes 23"));
	free(text);
}

TEST(untimed_sides_are_printed_without_times)
{
	add_untimed(&a, "k", 2);
	add(&b, "k", 2, 1000, 0);
	add_untimed(&a, "gone", 1);
	compare();
	prints(SHEET_TEXT,
	       "cannot tell: neither A nor B has times of GPU activities\n"
	       "A: one (A)\n"
	       "B: one (B)\n"
	       "\n"
	       "            Type   Calls A   Calls B    Time A    Time B     Avg A     Avg B   "
	       "Ratio  Verdict      Name\n"
	       " GPU activities:         1         -         -         -         -         -       "
	       "-  only in A    gone\n"
	       "                         2         2         -  2.0000us         -  1.0000us       "
	       "-  untimed      k\n"
	       "\n"
	       "All GPU activities: 0ns in A, 0ns in B, ratio -: cannot tell, without 1 untimed "
	       "row\n"
	       "GPU rows: 1 untimed, 1 only in A\n"
	       "One run a side: how much runs differ is not known, so each time may differ by "
	       "chance; a row is judged by how much its calls differ. Faster, slower: by more than "
	       "10 %; under 10 %: by less; cannot "
	       "tell: it could be either. Ratio: Time B / Time A.\n");
	prints(SHEET_CSV,
	       "\"Type\",\"Calls A\",\"Time A\",\"Avg A\",\"Calls B\",\"Time B\",\"Avg B\","
	       "\"Ratio\",\"Low\",\"High\",\"Probability\",\"Verdict\",\"Name\",\"Name B\",\"Bytes "
	       "A\",\"Bytes B\"\n"
	       "\"GPU activities\",1,,,,,,,,,,\"only in A\",\"gone\",,,\n"
	       "\"GPU activities\",2,,,2,2000,1000.000,,,,,\"untimed\",\"k\",,,\n");
}

TEST(rows_come_by_what_they_add)
{
	add(&a, "small", 10, 1000, 10);
	add(&b, "small", 10, 1010, 10);
	add(&a, "gone", 10, 3000, 10);
	add(&a, "cudaMalloc", 1, 9000000, 0);
	add(&b, "new", 10, 5000, 10);
	add(&b, "cudaMalloc", 1, 1, 0);
	compare();
	assert_int_equal(comparison.gpu_count, 3);
	assert_string_equal(comparison_name(&comparison.rows[0]), "new");
	assert_string_equal(comparison_name(&comparison.rows[1]), "gone");
	assert_string_equal(comparison_name(&comparison.rows[2]), "small");
	assert_string_equal(comparison_name(&comparison.rows[3]), "cudaMalloc");
	assert_true(comparison.gpu_a == 40000);
	assert_true(comparison.gpu_b == 60100);
}

/* Times are those of a run, of which A has two. */
TEST(rows_of_equal_difference_come_by_their_time_in_a)
{
	for (int run = 0; run < 2; run++) {
		add(&a, "short", 1, 100, 0);
		add(&a, "long", 1, 300, 0);
		add(&a, "longer than short", 1, 200, 0);
		assert_int_equal(profile_add_run(&side_a, &a), 0);
		profile_free(&a);
		a = (struct profile){0};
	}
	add(&b, "short", 1, 200, 0);
	add(&b, "long", 1, 400, 0);
	add(&b, "longer than short", 1, 300, 0);
	assert_int_equal(profile_add_run(&side_b, &b), 0);
	compare_beyond(NAN);
	assert_string_equal(comparison_name(&comparison.rows[0]), "long");
	assert_string_equal(comparison_name(&comparison.rows[1]), "longer than short");
	assert_string_equal(comparison_name(&comparison.rows[2]), "short");
}

TEST(parts_of_a_row_add_up_as_if_they_were_one)
{
	struct profile_row *whole, *left, *right;

	add(&a, "whole", 2, 850, 150);	/* 700, 1000 */
	add(&a, "whole", 3, 1150, 150); /* 1000, 1150, 1300 */
	add(&a, "left", 2, 850, 150);
	add(&a, "right", 3, 1150, 150);
	whole = text_entry_of(&a.rows[0], "whole", 0);
	left = text_entry_of(&a.rows[0], "left", 0);
	right = text_entry_of(&a.rows[0], "right", 0);
	profile_add_group(left, right->calls, right->timed, right->total, right->average,
			  right->variance, right->minimum, right->maximum);
	assert_int_equal(left->timed, 5);
	assert_true(left->total == 5150);
	assert_true(left->average == 1030);
	assert_true(left->minimum == 700);
	assert_true(left->maximum == 1300);
	assert_true(fabs(left->variance - 49500) < 1e-6);
	assert_true(fabs(whole->variance - 49500) < 1e-6);
}
