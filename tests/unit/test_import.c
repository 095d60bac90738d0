/* SPDX-License-Identifier: MIT */
/* Runs are read from CSV as from the profile itself, and what is no summary is refused by line. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

	entries_for_each (struct profile_row, profile.rows[api], row)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s %llu %llu %.10g %.10g %.10g %.10g %.10g\n",
					   row->name, (unsigned long long)row->calls,
					   (unsigned long long)row->timed, row->total, row->average,
					   row->variance, row->minimum, row->maximum);
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
	has_said("FILE: 1 row passed over after line 8: not part of the table\n");
	has_rows(false, "k 4 4 50 12.5 29 8 20\n"
			"later 1 1 20 20 0 20 20\n"
			"cu_kernel 1 1 6 6 0 6 6\n");
	has_rows(true, "cuInit 1 1 5 5 0 5 5\n");
}

TEST(UTF_16_is_read)
{
	static const char text[] = NSYS_KERNELS "100.0,600,3,200.0,190.0,100,300,100.0,k\n";

	/* Little endian and big, with a mark and without. */
	for (int form = 0; form < 4; form++) {
		char bytes[2 * sizeof(text) + 2];
		size_t size = 0;

		if (form & 2) {
			bytes[size++] = form & 1 ? '\xfe' : '\xff';
			bytes[size++] = form & 1 ? '\xff' : '\xfe';
		}
		for (size_t i = 0; i + 1 < sizeof(text); i++) {
			bytes[size++] = form & 1 ? '\0' : text[i];
			bytes[size++] = form & 1 ? text[i] : '\0';
		}
		assert_int_equal(read_bytes(bytes, size), 0);
		has_rows(false, "k 3 3 600 200 10000 100 300\n");
	}
}

TEST(text_of_nvprof_is_read_as_it_was_pasted)
{
	assert_int_equal(
		read_text(
			"======== Profiling result:\n"
			"Type Time(%) Time Calls (host) Calls (device) Avg Min Max Name\n"
			"GPU activities: 75.00% 3.0000us 1 2 1.0000us 900ns 1.1000us f(int, int*)\n"
			"loss 0.5\n"
			"25.00% 1.0000us 2 - 500ns 400ns 600ns [CUDA memcpy HtoD]\n"
			"API calls: 100.00% 5.0000ms 5 - 1.0000ms 10.000us 4.9000ms "
			"cudaLaunchKernel\n"
			"OpenACC (excl): 100.00% 5.0000ms 5 - 1.0000ms 10.000us 4.9000ms "
			"acc_wait@x.c:3\n"),
		0);
	assert_string_equal(profile.source, "nvprof text");
	has_said("FILE: 1 row passed over after line 3: not part of the table\n"
		 "FILE: 1 row passed over after line 6: OpenACC, which is the host's time\n");
	has_rows(false, "f(int, int*) 3 3 3000 1000 15000 900 1100\n"
			"[CUDA memcpy HtoD] 2 2 1000 500 20000 400 600\n");
	/* With units above the columns. */
	assert_int_equal(read_text("======== Profiling result:\n"
				   "            Type  Time(%)      Time     Calls       Avg       "
				   "Min       Max  Name\n"
				   "                        %        us                  us        "
				   "us        us\n"
				   " GPU activities:   100.00  3.000000         3  1.000000  "
				   "0.900000  1.100000  f(int)\n"),
			 0);
	has_rows(false, "f(int) 3 3 3000 1000 15000 900 1100\n");
}

TEST(traces_are_added_up)
{
	assert_int_equal(
		read_text("\"Start\",\"Duration\",\"Device\",\"Context\",\"Stream\",\"Name\","
			  "\"Correlation_ID\"\nms,us,,,,,\n"
			  "1.0,2.5,\"GPU (0)\",\"1\",\"7\",\"f(int)\",1\n"
			  "2.0,3.5,\"GPU (0)\",\"1\",\"7\",\"f(int)\",2\n"
			  "2.0,,,,,\"[Unified Memory CPU page faults]\",\n"),
		0);
	has_rows(false, "f(int) 2 2 6000 3000 500000 2500 3500\n");
	/* Empty cells of text, by the line of dashes; a name that nvprof has numbers behind. */
	assert_int_equal(
		read_text(" Start (ns)  Duration (ns)  CorrId   GrdX   Device   Strm  Name\n"
			  " ----------  -------------  ------  -----  --------  ----  ----------\n"
			  "     10,000          1,500      67      1  GPU (0)      7  f(int)    \n"
			  "     20,000            500      68         GPU (0)      7  [CUDA "
			  "memset]\n"),
		0);
	has_rows(false, "f(int) 1 1 1500 1500 0 1500 1500\n"
			"[CUDA memset] 1 1 500 500 0 500 500\n");
	assert_int_equal(
		read_text(
			"   Start  Duration            Grid Size      Block Size     Regs*"
			"    SSMem*    DSMem*           Device   Context    Stream  Name\n"
			"182.96ms  2.0000us              (1 1 1)       (32 1 1)         8"
			"        0B        0B  GeForce GTX 108         1         7  f(int) [112]\n"
			"183.96ms  3.0000us                    -              -         -"
			"         -         -                -         -         -  "
			"cudaLaunchKernel (f(int) [112])\n"),
		0);
	has_rows(false, "f(int) 1 1 2000 2000 0 2000 2000\n");
	has_rows(true, "cudaLaunchKernel 1 1 3000 3000 0 3000 3000\n");
}

#define ONE_RUN(name) NSYS_KERNELS "100.0,600,3,200.0,190.0,100,300,100.0," name "\n"

TEST(one_of_several_runs_is_taken)
{
	static const char two[] = ONE_RUN("a") "\n" ONE_RUN("b");
	static const char other[] = "==7== Profiling application: ./app x\n"
				    "==7== Profiling result:\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
				    "\"GPU activities\",100.0,600,3,200,100,300,a\n"
				    "==8== Profiling application: ./app y\n"
				    "==8== Profiling result:\n" NVPROF_HEADER ",%,ns,,ns,ns,ns,\n"
				    "\"API calls\",100.0,600,3,200,100,300,cudaFree\n";

	refused(two, ": 2 runs or processes in one file: choose one with --part 1 (line 1), "
		     "--part 2 (line 4)");
	refused(other, ": 2 runs or processes in one file: choose one with --part 1 (line 3, "
		       "./app x), --part 2 (line 8, ./app y)");
	assert_int_equal(read_part(two, strlen(two), 2), 0);
	has_rows(false, "b 3 3 600 200 10000 100 300\n");
	assert_int_equal(read_part(other, strlen(other), 2), 0);
	has_rows(false, "");
	assert_int_equal(read_part(two, strlen(two), 3), -EINVAL);
	/* A file of one run has no other. */
	assert_int_equal(read_part(two, strlen(ONE_RUN("a")), 2), 0);
	has_rows(false, "a 3 3 600 200 10000 100 300\n");
}

TEST(damage_is_said)
{
	assert_int_equal(read_text(NSYS_KERNELS "60.0,600,3,200.0,190.0,100,300,100.0,k\n"), 0);
	assert_true(profile.damaged);
	has_said("FILE: the shares of the table in line 1 add up to 60 %: rows are missing\n");
	assert_int_equal(read_text(NSYS_KERNELS "100.0,600,3,200.0,190.0,100,300,100.0,k"), 0);
	assert_true(profile.damaged);
	has_said("FILE: line 2 has no newline: the name \"k\" may be cut; if it is not, end the "
		 "line\n");
	assert_int_equal(read_text(NSYS_KERNELS "100.0,600,3,200.0,190.0,100,300,100.0,k\n"
						"0.0,6,3,3.0,1.0,1,3,1.0,l\n"),
			 0);
	assert_true(profile.damaged);
	has_said("FILE: 1 row passed over after line 2: total, calls and average do not fit "
		 "together\n");
	has_rows(false, "k 3 3 600 200 10000 100 300\n");
	/* The rows behind a header that was cut may have other units. */
	assert_int_equal(read_text(NSYS_KERNELS "100.0,600,3,200.0,190.0,100,300,100.0,k\n"
						"60.0,Max (us),StdDev (us),Name\n"
						"100.0,6,3,2.0,1.9,1,3,1.0,l\n"),
			 0);
	has_said("FILE: 1 row passed over after line 2: a header that is cut\n");
	has_rows(false, "k 3 3 600 200 10000 100 300\n");
	assert_int_equal(read_text("Start (ns),Duration (ns),GrdX,Device,Name\n"
				   "20,5,1,GPU,k\n10,5,1,GPU,k\n10,5,1,GPU,[CUDA memset]\n"),
			 0);
	has_said("FILE: line 3: not in order of time: rows may be missing, or there twice\n"
		 "FILE: 1 row passed over after line 3: copies have no grid, kernels have one\n");
	has_rows(false, "k 2 2 10 5 0 5 5\n");
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
		": no GPU activities or CUDA API calls in it; passed over: a report that ktime "
		"does not "
		"know");
	unlink(path);
	profile_free(&profile);
	assert_int_equal(import_profile(&profile, path, NULL, message, sizeof(message)), -ENOENT);
	assert_string_equal(message + strlen(path), ": No such file or directory");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

/* What its parts of a run are told from. */
static void busy_is(unsigned devices, double error, uint64_t start, size_t runs)
{
	struct session *session;
	struct session_header *header;

	profile_free(&profile);
	profile = (struct profile){0};
	unlink(path);
	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	header = session_header(session);
	header->start_realtime = start;
	for (unsigned i = 0; i < devices; i++)
		header->uses[i] = (struct device_use){
			.first = 100, .last = 900, .busy = 600, .error = error, .contexts = 1};
	session_close(session);
	assert_int_equal(import_profile(&profile, path, NULL, message, sizeof(message)), 0);
	assert_int_equal(profile.busy_runs, runs);
	assert_true(!runs || (profile.busy == 600 && profile.before == 60));
}

TEST(how_long_a_gpu_worked_is_known_of_one_alone_and_exactly)
{
	busy_is(1, 0, 40, 1);
	busy_is(2, 0, 40, 0);
	busy_is(1, 5, 40, 0);
	busy_is(0, 0, 40, 0);
	/* The clock was set. */
	busy_is(1, 0, 101, 0);
}

static void wall_is(enum run_part part, double wall)
{
	struct session *session;

	profile_free(&profile);
	profile = (struct profile){0};
	unlink(path);
	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	session_header(session)->finished = part;
	session_header(session)->counters[COUNTER_wall_ns] = 900;
	session_close(session);
	assert_int_equal(import_profile(&profile, path, NULL, message, sizeof(message)), 0);
	assert_true(profile.wall == wall);
}

TEST(how_long_a_run_took_is_not_known_of_a_part_of_it)
{
	wall_is(RUN_WHOLE, 900);
	wall_is(RUN_UNTIL, 0);
	wall_is(RUN_BETWEEN, 0);
	/* Of one that was killed it is. */
	wall_is(0, 900);
}

/* Of a kernel on two devices; `shapes`: on the second. */
static void blocks_are(unsigned shapes, double blocks, uint64_t launches)
{
	const struct profile_row *row;
	struct session *session;

	profile_free(&profile);
	profile = (struct profile){0};
	unlink(path);
	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	for (int device = 0; device < 2; device++) {
		struct row *added = session_row(session, ROW_KERNEL, "_Z3addPKfi", device);

		added->calls = 10;
		for (unsigned i = 0; i < (device ? shapes : 1); i++)
			added->shapes[i] = (struct launch_shape){
				.threads = 32 + i, .launches = 2, .blocks = 10};
	}
	session_close(session);
	assert_int_equal(import_profile(&profile, path, NULL, message, sizeof(message)), 0);
	row = (const struct profile_row *)profile.rows[0];
	assert_non_null(row);
	assert_int_equal(row->launches, launches);
	assert_true(isnan(blocks) ? isnan(row->blocks) : row->blocks == blocks);
}

TEST(the_blocks_of_a_kernel_are_known_unless_it_has_too_many_shapes)
{
	blocks_are(0, 10, 2);
	blocks_are(2, 30, 6);
	blocks_are(ROW_SHAPES, NAN, 2 + 2 * ROW_SHAPES);
}

#define TEXT_RULE                                                                                  \
	" --------  ---------------  ---------  -----------  --------  ---------  -----------  "   \
	"-----------------\n"

TEST(each_form_of_a_table_is_read)
{
	/* The same two rows. */
	static const char *const forms[][2] = {
		{"nsys CSV",
		 "\xef\xbb\xbf" NSYS_KERNELS
		 "60.0,3000000,3,1000000.0,1000000.0,900000,1100000,100000.0,\"axpy(int, "
		 "float *)\"\n"
		 "40.0,2000000,2,1000000.0,1000000.0,900000,1100000,141421.4,scale\n"},
		{"nsys CSV",
		 "sep=;\r\nTime (%);Total Time (us);Instances;Avg (us);Med (us);Min (us);Max "
		 "(us);StdDev (us);Name\r\n"
		 "60,0;3.000,000;3;1.000,000;1000,0;900,0;1.100,000;100,0;axpy(int, float *)\r\n"
		 "40,0;2.000,000;2;1.000,000;1000,0;900,0;1.100,000;141,421;scale\r\n"},
		{"nsys CSV",
		 "Time (%)\tTotal Time (msec)\tInstances\tAverage (msec)\tMinimum (msec)\tMaximum "
		 "(msec)\tStdDev (msec)\tName\n"
		 "60.0\t3.0\t3\t1.0\t0.9\t1.1\t0.1\taxpy(int, float *)\n"
		 "40.0\t2.0\t2\t1.0\t0.9\t1.1\t0.1414214\tscale\n"},
		{"nsys CSV",
		 "| Time (%) | Total Time (ns) | Instances | Avg (ns) | Min (ns) | Max "
		 "(ns) | StdDev (ns) | Name |\n|---|---|---|---|---|---|---|---|\n"
		 "| 60.0 | 3000000 | 3 | 1e+06 | 900000 | 1100000 | 100000.0 | axpy(int, "
		 "float *) |\n"
		 "| 40.0 | 2000000 | 2 | 1e+06 | 900000 | 1100000 | 141421.4 | scale |\n"},
		{"nsys text",
		 " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
		 " Time (%)  Total Time (ns)  Instances   Avg (ns)    Min (ns)  Max (ns)   StdDev "
		 "(ns)        Name       \n" TEXT_RULE
		 "     60.0        3,000,000          3  1,000,000.0   900,000  1,100,000    "
		 "100,000.0  axpy(int, float *)\n"
		 "     40.0        2,000,000          2  1,000,000.0   900,000  1,100,000    "
		 "141,421.4  scale            \n"},
		/* As a page shows it that takes spaces for one; digits in groups of four. */
		{"nsys text",
		 "Time (%) Total Time (ns) Instances Avg (ns) Min (ns) Max (ns) StdDev (ns) Name\n"
		 "60.0 300,0000 3 100,0000.0 90,0000 110,0000 10,0000.0 axpy(int, float *)\n"
		 "40.0 200,0000 2 100,0000.0 90,0000 110,0000 14,1421.4 scale\n"},
		{"nsys JSON",
		 "[\n{\"Time (%)\":60.0,\"Total Time (ns)\":3000000,\"Instances\":3,\"Avg "
		 "(ns)\":1000000.0,\"Min (ns)\":900000,\"Max (ns)\":1100000,\"StdDev "
		 "(ns)\":100000.0,\"Name\":\"axpy(int, float *)\"},\n"
		 "{\"Time (%)\":\"40.0\",\"Total Time (ns)\":\"2,000,000\",\"Instances\":\"2\","
		 "\"Avg (ns)\":\"1,000,000.0\",\"Min (ns)\":\"900,000\",\"Max "
		 "(ns)\":\"1,100,000\",\"StdDev "
		 "(ns)\":\"141,421.4\",\"Name\":\"sc\\u0061le\"}\n]\n"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		assert_int_equal(read_text(forms[i][1]), 0);
		assert_string_equal(profile.source, forms[i][0]);
		assert_int_equal(profile.said_count, 0);
		entries_for_each (struct profile_row, profile.rows[0], row) {
			bool first = strcmp(row->name, "axpy(int, float *)") == 0;

			assert_true(first || strcmp(row->name, "scale") == 0);
			assert_int_equal(row->calls, first ? 3 : 2);
			assert_true(fabs(row->total - (first ? 3e6 : 2e6)) < 1e-3);
			assert_true(fabs(row->average - (1e6)) < 1e-3);
			assert_true(fabs(row->minimum - (9e5)) < 1e-3);
			assert_true(fabs(row->maximum - (1.1e6)) < 1e-3);
			assert_true(fabs(sqrt(row->variance) - (first ? 1e5 : 141421.4)) < 0.5);
		}
	}
}
