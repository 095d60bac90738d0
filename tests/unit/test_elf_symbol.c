/* SPDX-License-Identifier: MIT */
/* Symbols are found where the loader finds them, by either kind of hash table. */
#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include "preload/driver/elf_symbol.h"
#include "tests/unit/test.h"

static void *open_library(const char *name)
{
	char program[4096], path[4200];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	void *library;

	assert_true(length > 0);
	program[length] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dirname(program), name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	return library;
}

static void check(const char *name, bool gnu)
{
	static const char *const there[] = {
		"launch_a",
		"launch_b",
		"a_name_of_more_than_a_few_letters_so_that_the_old_hash_folds_its_upper_bits",
		"a_name_of_more_than_a_few_letters_so_that_the_old_hash_folds_its_upper_bitt",
		"cuLaunchKernel",
		"cuLaunchKernel_ptsz",
		"x",
		"y",
		"z",
	};
	static const char *const not_there[] = {
		"", "launch_", "launch_c", "launch_aa", "getenv", "w", "cuLaunchKernel_pts"};
	void *library = open_library(name);
	struct link_map *object = NULL;
	struct elf_tables tables;

	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &object), 0);
	elf_read(object, &tables);
	assert_int_equal(tables.gnu_hash != NULL, gnu);
	assert_int_equal(tables.hash != NULL, !gnu);
	for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
		assert_non_null(dlsym(library, there[i]));
		assert_ptr_equal(elf_address(object, there[i]), dlsym(library, there[i]));
	}
	for (size_t i = 0; i < sizeof(not_there) / sizeof(not_there[0]); i++)
		assert_null(elf_address(object, not_there[i]));
	assert_true(elf_needs(object, "libc.so"));
	assert_false(elf_needs(object, "libcuda.so"));
	dlclose(library);
}

TEST(by_the_gnu_table)
{
	check("libhashed_gnu.so", true);
}

TEST(by_the_older_table)
{
	check("libhashed_sysv.so", false);
}

TEST(libc_is_found)
{
	assert_ptr_equal(elf_libc_symbol("getenv"), dlsym(RTLD_DEFAULT, "getenv"));
	assert_null(elf_libc_symbol("a_function_that_nothing_has"));
	/* Of another library. */
	assert_non_null(dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests"));
	assert_null(elf_libc_symbol("_cmocka_run_group_tests"));
}
