/* SPDX-License-Identifier: MIT */
/* The screen of `ktime top`: the programs, and the rows of one of them. */
#include "report/live/live.h"

#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/names/visible.h"
#include "report/options/range_pattern.h"
#include "report/print/report.h"
#include "report/sheet/number.h"

/* Programs that have a line each; the one that is chosen is among them. Chosen: as many leave half
 * of a terminal of 24 lines to the rows. */
#define PROGRAMS_SHOWN 6
/* Columns of a row before its name, and the fewest that a name gets. */
#define ROW_COLUMNS    60
#define NAME_LEAST     16
#define FILTER_MOST    64

struct screen {
	struct readings *readings;
	struct options options; /* as the keys have changed them */
	size_t chosen;		/* which program's rows are shown */
	size_t first_row;	/* scrolled to */
	bool api;
	char filter[FILTER_MOST]; /* "": none */
	char message[96];	  /* what went wrong with the last key */
};

static const char *const sort_names[] = {"last interval", "run", "calls", "name"};

/* A line of the screen, cut at its right edge. */
__attribute__((format(printf, 2, 3))) static void put(int y, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	if (y >= LINES - 1)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	mvaddnstr(y, 0, text, COLS);
}

static void put_program(const struct screen *screen, int y, size_t index)
{
	const struct reading *reading = &screen->readings->of[index];
	char busy[NUMBER_SIZE], run_busy[NUMBER_SIZE], calls[NUMBER_SIZE], total[NUMBER_SIZE];
	char user[16], program[64];
	struct reading_rows rows;

	if (reading_rows(reading, &screen->options, false, &rows))
		return;
	processes_program(reading->profile.command, program, sizeof(program));
	if (index == screen->chosen)
		attron(A_REVERSE);
	put(y, "%7d  %-8.8s  %7s  %7s  %11s  %8s  %s", (int)reading->profile.pid,
	    processes_user(reading->profile.user, user, sizeof(user)), top_percent(busy, rows.busy),
	    top_percent(run_busy, rows.run_busy), number_count(calls, rows.calls),
	    number_time(total, rows.total), program);
	attroff(A_REVERSE);
	reading_rows_free(&rows);
}

static int put_programs(const struct screen *screen, int y)
{
	size_t count = screen->readings->count, first = 0;

	if (screen->chosen >= PROGRAMS_SHOWN)
		first = screen->chosen - PROGRAMS_SHOWN + 1;
	attron(A_BOLD);
	put(y++, "%7s  %-8s  %7s  %7s  %11s  %8s  %s", "PID", "User", "Busy(%)", "Run(%)", "Calls",
	    "GPU Time", "Program");
	attroff(A_BOLD);
	for (size_t i = first; i < count && i < first + PROGRAMS_SHOWN; i++)
		put_program(screen, y++, i);
	return y + 1;
}

static int put_devices(const struct screen *screen, const struct reading *reading, int y)
{
	char busy[NUMBER_SIZE], run_busy[NUMBER_SIZE], idle[NUMBER_SIZE], cause[128];
	struct reading_use use;
	bool any = false;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!(screen->options.devices >> device & 1) || !reading_use(reading, device, &use))
			continue;
		any = true;
		*cause = '\0';
		if (use.cause)
			snprintf(cause, sizeof(cause), "; idle most by %s (%s %%)", use.cause,
				 top_percent(idle, use.cause_share));
		put(y++, "GPU %d: busy %s %%, of the run %s %%%s", device,
		    top_percent(busy, use.busy), top_percent(run_busy, use.run_busy), cause);
	}
	if (!any)
		put(y++, "GPU busy: not known, as no activity records tell.");
	return y + 1;
}

static const char *percent_of(char *text, uint64_t part, uint64_t whole)
{
	return top_percent(text, whole ? (double)part / (double)whole : 0);
}

static void put_row(const struct reading_rows *rows, const struct reading_row *row, int y)
{
	char percent[NUMBER_SIZE], total[NUMBER_SIZE], calls[NUMBER_SIZE];
	char run_percent[NUMBER_SIZE], run_total[NUMBER_SIZE], run_calls[NUMBER_SIZE];

	put(y, "%5s  %8s  %9s  |  %5s %c%8s  %9s  %s", percent_of(percent, row->total, rows->total),
	    number_time(total, row->total), number_count(calls, row->calls),
	    percent_of(run_percent, row->run->total, rows->run_total),
	    row->run->estimated ? '~' : ' ', number_time(run_total, row->run->total),
	    number_count(run_calls, row->run->calls), row->run->name);
}

static void put_rows(struct screen *screen, const struct reading *reading, int y)
{
	struct options options = screen->options;
	struct reading_rows rows;

	options.kernels = *screen->filter ? screen->filter : screen->options.kernels;
	options.name_most =
		COLS > ROW_COLUMNS + NAME_LEAST ? (unsigned)(COLS - ROW_COLUMNS) : NAME_LEAST;
	attron(A_BOLD);
	put(y++, "%5s  %8s  %9s  |  %5s  %8s  %9s  %s", "%", "Time", "Calls", "Run %", "Time",
	    "Calls", screen->api ? "API call" : "Name");
	attroff(A_BOLD);
	if (reading_rows(reading, &options, screen->api, &rows))
		return;
	if (screen->first_row >= rows.count)
		screen->first_row = rows.count ? rows.count - 1 : 0;
	for (size_t i = screen->first_row; i < rows.count && y < LINES - 1; i++)
		put_row(&rows, &rows.rows[i], y++);
	reading_rows_free(&rows);
}

static void draw(struct screen *screen)
{
	const struct reading *reading;
	char clock[16];
	int y;

	erase();
	if (screen->chosen >= screen->readings->count)
		screen->chosen = screen->readings->count ? screen->readings->count - 1 : 0;
	put(0, "ktime top  %s  %zu program%s, every %g s; by %s%s%s", top_clock(clock),
	    screen->readings->count, screen->readings->count == 1 ? "" : "s",
	    screen->options.interval, sort_names[screen->options.top_sort],
	    *screen->filter ? "; kernels like " : "", screen->filter);
	if (screen->readings->count == 0) {
		put(2, "No program runs under ktime any more.");
	} else {
		reading = &screen->readings->of[screen->chosen];
		y = put_programs(screen, 2);
		put(y, "Process %d: last %.2f s of %.2f s", (int)reading->profile.pid,
		    reading_seconds(reading), reading_run_seconds(reading));
		y = put_devices(screen, reading, y + 1);
		if (rows_include_overhead(reading->now))
			put(y++, OVERHEAD_INCLUDED);
		put_rows(screen, reading, y);
	}
	mvaddnstr(LINES - 1, 0,
		  *screen->message
			  ? screen->message
			  : "q quit  t last interval  r run  c calls  n name  / filter  a API  "
			    "tab next program  space read now",
		  COLS - 1);
	refresh();
}

/* A part of the kernels' names, as a regular expression. */
static void ask_filter(struct screen *screen)
{
	char text[FILTER_MOST] = "";
	char reason[96];

	move(LINES - 1, 0);
	clrtoeol();
	addstr("Kernels like: ");
	echo();
	timeout(-1);
	if (getnstr(text, sizeof(text) - 1) == ERR)
		*text = '\0';
	noecho();
	if (expression_check(text, reason, sizeof(reason))) {
		snprintf(screen->message, sizeof(screen->message), "'%s' is no expression", text);
		return;
	}
	snprintf(screen->filter, sizeof(screen->filter), "%s", text);
}

static void scroll_by(struct screen *screen, long lines)
{
	long first = (long)screen->first_row + lines;

	screen->first_row = first > 0 ? (size_t)first : 0;
}

/* Whether the profiles are to be read again now. */
static bool take_key(struct screen *screen, int key)
{
	static const char orders[] = "trcn"; /* in the order of enum top_sort */
	const char *order = key > 0 && key < 128 ? strchr(orders, key) : NULL;

	*screen->message = '\0';
	if (order)
		screen->options.top_sort = (int)(order - orders);
	switch (key) {
	case 'a':
		screen->api = !screen->api;
		break;
	case '/':
		ask_filter(screen);
		break;
	case '\t':
		screen->chosen =
			screen->chosen + 1 < screen->readings->count ? screen->chosen + 1 : 0;
		screen->first_row = 0;
		break;
	case KEY_DOWN:
		scroll_by(screen, 1);
		break;
	case KEY_UP:
		scroll_by(screen, -1);
		break;
	case KEY_NPAGE:
		scroll_by(screen, LINES / 2);
		break;
	case KEY_PPAGE:
		scroll_by(screen, -LINES / 2);
		break;
	}
	return key == ' ';
}

/* CLOCK_MONOTONIC, in milliseconds. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int screen_run(struct readings *readings, const struct options *options)
{
	struct screen screen = {.readings = readings, .options = *options};
	double due = now_ms() + options->interval * 1e3, left;
	char message[512];
	int key;

	/* For names that are not ASCII; numbers stay those of the "C" locale. */
	setlocale(LC_CTYPE, "");
	if (!initscr())
		return visible_fail(
			EXIT_FAILURE,
			"ktime top: this terminal is not known (TERM); -b prints lines");
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	do {
		draw(&screen);
		left = due - now_ms();
		timeout(left > 0 ? (int)left + 1 : 0);
		key = getch();
		if ((key == ERR && now_ms() >= due) || (key != ERR && take_key(&screen, key))) {
			readings_take(readings, message, sizeof(message));
			due = now_ms() + options->interval * 1e3;
		}
	} while (key != 'q');
	endwin();
	return EXIT_SUCCESS;
}
