/* SPDX-License-Identifier: MIT */
/* The rank is the innermost launcher's, and each rank's profile has a name of its own. */
#include "report/options/filename.h"
#include "tests/unit/test.h"

static struct process_rank rank;

/* The environment is "NAME=VALUE …" alone. */
static bool find_in(const char *environment, const char *variable)
{
	char text[512], *save, *word, *value;

	clearenv();
	strcpy(text, environment);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		value = strchr(word, '=');
		*value++ = '\0';
		setenv(word, value, 1);
	}
	rank = rank_find(variable);
	return rank.rank >= 0;
}

static void is_rank(const char *environment, const char *launcher, int number, int local, int size,
		    const char *job)
{
	assert_true(find_in(environment, NULL));
	assert_string_equal(rank.launcher, launcher);
	assert_int_equal(rank.rank, number);
	assert_int_equal(rank.local_rank, local);
	assert_int_equal(rank.world_size, size);
	assert_string_equal(rank.job, job);
}

#define TORCHRUN "TORCHELASTIC_RUN_ID=none MASTER_PORT=29500 RANK=5 LOCAL_RANK=1 WORLD_SIZE=8"
#define OPEN_MPI                                                                                   \
	"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_LOCAL_RANK=3 OMPI_COMM_WORLD_SIZE=16 PMIX_RANK=3 " \
	"PMIX_NAMESPACE=1094647809"
#define HYDRA "PMI_RANK=2 PMI_SIZE=4 MPI_LOCALRANKID=0"
#define SLURM                                                                                      \
	"SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=6 SLURM_LOCALID=2 SLURM_STEP_NUM_TASKS=12"

TEST(each_launcher_tells_the_rank)
{
	is_rank(TORCHRUN, "torchrun", 5, 1, 8, "none.29500");
	is_rank(OPEN_MPI, "Open MPI", 3, 3, 16, "1094647809");
	is_rank(HYDRA, "PMI", 2, 0, 4, "");
	is_rank(SLURM, "Slurm", 6, 2, 12, "77.0");
	is_rank("PMIX_RANK=9 PMIX_NAMESPACE=slurm.pmix.77.0", "PMIx", 9, -1, -1, "slurm.pmix.77.0");
}

TEST(the_innermost_launcher_tells_it)
{
	is_rank(TORCHRUN " " SLURM, "torchrun", 5, 1, 8, "none.29500");
	is_rank(OPEN_MPI " " SLURM, "Open MPI", 3, 3, 16, "1094647809");
	is_rank(HYDRA " " SLURM, "PMI", 2, 0, 4, "");
}

TEST(what_it_does_not_tell_comes_from_one_of_the_same_rank)
{
	is_rank("PMIX_RANK=6 " SLURM, "PMIx", 6, 2, 12, "77.0");
	is_rank("PMIX_RANK=5 " SLURM, "PMIx", 5, -1, -1, "");
}

TEST(a_launcher_of_the_programs_own_is_known_by_its_ranks)
{
	is_rank("RANK=1 WORLD_SIZE=2", "RANK and WORLD_SIZE", 1, -1, 2, "");
	is_rank("MASTER_ADDR=node0 MASTER_PORT=29500 RANK=3 LOCAL_RANK=1 WORLD_SIZE=4",
		"RANK and LOCAL_RANK", 3, 1, 4, "node0.29500");
}

TEST(a_batch_script_has_no_rank)
{
	assert_false(find_in("SLURM_JOB_ID=77 SLURM_PROCID=0 SLURM_LOCALID=0", NULL));
	assert_false(find_in("SLURM_JOB_ID=77 SLURM_STEP_ID=batch SLURM_PROCID=0", NULL));
	assert_false(find_in("RANK=3", NULL));
	assert_int_equal(rank.rank, -1);
	assert_string_equal(rank.launcher, "");
	is_rank("SLURM_STEP_ID=batch SLURM_PROCID=0 " HYDRA, "PMI", 2, 0, 4, "");
}

TEST(a_named_variable_comes_first)
{
	assert_true(find_in("MY_RANK=7 " OPEN_MPI, "MY_RANK"));
	assert_int_equal(rank.rank, 7);
	assert_int_equal(rank.world_size, -1);
	assert_string_equal(rank.launcher, "MY_RANK");
	assert_true(find_in("MY_RANK=0", "MY_RANK"));
	assert_int_equal(rank.rank, 0);
	assert_string_equal(rank.launcher, "MY_RANK");
	assert_false(find_in("MY_RANK=seven " OPEN_MPI, "MY_RANK"));
	assert_false(find_in(OPEN_MPI, "MY_RANK"));
}

TEST(what_is_no_number_is_no_rank)
{
	static const char *const bad[] = {"", "-1", "3x", "99999999999", "2147483648"};
	char environment[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(environment, "PMI_RANK=");
		assert_false(find_in(strcat(environment, bad[i]), NULL));
	}
	is_rank("PMI_RANK=4 PMI_SIZE=4", "PMI", 4, -1, -1, "");
}

TEST(lists_of_ranks)
{
	assert_true(rank_list_is_valid("0,7") && rank_list_is_valid("0-3,12"));
	assert_false(rank_list_is_valid("") || rank_list_is_valid("0,") ||
		     rank_list_is_valid("3-1") || rank_list_is_valid("a") ||
		     rank_list_is_valid("1,,2") || rank_list_is_valid("1-"));
	assert_true(rank_is_listed("0,7", 0) && rank_is_listed("0,7", 7));
	assert_false(rank_is_listed("0,7", 1) || rank_is_listed("2-4,9", 5));
	assert_true(rank_is_listed("2-4,9", 3) && rank_is_listed("2-4,9", 9));
	assert_true(rank_is_listed(NULL, 5) && rank_is_listed("0", -1));
}

static void is_file(const char *pattern, const char *expected)
{
	char own[64];

	assert_true(rank_file_pattern(own, sizeof(own), pattern, &rank));
	assert_string_equal(own, expected);
	/* It has room for that alone, and for one less it has none. */
	assert_true(rank_file_pattern(own, strlen(expected) + 1, pattern, &rank));
	assert_false(rank_file_pattern(own, strlen(expected), pattern, &rank));
}

static void is_file_of_process(const char *pattern, unsigned ordinal, const char *expected)
{
	char own[64];

	assert_true(rank_file_pattern_of_process(own, sizeof(own), pattern, &rank, ordinal));
	assert_string_equal(own, expected);
	assert_true(
		rank_file_pattern_of_process(own, strlen(expected) + 1, pattern, &rank, ordinal));
	assert_false(rank_file_pattern_of_process(own, strlen(expected), pattern, &rank, ordinal));
}

TEST(ranks_have_files_of_their_own)
{
	static const char *const told_apart[] = {"run.%r", "run.%p.ktime", "%q{ID}"};
	char own[16];

	assert_true(find_in(HYDRA, NULL));
	is_file("run", "run.%r.ktime");
	is_file("run.ktime", "run.%r.ktime");
	is_file(".ktime", ".ktime.%r.ktime");
	is_file_of_process("%h/100%%.ktime", 1, "%h/100%%.%r.%p.ktime");
	is_file_of_process("run", 2, "run.%r.%p.2.ktime");
	is_file_of_process("run.%r", 1, "run.%r.%p");
	for (size_t i = 0; i < sizeof(told_apart) / sizeof(told_apart[0]); i++)
		assert_false(rank_file_pattern(own, sizeof(own), told_apart[i], &rank));
	assert_true(find_in("PMI_RANK=0 PMI_SIZE=1", NULL));
	assert_false(rank_file_pattern(own, sizeof(own), "run", &rank));
	assert_false(find_in("", NULL));
	assert_false(rank_file_pattern(own, sizeof(own), "run", &rank));
	assert_string_equal(own, "run");
	is_file_of_process("run", 1, "run.%p");
	is_file_of_process("run.ktime", 2, "run.ktime.%p.2");
	is_file_of_process("run", 12, "run.%p.12");
}
