/* SPDX-License-Identifier: MIT */
/* Runs are read from CSV as from the profile itself, and what is no summary is refused by line. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "report/import/import.h"
#include "tests/unit/one_folder.h"

static char message[256];
static struct profile profile;

BEFORE_EACH
{
	profile = (struct profile){0};
	strcpy(message, "");
}

AFTER_EACH
{
	profile_free(&profile);
}

static int read_bytes(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "w+e");
	int error;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	rewind(file);
	profile_free(&profile);
	profile = (struct profile){0};
	error = import_csv(&profile, file, path, message, sizeof(message));
	fclose(file);
	return error;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void refused(const char *text, const char *reason)
{
	assert_int_equal(read_text(text), -EINVAL);
	assert_memory_equal(message, path, strlen(path));
	assert_string_equal(message + strlen(path), reason);
}

/* "name calls timed total average deviation minimum maximum" of each row, in the file's order. */
static void has_rows(bool api, const char *expected)
{
	char text[2048] = "";
	size_t length = 0;

	entries_for_each(struct profile_row, profile.rows[api], row) length += (size_t)snprintf(
		text + length, sizeof(text) - length,
		"%s %llu %llu %.10g %.10g %.10g %.10g %.10g\n", row->name,
		(unsigned long long)row->calls, (unsigned long long)row->timed, row->total,
		row->average, row->variance, row->minimum, row->maximum);
	assert_string_equal(text, expected);
}

#define NVPROF_HEADER "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"

TEST(each_column_of_nvprof_has_a_unit)
{
	assert_int_equal(
		read_text("==7== Profiling result:\n" NVPROF_HEADER ",%,ms,,us,ns,s,\n"
			  "\"GPU activities\",75.0,3.0,2,1500.0,1400000,0.0016,\"k(int)\"\n"
			  "\"GPU activities\",25.0,1.0,1,1000.0,1000000,0.001,\"[CUDA memset]\"\n"
			  "\"API calls\",100.0,9.0,3,3000.0,2000000,0.004,\"cudaFree\"\n"
			  "\"API calls\",100.0,9.0,3,3000.0,2000000,0.004,\"other\"\n"),
		0);
	assert_string_equal(profile.source, "nvprof CSV");
	has_rows(false, "k(int) 2 2 3000000 1500000 2e+10 1400000 1600000\n"
			"[CUDA memset] 1 1 1000000 1000000 0 1000000 1000000\n");
	/* Without a deviation the variance is the largest that the others allow. */
	has_rows(true, "cudaFree 3 3 9000000 3000000 1.5e+12 2000000 4000000\n");
}

TEST(each_unit_is_read)
{
	static const struct {
		const char *unit;
		double nanoseconds;
	} units[] = {{"s", 1e9}, {"ms", 1e6},	     {"us", 1e3},
		     {"ns", 1},	 {"\xce\xbcs", 1e3}, {"\xc2\xb5s", 1e3}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s,%%,%s,,%s,%s,%s,\n\"GPU\",1,2,1,2,2,2,k\n",
			 NVPROF_HEADER, units[i].unit, units[i].unit, units[i].unit, units[i].unit);
		assert_int_equal(read_text(text), 0);
		assert_true(((struct profile_row *)profile.rows[0])->total ==
			    2 * units[i].nanoseconds);
		assert_true(((struct profile_row *)profile.rows[0])->maximum ==
			    2 * units[i].nanoseconds);
		snprintf(text, sizeof(text),
			 "Time (%%),Total Time (%s),Instances,Avg (%s),Min (%s),Max (%s),StdDev "
			 "(%s),Name\n"
			 "1,2,1,2,2,2,3,k\n",
			 units[i].unit, units[i].unit, units[i].unit, units[i].unit, units[i].unit);
		assert_int_equal(read_text(text), 0);
		assert_true(((struct profile_row *)profile.rows[0])->total ==
			    2 * units[i].nanoseconds);
		assert_true(((struct profile_row *)profile.rows[0])->minimum ==
			    2 * units[i].nanoseconds);
	}
}

#define NSYS_KERNELS                                                                               \
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "           \
	"(ns),Name\n"

TEST(each_summary_of_nsys_is_read)
{
	assert_int_equal(
		read_text("Processing [x.sqlite] with [report.py]...\n" NSYS_KERNELS
			  "60.0,600,3,200.0,190.0,100,300,50.5,\"k<(int)4, \"\"q\"\">(int *)\"\n"
			  "40.0,400,1,400.0,400.0,400,400,,other\n"
			  "\n"
			  "Time (%),Total Time (ns),Num Calls,Avg (ns),Min (ns),Max (ns),StdDev "
			  "(ns),Name\n"
			  "100.0,50,2,25.0,20,30,5.0,cudaFree_v3020\n"
			  "100.0,50,2,25.0,20,30,5.0,poll\n"
			  "\n"
			  "Time (%),Total Time (ns),Count,Avg (ns),Min (ns),Max (ns),StdDev "
			  "(ns),Operation\n"
			  "100.0,70,7,10.0,9,11,1.0,[CUDA memcpy HtoD]\n"
			  /* Of another report: the same rows are not counted twice. */
			  "\n" NSYS_KERNELS "40.0,400,1,400.0,400.0,400,400,,other\n"),
		0);
	assert_string_equal(profile.source, "nsys CSV");
	has_rows(false, "k<(int)4, \"q\">(int *) 3 3 600 200 2550.25 100 300\n"
			"other 1 1 400 400 0 400 400\n"
			"[CUDA memcpy HtoD] 7 7 70 10 1 9 11\n");
	has_rows(true, "cudaFree_v3020 2 2 50 25 25 20 30\n");
}

TEST(tables_of_devices_are_added_and_other_text_is_passed_over)
{
	assert_int_equal(
		read_text("==7== Device \"A (0)\"\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
			  "\"GPU\",100.0,30,3,10,8,12,k\n"
			  "==7== Device \"B (1)\"\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
			  "\"GPU\",100.0,20,1,20,20,20,k\n"
			  "no row, as it has fewer fields\n"
			  "\"GPU\",100.0,20,1,20,20,20,later\n"
			  "==7== API calls:\n"
			  "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			  "%,ns,,ns,ns,ns,\n"
			  "100.0,5,1,5,5,5,cuInit\n"
			  "==7== Profiling result:\n"
			  "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			  "%,ns,,ns,ns,ns,\n"
			  "100.0,6,1,6,6,6,cu_kernel\n"),
		0);
	has_rows(false, "k 4 4 50 12.5 29 8 20\n"
			"cu_kernel 1 1 6 6 0 6 6\n");
	has_rows(true, "cuInit 1 1 5 5 0 5 5\n");
}

TEST(calls_without_times_are_kept)
{
	assert_int_equal(read_text(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU\",,,19,,,,k\n"), 0);
	has_rows(false, "k 19 0 0 0 0 0 0\n");
}

TEST(quotes_ends_of_lines_and_zero_bytes_do_no_harm)
{
	static const char text[] =
		"\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\r\n"
		"%,ns,,ns,ns,ns,\r\n"
		"100.0,6,1,6,6,6,\"a\nb\r, \"\"c\"\"\"\r\n"
		"100.0,6,1,6,6\0,6,d";

	assert_int_equal(read_bytes(text, sizeof(text) - 1), 0);
	has_rows(false, "a\nb\r, \"c\" 1 1 6 6 0 6 6\n"
			"d 1 1 6 6 0 6 6\n");
}

TEST(what_is_wrong_is_named_by_its_line)
{
	refused(NVPROF_HEADER ",%,ns,,ns,ns,furlong,\n", ": line 2: bad unit");
	refused(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU\",1,x,1,2,2,2,k\n",
		": line 3: bad Total Time");
	refused(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU\",1,2,1,-2,2,2,k\n", ": line 3: bad Avg");
	refused("\n\"several\nlines\"\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU\",1,2,,2,2,2,k\n",
		": line 6: bad Instances");
	refused(NSYS_KERNELS "1,2,1,2,2,2,2e19,3,k\n", ": line 2: bad Max");
	refused(NSYS_KERNELS "1,2,1,2,2,2,2,x,k\n", ": line 2: bad StdDev");
}

TEST(what_holds_no_summary_is_refused)
{
	refused("", ": no profile, nsys SQLite export, or summary as CSV");
	refused("a,b\n1,2\n", ": no profile, nsys SQLite export, or summary as CSV");
	refused("Time (%),Total Time (ns),Avg (ns),Range\n1,2,2,r\n",
		": no profile, nsys SQLite export, or summary as CSV");
	unlink(path);
	assert_int_equal(import_profile(&profile, path, message, sizeof(message)), -ENOENT);
	assert_string_equal(message + strlen(path), ": No such file or directory");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

TEST(a_record_has_a_limit)
{
	const size_t most = 1UL << 20;
	char *text = malloc(most + 256);

	assert_non_null(text);
	memset(text, 'x', most + 256);
	/* Its end counts too. */
	assert_int_equal(read_bytes(text, most), -EINVAL);
	text[most - 1] = '\n';
	assert_int_equal(read_bytes(text, most), -EINVAL);
	strcpy(text, NVPROF_HEADER ",%,ns,,ns,ns,ns,\n");
	text[strlen(text)] = text[most - 1] = 'x';
	assert_int_equal(read_bytes(text, most + 256), -E2BIG);
	free(text);
}
