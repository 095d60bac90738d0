/* SPDX-License-Identifier: MIT */
/* A session is whole at every moment, in its file and in memory, and bad files are refused. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/session/session.h"
#include "tests/unit/one_folder.h"

static void fill(struct session *session)
{
	struct row *row;
	int i;

	row = session_row(session, ROW_KERNEL, "_Z6vecAddv", 0);
	assert_non_null(row);
	for (i = 1; i <= 3; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, (uint64_t)i * 100);
	}
	session_add_difference(session, row, 42);
	row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 1);
	assert_non_null(row);
	row->calls = 2;
	session_add_bytes(row, 4096);
	session_add_bytes(row, 64);
	session_note(session, "half is %.1f", 0.5);
	session_note(session, "half is %.1f", 0.5);
	session_count(session, COUNTER_operations, 5);
}

static void check(struct session *session)
{
	struct session_header *header = session_header(session);
	struct row *row = session_next_row(session, NULL);

	assert_non_null(row);
	assert_string_equal(session_string(session, row->name), "_Z6vecAddv");
	assert_int_equal(row->kind, ROW_KERNEL);
	assert_int_equal(row->calls, 3);
	assert_int_equal(row->cupti.count, 3);
	assert_int_equal(row->cupti.total, 600);
	assert_int_equal(row->cupti.minimum, 100);
	assert_int_equal(row->cupti.maximum, 300);
	assert_true(row->cupti.squares == 140000.0);
	assert_int_equal(histogram_count(session_histogram(session, row->cupti.histogram)), 3);
	assert_int_equal(
		histogram_percentile(session_histogram(session, row->difference_histogram), 1), 42);
	assert_int_equal(row->events.known, 0);
	row = session_next_row(session, row);
	assert_non_null(row);
	assert_int_equal(row->device, 1);
	assert_int_equal(row->bytes, 4160);
	assert_int_equal(row->bytes_minimum, 64);
	assert_int_equal(row->bytes_maximum, 4096);
	assert_null(session_next_row(session, row));
	assert_int_equal(header->note_count, 1);
	assert_string_equal(session_string(session, header->notes[0]), "half is 0.5");
	assert_int_equal(header->counters[COUNTER_operations], 5);
}

TEST(memory_holds_what_was_written)
{
	struct session *session;

	assert_int_equal(session_create(&session, NULL, false), 0);
	fill(session);
	check(session);
	session_close(session);
}

TEST(a_reader_sees_the_file_while_it_is_written)
{
	struct session *writer, *reader;

	assert_int_equal(session_create(&writer, path, false), 0);
	fill(writer);
	assert_int_equal(session_open(&reader, path), 0);
	check(reader);
	session_close(reader);
	session_close(writer);
	assert_int_equal(session_open(&reader, path), 0);
	check(reader);
	session_close(reader);
}

TEST(a_killed_writer_leaves_its_figures)
{
	struct session *session;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (session_create(&session, path, false))
			_exit(1);
		fill(session);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(session_open(&session, path), 0);
	check(session);
	session_close(session);
}

TEST(the_same_key_is_the_same_row)
{
	struct session *session;
	struct row *row;
	char name[32];
	int i, count = 0;

	assert_int_equal(session_create(&session, path, false), 0);
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "kernel%d", i % 1000);
		row = session_row(session, ROW_KERNEL, name, i % 2);
		assert_non_null(row);
		row->calls++;
		session_add_sample(session, &row->cupti, 1000);
	}
	session_for_each_row (session, row) {
		assert_int_equal(row->calls, 3);
		count++;
	}
	assert_int_equal(count, 1000);
	assert_ptr_not_equal(session_row(session, ROW_KERNEL, "kernel0", 0),
			     session_row(session, ROW_GRAPH, "kernel0", 0));
	session_close(session);
}

TEST(names_may_be_of_any_length)
{
	size_t length = 512 * 1024;
	char *name = malloc(length + 1);
	struct session *session;
	uint64_t offset;

	assert_non_null(name);
	memset(name, 'k', length);
	name[length] = '\0';
	assert_int_equal(session_create(&session, path, false), 0);
	assert_true(session_intern(session, "short") != 0);
	offset = session_intern(session, name);
	assert_true(offset != 0);
	assert_int_equal(session_intern(session, name), offset);
	assert_true(session_intern(session, "short2") != 0);
	session_close(session);
	assert_int_equal(session_open(&session, path), 0);
	assert_string_equal(session_string(session, offset), name);
	session_close(session);
	free(name);
}

TEST(growth_survives_descriptors_that_the_program_closes)
{
	struct trace_record record = {.kind = ROW_KERNEL};
	const struct trace_record *read;
	struct session *session;
	uint64_t i;
	int fd, other;

	assert_int_equal(session_create(&session, path, true), 0);
	for (fd = 3; fd < 64; fd++)
		close(fd);
	/* The program's own file takes the number over: it must not be written to. */
	other = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	assert_int_equal(other, 3);
	for (i = 0; i < 20000; i++) {
		record.start = i;
		assert_int_equal(session_trace(session, &record), 0);
	}
	assert_int_equal(lseek(other, 0, SEEK_END), 0);
	i = 0;
	session_for_each_trace (session, read)
		assert_int_equal(read->start, i++);
	assert_int_equal(i, 20000);
	session_close(session);
	assert_int_equal(close(other), 0);
	assert_int_equal(session_open(&session, path), 0);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 20000);
	session_for_each_trace (session, read)
		i--;
	assert_int_equal(i, 0);
	session_close(session);
}

TEST(a_replaced_file_is_not_written_to)
{
	struct session *session, *reader;
	struct row *row;
	char name[32];
	int i, fd, count = 0;

	assert_int_equal(session_create(&session, path, false), 0);
	assert_int_equal(unlink(path), 0);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "kernel%d", i);
		assert_non_null(session_row(session, ROW_KERNEL, name, 0));
	}
	session_for_each_row (session, row)
		count++;
	assert_int_equal(count, 1000);
	assert_int_equal(session_header(session)->note_count, 1);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	assert_int_equal(session_open(&reader, path), -EINVAL);
	session_close(session);
}

/* A file size limit stands for a full disk; both make posix_fallocate fail. */
TEST(a_full_disk_ends_the_trace_and_nothing_else)
{
	struct trace_record record = {.kind = ROW_KERNEL};
	struct rlimit before, limit;
	struct session *session;
	uint64_t kept = 0;
	char expected[96];
	int i;

	assert_int_equal(session_create(&session, path, true), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 3 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (i = 0; i < 30000; i++)
		if (session_trace(session, &record) == 0)
			kept++;
	fill(session);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(session_trace(session, &record), -ENOSPC);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], kept);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 30001 - kept);
	assert_true(kept > 0 && kept < 30000);
	snprintf(expected, sizeof(expected),
		 "The trace ended early (File too large): %llu records were kept.",
		 (unsigned long long)kept);
	assert_string_equal(session_string(session, session_header(session)->notes[0]), expected);
	session_close(session);
	assert_int_equal(session_open(&session, path), 0);
	session_close(session);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

TEST(no_descriptor_is_left_open_and_none_of_the_programs_is_closed)
{
	struct session *session;
	unsigned before = open_descriptors();

	assert_int_equal(session_create(&session, NULL, 0), 0);
	session_close(session);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(session_create(&session, path, 0), 0);
	assert_int_equal(open_descriptors(), before);
	session_close(session);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	assert_int_equal(open_descriptors(), before + 1);
	session_close(session);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(session_open(&session, path), 0);
	session_close(session);
	assert_int_equal(session_create(&session, folder, 0), -EISDIR);
	assert_int_equal(session_open(&session, folder), -EISDIR);
	assert_int_equal(open_descriptors(), before);
}

TEST(a_path_that_cannot_be_had_creates_nothing)
{
	struct session *session;
	char bad[128];

	snprintf(bad, sizeof(bad), "%s/none/session", folder);
	assert_int_equal(session_create(&session, bad, false), -ENOENT);
	assert_null(session);
	assert_int_equal(session_create(&session, folder, false), -EISDIR);
	assert_int_equal(session_create(&session, "/dev/null", false), -EINVAL);
}

TEST(damaged_files_are_refused)
{
	struct session *session;
	char *bytes, *copy;
	struct stat status;
	unsigned seed = 1;
	off_t length;
	int fd, i;

	assert_int_equal(session_create(&session, path, true), 0);
	fill(session);
	assert_int_equal(session_trace(session, &(struct trace_record){.kind = ROW_KERNEL}), 0);
	session_close(session);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	bytes = malloc((size_t)status.st_size);
	copy = malloc((size_t)status.st_size);
	assert_true(bytes && copy);
	assert_int_equal(pread(fd, bytes, (size_t)status.st_size, 0), status.st_size);

	for (length = 0; length < status.st_size; length += 4099) {
		assert_int_equal(pwrite(fd, bytes, (size_t)length, 0), length);
		assert_int_equal(ftruncate(fd, length), 0);
		assert_int_equal(session_open(&session, path), length ? -ENODATA : -EINVAL);
		assert_null(session);
	}
	for (i = 0; i < 300; i++) {
		struct row *row;
		const struct trace_record *record;
		int change;

		memcpy(copy, bytes, (size_t)status.st_size);
		for (change = 0; change < 200; change++)
			copy[(unsigned)rand_r(&seed) % (unsigned)status.st_size] =
				(char)rand_r(&seed);
		/* Keep the magic, so that what lies behind it is looked at. */
		memcpy(copy, bytes, i % 2 ? 40 : 8);
		assert_int_equal(pwrite(fd, copy, (size_t)status.st_size, 0), status.st_size);
		if (session_open(&session, path))
			continue;
		session_for_each_row (session, row) {
			session_string(session, row->name);
			session_histogram(session, row->cupti.histogram);
		}
		session_for_each_trace (session, record)
			session_string(session, record->name);
		session_close(session);
	}
	memcpy(copy, bytes, (size_t)status.st_size);
	((struct session_header *)copy)->version++;
	assert_int_equal(pwrite(fd, copy, (size_t)status.st_size, 0), status.st_size);
	assert_int_equal(session_open(&session, path), -EPROTO);
	free(bytes);
	free(copy);
	close(fd);
}

TEST(bad_offsets_give_nothing)
{
	struct session *session;

	assert_int_equal(session_create(&session, NULL, false), 0);
	assert_string_equal(session_string(session, 0), "");
	assert_string_equal(session_string(session, UINT64_MAX), "");
	assert_null(session_histogram(session, 0));
	assert_null(session_histogram(session, 8192));
	session_close(session);
}

/* Of all that stands in the header after the notes nothing is touched. */
TEST(notes_beyond_the_last_that_fits_are_left_out)
{
	struct session_header *header, before;
	struct session *session;
	char last[32];

	assert_int_equal(session_create(&session, NULL, false), 0);
	header = session_header(session);
	before = *header;
	for (int i = 1; i <= SESSION_NOTES + 2; i++)
		session_note(session, "note %d", i);
	assert_int_equal(header->note_count, SESSION_NOTES);
	snprintf(last, sizeof(last), "note %d", SESSION_NOTES);
	assert_string_equal(session_string(session, header->notes[SESSION_NOTES - 1]), last);
	before.note_count = header->note_count;
	assert_memory_equal(&header->note_count, &before.note_count,
			    sizeof(*header) - offsetof(struct session_header, note_count));
	session_close(session);
}

TEST(figures_add_up)
{
	struct session *session;
	struct row *row;

	assert_int_equal(session_create(&session, NULL, false), 0);
	row = session_row(session, ROW_KERNEL, "kernel", 3);
	session_add_sample(session, &row->cupti, 300);
	session_add_sample(session, &row->cupti, 200);
	session_add_sample(session, &row->cupti, 700);
	assert_int_equal(row->cupti.count, 3);
	assert_int_equal(row->cupti.total, 1200);
	assert_int_equal(row->cupti.minimum, 200);
	assert_int_equal(row->cupti.maximum, 700);
	assert_true(row->cupti.squares == 620000);
	assert_int_equal(row->events.count, 0);
	assert_int_equal(row->events.known, 0);
	session_add_bytes(row, 30);
	session_add_bytes(row, 20);
	session_add_bytes(row, 50);
	assert_int_equal(row->bytes, 100);
	assert_int_equal(row->bytes_minimum, 20);
	assert_int_equal(row->bytes_maximum, 50);
	assert_true(row->bytes_squares == 3800);
	session_add_weighted(session, &row->events, 5, 3);
	assert_int_equal(row->events.count, 1);
	assert_int_equal(session_histogram(session, row->events.histogram)->buckets[5], 3);
	session_close(session);
}
