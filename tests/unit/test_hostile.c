/* SPDX-License-Identifier: MIT */
/* What another process does to a profile's file harms neither the writer nor a reader. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/session/session.h"
#include "tests/unit/one_folder.h"

/* What the library's and the command's handlers do. */
static void handle_fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	if (session_fault(information->si_addr))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

/* In each test: cmocka sets handlers of its own before. */
static void survive_faults(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	action.sa_sigaction = handle_fault;
	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
}

static void write_all(struct session *session, unsigned from)
{
	struct trace_record record = {.kind = ROW_KERNEL};
	char name[32];

	for (unsigned i = from; i < from + 100; i++) {
		struct row *row;

		snprintf(name, sizeof(name), "kernel%u", i);
		row = session_row(session, ROW_KERNEL, name, 0);
		assert_non_null(row);
		row->calls++;
		session_add_sample(session, &row->cupti, i);
		session_add_difference(session, row, i);
		session_note(session, "note %u", i);
	}
	for (unsigned i = 0; i < 10000; i++)
		session_trace(session, &record);
}

static unsigned read_all(const struct session *session)
{
	const struct trace_record *record;
	unsigned count = 0;
	struct row *row;

	session_for_each_row (session, row) {
		assert_true(*session_string(session, row->name));
		session_histogram(session, row->cupti.histogram);
		count++;
	}
	session_for_each_trace (session, record)
		session_string(session, record->name);
	return count;
}

static unsigned mode_of(const char *file)
{
	struct stat status;

	assert_int_equal(stat(file, &status), 0);
	return status.st_mode & 07777;
}

TEST(the_file_is_the_users_own_whatever_the_umask)
{
	static const mode_t masks[] = {0, 022, 0777};
	struct session *session;

	for (unsigned i = 0; i < 3; i++) {
		mode_t before = umask(masks[i]);
		int error = session_create(&session, path, SESSION_TRACE);

		umask(before);
		assert_int_equal(error, 0);
		assert_int_equal(mode_of(path), 0600);
		session_close(session);
		unlink(path);
	}
}

TEST(what_has_the_name_already_stays)
{
	struct session *session;
	char target[128];

	snprintf(target, sizeof(target), "%s/target", folder);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(session_create(&session, path, 0), -EEXIST);
	assert_null(session);
	assert_int_equal(access(target, F_OK), -1);
	/* No temporary file either: the folder can be removed. */
}

TEST(a_writer_survives_what_another_wrote)
{
	static const unsigned char patterns[] = {0x00, 0xff, 0x7f, 0x01, 0x40};
	struct session *session;
	struct stat status;
	char *garbage;
	int fd;

	for (unsigned i = 0; i < sizeof(patterns); i++) {
		assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
		write_all(session, 0);
		fd = open(path, O_WRONLY);
		assert_true(fd >= 0 && fstat(fd, &status) == 0);
		garbage = malloc((size_t)status.st_size);
		assert_non_null(garbage);
		memset(garbage, patterns[i], (size_t)status.st_size);
		assert_int_equal(pwrite(fd, garbage, (size_t)status.st_size, 0), status.st_size);
		free(garbage);
		close(fd);
		write_all(session, 0);
		write_all(session, 100);
		session_check(session);
		assert_true(session_header(session)->magic == SESSION_MAGIC);
		assert_int_equal(session_header(session)->pid, getpid());
		session_subtract_overheads(session);
		/* Those whose rows came after. */
		assert_true(read_all(session) >= 100);
		session_close(session);
		unlink(path);
	}
}

TEST(a_writer_survives_a_cut)
{
	static const off_t lengths[] = {0, 4096, 65536, 131072 + 4096};
	struct session_header *header;
	struct session *session;
	char expected[256];
	bool told;

	survive_faults();
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
		write_all(session, 0);
		session_header(session)->driver_version = 13000;
		assert_int_equal(truncate(path, lengths[i]), 0);
		write_all(session, 0);
		write_all(session, 100);
		session_header(session)->note_count = 0;
		session_check(session);
		header = session_header(session);
		/* Behind the header, which is then kept. */
		if (lengths[i] >= (off_t)header->header_size)
			assert_int_equal(header->driver_version, 13000);
		snprintf(expected, sizeof(expected),
			 "Another process cut or overwrote the profile %s: what it held until "
			 "then is missing.",
			 path);
		told = false;
		for (unsigned note = 0; note < header->note_count; note++)
			told = told ||
			       strcmp(session_string(session, header->notes[note]), expected) == 0;
		assert_true(told);
		assert_true(read_all(session) >= 100);
		session_close(session);
		unlink(path);
	}
}

TEST(a_fault_elsewhere_is_not_taken)
{
	struct session *session;
	const void *start;
	size_t size;
	int other;

	assert_int_equal(session_create(&session, path, 0), 0);
	session_range(session, &start, &size);
	assert_false(session_fault(&other));
	session_check(session);
	assert_int_equal(session_header(session)->note_count, 0);
	session_close(session);
	assert_false(session_fault(start));
}

TEST(a_reader_survives_a_cut)
{
	struct session *writer, *reader;

	survive_faults();
	assert_int_equal(session_create(&writer, path, SESSION_TRACE), 0);
	write_all(writer, 0);
	assert_int_equal(session_open(&reader, path), 0);
	assert_int_equal(truncate(path, 0), 0);
	/* The rows were copied when the file was opened; the trace was not. */
	assert_int_equal(read_all(reader), 100);
	session_close(reader);
	session_close(writer);
}

/* Cuts a file and writes over all of it. */
static void write_over(unsigned char pattern)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned char part[4096];
	struct stat status;

	memset(part, pattern, sizeof(part));
	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	for (off_t at = 0; at < status.st_size; at += (off_t)sizeof(part))
		assert_int_equal(pwrite(fd, part, sizeof(part), at), sizeof(part));
	close(fd);
}

/* What was checked is used later. */
TEST(what_a_reader_has_read_once_stays)
{
	struct session *writer, *reader;
	const struct trace_record *record;
	struct histogram *histogram, counted;
	struct trace_record seen;
	struct trace_part part = {.records = NULL};
	struct row *row;

	assert_int_equal(session_create(&writer, path, SESSION_TRACE), 0);
	write_all(writer, 0);
	session_header(writer)->finished = 1;
	session_close(writer);
	assert_int_equal(session_open(&reader, path), 0);
	row = session_next_row(reader, NULL);
	assert_non_null(row);
	histogram = session_histogram(reader, row->cupti.histogram);
	record = session_next_trace(reader, NULL);
	assert_true(histogram && record && session_next_trace_part(reader, &part));
	counted = *histogram;
	seen = *record;
	write_over(0x5a);
	assert_memory_equal(histogram, &counted, sizeof(counted));
	assert_memory_equal(record, &seen, sizeof(seen));
	/* What was given back is read again, and is then what the file holds. */
	session_release_trace_part(reader, &part);
	session_hold_trace_part(reader, &part);
	assert_int_equal(((const unsigned char *)record)[0], 0x5a);
	read_all(reader);
	session_close(reader);
}

TEST(a_reader_keeps_what_it_opened)
{
	struct session *writer, *reader;
	struct row *row;

	assert_int_equal(session_create(&writer, path, 0), 0);
	write_all(writer, 0);
	assert_int_equal(session_open(&reader, path), 0);
	session_for_each_row (writer, row) {
		row->name = UINT64_MAX;
		row->kind = UINT32_MAX;
	}
	assert_int_equal(read_all(reader), 100);
	session_close(reader);
	session_close(writer);
}

TEST(a_pipe_is_refused_and_not_waited_for)
{
	struct session *session;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(session_open(&session, path), -EINVAL);
}

TEST(only_so_many_notes_are_kept)
{
	struct session_header *header;
	struct session *session;
	uint32_t trace_on;

	assert_int_equal(session_create(&session, NULL, SESSION_TRACE), 0);
	header = session_header(session);
	trace_on = header->trace_on;
	for (unsigned i = 0; i <= SESSION_NOTES; i++)
		session_note(session, "note %u", i);
	assert_int_equal(header->note_count, SESSION_NOTES);
	assert_int_equal(header->trace_on, trace_on);
	assert_string_equal(session_string(session, header->notes[SESSION_NOTES - 1]), "note 63");
	session_close(session);
}

TEST(few_addresses_are_left_to_the_program)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* their shadow memory is larger than the limit */
#else
	struct rlimit limit = {.rlim_cur = 1UL << 30, .rlim_max = RLIM_INFINITY};
	struct session *session;
	const void *start;
	size_t size = 0;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (setrlimit(RLIMIT_AS, &limit) || session_create(&session, NULL, 0))
			_exit(1);
		session_range(session, &start, &size);
		/* What is used of the range, not what is reserved. */
		if (size != SESSION_SEGMENT_ALIGN)
			_exit(2);
		for (unsigned i = 0; i < 100000; i++) {
			char name[32];

			snprintf(name, sizeof(name), "kernel%u", i);
			session_row(session, ROW_KERNEL, name, 0);
		}
		session_range(session, &start, &size);
		_exit(size > (8UL << 20) - 2 * SESSION_SEGMENT_ALIGN && size <= 8UL << 20 ? 0 : 3);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
#endif
}
