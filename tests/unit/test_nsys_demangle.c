/* SPDX-License-Identifier: MIT */
/* Kernels are called what nsys calls them. The names expected are cu++filt's, which nsys prints. */
#include "report/names/demangle.h"
#include "tests/unit/test.h"

static void check(const char *mangled, const char *name, const char *base)
{
	char *printed = nsys_demangle(mangled), *printed_base = nsys_demangle_base(mangled);

	assert_string_equal(printed, name);
	assert_string_equal(printed_base, base);
	free(printed);
	free(printed_base);
}

TEST(names_read_as_nsys_prints_them)
{
	static const char *const names[][3] = {
		{"_Z6vecAddPKfS0_Pfi", "vecAdd(const float *, const float *, float *, int)",
		 "vecAdd"},
		{"_ZN2at6native6kernelILi4EfEEvT0_", "void at::native::kernel<(int)4, float>(T2)",
		 "kernel"},
		{"_Z1kIN3fooIiEEEvT_PKS2_", "void k<foo<int>>(T1, const T1 *)", "k"},
		{"plain_c_kernel", "plain_c_kernel", "plain_c_kernel"},
		{"_Z2apIZ3la2RKiEUlvE0_EvT_i",
		 "void ap<la2(const int &)::[lambda() (instance 2)]>(T1, int)", "ap"},
		{"_Z2apIZZ3la2RKiENKUliE_clEiEUldPiE_EvT_i",
		 "void ap<la2(const int &)::[lambda(int) (instance 1)]::operator ()(int) "
		 "const::[lambda(double, int *) (instance 1)]>(T1, int)",
		 "ap"},
		{"_Z2f1PFviERA4_iPA3_A2_KiPFPFifEiE",
		 "f1(void (*)(int), int (&)[4], const int (*)[3][2], int (*(*)(int))(float))",
		 "f1"},
		{"_Z2gfi", "gf(int)", "gf"},
		{"_Z2laIfEvT_", "void la<float>(T1)", "la"},
		{"_Z2ldenowDsDibaxyz",
		 "ld(long double, __int128, unsigned __int128, wchar_t, char16_t, char32_t, bool, "
		 "signed char, long long, unsigned long long, ...)",
		 "ld"},
		{"_Z2p1IiEvPT_PS1_PKS0_S1_PKS4_RS0_RS3_OS0_PVS0_",
		 "void p1<int>(T1 *, T1 **, const T1 *, T1 *, const T1 *const *, T1 &, const T1 &, "
		 "T1 &&, volatile T1 *)",
		 "p1"},
		{"_Z2pkIJifPKcEEvDpT_", "void pk<int, float, const char *>(T1...)", "pk"},
		{"_Z2rcv", "rc()", "rc"},
		{"_Z2rtIiEPKT_S0_", "const T1 * rt<int>(T1)", "rt"},
		{"_Z2stNSt7__cxx1112basic_stringIcSt11char_"
		 "traitsIcESaIcEEESt6vectorIiSaIiEESt5tupleIJiSt5arrayIPcLm3EEEESt8functionIFifEE",
		 "st(std::__cxx11::basic_string<char, std::char_traits<char>, "
		 "std::allocator<char>>, std::vector<int, std::allocator<int>>, std::tuple<int, "
		 "std::array<char *, (unsigned long)3>>, std::function<int (float)>)",
		 "st"},
		{"_Z3arrIfLi4EEvRAT0__T_", "void arr<float, (int)4>(T1 (&)[T2])", "arr"},
		{"_Z3la2RKi", "la2(const int &)", "la2"},
		{"_Z3litILb1ELc97ELj3ELm4ELln5ELxn6EL1E1EL1F1ELsn7ELh8ELan9EEvv",
		 "void lit<(bool)1, (char)97, (unsigned int)3, (unsigned long)4, (long)-5, (long "
		 "long)-6, (E)1, (F)1, (short)-7, (unsigned char)8, (signed char)-9>()",
		 "lit"},
		{"_Z3pk2IJifEEvDpP1AIT_Li2EE", "void pk2<int, float>(A<T1, (int)2> *...)", "pk2"},
		{"_Z3ttpIN1n1BEEvT_IiE", "void ttp<n::B>(T1<int>)", "ttp"},
		{"_Z3unnIN2unUt_EEvT_", "void unn<un::[unnamed type (instance 1)]>(T1)", "unn"},
		{"_Z3usfv", "usf()", "usf"},
		{"_Z3uunv", "uun()", "uun"},
		{"_Z4usebv", "useb()", "useb"},
		{"_Z4useov", "useo()", "useo"},
		{"_Z5fnlitIXadL_Z2gfiEEEvv", "void fnlit<&gf>()", "fnlit"},
		{"_Z5restrPfPKf", "restr(float *, const float *)", "restr"},
		{"_Z6ptrlitIXadL_Z1gEEEvv", "void ptrlit<&g>()", "ptrlit"},
		{"_Z7useanonv", "useanon()", "useanon"},
		{"_ZN12_GLOBAL__N_11ZclEi", "<unnamed>::Z::operator ()(int)", "operator ()"},
		{"_ZN12_GLOBAL__N_14anonINS_1ZEEEvT_", "void <unnamed>::anon<<unnamed>::Z>(T1)",
		 "anon"},
		{"_ZN12_GLOBAL__N_14anonIiEEvT_", "void <unnamed>::anon<int>(T1)", "anon"},
		{"_ZN12_GLOBAL__N_15anon2ENS_1ZE", "<unnamed>::anon2(<unnamed>::Z)", "anon2"},
		{"_ZN1OC1Ei", "O::O(int)", "O"},
		{"_ZN1OC1Ev", "O::O()", "O"},
		{"_ZN1OixEi", "O::operator [](int)", "operator []"},
		{"_ZN1OplES_", "O::operator +(O)", "operator +"},
		{"_ZN1WISt4pairIi1AIlLi3EEEE2smES3_",
		 "W<std::pair<int, A<long, (int)3>>>::sm(std::pair<int, A<long, (int)3>>)", "sm"},
		{"_ZN1n1BIiE1mINS0_IfE1CEEEvT_", "void n::B<int>::m<n::B<float>::C>(T1)", "m"},
		{"_ZN1n1BIiE1mIfEEvT_", "void n::B<int>::m<float>(T1)", "m"},
		{"_ZN2v13inlEv", "v1::inl()", "inl"},
		{"_ZNK1OcviEv", "O::operator int() const", "operator int"},
		{"_ZNK1OltES_", "O::operator <(O) const", "operator <"},
		{"_ZNK1n1BIfE2cmEv", "n::B<float>::cm() const", "cm"},
		{"_ZNK1n1BIiE2cmEv", "n::B<int>::cm() const", "cm"},
		{"__nv_static_32__b4148644_10_onerank_cu_fdf47990__ZN12_GLOBAL__N_14anonIiEEvT_",
		 "void <unnamed>::anon<int>(T1)", "anon"},
		{"_ZZ3la2RKiENKUliE_clEi",
		 "la2(const int &)::[lambda(int) (instance 1)]::operator ()(int) const",
		 "operator ()"},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		check(names[i][0], names[i][1], names[i][2]);
}

/* An expression in a type is beyond the printer; such a name is still readable. */
TEST(names_with_expressions_read_as_in_binutils)
{
	check("_Z2dtIiEDTplfp_Li1EET_", "decltype ({parm#1}+(1)) dt<int>(int)", "dt");
}

TEST(what_is_no_mangled_name_stays)
{
	check("", "", "");
	check("_Z", "_Z", "_Z");
	check("_Zgarbage", "_Zgarbage", "_Zgarbage");
	check("[CUDA memset]", "[CUDA memset]", "[CUDA memset]");
}

/* A<A<…>, A<…>>: by substitution every level doubles what the name unfolds to. */
TEST(a_name_that_unfolds_without_end_stays)
{
	char mangled[512] = "_Z1fI1AIiiE";
	char *end = mangled + strlen(mangled);
	int level;

	for (level = 0; level < 30; level++) {
		const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level];

		end += sprintf(end, "S_IS%c_S%c_E", digit, digit);
	}
	strcpy(end, "EvT_");
	check(mangled, mangled, "f");
}
