/* SPDX-License-Identifier: MIT */
/* ktime on, off, window and snapshot, of a program that a thread of this test stands for. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "report/control/control.h"
#include "report/live/live.h"
#include "report/session/session.h"
#include "tests/unit/caught.h"
#include "tests/unit/one_folder.h"

static char output[64];
static struct session *session;
static struct control_page *page;
static struct row *row;
static struct options options;

/* The program, which notes what it is asked: a letter each, with the milliseconds of a window. */
static char asked[256];
static _Atomic int answer, trace_end;
/* What each thread did is seen by the other: ThreadSanitizer does not know that the two mappings of
 * the page are the same memory. */
static _Atomic unsigned turns;
static _Atomic bool ended;
static pthread_t program;

static void call(void)
{
	row->calls++;
	session_add_sample(session, &row->cupti, 1000);
	session_header(session)->counters[COUNTER_wall_ns] += 1000000;
}

static void carry_out(void)
{
	size_t length = strlen(asked);

	page->result = page->command == CONTROL_TRACE_END ? trace_end : answer;
	switch (page->command) {
	case CONTROL_ON:
		snprintf(asked + length, sizeof(asked) - length, "+%llu",
			 (unsigned long long)(page->duration / 1000000));
		page->open = 1;
		break;
	case CONTROL_OFF:
		snprintf(asked + length, sizeof(asked) - length, "-%llu",
			 (unsigned long long)page->duration);
		page->open = 0;
		break;
	case CONTROL_COLLECT:
		snprintf(asked + length, sizeof(asked) - length, "c");
		call();
		break;
	case CONTROL_TRACE_GPU:
	case CONTROL_TRACE_API:
	case CONTROL_TRACE_BOTH:
	case CONTROL_TRACE_END:
		snprintf(asked + length, sizeof(asked) - length, "%c%llu",
			 "gabe"[page->command - CONTROL_TRACE_GPU],
			 (unsigned long long)(page->duration / 1000000));
		break;
	}
}

static void *run_program(void *argument)
{
	(void)argument;
	while (!ended) {
		uint32_t number = __atomic_load_n(&page->request, __ATOMIC_ACQUIRE);

		if (number != page->answered) {
			turns++;
			carry_out();
			turns++;
			__atomic_store_n(&page->answered, number, __ATOMIC_RELEASE);
		}
		sched_yield();
	}
	return NULL;
}

BEFORE_EACH
{
	snprintf(output, sizeof(output), "%s/output", folder);
	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	session_header(session)->cupti_active = 1;
	row = session_row(session, ROW_KERNEL, "work", 0);
	page = (struct control_page *)((char *)session_header(session) +
				       session_header(session)->control);
	options_defaults(&options);
	options.profile = path;
	*asked = '\0';
	ended = false;
	answer = trace_end = 0;
	assert_int_equal(pthread_create(&program, NULL, run_program, NULL), 0);
}

AFTER_EACH
{
	ended = true;
	pthread_join(program, NULL);
	session_close(session);
	options_free(&options);
	unlink(output);
}

static void is(int (*command)(const struct options *, const char *const *, size_t),
	       const char *const *words, size_t count, int status, const char *expected)
{
	int ended_with;

	catch_begin(false);
	turns++;
	ended_with = command(&options, words, count);
	turns++;
	catch_end();
	assert_int_equal(ended_with, status);
	assert_string_equal(complaint, expected);
}

/* Says how much it has kept of which process, and how to print it. */
static void keeps(int (*command)(const struct options *, const char *const *, size_t),
		  const char *const *words, size_t count)
{
	char expected[256];

	catch_begin(false);
	turns++;
	assert_int_equal(command(&options, words, count), EXIT_SUCCESS);
	turns++;
	catch_end();
	snprintf(expected, sizeof(expected), " ms of process %d in %s: ktime show %s\n", getpid(),
		 options.export_profile, options.export_profile);
	assert_int_equal(
		strncmp(complaint,
			command == command_window ? "ktime window: kept " : "ktime snapshot: kept ",
			19),
		0);
	assert_non_null(strstr(complaint, expected));
}

/* The calls of the kernel in the file that was written, and that file's wall time in ms. */
static void has(uint64_t calls, uint64_t milliseconds)
{
	struct session *saved;

	assert_int_equal(session_open(&saved, output), 0);
	assert_int_equal(session_next_row(saved, NULL)->calls, calls);
	assert_int_equal(session_header(saved)->counters[COUNTER_wall_ns], milliseconds * 1000000);
	session_close(saved);
	unlink(output);
}

TEST(the_window_is_opened_and_closed)
{
	is(command_on, NULL, 0, EXIT_SUCCESS, "");
	assert_string_equal(asked, "+0");
	is(command_off, NULL, 0, EXIT_SUCCESS, "");
	assert_string_equal(asked, "+0-0");
	answer = -1;
	is(command_off, NULL, 0, EXIT_FAILURE,
	   "ktime off: the program refuses: Operation not permitted\n");
}

TEST(a_snapshot_is_of_all_or_since_another)
{
	char since[64];

	snprintf(since, sizeof(since), "%s/since", folder);
	options.export_profile = since;
	keeps(command_snapshot, NULL, 0);
	assert_string_equal(asked, "c");
	call();
	options.export_profile = output;
	keeps(command_snapshot, NULL, 0);
	has(3, 3);
	options.since = since;
	keeps(command_snapshot, NULL, 0);
	has(3, 3);
	assert_string_equal(asked, "ccc");
	unlink(since);
}

/* An odd number: the profile is being written to. */
TEST(a_profile_that_is_written_to_is_not_taken)
{
	options.export_profile = output;
	page->updating = 7;
	is(command_snapshot, NULL, 0, EXIT_FAILURE,
	   "ktime snapshot: the profile kept changing while it was read: try again\n");
	assert_int_equal(access(output, F_OK), -1);
	/* Asked each time, it rests. */
	assert_int_equal(strlen(asked), 100);
}

TEST(a_window_has_what_ran_in_it)
{
	static const char *const words[] = {"20ms"};

	call();
	options.export_profile = output;
	keeps(command_window, words, 1);
	assert_string_equal(asked, "c+20-0c");
	has(1, 1);
	/* One that is open stays so. */
	page->open = 1;
	*asked = '\0';
	keeps(command_window, words, 1);
	assert_string_equal(asked, "cc");
	assert_int_equal(page->open, 1);
	has(1, 1);
}

TEST(a_window_with_a_trace_asks_for_it)
{
	static const char *const words[] = {"10ms"};
	static const struct {
		unsigned trace;
		const char *asked;
	} traces[] = {{TRACE_GPU, "cg10+10-0ce0"},
		      {TRACE_API, "ca10+10-0ce0"},
		      {TRACE_GPU | TRACE_API, "cb10+10-0ce0"}};
	struct session *saved;

	session_header(session)->start_realtime = 500;
	options.export_profile = output;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		uint64_t before = session_header(session)->counters[COUNTER_wall_ns];

		*asked = '\0';
		options.window_trace = traces[i].trace;
		keeps(command_window, words, 1);
		assert_string_equal(asked, traces[i].asked);
		/* It begins with the window: the first reading's period was until then. */
		assert_int_equal(session_open(&saved, output), 0);
		assert_int_equal(session_header(saved)->trace_start, 500 + before + 1000000);
		session_close(saved);
		unlink(output);
	}
	/* One that the program has ended meanwhile may lack records. */
	trace_end = -ENODATA;
	is(command_window, words, 1, EXIT_FAILURE,
	   "ktime window: the program refuses: it keeps a trace for some seconds, and copying it "
	   "took longer\n");
	assert_int_equal(access(output, F_OK), -1);
}

TEST(a_window_is_as_long_as_it_is_said)
{
	static const struct {
		const char *text, *asked;
	} windows[] = {{"0.03", "c+30-0c"}, {"0.04s", "c+40-0c"}, {"1ms", "c+1-0c"}};

	options.export_profile = output;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		*asked = '\0';
		keeps(command_window, &windows[i].text, 1);
		assert_string_equal(asked, windows[i].asked);
		unlink(output);
	}
}

TEST(what_is_lacking_is_said)
{
	static const char *const bad[] = {"s", "0", "-1s", "2h", "1s2", "ms", "1 s"};
	static const char *const words[] = {"1", "2", "1s", "86401"};
	static const char usage[] =
		"ktime window needs a process, a duration (2s, 500ms) and -o FILE\n";

	is(command_window, words + 2, 1, 2, usage);
	is(command_snapshot, NULL, 0, 2, "ktime snapshot: -o FILE has to be given\n");
	options.export_profile = output;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is(command_window, &bad[i], 1, 2, usage);
	is(command_window, words + 3, 1, 2,
	   "ktime window: '86401' is out of range: 86400 s at most\n");
	is(command_window, NULL, 0, 2, usage);
	/* A process and --profile, or two processes. */
	is(command_on, words, 1, EXIT_BAD_USAGE,
	   "ktime on: one process, or --profile FILE, has to be given\n");
	is(command_window, words + 1, 2, EXIT_BAD_USAGE,
	   "ktime window: one process, or --profile FILE, has to be given\n");
	options.profile = NULL;
	is(command_on, NULL, 0, EXIT_BAD_USAGE,
	   "ktime on: one process, or --profile FILE, has to be given\n");
	is(command_off, words, 2, EXIT_BAD_USAGE,
	   "ktime off: one process, or --profile FILE, has to be given\n");
	assert_string_equal(asked, "");
}

TEST(another_programs_profile_is_refused)
{
	struct session *other;
	char since[64], expected[256];

	snprintf(since, sizeof(since), "%s/since", folder);
	assert_int_equal(session_create(&other, since, SESSION_KEPT), 0);
	session_header(other)->start_realtime = 5;
	session_close(other);
	options.export_profile = output;
	options.since = since;
	snprintf(expected, sizeof(expected),
		 "ktime snapshot: %s is no earlier profile of this process\n", since);
	is(command_snapshot, NULL, 0, EXIT_FAILURE, expected);
	unlink(since);
	snprintf(expected, sizeof(expected), "ktime snapshot: %s: No such file or directory\n",
		 since);
	is(command_snapshot, NULL, 0, EXIT_FAILURE, expected);
	assert_int_equal(access(output, F_OK), -1);
}
