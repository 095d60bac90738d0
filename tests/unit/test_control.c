/* SPDX-License-Identifier: MIT */
/* Commands through the page of a profile: what is asked, what is answered, and what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

#include "report/control/control.h"
#include "report/session/session.h"
#include "tests/unit/one_folder.h"

static char message[256];
static struct session *session;
static struct control_page *page;

/* What the program is asked last, and what it is to answer. */
static struct control_page asked;
static _Atomic int answer;
/* What each thread did is seen by the other: ThreadSanitizer does not know that the two mappings of
 * the page are the same memory. */
static _Atomic unsigned turns;
static _Atomic bool ended;
static pthread_t program;

static void *answer_all(void *argument)
{
	(void)argument;
	while (!ended) {
		uint32_t number = __atomic_load_n(&page->request, __ATOMIC_ACQUIRE);

		if (number != page->answered) {
			turns++;
			asked = *page;
			page->result = answer;
			turns++;
			__atomic_store_n(&page->answered, number, __ATOMIC_RELEASE);
		}
		sched_yield();
	}
	return NULL;
}

BEFORE_EACH
{
	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	page = (struct control_page *)((char *)session_header(session) +
				       session_header(session)->control);
	ended = false;
	answer = 0;
}

AFTER_EACH
{
	session_close(session);
}

static void start_program(void)
{
	assert_int_equal(pthread_create(&program, NULL, answer_all, NULL), 0);
}

/* Atomically, for the program may be writing it. */
static uint32_t answered(void)
{
	return __atomic_load_n(&page->answered, __ATOMIC_ACQUIRE);
}

static void end_program(void)
{
	ended = true;
	pthread_join(program, NULL);
}

static struct control *open_control(void)
{
	struct control *control;

	assert_int_equal(control_open(&control, "ktime test", path, message, sizeof(message)), 0);
	assert_non_null(control);
	return control;
}

static int ask(struct control *control, enum control_command command, uint64_t duration)
{
	int error;

	turns++;
	error = control_ask(control, command, duration, message, sizeof(message));
	turns++;
	return error;
}

TEST(a_command_is_carried_out_once)
{
	struct control *control = open_control();

	start_program();
	assert_int_equal(ask(control, CONTROL_ON, 12345), 0);
	assert_int_equal(asked.command, CONTROL_ON);
	assert_int_equal(asked.duration, 12345);
	assert_int_equal(answered(), 1);
	assert_int_equal(ask(control, CONTROL_OFF, 0), 0);
	assert_int_equal(asked.command, CONTROL_OFF);
	assert_int_equal(asked.duration, 0);
	assert_int_equal(answered(), 2);
	end_program();
	control_close(control);
}

/* Number 0 is no request, and that of one who was killed is taken already. */
TEST(numbers_that_are_taken_are_left_out)
{
	struct control *control = open_control();

	page->request = page->answered = UINT32_MAX;
	start_program();
	assert_int_equal(ask(control, CONTROL_ON, 0), 0);
	assert_int_not_equal(answered(), 0xffffffff);
	end_program();
	page->answered = 4;
	page->request = 5;
	ended = false;
	asked.command = CONTROL_NONE;
	/* The earlier request is answered first, and this one is not taken for it. */
	start_program();
	assert_int_equal(ask(control, CONTROL_COLLECT, 0), 0);
	assert_int_equal(asked.command, CONTROL_COLLECT);
	assert_int_equal(answered(), 6);
	end_program();
	control_close(control);
}

TEST(a_refusal_says_why)
{
	struct control *control = open_control();

	start_program();
	answer = -EALREADY;
	assert_int_equal(ask(control, CONTROL_ON, 0), -EALREADY);
	assert_string_equal(message, "the program refuses: its collecting has ended (--timeout)");
	answer = -ENOMEM;
	assert_int_equal(ask(control, CONTROL_ON, 0), -ENOMEM);
	assert_string_equal(message, "the program refuses: Cannot allocate memory");
	answer = -EEXIST;
	assert_int_equal(ask(control, CONTROL_ON, 0), -EEXIST);
	assert_string_equal(message, "the program refuses: it keeps a trace of the whole run "
				     "itself (--keep-trace)");
	answer = -EOPNOTSUPP;
	assert_int_equal(ask(control, CONTROL_ON, 0), -EOPNOTSUPP);
	assert_string_equal(message, "the program refuses: a trace needs CUPTI, which does not "
				     "record in it");
	/* The program may answer anything. */
	answer = 1;
	assert_int_equal(ask(control, CONTROL_ON, 0), 1);
	assert_string_equal(message, "the program refuses: Invalid argument");
	end_program();
	control_close(control);
}

TEST(the_page_tells_what_the_program_does)
{
	struct control *control = open_control();

	assert_false(control_is_open(control));
	page->open = 1;
	assert_true(control_is_open(control));
	page->updating = 7;
	assert_int_equal(control_updates(control), 7);
	control_close(control);
	control_close(NULL);
}

TEST(one_process_at_a_time_has_it)
{
	struct control *control = open_control();
	int other = open(path, O_RDWR | O_CLOEXEC);

	assert_true(other >= 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	control_close(control);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
}

TEST(who_has_it_is_named_and_not_waited_for_without_end)
{
	struct control *control = open_control(), *other;
	char expected[256];

	assert_int_equal(control_open(&other, "ktime test", path, message, sizeof(message)),
			 -EWOULDBLOCK);
	assert_null(other);
	snprintf(expected, sizeof(expected), "process %d (", (int)getpid());
	assert_memory_equal(message, expected, strlen(expected));
	assert_non_null(strstr(message, "wait for its end, or end it"));
	control_close(control);
}

static void handle_fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	if (!session_fault(information->si_addr))
		signal(number, SIG_DFL);
}

TEST(a_page_that_is_cut_is_told)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	struct control *control = open_control();

	action.sa_sigaction = handle_fault;
	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(ask(control, CONTROL_ON, 0), -ESTALE);
	assert_string_equal(message, "another process cut the program's profile: it cannot be "
				     "steered any more");
	control_close(control);
}

static void is_refused(int error, const char *reason)
{
	struct control *control;
	char expected[256];

	snprintf(expected, sizeof(expected), "%s: %s", path, reason);
	assert_int_equal(control_open(&control, "ktime test", path, message, sizeof(message)),
			 error);
	assert_null(control);
	assert_string_equal(message, expected);
}

TEST(what_is_no_running_profile_is_refused)
{
	struct session_header *header = session_header(session);
	const struct session_header whole = *header;

	header->finished = 1;
	is_refused(-ESRCH, "the program has ended");
	header->version++;
	is_refused(-EPROTO, "a profile of another version of ktime");
	header->magic++;
	is_refused(-EINVAL, "not a ktime profile");
	*header = whole;
	header->control++;
	is_refused(-EINVAL, "not a ktime profile");
	header->control = 0;
	is_refused(-EINVAL, "not a ktime profile");
	header->control = whole.header_size;
	is_refused(-EINVAL, "not a ktime profile");
	header->control = whole.header_size - CONTROL_BYTES;
	control_close(open_control());
	header->header_size += 1 << 30;
	is_refused(-EINVAL, "not a ktime profile");
	*header = whole;
	control_close(open_control());
	assert_int_equal(truncate(path, 100), 0);
	is_refused(-EINVAL, "not a ktime profile");
	unlink(path);
	is_refused(-ENOENT, "No such file or directory");
}
