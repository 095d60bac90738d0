/* SPDX-License-Identifier: MIT */
/* The report finds its way to the log file, and what goes wrong there is told in one line. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/options/log_file.h"
#include "tests/unit/one_folder.h"

static const struct name_codes codes = {7, -1, -1};
static char message[256];

static void open_log(struct log_file *log, bool append, const char *text)
{
	FILE *file;

	assert_int_equal(log_file_open(log, append, &file, message, sizeof(message)), 0);
	fputs(text, file);
	assert_int_equal(log_file_close(file), 0);
}

static void holds(const char *path, const char *expected)
{
	char content[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof(content) - 1) >= 0);
	close(fd);
	assert_string_equal(content, expected);
}

BEFORE_EACH
{
	assert_int_equal(chdir(folder), 0);
}

AFTER_EACH
{
	assert_int_equal(chdir("/"), 0);
}

TEST(a_file_is_emptied_first_and_then_appended_to)
{
	struct log_file log;
	int fd = open("log.7", O_CREAT | O_WRONLY, 0600);

	assert_int_equal(write(fd, "what was there", 14), 14);
	close(fd);
	assert_int_equal(log_file_resolve(&log, "log.%p", &codes, message, sizeof(message)), 0);
	open_log(&log, false, "start ");
	open_log(&log, true, "end");
	holds("log.7", "start end");
	log_file_free(&log);
	unlink("log.7");
}

TEST(only_a_report_of_this_process_number_is_continued)
{
	struct log_file log;
	char text[32];

	assert_int_equal(log_file_resolve(&log, "log", &codes, message, sizeof(message)), 0);
	assert_false(log_file_is_continued(&log, getpid()));
	snprintf(text, sizeof(text), "==%d== ktime\n", (int)getpid());
	open_log(&log, false, text);
	assert_true(log_file_is_continued(&log, getpid()));
	assert_false(log_file_is_continued(&log, getpid() + 1));
	open_log(&log, false, "what is no report");
	assert_false(log_file_is_continued(&log, getpid()));
	unlink("log");
	log_file_free(&log);
}

TEST(a_relative_name_outlives_a_change_of_directory)
{
	struct log_file log;

	assert_int_equal(log_file_resolve(&log, "log", &codes, message, sizeof(message)), 0);
	open_log(&log, false, "one");
	assert_int_equal(chdir("/"), 0);
	open_log(&log, true, " two");
	assert_int_equal(chdir(folder), 0);
	holds("log", "one two");
	log_file_free(&log);
	unlink("log");
}

TEST(standard_streams_have_names)
{
	struct log_file log;

	assert_int_equal(log_file_resolve(&log, NULL, &codes, message, sizeof(message)), 0);
	assert_int_equal(log.descriptor, 2);
	assert_int_equal(log_file_resolve(&log, "%1", &codes, message, sizeof(message)), 0);
	assert_int_equal(log.descriptor, 1);
	assert_int_equal(log_file_resolve(&log, "%2", &codes, message, sizeof(message)), 0);
	assert_int_equal(log.descriptor, 2);
	assert_null(log.path);
}

TEST(what_cannot_be_had_is_told)
{
	struct log_file log;
	FILE *file;

	assert_int_equal(log_file_resolve(&log, "/tmp", &codes, message, sizeof(message)), 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), -EISDIR);
	assert_null(file);
	assert_string_equal(message, "the log file /tmp cannot be written: Is a directory");
	log_file_free(&log);
	assert_int_equal(log_file_resolve(&log, "%z", &codes, message, sizeof(message)), -EINVAL);
	assert_int_equal(log.descriptor, 2);
	assert_null(log.path);
}

TEST(a_full_disk_is_told_at_the_end)
{
	struct log_file log;
	FILE *file;

	assert_int_equal(log_file_resolve(&log, "/dev/full", &codes, message, sizeof(message)), 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), 0);
	fputs("lost", file);
	assert_int_equal(log_file_close(file), -ENOSPC);
	log_file_free(&log);
}

TEST(a_pipe_is_not_waited_for)
{
	struct log_file log;
	FILE *file;
	int reader;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(log_file_resolve(&log, "pipe", &codes, message, sizeof(message)), 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), -ENXIO);
	assert_null(file);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), 0);
	fputs("lost", file);
	/* SIGPIPE would end the test. */
	close(reader);
	assert_int_equal(log_file_close(file), -EPIPE);
	log_file_free(&log);
	unlink("pipe");
}

/* Without SIGXFSZ. */
TEST(a_file_that_is_too_large_is_told)
{
	struct rlimit before, limit;
	struct log_file log;
	FILE *file;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 1;
	assert_int_equal(log_file_resolve(&log, "log", &codes, message, sizeof(message)), 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), 0);
	fputs("text", file);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(log_file_close(file), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	log_file_free(&log);
	unlink("log");
}

TEST(a_signal_that_waited_before_stays)
{
	sigset_t signals, pending, before;
	struct log_file log;
	int number;
	FILE *file;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	raise(SIGPIPE);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	number = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_int_equal(log_file_resolve(&log, "pipe", &codes, message, sizeof(message)), 0);
	assert_int_equal(log_file_open(&log, false, &file, message, sizeof(message)), 0);
	fputs("lost", file);
	close(number);
	assert_int_equal(log_file_close(file), -EPIPE);
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGPIPE));
	assert_int_equal(sigwait(&signals, &number), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	log_file_free(&log);
	unlink("pipe");
}

TEST(a_file_of_the_programs_is_no_standard_stream)
{
	struct log_file log;
	int kept[2], closed, data, both;

	assert_int_equal(log_file_resolve(&log, NULL, &codes, message, sizeof(message)), 0);
	kept[0] = dup(1);
	kept[1] = dup(2);
	closed = close(2);
	data = open("data", O_CREAT | O_WRONLY, 0600);
	closed += log_file_is_stream(2);
	dup2(2, 1);
	both = log_file_is_stream(2);
	dup2(kept[0], 1);
	dup2(kept[1], 2);
	close(kept[0]);
	close(kept[1]);
	/* Only now is there something to say it on. */
	assert_int_equal(data, 2);
	assert_int_equal(closed, 0);
	/* The program put both of its outputs there. */
	assert_int_equal(both, 1);
	assert_true(log_file_is_stream(2));
	unlink("data");
}
