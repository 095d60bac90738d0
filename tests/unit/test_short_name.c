/* SPDX-License-Identifier: MIT */
/* A kernel's name is shortened whatever brackets are in it. */
#include "report/names/demangle.h"
#include "tests/unit/test.h"

static void is(const char *name, const char *base, const char *expected)
{
	char *text = short_name(name, true);

	assert_string_equal(text, base);
	free(text);
	text = short_name(name, false);
	assert_string_equal(text, expected);
	free(text);
}

TEST(functions_lose_their_parameters)
{
	is("saxpy(int, float, float const *, float*)", "saxpy", "saxpy");
	is("_GLOBAL__N_1::kern(void*)", "kern", "_GLOBAL__N_1::kern");
	is("void (anonymous)", "void (anonymous)", "void (anonymous)");
}

TEST(template_arguments_lose_their_scopes_and_their_own_arguments)
{
	is("void at::fill<int=4, at::Half<1>>(at::Half<1>*)", "fill", "at::fill<int=4, Half>");
	is("void cutlass::Kernel<cutlass::gemm::Universal<cute::tuple<int, int>, "
	   "cutlass::Epilogue<1, 2>, void>>(cutlass::gemm::X::Params)",
	   "Kernel", "cutlass::Kernel<Universal>");
	is("void a<b<c>>::d(int)", "d", "a::d");
	is("void thrust::for_each_f<thrust::op<int>::inner<2>, void (*)(a::b<int>)>(int)",
	   "for_each_f", "thrust::for_each_f<inner, void (*)(b)>");
	is("void foo<>()", "foo", "foo<>");
}

TEST(operators_are_no_brackets)
{
	is("A::operator<<(int)", "A::operator<<", "A::operator<<");
	is("A<int>::B<float>::operator()<int>(int)", "B::operator()", "A::B::operator()<int>");
	is("main::{lambda(int)#1}::operator()(int) const", "{lambda(int)#1}::operator()",
	   "main::{lambda(int)#1}::operator()");
}

TEST(damaged_names_are_shortened_somehow)
{
	is("", "", "");
	is("foo<", "foo", "foo");
	is("void foo<a, b", "foo", "foo");
	is("foo(<>)>>", "foo", "foo");
}

TEST(a_kernel_of_cutlass_is_told_by_its_argument)
{
	static const char *const names[][2] = {
		{"void cutlass::Kernel2<cutlass_80_simt_sgemm>(cutlass_80_simt_sgemm::Params)",
		 "cutlass_80_simt_sgemm"},
		{"void cutlass::Kernel<cutlass_75_wmma, int=4>(int)", "cutlass_75_wmma"},
		{"void cutlass::Kernel<cutlass::gemm::Universal<int>>(int)", "Kernel"},
		{"void mine::Kernel2<cutlass_80_simt_sgemm>(int)", "Kernel2"},
		{"cutlass::Kernel(int)", "Kernel"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = telling_name(names[i][0]);

		assert_string_equal(text, names[i][1]);
		free(text);
	}
}
