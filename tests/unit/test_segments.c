/* SPDX-License-Identifier: MIT */
/* How a profile grows: many segments are found again, a trace keeps what it was given room for, and
 * those of several processes lie apart. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/session_internal.h"
#include "tests/unit/one_folder.h"

#define KIB 1024ull

static struct session *session;

BEFORE_EACH
{
	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
}

AFTER_EACH
{
	session_close(session);
}

static void name_of(char *name, size_t size, unsigned number)
{
	memset(name, 'a' + (int)(number % 26), size - 1);
	name[size - 1] = '\0';
	snprintf(name, 8, "%07u", number);
	name[7] = '_';
}

TEST(names_in_many_segments_are_found_again)
{
	static char name[40000];
	uint64_t offsets[300];
	struct session *read;

	for (unsigned i = 0; i < 300; i++) {
		name_of(name, sizeof(name), i);
		offsets[i] = session_intern(session, name);
		assert_true(offsets[i] > 0);
		/* A segment of its own, which is whole. */
		assert_true(i == 0 || offsets[i] / SESSION_SEGMENT_ALIGN >
					      offsets[i - 1] / SESSION_SEGMENT_ALIGN);
	}
	assert_int_equal(session_open(&read, path), 0);
	for (unsigned i = 0; i < 300; i++) {
		name_of(name, sizeof(name), i);
		assert_string_equal(session_string(session, offsets[i]), name);
		assert_string_equal(session_string(read, offsets[i]), name);
		assert_int_equal(session_intern(session, name), offsets[i]);
		/* The end of a text is a text too, what lies before a segment's is none. */
		assert_string_equal(session_string(read, offsets[i] + sizeof(name) - 2),
				    name + sizeof(name) - 2);
	}
	assert_string_equal(session_string(read, session_header(read)->file_size), "");
	assert_string_equal(session_string(read, 1), "");
	session_close(read);
}

static uint64_t records_of(uint64_t segment)
{
	return (segment - sizeof(struct segment)) / sizeof(struct trace_record);
}

static void trace(uint64_t count)
{
	struct trace_record record = {.kind = ROW_KERNEL, .name = session_intern(session, "k")};

	for (uint64_t i = 0; i < count; i++) {
		record.start = session_header(session)->counters[COUNTER_trace_records] +
			       session_header(session)->counters[COUNTER_trace_lost];
		assert_int_equal(session_trace(session, &record), 0);
	}
}

/* The last `kept` records are there, for a reader too. */
static void has_last(uint64_t kept, uint64_t lost)
{
	const uint64_t *counters = session_header(session)->counters;
	const struct trace_record *record;
	uint64_t seen = 0, least = UINT64_MAX, most = 0;
	struct session *read;

	assert_int_equal(counters[COUNTER_trace_records], kept);
	assert_int_equal(counters[COUNTER_trace_lost], lost);
	assert_int_equal(session_open(&read, path), 0);
	session_for_each_trace (read, record) {
		seen++;
		least = record->start < least ? record->start : least;
		most = record->start > most ? record->start : most;
	}
	assert_int_equal(seen, kept);
	assert_int_equal(least, lost);
	assert_int_equal(most, kept + lost - 1);
	session_close(read);
}

TEST(a_limit_is_kept_in_parts_of_a_quarter)
{
	static const struct {
		uint64_t bytes, segment, segments;
	} limits[] = {{1, 64 * KIB, 2},
		      {128 * KIB, 64 * KIB, 2},
		      {192 * KIB, 64 * KIB, 3},
		      {511 * KIB, 64 * KIB, 7},
		      {512 * KIB, 128 * KIB, 4},
		      {700 * KIB, 128 * KIB, 5},
		      {4096 * KIB, 1024 * KIB, 4},
		      {8192 * KIB, 1024 * KIB, 8}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t each = records_of(limits[i].segment);

		session_close(session);
		unlink(path);
		assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
		session_limit_trace(session, limits[i].bytes, UINT64_MAX);
		trace(each * limits[i].segments);
		has_last(each * limits[i].segments, 0);
		/* One more, and the oldest part is gone. */
		trace(1);
		has_last(each * (limits[i].segments - 1) + 1, each);
		trace(each * 2);
		has_last(each * (limits[i].segments - 1) + 1, each * 3);
	}
}

TEST(a_process_gets_as_much_of_a_trace_as_it_needs)
{
	struct job_process *processes[4];
	const struct trace_record *record;
	const uint64_t counts[] = {1, records_of(64 * KIB), records_of(64 * KIB) + 1,
				   records_of(1024 * KIB) + 5};
	const uint64_t sizes[] = {64, 64, 128, 2048};
	uint64_t seen[4] = {0};

	for (int i = 0; i < 4; i++)
		processes[i] = session_add_item(session, SEGMENT_PROCESSES,
						&(struct job_process){.pid = i});
	for (int i = 0; i < 4; i++) {
		uint64_t before = session_header(session)->file_size;

		session_trace_of(session, session_offset(session, processes[i]), counts[i]);
		trace(counts[i]);
		assert_int_equal(session_header(session)->file_size - before, sizes[i] * KIB);
	}
	session_for_each_trace (session, record) {
		const struct job_process *process = session_trace_process(session, record);

		assert_non_null(process);
		assert_in_range(process->pid, 0, 3);
		seen[process->pid]++;
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(seen[i], counts[i]);
}

TEST(processes_and_their_rows_are_read_in_their_order)
{
	const struct job_process *process = NULL;
	const struct job_row *row = NULL;
	const struct job_part *part = NULL;
	struct session *read;
	uint64_t offset = 0;

	for (int i = 0; i < 2000; i++) {
		struct job_process *added = session_add_item(session, SEGMENT_PROCESSES,
							     &(struct job_process){.pid = 100 + i});

		offset = i == 77 ? session_offset(session, added) : offset;
		assert_non_null(
			session_add_item(session, SEGMENT_JOB_ROWS,
					 &(struct job_row){.minimum = (uint64_t)i, .maximum = 7}));
		assert_non_null(session_add_item(session, SEGMENT_JOB_PARTS,
						 &(struct job_part){.calls = (uint64_t)i}));
	}
	assert_int_equal(session_open(&read, path), 0);
	for (int i = 0; i < 2000; i++) {
		process = session_next_item(read, SEGMENT_PROCESSES, process);
		assert_int_equal(process->pid, 100 + i);
	}
	assert_null(session_next_item(read, SEGMENT_PROCESSES, process));
	assert_int_equal(session_process_at(read, offset)->pid, 177);
	assert_null(session_process_at(read, offset + 8));
	assert_null(session_process_at(read, 0));
	assert_null(session_process_at(read, 1ull << 40));
	session_for_each_job_part (read, part)
		assert_true(part->calls < 2000);
	session_for_each_job_row (read, row)
		assert_true(row->minimum < 2000 && row->maximum == 7);
	session_close(read);
}

TEST(the_first_of_the_longest_gaps_is_named)
{
	struct idle_row *row = session_idle_row(
		session,
		&(struct idle_row){.cause = IDLE_CALL, .name = session_intern(session, "call")});

	session_add_idle(row, 50, 1, 2);
	session_add_idle(row, 50, 3, 4);
	session_add_idle(row, 20, 5, 6);
	assert_int_equal(row->gaps, 3);
	assert_int_equal(row->total, 120);
	assert_int_equal(row->longest, 50);
	assert_int_equal(row->longest_before, 1);
	assert_int_equal(row->longest_after, 2);
	session_add_idle(row, 51, 7, 8);
	assert_int_equal(row->longest, 51);
	assert_int_equal(row->longest_before, 7);
	assert_int_equal(row->longest_after, 8);
}

/* All records but the first of each kind of the session, which hold nothing more. */
static void check_taken_off(const struct session *read, uint64_t copies)
{
	const struct trace_record *record;
	uint64_t count = 0;

	session_for_each_trace (read, record) {
		uint64_t i = count++;

		assert_int_equal(record->start, 100 + i);
		assert_int_equal(record->end, i == 0	   ? 10000
					      : i > copies ? 10000 + i - 1000
							   : 10000 + i - 300);
		assert_int_equal(record->overhead, 0);
	}
	assert_int_equal(count, copies + 5);
}

/* Filled parts are mapped to be read alone, by whoever writes the profile as by its readers. */
TEST(overheads_are_taken_off_the_records_of_all_parts)
{
	const uint64_t copies = records_of(TRACE_SEGMENT) * 2 + 7;
	struct trace_part part = {.records = NULL};
	struct session *read;

	for (uint64_t i = 0; i < copies + 5; i++) {
		const struct trace_record record = {
			.name = 1,
			.start = 100 + i,
			.end = 10000 + i,
			.overhead = i == 0 ? 0
					   : (uint8_t)(1 + (i > copies ? OVERHEAD_KERNEL
								       : OVERHEAD_COPY)),
		};

		assert_int_equal(session_trace(session, &record), 0);
	}
	session_header(session)->overheads[OVERHEAD_KERNEL].ns = 1000;
	session_header(session)->overheads[OVERHEAD_COPY].ns = 300;
	/* Killed: who reads it takes them off, and forgets it with no part that is read again. */
	assert_int_equal(session_open(&read, path), 0);
	check_taken_off(read, copies);
	while (session_next_trace_part(read, &part))
		session_release_trace_part(read, &part);
	check_taken_off(read, copies);
	session_close(read);
	session_subtract_overheads(session);
	check_taken_off(session, copies);
	session_header(session)->finished = 1;
	assert_int_equal(session_open(&read, path), 0);
	check_taken_off(read, copies);
	session_close(read);
}

/* Histograms of a finished profile stay in its file until they are looked at. Names between them
 * part them into runs of 1 and more segments. */
TEST(histograms_of_a_file_are_each_ones_own)
{
	static char name[60000];
	struct row *rows[100];
	struct session *read;
	struct row *row;

	for (uint64_t i = 0; i < 100; i++) {
		name_of(name, i % 13 ? 20 : sizeof(name), (unsigned)i);
		rows[i] = session_row(session, ROW_KERNEL, name, (int)i);
		session_add_sample(session, &rows[i]->cupti, i);
		session_add_weighted(session, &rows[i]->events, 1000 + i, (uint32_t)i + 5);
	}
	for (uint32_t finished = 0; finished < 2; finished++) {
		uint64_t i = 0;

		session_header(session)->finished = finished;
		assert_int_equal(session_open(&read, path), 0);
		session_for_each_row (read, row) {
			struct histogram *cupti = session_histogram(read, row->cupti.histogram);
			struct histogram *events = session_histogram(read, row->events.histogram);

			assert_int_equal(histogram_count(cupti), 1);
			assert_int_equal(cupti->buckets[histogram_bucket(i)], 1);
			assert_int_equal(histogram_count(events), i + 5);
			assert_int_equal(events->buckets[histogram_bucket(1000 + i)], i + 5);
			/* A reader's change is its own. */
			cupti->buckets[0] += 7;
			i++;
		}
		assert_int_equal(i, 100);
		session_close(read);
	}
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(
			histogram_count(session_histogram(session, rows[i]->cupti.histogram)), 1);
}

static int loaded(void)
{
	char message[256] = "";
	struct session *read;
	int error = session_load(&read, path, message, sizeof(message));

	assert_int_equal(error == -EBADMSG,
			 strstr(message, ": a ktime profile that is damaged") != NULL);
	session_close(read);
	return error;
}

/* One thing at a time that no writer leaves so. */
TEST(a_finished_profile_that_was_written_over_is_refused)
{
	struct row *row, before;

	session_row(session, ROW_RUNTIME_API, "call", -1);
	row = session_row(session, ROW_KERNEL, "kernel", SESSION_DEVICES - 1);
	session_header(session)->finished = 1;
	assert_int_equal(loaded(), 0);
	before = *row;
#define DAMAGE(change)                                                                             \
	do {                                                                                       \
		change;                                                                            \
		assert_int_equal(loaded(), -EBADMSG);                                              \
		*row = before;                                                                     \
	} while (0)
	DAMAGE(memset(row, 0, sizeof(*row)));
	DAMAGE(memset(row, 0xff, sizeof(*row)));
	DAMAGE(memset(row, 'x', sizeof(*row)));
	DAMAGE(row->committed = 2);
	DAMAGE(row->kind = ROW_KINDS);
	DAMAGE(row->device = SESSION_DEVICES);
	DAMAGE(row->device = -2);
	DAMAGE(row->name = 0);
	DAMAGE(row->name = session_header(session)->file_size - 1);
	/* What did not fit on the disk. */
	row->name = session_header(session)->file_size;
	assert_int_equal(loaded(), 0);
	/* A program may be in the middle of it. */
	row->kind = ROW_KINDS;
	session_header(session)->finished = 0;
	assert_int_equal(loaded(), 0);
}

static bool grows;

/* As the system's; then, once, the file grows. */
int fstat(int fd, struct stat *status)
{
	int result = fstatat(fd, "", status, AT_EMPTY_PATH);
	static char name[40000];

	if (!grows)
		return result;
	grows = false;
	for (unsigned i = 0; i < 100; i++) {
		name_of(name, sizeof(name), i);
		session_intern(session, name);
	}
	return result;
}

TEST(a_file_that_grows_while_it_is_opened_ends_where_it_ended)
{
	uint64_t before = session_header(session)->file_size;
	struct session *read;

	grows = true;
	assert_int_equal(session_open(&read, path), 0);
	assert_false(grows);
	assert_true(session_header(session)->file_size > before);
	assert_int_equal(session_header(read)->file_size, before);
	assert_true(session_is_whole(read));
	session_close(read);
	/* One that is shorter than its header says is refused as ever. */
	assert_int_equal(truncate(path, (off_t)before), 0);
	assert_int_equal(session_open(&read, path), -ENODATA);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(session_open(&read, path), -ENODATA);
}

/* It is a profile: what it begins with says so. */
TEST(headers_that_were_written_over_are_damage)
{
	struct session_header *header = session_header(session);
	struct segment *segment = (struct segment *)((char *)header + header->header_size);
	const struct session_header whole = *header;
	const struct segment before = *segment;

#define DAMAGE_HEADER(change)                                                                      \
	do {                                                                                       \
		change;                                                                            \
		assert_int_equal(loaded(), -EBADMSG);                                              \
		*header = whole;                                                                   \
		*segment = before;                                                                 \
	} while (0)
	DAMAGE_HEADER(header->header_size -= sizeof(struct segment));
	DAMAGE_HEADER(header->header_size++);
	DAMAGE_HEADER(header->file_size = header->header_size - 1);
	DAMAGE_HEADER(segment->magic++);
	DAMAGE_HEADER(segment->kind = SEGMENT_KINDS);
	DAMAGE_HEADER(segment->size = 0);
	DAMAGE_HEADER(segment->size = sizeof(*segment) - 1);
	DAMAGE_HEADER(segment->size++);
	DAMAGE_HEADER(segment->size = whole.file_size - whole.header_size + sizeof(*segment));
	DAMAGE_HEADER(header->file_size = header->header_size + sizeof(*segment) - 1);
	assert_int_equal(loaded(), 0);
}

TEST(a_file_that_is_cut_within_a_segment_is_refused)
{
	static char name[70000];
	char message[256];
	struct session *read;
	struct stat status;

	name_of(name, sizeof(name), 1);
	assert_true(session_intern(session, name) > 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(session_load(&read, path, message, sizeof(message)), 0);
	session_close(read);
	assert_int_equal(truncate(path, status.st_size - 1), 0);
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -ENODATA);
	assert_non_null(strstr(message, ": a ktime profile that is cut short"));
	assert_null(read);
	assert_int_equal(truncate(path, 8), 0);
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -ENODATA);
	assert_int_equal(truncate(path, 7), 0);
	assert_int_equal(session_load(&read, path, message, sizeof(message)), -EINVAL);
	assert_int_equal(session_load(&read, folder, message, sizeof(message)), -EISDIR);
	assert_non_null(strstr(message, ": Is a directory"));
}
