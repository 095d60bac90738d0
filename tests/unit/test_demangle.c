/* SPDX-License-Identifier: MIT */
/* Names come out in nvprof's style, and what cannot be read is left alone. */
#include "report/names/demangle.h"
#include "tests/unit/test.h"

static void reads(const char *mangled, const char *expected)
{
	char *name = demangle(mangled);

	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

TEST(types_are_spelt_as_nvprof_spells_them)
{
	reads("_Z1kv", "k(void)");
	reads("_Z1kPKfPfRKiRi", "k(float const *, float*, int const &, int&)");
	reads("_Z1kPFvvE", "k(void (*)(void))");
	reads("_Z1kPVKj", "k(unsigned int const volatile *)");
	reads("_ZN12_GLOBAL__N_11kEv", "_GLOBAL__N_1::k(void)");
	reads("_Z9constableP8constant", "constable(constant*)");
}

TEST(template_values_carry_their_type)
{
	reads("_Z1kILi4ELin2ELb1ELm5EEvv", "void k<int=4, int=-2, bool=1, unsigned long=5>(void)");
	reads("_Z11spmm_kernelIf13ReductionTypeLS0_0ELb1EEvPKxS2_",
	      "void spmm_kernel<float, ReductionType, ReductionType=0, bool=1>"
	      "(__int64 const *, __int64 const *)");
	reads("_Z1kIyEvT_", "void k<unsigned __int64>(unsigned __int64)");
}

/* Seen in nvprof's reports of cuBLAS and PyTorch. */
TEST(parameters_are_numbered_over_nested_templates)
{
	reads("_Z10dot_kernelIfLi128ELi0E15cublasDotParamsI16cublasGemvTensorIKfE"
	      "30cublasGemvTensorStridedBatchedIfEEEvT2_",
	      "void dot_kernel<float, int=128, int=0, cublasDotParams<cublasGemvTensor<float const "
	      ">, cublasGemvTensorStridedBatched<float>>>(float const )");
	reads("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_"
	      "6detail5Array"
	      "IPcLi1EEEEEviT0_T1_",
	      "void at::native::vectorized_elementwise_kernel<int=4, "
	      "at::native::FillFunctor<float>, "
	      "at::detail::Array<char*, int=1>>(int, float, at::native::FillFunctor<float>)");
}

/* nvcc gives static kernels, as NCCL has them, a prefix with the length of what follows it. */
TEST(static_kernels_are_read)
{
	reads("__nv_static_32__b4148644_10_onerank_cu_fdf47990__ZN12_GLOBAL__N_113oneRankReduceI7"
	      "FuncSumIfEEEvPvS3_mmb",
	      "void _GLOBAL__N_1::oneRankReduce<FuncSum<float>>(void*, void*, unsigned long, "
	      "unsigned long, bool)");
	assert_null(demangle("__nv_static_32__b4148644_10_onerank_cu_fdf47990__kernel"));
	assert_null(demangle("__nv_static_33__b4148644_10_onerank_cu_fdf47990__Z1kv"));
	assert_null(demangle("__nv_static_99999999999999999999__Z1kv"));
	assert_null(demangle("__nv_static_"));
}

/* A<A<…>, A<…>>: by substitution every level doubles what the name unfolds to. */
TEST(a_name_that_unfolds_without_end_stays)
{
	char mangled[512] = "_Z1fI1AIiiE";
	char *end = mangled + strlen(mangled);

	for (int level = 0; level < 30; level++) {
		const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level];

		end += sprintf(end, "S_IS%c_S%c_E", digit, digit);
	}
	strcpy(end, "EvT_");
	assert_null(demangle(mangled));
}

/* nvprof printed such names as they are. */
TEST(lambdas_and_packs_are_resolved)
{
	reads("_Z1kIJifdEEvDpT_", "void k<int, float, double>(int, float, double)");
	reads("_Z1kIZ4mainEUliE_EvT_", "void k<main::{lambda(int)#1}>(main::{lambda(int)#1})");
}

TEST(what_is_not_mangled_is_left_alone)
{
	assert_null(demangle("plain_c_kernel"));
	assert_null(demangle(""));
	assert_null(demangle("_Z"));
	assert_null(demangle("_Zgarbage"));
	assert_null(demangle("[CUDA memset]"));
}

/* Names as CUTLASS makes them: thousands of letters, templates in templates. */
TEST(long_names_are_read)
{
	char mangled[16384] = "_Z1kIN", expected[32768] = "void k<", *end;
	char *name;
	int i;

	strcpy(mangled, "_Z1kI");
	for (i = 0; i < 300; i++) {
		strcat(mangled, "6layoutI");
		strcat(expected, "layout<");
	}
	strcat(mangled, "Li7E");
	strcat(expected, "int=7");
	for (i = 0; i < 301; i++) {
		strcat(mangled, "E");
		strcat(expected, ">");
	}
	strcat(mangled, "vPKf");
	strcat(expected, "(float const *)");
	end = mangled + strlen(mangled);
	assert_true(end - mangled > 2300);
	name = demangle(mangled);
	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

/* Half a megabyte of any kind must neither end the stack nor the process. */
TEST(a_name_is_read_up_to_its_limit)
{
	static char mangled[(16 << 10) + 2], expected[(16 << 10) + 8];

	/* 16,384 characters, and one more. */
	snprintf(mangled, sizeof(mangled), "_Z16376%0*dv", 16376, 0);
	mangled[7] = 'k';
	assert_int_equal(strlen(mangled), 16 << 10);
	snprintf(expected, sizeof(expected), "%.16376s(void)", mangled + 7);
	reads(mangled, expected);
	snprintf(mangled, sizeof(mangled), "_Z16377%0*dv", 16377, 0);
	mangled[7] = 'k';
	assert_null(demangle(mangled));
}

TEST(references_to_functions_and_arrays_are_read)
{
	reads("_Z1kRK3FooI3BarIiEE", "k(Foo<Bar<int>> const &)");
	reads("_Z1kRFvvE", "k(void (&)(void))");
	reads("_Z1kRA4_fPA4_f", "k(float (&) [4], float (*) [4])");
	reads("_Z1kIRFviEEvT_", "void k<void (&)(int)>(void (&)(int))");
}

TEST(monstrous_names_do_no_harm)
{
	static const char *const parts[] = {"P", "N1a", "1aI", "1aIT_E", "R", "X", "T_", "M1a"};
	static const size_t lengths[] = {16000, 512 * 1024};
	size_t longest = lengths[1], i, j, at;
	char *mangled = malloc(longest + 16);

	assert_non_null(mangled);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (j = 0; j < 2; j++) {
			size_t part = strlen(parts[i]);

			at = (size_t)sprintf(mangled, "_Z1kI");
			for (; at + part < lengths[j]; at += part)
				memcpy(mangled + at, parts[i], part);
			strcpy(mangled + at, "iEvT_");
			free(demangle(mangled));
		}
	}
	free(mangled);
}

TEST(random_changes_do_no_harm)
{
	static const char name[] =
		"_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_21threshold_kernel_"
		"implIfEEvRNS_"
		"14TensorIteratorET_S5_EUlffE_NS_6detail5ArrayIPcLi3EEEEEviT0_T1_";
	static const char letters[] = "NIESTLPKRXJZv_0123456789abij";
	char changed[sizeof(name)];
	unsigned seed = 7;
	int i, change;

	for (i = 0; i < 20000; i++) {
		memcpy(changed, name, sizeof(name));
		for (change = 0; change < 3; change++)
			changed[2 + (size_t)rand_r(&seed) % (sizeof(name) - 3)] =
				letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
		free(demangle(changed));
	}
}
