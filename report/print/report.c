/* SPDX-License-Identifier: MIT */
#include "report/print/report.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/energy/energy.h"
#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/print/table.h"
#include "report/session/text.h"

#define PREFIX_SIZE 32

#define NAME_LEAST  20 /* columns: names are not cut any shorter */

static void prefix_format(char prefix[PREFIX_SIZE], pid_t pid, bool live)
{
	if (live)
		snprintf(prefix, PREFIX_SIZE, "==%d== ", (int)pid);
	else
		strcpy(prefix, "======== ");
}

/*
 * What a reader at a terminal gets: names as short as tells the rows apart, a table as wide as the
 * terminal, colour. A file, CSV and the other tools' formats get full names and nothing else.
 */
static void fit_terminal(struct options *options, FILE *file)
{
	const char *columns = getenv("COLUMNS"), *no_colour = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	unsigned figures = TABLE_FIGURES_WIDTH(options->percentiles ? TABLE_COLUMN_COUNT
								    : TABLE_NVPROF_COLUMNS);
	struct winsize size = {0};
	int fd = log_file_descriptor(file);

	if (fd < 0 || !isatty(fd) || options->csv || options->format != FORMAT_AUTO) {
		if (options->names == NAMES_AUTO)
			options->names = NAMES_FULL;
		return;
	}
	options->colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
	if (options->names == NAMES_AUTO)
		options->names = NAMES_DISTINCT;
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
	if (options->names == NAMES_FULL)
		options->width = 0;
	if (options->width)
		options->name_most = options->width > figures + NAME_LEAST
					     ? options->width - figures
					     : NAME_LEAST;
}

void report_write_start(const struct options *options, pid_t pid, const char *command, FILE *file)
{
	char prefix[PREFIX_SIZE];

	if (options->quiet)
		return;
	prefix_format(prefix, pid, true);
	visible_line(file, "%sktime is profiling process %d, command: %s", prefix, (int)pid,
		     command);
	for (unsigned i = 0; i < options->notice_count; i++)
		visible_line(file, "%sWarning: %s", prefix, options->notices[i]);
	fflush(file);
}

void report_sheet(const struct report *report, struct sheet *sheet)
{
	sheet->form = sheet_form_of(report->options);
	sheet_write(sheet, report->file);
}

static void write_application(struct report *report)
{
	const struct session_header *header = session_header(report->session);
	const char *command = session_string(report->session, header->command);
	char message[128];
	const struct name_codes codes = {header->pid, header->rank.rank, -1};
	char *name = report->options->process_name
			     ? filename_expand(report->options->process_name, &codes, message,
					       sizeof(message))
			     : NULL;

	if (name || *command)
		visible_line(report->file, "%sProfiling application: %s", report->prefix,
			     name ? name : command);
	free(name);
}

static bool wants_trace(const struct options *options)
{
	return options->print_gpu_trace || options->print_api_trace;
}

/* See fit_terminal(). */
static bool on_terminal(const struct options *options)
{
	return options->colour || options->width;
}

/* Whether the report is to be nvprof's file and nothing else. */
static bool is_nvprof_alone(const struct options *options)
{
	return options->csv || options->format == FORMAT_NVPROF;
}

/* As nvprof: the summary of both halves, unless something else was asked for, such as a profile in
 * place of a report that nobody watches. */
static void what_to_print(const struct options *options, bool *gpu, bool *api)
{
	bool other = options->print_gpu_summary || options->print_api_summary ||
		     options->print_summary_per_gpu || wants_trace(options) ||
		     (options->export_profile && !on_terminal(options));
	bool both = options->print_summary || !other;

	*gpu = both || options->print_gpu_summary;
	*api = both || options->print_api_summary;
}

static int write_per_gpu(struct report *report)
{
	const struct session_header *header = session_header(report->session);
	int error = 0;

	for (int device = 0; device < SESSION_DEVICES && !error; device++) {
		if (!header->devices[device].used || !(report->options->devices >> device & 1))
			continue;
		fprintf(report->file, "\n%sDevice \"%.63s (%d)\"\n", report->prefix,
			header->devices[device].name, device);
		error = summary_write(report, true, false, device);
	}
	return error;
}

static int write_tables(struct report *report)
{
	const struct options *options = report->options;
	bool gpu, api;
	int error = 0;

	what_to_print(options, &gpu, &api);
	if (wants_trace(options))
		error = trace_write(report, options->print_gpu_trace, options->print_api_trace);
	if (!error && (gpu || api))
		error = options->format == FORMAT_NSYS
				? nsys_format_write(report)
				: summary_write(report, gpu, api, TABLE_ALL_DEVICES);
	if (!error && gpu && options->format != FORMAT_NSYS)
		error = ranges_write(report);
	if (!error && options->print_summary_per_gpu)
		error = write_per_gpu(report);
	if (!error && options->histogram && !options->csv && !options->as_markdown)
		error = histograms_write(report);
	if (!error && options->idle)
		idle_table_write(report);
	if (!error && options->memory)
		error = memory_table_write(report);
	if (!error && options->csv)
		energy_write_csv(report->session, options, report->file);
	if (!error && options->csv && options->verbose)
		figures_write(report);
	if (!error && options->cross_check)
		error = cross_check_write(report);
	if (!error && options_want_rates(options))
		error = rates_write(report);
	if (!error && (gpu || options->print_summary_per_gpu || wants_trace(options)))
		error = metrics_write(report);
	return error;
}

/* "Rank 3 of 16 (Open MPI), local rank 1, on node7." */
static void write_rank(struct report *report)
{
	const struct session_header *header = session_header(report->session);
	const struct process_rank *rank = &header->rank;
	const char *node = session_string(report->session, header->hostname);

	if (rank->rank < 0)
		return;
	report_begin(report, "Rank %d", rank->rank);
	if (rank->world_size >= 0)
		fprintf(report->file, " of %d", rank->world_size);
	fprintf(report->file, " (%s)", rank->launcher);
	if (rank->local_rank >= 0)
		fprintf(report->file, ", local rank %d", rank->local_rank);
	if (*node) {
		fputs(", on ", report->file);
		visible_write(node, report->file);
	}
	fputs(".\n", report->file);
}

/* The pattern with a star for what differs between ranks. */
static void write_all_files(const char *pattern, FILE *file)
{
	for (; *pattern; pattern++) {
		bool code = *pattern == '%' && pattern[1];

		if (code && strchr("prqh", pattern[1]))
			fputc('*', file);
		else if (!code || pattern[1] == '%')
			fputc(*pattern, file);
		if (code && pattern[1] == 'q')
			pattern += strcspn(pattern, "}") - 1;
		pattern += code;
	}
}

/* `printed`: a table was. */
static void write_result_file(struct report *report, const char *pattern, bool printed)
{
	const struct session_header *header = session_header(report->session);
	const struct name_codes codes = {header->pid, header->rank.rank, -1};
	char message[128];
	char *path = filename_expand(pattern, &codes, message, sizeof(message));

	visible_line(report->file, "%sGenerated result file: %s", report->prefix,
		     path ? path : pattern);
	if (header->rank.rank == 0 && header->rank.world_size != 1) {
		report_begin(report, "All ranks in one report: ktime show ");
		write_all_files(pattern, report->file);
		fputc('\n', report->file);
	} else if (!printed && header->rank.rank < 0) {
		report_begin(report, "The table: ktime show ");
		visible_line(report->file, "%s", path ? path : pattern);
	}
	free(path);
}

static bool has_calls(const struct session *session, bool of_kernels)
{
	struct row *row;

	session_for_each_row (session, row)
		if ((row->kind == ROW_KERNEL || !of_kernels) && row_calls(row) > 0)
			return true;
	return false;
}

static bool matches_kernel(struct report *report)
{
	struct row *row;

	session_for_each_row (report->session, row)
		if (row->kind == ROW_KERNEL &&
		    filter_shows(&report->filter, row->kind, row->name, -1))
			return true;
	return false;
}

/* A line for each device of --devices that is not there. Of a job's those are known that were used.
 */
static void warn_of_devices(const struct report *report)
{
	const struct device_info *devices = session_header(report->session)->devices;
	char known[4 * SESSION_DEVICES] = "";
	int count = 0, last = 0;
	size_t length = 0;

	for (int i = 0; i < SESSION_DEVICES; i++) {
		if (!*devices[i].name)
			continue;
		length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%d",
					   count ? ", " : "", i);
		count++;
		last = i;
	}
	if (count > 1 && count == last + 1)
		snprintf(known, sizeof(known), "0 to %d", last);
	for (int i = 0; i < SESSION_DEVICES && report->options->devices != UINT64_MAX && count; i++)
		if (report->options->devices >> i & 1 && !*devices[i].name)
			report_begin(report, "Warning: --devices %d: there %s %s\n", i,
				     count == 1 ? "is only device" : "are devices", known);
}

/* What was asked for and cannot be in the tables. */
static void write_warnings(struct report *report, bool live)
{
	const struct options *options = report->options;
	const struct session *session = report->session;
	bool profiled = has_calls(session, false);

	if (options->histogram && (options->csv || options->as_markdown))
		report_begin(report, "Warning: --histogram is ignored with --%s: it draws text\n",
			     options->csv ? "csv" : "markdown");
	if (live && options->keep_trace.bytes && !options->export_profile)
		report_begin(report, "Warning: --keep-trace keeps nothing without -o FILE\n");
	/* A program was told at its start. */
	if (!live)
		warn_of_devices(report);
	if (options->kernels && has_calls(session, true) && !matches_kernel(report))
		report_begin(report, "Warning: --kernels '%s' matches no kernel's full name\n",
			     options->kernels);
	if (live && !options->start && !profiled)
		report_begin(report, "Warning: nothing was profiled: --start off was given, and "
				     "`ktime on PID` never said to begin\n");
	else if (live && !options->profile_from_start && !profiled)
		report_begin(report, "Warning: nothing was profiled: with --profile-from-start off "
				     "only what runs between cudaProfilerStart and "
				     "cudaProfilerStop is\n");
	if (live && options->nvtx_include[0] &&
	    !session_header(session)->counters[COUNTER_operations])
		report_begin(report, "Warning: nothing was profiled: no CUDA call was made in the "
				     "ranges of --nvtx-include\n");
}

/*
 * What the profile of -o lacks is told here: all rows, whatever was asked for, as it cannot be told
 * later.
 */
static void print_everything(struct options *options)
{
	options->print_summary = true;
	options->devices = UINT64_MAX;
	options->top = 0;
	options->kernels = options->exclude_kernels = NULL;
}

/* What ktime adds to nvprof's tables. Beside a file that is to be nvprof's it goes to stderr. */
static int write_closing(struct report *report)
{
	const struct options *options = report->options;
	FILE *out = report->file, *memory = NULL;
	char *text = NULL;
	size_t size;
	int error;

	if (is_nvprof_alone(options)) {
		if (log_file_descriptor(out) == STDERR_FILENO)
			return 0;
		out = stderr;
	}
	/* Only a terminal has a width; elsewhere no memory is asked for. */
	if (options->width && !(memory = open_memstream(&text, &size)))
		return -ENOMEM;
	report->file = memory ? memory : out;
	error = options->verbose ? closing_write(report, true) : brief_write(report);
	report->file = out;
	if (memory && text_close(memory, &text))
		error = -ENOMEM;
	else if (memory)
		report_wrap(text, strlen(report->prefix), options->width, out);
	free(text);
	return error;
}

static int write_report(struct report *report)
{
	const struct session_header *header = session_header(report->session);
	const struct options *options = report->options;
	bool live =
		header->pid == getpid() || (header->pid && header->pid == options->only_process);
	char prefix[PREFIX_SIZE];
	bool gpu, api;
	int error = 0;

	prefix_format(prefix, header->pid, live);
	/* Lines are a list there. */
	report->prefix = options->as_markdown ? "- " : prefix;
	what_to_print(options, &gpu, &api);
	if (!options->quiet) {
		if (!options->import_profile)
			write_application(report);
		write_rank(report);
		write_warnings(report, live);
		if (options->declared)
			error = work_warn(report->session, options, prefix, report->file);
		if (gpu || api || options->print_summary_per_gpu || wants_trace(options))
			report_begin(report, "Profiling result:\n");
	}
	if (!error)
		error = write_tables(report);
	/* Without a process the records come from elsewhere: ktime has nothing to add. */
	if (!error && !options->quiet && header->pid != 0)
		error = write_closing(report);
	if (live && !options->quiet && options->export_profile)
		write_result_file(report, options->export_profile,
				  gpu || api || options->print_summary_per_gpu ||
					  wants_trace(options));
	return error;
}

int report_write(struct session *session, const struct options *asked, FILE *file)
{
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	/* Too large for a small stack; reports are written one after the other. */
	static struct options options;
	struct report report = {.session = session, .options = &options, .file = file};
	int error;

	options = *asked;
	fit_terminal(&options, file);
	if (session_header(session)->pid == getpid() && options.export_profile &&
	    session_kept(session))
		print_everything(&options);
	error = filter_init(&report.filter, session, &options);
	if (!error) {
		error = write_report(&report);
		filter_free(&report.filter);
	}
	if (!error && fflush(file) != 0)
		error = -errno;
	if (!error && ferror(file))
		error = -EIO;
	uselocale(before);
	return error;
}

static int write_to(struct session *session, const struct options *options,
		    const struct log_file *log, bool started, char *message, size_t size)
{
	const struct session_header *header = session_header(session);
	FILE *output;
	int error, closed;

	error = log_file_open(log, true, &output, message, size);
	if (error)
		return error;
	if (!started)
		report_write_start(options, header->pid, session_string(session, header->command),
				   output);
	error = report_write(session, options, output);
	closed = log_file_close(output);
	error = closed ? closed : error;
	if (error && log->path)
		snprintf(message, size, "the report could not be written to %s: %s", log->path,
			 strerror(-error));
	else if (error)
		snprintf(message, size, "the report could not be written: %s", strerror(-error));
	return error;
}

int report_deliver(struct session *session, const struct options *options,
		   const struct log_file *log, bool started, char *message, size_t size)
{
	const struct log_file errors = {.descriptor = STDERR_FILENO};
	int error = write_to(session, options, log, started, message, size);

	if (!error || (!log->path && log->descriptor == STDERR_FILENO))
		return error;
	log_file_say(session_header(session)->pid, "%s; it follows here", message);
	return write_to(session, options, &errors, false, message, size);
}
