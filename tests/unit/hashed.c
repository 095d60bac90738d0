/* SPDX-License-Identifier: MIT */
/* A library for test_elf_symbol.c: symbols of its own, and one of libc's that it needs. */
#include <stdlib.h>

#define EACH(X)                                                                                    \
	X(launch_a)                                                                                \
	X(launch_b)                                                                                \
	X(a_name_of_more_than_a_few_letters_so_that_the_old_hash_folds_its_upper_bits)             \
	X(a_name_of_more_than_a_few_letters_so_that_the_old_hash_folds_its_upper_bitt)             \
	X(cuLaunchKernel)                                                                          \
	X(cuLaunchKernel_ptsz)                                                                     \
	X(x)                                                                                       \
	X(y)                                                                                       \
	X(z)

#define DEFINE(name) int name(void);
EACH(DEFINE)
#undef DEFINE
#define DEFINE(name)                                                                               \
	__attribute__((visibility("default"))) int name(void)                                      \
	{                                                                                          \
		return getenv(#name) != NULL;                                                      \
	}
EACH(DEFINE)
