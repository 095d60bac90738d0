/* SPDX-License-Identifier: MIT */
/*
 * Files that were cut, or put together of parts, as by a full disk, a pager or an editor: no row
 * comes out of them that is not whole in the file, unless it is said that the file is damaged.
 * KTIME_SPLICES=1000000 does as many.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/import/import.h"
#include "tests/unit/test.h"

/* Invented; each as its tool writes it. */
static const char *const files[] = {
	"Processing [a.sqlite] with [cuda_api_sum.py]...\n"
	"Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
	"62.5,5000,4,1250.0,1200.0,1100,1500,173.2,cudaLaunchKernel\n"
	"37.5,3000,2,1500.0,1500.0,1000,2000,707.1,cudaMemcpyAsync\n"
	"\n"
	"Processing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n"
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
	"50.0,4000000,4,1000000.0,1010000.0,900000,1080000,74833.1,\"axpy(int, float *)\"\n"
	"30.0,2400000,3,800000.0,790000.0,780000,830000,26457.5,reduce\n"
	"20.0,1600000,2,800000.0,800000.0,700000,900000,141421.4,\"scale(int, float *)\"\n"
	"\n"
	"Processing [a.sqlite] with [cuda_gpu_mem_time_sum.py]...\n"
	"Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
	"100.0,90000,3,30000.0,31000.0,25000,34000,4582.6,[CUDA memcpy Host-to-Device]\n",

	"==71== NVPROF is profiling process 71, command: ./app\n"
	"==71== Profiling application: ./app\n"
	"==71== Profiling result:\n"
	"\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
	",%,ms,,ms,ms,ms,\n"
	"\"GPU activities\",60.000000,3.000000,3,1.000000,0.900000,1.100000,\"axpy(int, float*)\"\n"
	"\"GPU activities\",40.000000,2.000000,2,1.000000,0.950000,1.050000,\"scale(int, "
	"float*)\"\n"
	"\"API calls\",75.000000,6.000000,3,2.000000,1.000000,3.000000,\"cudaLaunchKernel\"\n"
	"\"API calls\",25.000000,2.000000,1,2.000000,2.000000,2.000000,\"cudaMalloc\"\n",

	"==71== Profiling result:\n"
	"            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
	" GPU activities:   75.00%  3.0000ms         3  1.0000ms  900.00us  1.1000ms  axpy(int, "
	"float*)\n"
	"                   25.00%  1.0000ms         2  500.00us  400.00us  600.00us  [CUDA memcpy "
	"HtoD]\n"
	"      API calls:   80.00%  8.0000ms         4  2.0000ms  10.000us  4.9000ms  "
	"cudaLaunchKernel\n"
	"                   20.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  cudaMalloc\n",

	"[5/8] Executing 'cuda_gpu_kern_sum' stats report\n"
	"\n"
	" Time (%)  Total Time (ns)  Instances  Avg (ns)     Med (ns)     Min (ns)  Max (ns)   "
	"StdDev (ns)        Name\n"
	" --------  ---------------  ---------  -----------  -----------  --------  ---------  "
	"-----------  -----------------\n"
	"     60.0        3,000,000          3  1,000,000.0  1,000,000.0   900,000  1,100,000    "
	"100,000.0  axpy(int, float *)\n"
	"     40.0        2,000,000          2  1,000,000.0  1,000,000.0   900,000  1,100,000    "
	"141,421.4  scale(int)\n",

	"[\n"
	"{\"Time (%)\":60.0,\"Total Time (ns)\":3000000,\"Instances\":3,\"Avg (ns)\":1000000.0,"
	"\"Med (ns)\":1000000.0,\"Min (ns)\":900000,\"Max (ns)\":1100000,\"StdDev (ns)\":100000.0,"
	"\"Name\":\"axpy(int, float *)\"},\n"
	"{\"Time (%)\":40.0,\"Total Time (ns)\":2000000,\"Instances\":2,\"Avg (ns)\":1000000.0,"
	"\"Med (ns)\":1000000.0,\"Min (ns)\":900000,\"Max (ns)\":1100000,\"StdDev (ns)\":141421.4,"
	"\"Name\":\"scale(int)\"}\n"
	"]\n",
};
#define FILE_COUNT (sizeof(files) / sizeof(*files))
#define TEXT_SIZE  4096

/* Marsaglia's xorshift: the same in every run. */
static uint64_t state = 88172645463325252ULL;
static size_t below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % limit);
}

static struct profile whole[FILE_COUNT];

static int read_file(struct profile *profile, const char *text, size_t size)
{
	char message[512];

	*profile = (struct profile){0};
	return import_text(profile, text, size, 0, "FILE", message, sizeof(message));
}

static bool is_same(const struct profile_row *a, const struct profile_row *b)
{
	return a->calls == b->calls && a->total == b->total && a->average == b->average;
}

/* How many of the files' rows are that row: with calls and times, and, where `wholly`, with the
 * rest and the name. */
static bool is_of(const size_t of[2], const struct profile_row *row, bool api, bool wholly)
{
	bool found = false;

	for (int i = 0; i < 2; i++)
		entries_for_each (const struct profile_row, whole[of[i]].rows[api], other) {
			found |= is_same(row, other) &&
				 (!wholly || (row->minimum == other->minimum &&
					      row->maximum == other->maximum &&
					      strcmp(row->name, other->name) == 0));
		}
	return found;
}

/* Makes a damaged text of two files, which may be one; its length. */
static size_t damage(char *text, const size_t of[2])
{
	size_t lengths[2] = {strlen(files[of[0]]), strlen(files[of[1]])};
	size_t head = below(lengths[0] + 1), tail = below(lengths[1] + 1), length = head;

	memcpy(text, files[of[0]], head);
	if (below(3)) {
		memcpy(text + head, files[of[1]] + tail, lengths[1] - tail);
		length += lengths[1] - tail;
	}
	text[length] = '\0';
	return length;
}

TEST(no_row_of_a_damaged_file_is_another)
{
	const char *asked = getenv("KTIME_SPLICES");
	unsigned long count = asked ? strtoul(asked, NULL, 10) : 10000, read = 0, said = 0,
		      unseen = 0, wrong = 0;
	char text[2 * TEXT_SIZE];

	for (size_t i = 0; i < FILE_COUNT; i++) {
		assert_int_equal(read_file(&whole[i], files[i], strlen(files[i])), 0);
		assert_false(whole[i].damaged);
		assert_int_equal(whole[i].said_count, 0);
	}
	for (unsigned long i = 0; i < count; i++) {
		size_t of[2] = {below(FILE_COUNT), below(FILE_COUNT)};
		struct profile profile;
		size_t length;
		int error;

		of[1] = below(2) ? of[0] : of[1];
		length = damage(text, of);
		error = read_file(&profile, text, length);
		read += !error;
		said += !error && profile.damaged;
		for (int api = 0; api < 2 && !error && !profile.damaged; api++) {
			entries_for_each (const struct profile_row, profile.rows[api], row) {
				unseen += !is_of(of, row, api, true);
				if (is_of(of, row, api, false))
					continue;
				wrong++;
				print_message("# %s of %lu calls is no row, nothing is said:\n%s",
					      row->name, (unsigned long)row->calls, text);
			}
		}
		profile_free(&profile);
	}
	print_message("# %lu files: %lu read, of which %lu are said to be damaged; %lu rows have a "
		      "name, a least or a most that lacks a piece\n",
		      count, read, said, unseen);
	/* Both ends of the piece in one name, or in one number that is in no sum: nothing shows it.
	 */
	assert_true(unseen * 200 < count);
	assert_int_equal(wrong, 0);
	for (size_t i = 0; i < FILE_COUNT; i++)
		profile_free(&whole[i]);
}
