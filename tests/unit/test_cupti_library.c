/* SPDX-License-Identifier: MIT */
#include "cupti/library.h"
#include "tests/unit/cupti_in_child.h"
#include "tests/unit/test.h"

static char reason[512];

CHILD_TEST(the_library_in_cuda_home_is_found)
{
	assert_null(library_functions());
	assert_string_equal(library_path(), "");
	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	assert_non_null(strstr(library_path(), "/sim/toolkit/lib64/libcupti.so.13"));
	assert_int_equal(library_functions()->version, CUPTI_API_VERSION);
	assert_non_null(library_functions()->cuptiActivityEnable);
}

static void *no_counter(void *handle, const char *name)
{
	return strstr(name, "UnifiedMemoryCounter") ? NULL : dlsym(handle, name);
}

CHILD_TEST(a_function_that_is_not_needed_may_be_missing)
{
	library_symbol = no_counter;
	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	assert_non_null(library_functions()->cuptiActivityEnable);
	assert_null(library_functions()->cuptiActivityConfigureUnifiedMemoryCounter);
}

CHILD_TEST(a_newer_driver_takes_an_older_library)
{
	assert_int_equal(library_load(14020, reason, sizeof(reason)), 0);
	assert_non_null(strstr(library_path(), "libcupti.so.13"));
}

CHILD_TEST(the_library_that_the_program_loaded_comes_first)
{
	char path[PATH_MAX];
	void *handle;

	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.13", getenv("CUDA_HOME"));
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(handle);
	unsetenv("CUDA_HOME");
	assert_int_equal(library_attach(), 0);
	assert_string_equal(library_path(), path);
	assert_ptr_equal(library_functions()->cuptiActivityEnable,
			 dlsym(handle, "cuptiActivityEnable"));
	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	assert_string_equal(library_path(), path);
}

CHILD_TEST(nothing_is_loaded_to_attach)
{
	assert_int_equal(library_attach(), -ENOENT);
	assert_null(library_functions());
}

CHILD_TEST(no_library_says_what_to_install)
{
	/* No toolkit had this one: nothing is found wherever the test runs. */
	assert_int_equal(library_load(10000, reason, sizeof(reason)), -ENOENT);
	assert_non_null(strstr(reason, "libcupti.so.10 was not found"));
	assert_non_null(strstr(reason, "install CUPTI of CUDA 10, or set CUDA_HOME"));
	assert_null(strchr(reason, '\n'));
	assert_null(library_functions());
}

CHILD_TEST(a_library_newer_than_the_driver_is_refused)
{
	load_cupti();
	assert_int_equal(library_load(12080, reason, sizeof(reason)), -EPROTO);
	assert_non_null(strstr(reason, "is for CUDA 13, the driver is of CUDA 12"));
	assert_non_null(strstr(reason, "install CUPTI of CUDA 12"));
}

CHILD_TEST(a_library_older_than_cuda_11_8_is_refused)
{
	char path[PATH_MAX];

	setenv("SIM_CUPTI_VERSION", "17", 1);
	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.13", getenv("CUDA_HOME"));
	assert_non_null(dlopen(path, RTLD_NOW));
	assert_int_equal(library_load(13000, reason, sizeof(reason)), -EPROTO);
	assert_non_null(strstr(reason, "is older than CUDA 11.8: install CUPTI of CUDA 13"));
}

CHILD_TEST(a_file_that_is_no_library_is_named)
{
	char folder[] = "/tmp/ktime-cupti-XXXXXX", path[PATH_MAX];
	FILE *file;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lib64", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.99", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	setenv("CUDA_HOME", folder, 1);
	/* Whether an older one is found elsewhere depends on the machine. */
	if (library_load(99000, reason, sizeof(reason)))
		assert_non_null(strstr(reason, path));
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(folder);
}

static void *no_symbol(void *handle, const char *name)
{
	return strcmp(name, "cuptiActivityFlushAll") ? dlsym(handle, name) : NULL;
}

CHILD_TEST(a_missing_function_is_named)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.13", getenv("CUDA_HOME"));
	assert_non_null(dlopen(path, RTLD_NOW));
	library_symbol = no_symbol;
	assert_int_equal(library_load(13000, reason, sizeof(reason)), -ENOSYS);
	assert_non_null(strstr(reason, "has no cuptiActivityFlushAll"));
}

static CUptiResult fail_version(uint32_t *version)
{
	(void)version;
	return CUPTI_ERROR_UNKNOWN;
}

static void *without_version(void *handle, const char *name)
{
	return strcmp(name, "cuptiGetVersion") ? dlsym(handle, name) : (void *)fail_version;
}

CHILD_TEST(without_a_version_it_serves_the_programs_calls_alone)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.13", getenv("CUDA_HOME"));
	assert_non_null(dlopen(path, RTLD_NOW));
	library_symbol = without_version;
	assert_int_equal(library_attach(), 0);
	assert_non_null(library_functions()->cuptiActivityEnable);
	assert_int_equal(library_load(13000, reason, sizeof(reason)), -EPROTO);
	assert_non_null(strstr(reason, "does not tell its version: install CUPTI of CUDA 13"));
}

/* What one case of the tests below is about: they run it in a child each. */
static struct {
	const char *version, *below, *file;
	int driver, error;
} now;

static void load_version(void)
{
	char path[PATH_MAX];

	setenv("SIM_CUPTI_VERSION", now.version, 1);
	snprintf(path, sizeof(path), "%s/lib64/libcupti.so.13", getenv("CUDA_HOME"));
	assert_non_null(dlopen(path, RTLD_NOW));
	assert_int_equal(library_load(now.driver, reason, sizeof(reason)), now.error);
}

/* The library's versions count CUPTI's releases, and from CUDA 13 on the toolkit's. */
TEST(a_version_needs_a_driver_of_its_cuda)
{
	static const struct {
		const char *version;
		int driver, error;
	} cases[] = {
		{"17", 11080, -EPROTO}, {"18", 11080, 0},	    {"18", 11000, 0},
		{"18", 10020, -EPROTO}, {"19", 11080, -EPROTO},	    {"19", 12000, 0},
		{"28", 12090, 0},	{"28", 11080, -EPROTO},	    {"28", 13000, 0},
		{"130000", 13000, 0},	{"130000", 12090, -EPROTO}, {"140100", 13020, -EPROTO},
		{"140100", 14000, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		now.version = cases[i].version;
		now.driver = cases[i].driver;
		now.error = cases[i].error;
		in_child(load_version);
	}
}

/* A folder with the library below, under the name given. */
static void make_toolkit(char *folder, char *path)
{
	char command[2 * PATH_MAX];

	strcpy(folder, "/tmp/ktime-cupti-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, PATH_MAX, "%s%s/%s", folder, now.below, now.file);
	snprintf(command, sizeof(command),
		 "mkdir -p '%s%s' && ln -s '%s/lib64/libcupti.so.13' '%s'", folder, now.below,
		 getenv("CUDA_HOME"), path);
	assert_int_equal(system(command), 0);
}

static void remove_toolkit(const char *folder)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void load_from_toolkit(void)
{
	char folder[64], path[PATH_MAX];

	make_toolkit(folder, path);
	setenv("CUDA_HOME", folder, 1);
	setenv("SIM_CUPTI_VERSION", "18", 1);
	assert_int_equal(library_load(now.driver, reason, sizeof(reason)), 0);
	assert_string_equal(library_path(), path);
	remove_toolkit(folder);
}

TEST(each_folder_of_a_toolkit_is_searched)
{
	static const char *const folders[] = {"/lib64", "/lib", "/extras/CUPTI/lib64"};
	static const struct {
		const char *file;
		int driver;
	} files[] = {{"libcupti.so.13", 13000},
		     {"libcupti.so.12", 13000},
		     {"libcupti.so.12", 12000},
		     {"libcupti.so.11.8", 12000},
		     {"libcupti.so.11.8", 11080}};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
			now.below = folders[i];
			now.file = files[k].file;
			now.driver = files[k].driver;
			in_child(load_from_toolkit);
		}
}

/* The runtime that the program has loaded lies in the toolkit, or in the wheel beside CUPTI's. */
static void load_near_runtime(void)
{
	char folder[64], path[PATH_MAX], command[3 * PATH_MAX], runtime[PATH_MAX], *found;
	void *handle;

	make_toolkit(folder, path);
	snprintf(runtime, sizeof(runtime), "%s/nvidia/cuda_runtime/lib/libcudart.so.13", folder);
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/nvidia/cuda_runtime/lib' && cp '%s/../lib/libcudart.so.13' '%s'",
		 folder, getenv("CUDA_HOME"), runtime);
	assert_int_equal(system(command), 0);
	handle = dlopen(runtime, RTLD_NOW);
	if (!handle)
		fail_msg("%s", dlerror());
	setenv("CUDA_HOME", "/nowhere", 1);
	setenv("SIM_CUPTI_VERSION", "18", 1);
	assert_int_equal(library_load(now.driver, reason, sizeof(reason)), 0);
	found = realpath(library_path(), NULL);
	assert_non_null(found);
	assert_non_null(strstr(library_path(), folder));
	free(found);
	remove_toolkit(folder);
}

TEST(the_folders_near_the_loaded_runtime_are_searched)
{
	static const char *const folders[] = {
		"/nvidia/cuda_runtime/lib", "/nvidia/cuda_cupti/lib", "/nvidia/cu13/lib",
		"/nvidia/cuda_runtime/extras/CUPTI/lib64", "/extras/CUPTI/lib64"};

	now.file = "libcupti.so.13";
	now.driver = 13000;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		now.below = folders[i];
		in_child(load_near_runtime);
	}
}

/* Both versions' wheels are there, as after an upgrade, and an unrelated one's library is loaded.
 */
static void load_of_the_runtimes_version(void)
{
	char folder[64], path[PATH_MAX], command[4 * PATH_MAX], loaded[PATH_MAX];

	make_toolkit(folder, path);
	snprintf(command, sizeof(command),
		 "cd '%s/nvidia' && mkdir -p cu13/lib cuda_cupti/lib cuda_runtime/lib cudnn/lib && "
		 "ln -sf '%s/lib64/libcupti.so.13' cu13/lib/ && "
		 "ln -sf '%s/lib64/libcupti.so.13' cuda_cupti/lib/libcupti.so.12 && "
		 "cp '%s/../lib/libnvidia-ml.so.1' cudnn/lib/libcudnn.so.9 && "
		 "cp '%s/../lib/libcudart.so.13' cuda_runtime/lib/libcudart.so.12",
		 folder, getenv("CUDA_HOME"), getenv("CUDA_HOME"), getenv("CUDA_HOME"),
		 getenv("CUDA_HOME"));
	assert_int_equal(system(command), 0);
	snprintf(loaded, sizeof(loaded), "%s/nvidia/cudnn/lib/libcudnn.so.9", folder);
	assert_non_null(dlopen(loaded, RTLD_NOW));
	snprintf(loaded, sizeof(loaded), "%s/nvidia/cuda_runtime/lib/libcudart.so.12", folder);
	assert_non_null(dlopen(loaded, RTLD_NOW));
	setenv("CUDA_HOME", "/nowhere", 1);
	setenv("SIM_CUPTI_VERSION", "18", 1);
	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	assert_non_null(strstr(library_path(), "/libcupti.so.12"));
	remove_toolkit(folder);
}

TEST(of_two_versions_in_wheels_the_runtimes_is_taken)
{
	now.below = "/nvidia/cu13/lib";
	now.file = "libcupti.so.13";
	in_child(load_of_the_runtimes_version);
}

/* A module of any package is loaded, and no library of CUDA's. */
static void load_among_packages(void)
{
	char folder[64], path[PATH_MAX], command[3 * PATH_MAX], module[PATH_MAX];

	make_toolkit(folder, path);
	snprintf(module, sizeof(module), "%s/lib/python3/site-packages/any/module.so", folder);
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/lib/python3/site-packages/any' && "
		 "cp '%s/../lib/libnvidia-ml.so.1' '%s'",
		 folder, getenv("CUDA_HOME"), module);
	assert_int_equal(system(command), 0);
	assert_non_null(dlopen(module, RTLD_NOW));
	setenv("CUDA_HOME", "/nowhere", 1);
	setenv("SIM_CUPTI_VERSION", "18", 1);
	assert_int_equal(library_load(now.driver, reason, sizeof(reason)), 0);
	assert_string_equal(library_path(), path);
	remove_toolkit(folder);
}

TEST(wheels_of_cupti_are_found_beside_any_package)
{
	now.driver = 13000;
	now.below = "/lib/python3/site-packages/nvidia/cuda_cupti/lib";
	now.file = "libcupti.so.12";
	in_child(load_among_packages);
	now.below = "/lib/python3/site-packages/nvidia/cu13/lib";
	now.file = "libcupti.so.13";
	in_child(load_among_packages);
}
