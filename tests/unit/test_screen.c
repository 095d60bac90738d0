/* SPDX-License-Identifier: MIT */
/*
 * The screen of ktime top, as a terminal of 24 lines and 100 columns shows it, key by key:
 * tests/golden/screen.txt has it; see golden.h where a change of it is wanted.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/live/live.h"
#include "tests/unit/golden.h"
#include "tests/unit/terminal.h"
#include "tests/unit/test.h"

#define PROFILES 8
#define MS	 1000000ull
/* A screen that is another after so long will not become the expected one. */
#define WAIT_MS	 20000

static char folder[40], paths[PROFILES][64];
/* Of the programs the first is this process. */
static struct session *session;
static pid_t programs[PROFILES];
static char words[PROFILES][16];
static const char *numbers[PROFILES];

static int terminal;
static bool differs;

/* Writes a line without what depends on the machine: the numbers of processes, and the user. */
static void write_line(const char *line, int length, FILE *file)
{
	char number[24];

	for (int i = 0; i < PROFILES; i++) {
		snprintf(number, sizeof(number), "%7d  ", (int)programs[i]);
		if (length > 17 && strncmp(line, number, strlen(number)) == 0) {
			fprintf(file, "    10%d  user    %.*s\n", i, length - 17, line + 17);
			return;
		}
		snprintf(number, sizeof(number), "Process %d:", (int)programs[i]);
		if (strncmp(line, number, strlen(number)) == 0) {
			int start = (int)strlen(number);

			fprintf(file, "Process 10%d:%.*s\n", i, length - start, line + start);
			return;
		}
	}
	fprintf(file, "%.*s\n", length, line);
}

/* The screen as text: each line with its mark, without what depends on the time of day. */
static char *screen_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (unsigned row = 0; row < TERMINAL_LINES; row++) {
		char *line = terminal_line(row);
		int length = TERMINAL_COLUMNS;

		while (length > 0 && line[length - 1] == ' ')
			length--;
		if (row == 0 && length > 19)
			memcpy(line + 11, "HH:MM:SS", 8);
		fprintf(file, "%c|", terminal_mark(row));
		write_line(line, length, file);
	}
	fclose(file);
	return text;
}

/* Shows what comes within the time; false where nothing did. */
static bool read_more(int milliseconds)
{
	struct pollfd input = {.fd = terminal, .events = POLLIN};
	char bytes[4096];
	ssize_t length;

	if (poll(&input, 1, milliseconds) <= 0)
		return false;
	length = read(terminal, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < length; i++)
		terminal_show(bytes[i]);
	return length > 0;
}

/* The part of the golden file that follows a heading, or NULL; the caller frees it. */
static char *expected_screen(const char *heading)
{
	char *all, *found, *end;

	if (getenv("FIGURES"))
		return NULL;
	all = golden_text("screen");
	found = strstr(all, heading);
	if (found) {
		found += strlen(heading);
		end = strstr(found, "\n# ");
		found = strndup(found, end ? (size_t)(end + 1 - found) : strlen(found));
	}
	free(all);
	return found;
}

/* Presses keys, waits for the screen that is expected then, and adds the one that came. */
static void press(const char *name, const char *keys, FILE *file)
{
	char heading[64], *expected, *text = NULL;

	snprintf(heading, sizeof(heading), "# %s\n", name);
	expected = expected_screen(heading);
	assert_int_equal(write(terminal, keys, strlen(keys)), strlen(keys));
	/* Once it has differed, what comes then will. */
	for (int waited = 0; waited < (differs ? 500 : WAIT_MS); waited += 10) {
		bool more = read_more(expected ? 10 : 1000);

		free(text);
		text = screen_text();
		if (expected ? strcmp(text, expected) == 0 : !more)
			break;
	}
	differs |= expected && strcmp(text, expected) != 0;
	fprintf(file, "%s%s", heading, text);
	free(text);
	free(expected);
}

static void call(enum row_kind kind, const char *name, unsigned calls, uint64_t took)
{
	struct row *row = session_row(session, kind, name, row_is_api(kind) ? -1 : 0);

	assert_non_null(row);
	for (unsigned i = 0; i < calls; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, took);
	}
}

/* The profile of a program; the second has events alone. */
static void fill(unsigned i)
{
	struct session_header *header;
	char name[32];

	assert_int_equal(session_create(&session, paths[i], 0), 0);
	header = session_header(session);
	header->cupti_active = i != 1;
	snprintf(name, sizeof(name), "/opt/app%u --steps %u", i, i);
	header->command = session_intern(session, name);
	header->counters[COUNTER_wall_ns] = (2000 + 100 * i) * MS;
	if (i != 1)
		header->uses[0] =
			(struct device_use){.first = 1, .last = 9, .busy = (500 + 10 * i) * MS};
	call(ROW_KERNEL, "_Z4workv", 3 + i, 1000);
	call(ROW_MEMCPY, "[CUDA memcpy HtoD]", 1, 700);
	call(ROW_RUNTIME_API, "cudaLaunchKernel", 4 + i, 2000);
}

/* Many rows, and two devices. */
static void fill_first(void)
{
	const struct idle_row idle = {.cause = IDLE_GRAPH, .device = 3};

	fill(0);
	for (unsigned i = 0; i < 20; i++) {
		char name[64];

		snprintf(name, sizeof(name), "kernel_%c_of_a_name_that_is_longer_than_its_column",
			 'a' + i);
		call(ROW_KERNEL, name, 1 + i, 3000 - 10 * i);
	}
	session_header(session)->uses[3] =
		(struct device_use){.first = 1, .last = 9, .busy = 1500 * MS};
	session_add_idle(session_idle_row(session, &idle), 250 * MS, 0, 0);
}

static void more(void)
{
	session_header(session)->counters[COUNTER_wall_ns] += 1000 * MS;
	session_header(session)->uses[0].busy += 125 * MS;
	call(ROW_KERNEL, "_Z4workv", 9, 1000);
	call(ROW_KERNEL, "_Z3newv", 2, 500);
}

/* Programs that wait until they are ended. */
static int start_programs(void)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		return -1;
	for (unsigned i = 0; i < PROFILES; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/ktime.%u", folder, 100 + i);
	for (unsigned i = 1; i < PROFILES; i++) {
		programs[i] = fork();
		if (programs[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fill(i);
			if (write(ready[1], "r", 1) == 1)
				pause();
			_exit(1);
		}
		if (programs[i] < 0 || read(ready[0], &byte, 1) != 1)
			return -1;
	}
	close(ready[0]);
	close(ready[1]);
	programs[0] = getpid();
	fill_first();
	for (unsigned i = 0; i < PROFILES; i++) {
		snprintf(words[i], sizeof(words[i]), "%d", (int)programs[i]);
		numbers[i] = words[i];
	}
	return 0;
}

static pid_t start_top(void)
{
	struct winsize size = {TERMINAL_LINES, TERMINAL_COLUMNS, 0, 0};
	pid_t child;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
	terminal_clear();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int slave = open(ptsname(terminal), O_RDWR);
		struct options options;

		dup2(slave, STDIN_FILENO);
		dup2(slave, STDOUT_FILENO);
		setenv("TERM", "vt100", 1);
		unsetenv("LINES");
		unsetenv("COLUMNS");
		options_defaults(&options);
		options.interval = 3600;
		_exit(command_top(&options, numbers, PROFILES));
	}
	return child;
}

BEFORE_EACH
{
	strcpy(folder, "/tmp/ktime-screen-XXXXXX");
	assert_int_equal(mkdtemp(folder) ? start_programs() : -1, 0);
}

AFTER_EACH
{
	session_close(session);
	for (int i = 0; i < PROFILES; i++) {
		if (i > 0 && programs[i] > 0) {
			kill(programs[i], SIGKILL);
			waitpid(programs[i], NULL, 0);
		}
		unlink(paths[i]);
	}
	assert_int_equal(rmdir(folder), 0);
}

TEST(each_key_shows_what_it_is_to)
{
	static const struct {
		const char *name, *keys;
	} keys[] = {
		{"space", " "},
		{"r: by run", "r"},
		{"c: by calls", "c"},
		{"n: by name", "n"},
		{"t: by time", "t"},
		{"a: API calls", "a"},
		{"a: kernels again", "a"},
		{"space, after nothing", " "},
		{"down, three times", "\033OB\033OB\033OB"},
		{"up", "\033OA"},
		{"half a page down", "\033[6~"},
		{"half a page up", "\033[5~"},
		{"up beyond the first", "\033[5~"},
		{"down beyond the last", "\033[6~\033[6~\033[6~\033[6~"},
		{"tab", "\t"},
		{"tab, six times: the last program", "\t\t\t\t\t\t"},
		{"tab: the first program", "\t"},
		{"a filter", "/a|work\n"},
		{"a filter that is no expression", "/[\n"},
		{"no filter", "/\n"},
	};
	FILE *file = golden_begin();
	int status;
	pid_t child;

	child = start_top();
	press("at first", "", file);
	more();
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		press(keys[i].name, keys[i].keys, file);
	assert_int_equal(write(terminal, "q", 1), 1);
	while (read_more(WAIT_MS))
		;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(terminal);
	golden_end("screen");
}
