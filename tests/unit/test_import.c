/* SPDX-License-Identifier: MIT */
/* Runs are read from CSV as from the profile itself, and what is no summary is refused by line. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "report/import/import.h"
#include "report/import/text.h"
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

static int read_part(const char *bytes, size_t size, unsigned part)
{
	profile_free(&profile);
	profile = (struct profile){0};
	return import_text(&profile, bytes, size, part, "FILE", message, sizeof(message));
}

static int read_bytes(const char *bytes, size_t size)
{
	return read_part(bytes, size, 0);
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void refused(const char *text, const char *reason)
{
	assert_int_equal(read_text(text), -EINVAL);
	assert_memory_equal(message, "FILE", 4);
	assert_string_equal(message + 4, reason);
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

/* What was said of the file, a line each. */
static void has_said(const char *expected)
{
	char text[1024] = "";

	for (size_t i = 0; i < profile.said_count; i++) {
		strcat(text, profile.said[i]);
		strcat(text, "\n");
	}
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
			  "\"OpenACC (excl)\",100.0,9.0,3,3000.0,2000000,0.004,\"other\"\n"),
		0);
	assert_string_equal(profile.source, "nvprof CSV");
	has_rows(false, "k(int) 2 2 3000000 1500000 2e+10 1400000 1600000\n"
			"[CUDA memset] 1 1 1000000 1000000 0 1000000 1000000\n");
	/* Without a deviation the variance is the largest that the others allow. */
	has_rows(true, "cudaFree 3 3 9000000 3000000 1.5e+12 2000000 4000000\n");
}

TEST(each_unit_is_read)
{
	/* Micro as the Greek letter, as the sign, and as that in Latin-1. */
	static const struct {
		const char *unit;
		double nanoseconds;
	} units[] = {{"s", 1e9},	 {"ms", 1e6},	     {"us", 1e3},    {"ns", 1},
		     {"\xce\xbcs", 1e3}, {"\xc2\xb5s", 1e3}, {"\xb5s", 1e3}, {"usec", 1e3}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "%s,%%,%s,,%s,%s,%s,\n\"GPU activities\",1,2,1,2,2,2,k\n", NVPROF_HEADER,
			 units[i].unit, units[i].unit, units[i].unit, units[i].unit);
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
		read_text("Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n" NSYS_KERNELS
			  "60.0,600,3,200.0,190.0,100,300,50.5,\"k<(int)4, \"\"q\"\">(int *)\"\n"
			  "40.0,400,1,400.0,400.0,400,400,,other\n"
			  "\n"
			  "Time (%),Total Time (ns),Num Calls,Avg (ns),Min (ns),Max (ns),StdDev "
			  "(ns),Name\n"
			  "100.0,50,2,25.0,20,30,5.0,cudaFree_v3020\n"
			  "0.0,0,1,0.0,0,0,,poll\n"
			  "\n"
			  "Time (%),Total Time (ns),Count,Avg (ns),Min (ns),Max (ns),StdDev "
			  "(ns),Operation\n"
			  "100.0,70,7,10.0,9,11,1.0,[CUDA memcpy HtoD]\n"
			  /* Of another report: the same rows are not counted twice. */
			  "\n"
			  "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
			  "StdDev (ns),Category,Operation\n"
			  "100.0,400,1,400.0,400.0,400,400,,CUDA_KERNEL,other\n"),
		0);
	assert_string_equal(profile.source, "nsys CSV");
	has_said("FILE: 1 row passed over after line 7: calls of other libraries\n");
	has_rows(false, "k<(int)4, \"q\">(int *) 3 3 600 200 2550.25 100 300\n"
			"other 1 1 400 400 0 400 400\n"
			"[CUDA memcpy HtoD] 7 7 70 10 1 9 11\n");
	has_rows(true, "cudaFree_v3020 2 2 50 25 25 20 30\n");
}

TEST(tables_of_devices_are_added_and_other_text_is_passed_over)
{
	assert_int_equal(
		read_text("==7== Device \"A (0)\"\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
			  "\"GPU activities\",100.0,30,3,10,8,12,k\n"
			  "==7== Device \"B (1)\"\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
			  "\"GPU activities\",50.0,20,1,20,20,20,k\n"
			  "no row, as it has fewer fields\n"
			  "\"GPU activities\",50.0,20,1,20,20,20,later\n"
			  "==7== API calls:\n"
			  "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			  "%,ns,,ns,ns,ns,\n"
			  "100.0,5,1,5,5,5,cuInit\n"
			  "==7== Profiling result:\n"
			  "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			  "%,ns,,ns,ns,ns,\n"
			  "100.0,6,1,6,6,6,cu_kernel\n"),
		0);
	has_said("FILE: 1 row passed over after line 8: no rows of the table\n");
	has_rows(false, "k 4 4 50 12.5 29 8 20\n"
			"later 1 1 20 20 0 20 20\n"
			"cu_kernel 1 1 6 6 0 6 6\n");
	has_rows(true, "cuInit 1 1 5 5 0 5 5\n");
}

TEST(calls_without_times_are_kept)
{
	assert_int_equal(
		read_text(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU activities\",,,19,,,,k\n"), 0);
	has_rows(false, "k 19 0 0 0 0 0 0\n");
}

TEST(quotes_ends_of_lines_and_zero_bytes_do_no_harm)
{
	static const char text[] =
		"\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\r\n"
		"%,ns,,ns,ns,ns,\r\n"
		"50.0,6,1,6,6,6,\"a\nb\r, \"\"c\"\"\"\r\n"
		"50.0,6,1,6,6\0,6,\"d\"";

	assert_int_equal(read_bytes(text, sizeof(text) - 1), 0);
	has_rows(false, "a\nb\r, \"c\" 1 1 6 6 0 6 6\n"
			"d 1 1 6 6 0 6 6\n");
}

TEST(what_is_wrong_is_named_by_its_line)
{
	refused(NVPROF_HEADER ",%,ns,,ns,ns,furlong,\n", ": line 2: unknown unit \"furlong\"");
	refused("Time (%),Total Time (hours),Instances,Avg (ns),Min (ns),Max (ns),Name\n",
		": line 1: unknown unit \"hours\"");
	refused(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU activities\",1,x,1,2,2,2,k\n",
		": line 3: bad total time");
	refused(NVPROF_HEADER ",%,ns,,ns,ns,ns,\n\"GPU activities\",1,2,1,-2,2,2,k\n",
		": line 3: bad average");
	refused("\n\"several\nlines\"\n" NVPROF_HEADER
		",%,ns,,ns,ns,ns,\n\"GPU activities\",1,2,,2,2,2,k\n",
		": line 6: no calls");
	refused(NSYS_KERNELS "1,2,1,2,2,2,2e19,3,k\n", ": line 2: bad maximum");
	refused(NSYS_KERNELS "1,2,1,2,2,2,2,x,k\n", ": line 2: bad deviation");
	/* Without its row of units nvprof's times may be any. */
	refused(NVPROF_HEADER "\"GPU activities\",1,2,1,2,2,2,k\n", ": line 2: bad total time");
}

TEST(what_holds_no_summary_is_refused)
{
	static const char none[] =
		": no profile, database of nsys, or table of nvprof, nsys or ktime";

	refused("", none);
	refused("a,b\n1,2\n", none);
	refused("Time (%),Total Time (ns),Avg (ns),Range\n1,2,2,r\n",
		": no GPU activities or calls of CUDA's in it, but a report that ktime does not "
		"know");
	unlink(path);
	profile_free(&profile);
	assert_int_equal(import_profile(&profile, path, 0, message, sizeof(message)), -ENOENT);
	assert_string_equal(message + strlen(path), ": No such file or directory");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}
