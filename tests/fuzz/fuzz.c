/* SPDX-License-Identifier: MIT */
/*
 * Everything that ktime reads, from bytes that may be anything. A reader may refuse them; it must
 * not crash, hang or read what is not there, which a build under the sanitizers tells.
 *
 *   fuzz READER COUNT [FILE…]     COUNT inputs, the same in every run: the files as they are, then
 *                                 with some bytes changed
 *   fuzz READER make FILE         writes the input that it makes itself to begin with, if any
 *
 * With clang's -fsanitize=fuzzer and -DFUZZ_LIBFUZZER the reader is that of FUZZ_READER in the
 * environment, and libFuzzer finds the inputs.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti/activity.h"
#include "report/import/import.h"
#include "report/export/export.h"
#include "report/html/html.h"
#include "report/names/demangle.h"
#include "report/print/report.h"
#include "report/session/layout.h"
#include "tests/fuzz/merged.h"

/* A session with a trace takes more than 1 MB. */
enum { INPUT_MAX = 1 << 21 };

static char path[256];

static void remove_file(void)
{
	unlink(path);
}

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* The readers of files get one. */
static void name_file(void)
{
	const char *folder = getenv("TMPDIR");
	int file;

	snprintf(path, sizeof(path), "%s/ktime-fuzz-XXXXXX", folder ? folder : "/tmp");
	file = mkstemp(path);
	if (file < 0)
		fail(path);
	close(file);
	atexit(remove_file);
}

static void write_file(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		fail(path);
}

/* All that is written of a profile. */
static void write_session(struct session *session)
{
	static const char *const prints[] = {
		"--print-gpu-trace --print-api-trace",
		"--csv --percentiles",
		"--format nsys",
		"--cross-check --histogram",
		"--bandwidth --bytes .=12/thread --flops .=2/launch --work '.=1K/thread x'",
		"--csv --bandwidth",
	};
	struct options options;
	char message[512];
	FILE *file = fopen("/dev/null", "w");

	if (!file)
		fail("/dev/null");
	for (size_t i = 0; i < sizeof(prints) / sizeof(*prints); i++) {
		options_defaults(&options);
		if (!options_parse_string(&options, prints[i], message, sizeof(message)))
			report_write(session, &options, file);
		options_free(&options);
	}
	options_defaults(&options);
	options_parse_string(&options, prints[4], message, sizeof(message));
	export_json(session, &options, file, message, sizeof(message));
	profile_page_write(session, &options, "/dev/null", message, sizeof(message));
	export_chrome(session, &options, file, message, sizeof(message));
	export_perfetto(session, &options, file, message, sizeof(message));
	options_free(&options);
	fclose(file);
}

static void read_profile(const uint8_t *data, size_t size)
{
	char message[512];
	struct session *session;

	write_file(data, size);
	if (session_load(&session, path, message, sizeof(message)))
		return;
	write_session(session);
	session_close(session);
}

static void read_merged(const uint8_t *data, size_t size)
{
	char message[512];
	struct session *session;

	write_file(data, size);
	if (session_load(&session, path, message, sizeof(message)))
		return;
	write_session(session);
	merged_read(session);
	session_close(session);
}

static size_t read_input(const char *name, uint8_t *data)
{
	FILE *file = fopen(name, "r");
	size_t size;

	if (!file)
		fail(name);
	size = fread(data, 1, INPUT_MAX, file);
	fclose(file);
	return size;
}

/* A table of structures, as that of a merged profile. */
static void read_layout(const uint8_t *data, size_t size)
{
	static uint8_t profile[INPUT_MAX];
	static size_t profile_size;
	struct session_header *header = (struct session_header *)(void *)profile;
	struct layout_line *lines = (struct layout_line *)(void *)(profile + LAYOUT_PLACE);
	size_t count = size / sizeof(*lines);

	if (!profile_size) {
		unlink(path);
		if (merged_make(path))
			fail(path);
		profile_size = read_input(path, profile);
	}
	if (count > LAYOUT_LINES_MOST)
		count = LAYOUT_LINES_MOST;
	memcpy(lines, data, count * sizeof(*lines));
	header->layout_lines = (uint32_t)count;
	header->layout_sum = layout_sum(lines, (unsigned)count);
	read_merged(profile, profile_size);
}

/* CSV and SQLite: which, the file's beginning tells. */
static void read_import(const uint8_t *data, size_t size)
{
	char message[512];
	struct profile profile = {0};

	write_file(data, size);
	import_profile(&profile, path, NULL, message, sizeof(message));
	profile_free(&profile);
}

static char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		fail("malloc");
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static void read_options(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), message[256];
	struct options options;

	options_defaults(&options);
	options_parse_string(&options, text, message, sizeof(message));
	options_free(&options);
	free(text);
}

/* A record as long as the longest, of any kind. */
static void read_activity(const uint8_t *data, size_t size)
{
	struct activity activity;
	uint64_t record[64] = {0};

	memcpy(record, data, size < sizeof(record) ? size : sizeof(record));
	decode_activity(record, &activity);
}

static void read_name(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);

	free(demangle(text));
	free(nsys_demangle(text));
	free(nsys_demangle_base(text));
	free(text);
}

/* A session of each kind of segment, in the file. */
static void make_session(void)
{
	struct trace_record record = {.start = 1000, .end = 2000, .kind = ROW_KERNEL, .stream = 7};
	struct session *session;
	struct row *row;

	unlink(path);
	if (session_create(&session, path, true))
		fail(path);
	row = session_row(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 0);
	for (int i = 1; i < 10; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, (uint64_t)i * 1000);
		session_add_sample(session, &row->events, (uint64_t)i * 1100);
		session_add_difference(session, row, (uint64_t)i);
	}
	row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 1);
	session_add_bytes(row, 4096);
	row->calls = 1;
	record.name = session_intern(session, "_Z5saxpyifPKfPf");
	session_trace(session, &record);
	session_note(session, "a note");
	session_close(session);
}

static void make_merged(void)
{
	unlink(path);
	if (merged_make(path))
		fail(path);
}

static void make_layout(void)
{
	const struct layout_table *own = layout_own();

	write_file((const uint8_t *)own->lines, own->count * sizeof(own->lines[0]));
}

static void make_sqlite(void)
{
	char message[256];
	struct session *session;
	struct options options;

	options_defaults(&options);

	make_session();
	if (session_open(&session, path))
		fail(path);
	unlink(path);
	write_file((const uint8_t *)"", 0);
	if (export_sqlite(session, &options, path, message, sizeof(message)))
		fail(message);
	session_close(session);
}

/* Bytes of all values, for a record of each kind. */
static void make_activity(void)
{
	uint8_t bytes[512];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	memcpy(bytes, (const uint32_t[]){10}, 4);
	write_file(bytes, sizeof(bytes));
}

static const struct reader {
	const char *name;
	void (*read)(const uint8_t *data, size_t size);
	void (*make)(void); /* an input to begin with; NULL: from files alone */
} readers[] = {
	{"profile", read_profile, make_session},    {"csv", read_import, NULL},
	{"sqlite", read_import, make_sqlite},	    {"options", read_options, NULL},
	{"activity", read_activity, make_activity}, {"names", read_name, NULL},
	{"merged", read_merged, make_merged},	    {"layout", read_layout, make_layout},
};

static const struct reader *reader_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(readers) / sizeof(*readers); i++)
		if (strcmp(readers[i].name, name) == 0)
			return &readers[i];
	fprintf(stderr, "fuzz: no reader of this name\n");
	exit(2);
}

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader *reader;

	if (!reader) {
		reader = reader_of(getenv("FUZZ_READER"));
		name_file();
	}
	reader->read(data, size);
	return 0;
}
#else

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t next_random(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

/* Where bytes matter: most of a session or a database is zeros. */
static size_t place_in(const uint8_t *data, size_t size)
{
	size_t place = next_random(size);

	for (int i = 0; i < 64 && !data[place]; i++)
		place = next_random(size);
	return place;
}

static size_t change(uint8_t *data, size_t size)
{
	static const uint8_t special[] = {0,   1,    0x7f, 0x80, 0xff, '"',
					  ',', '\n', '-',  '9',	 'I',  'E'};
	size_t place = size ? place_in(data, size) : 0;
	size_t length;

	if (!size)
		return 0;
	switch (next_random(8)) {
	case 0:
		return next_random(8) ? size : next_random(size);
	case 1:
	case 2:
		data[place] ^= (uint8_t)(1u << next_random(8));
		break;
	case 3:
		data[place] = special[next_random(sizeof(special))];
		break;
	case 4:
		length = 1 + next_random(8);
		memset(data + place, special[next_random(5)],
		       length < size - place ? length : size - place);
		break;
	case 5:
		data[place] = (uint8_t)(data[place] + 1 - 2 * next_random(2));
		break;
	case 6:
		length = next_random(64) % (size - place);
		memmove(data + next_random(size - length), data + place, length);
		break;
	default:
		length = 1 + next_random(32);
		if (length > size - place || size + length > INPUT_MAX)
			break;
		memmove(data + place + length, data + place, size - place);
		return size + length;
	}
	return size;
}

int main(int argc, char **argv)
{
	static uint8_t inputs[16][INPUT_MAX], data[INPUT_MAX];
	const struct reader *reader = reader_of(argc > 2 ? argv[1] : NULL);
	size_t sizes[16], count = 0, size;

	name_file();
	if (reader->make) {
		reader->make();
		sizes[count] = read_input(path, inputs[count]);
		count++;
	}
	if (argc == 4 && strcmp(argv[2], "make") == 0)
		return reader->make && rename(path, argv[3]) ? 2 : 0;
	for (int i = 3; i < argc && count < 16; i++, count++)
		sizes[count] = read_input(argv[i], inputs[count]);
	for (size_t i = 0; i < count; i++)
		reader->read(inputs[i], sizes[i]);
	for (long i = 0; count && i < atol(argv[2]); i++) {
		size = sizes[i % (long)count];
		memcpy(data, inputs[i % (long)count], size);
		for (uint64_t changes = 1 + next_random(4); changes > 0; changes--)
			size = change(data, size);
		reader->read(data, size);
	}
	printf("%s: %s inputs, and %zu unchanged\n", reader->name, argv[2], count);
	return count ? 0 : 2;
}
#endif
