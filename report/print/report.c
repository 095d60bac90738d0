/* SPDX-License-Identifier: MIT */
#include "report/print/report.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/print/nsys_format.h"
#include "report/options/filename.h"
#include "report/print/table.h"

#define PREFIX_SIZE 32

static void prefix_format(char prefix[PREFIX_SIZE], pid_t pid, bool live)
{
	if (live)
		snprintf(prefix, PREFIX_SIZE, "==%d== ", (int)pid);
	else
		strcpy(prefix, "======== ");
}

void report_write_start(const struct options *options, pid_t pid, const char *command, FILE *file)
{
	char prefix[PREFIX_SIZE];
	unsigned i;

	if (options->quiet)
		return;
	prefix_format(prefix, pid, true);
	fprintf(file, "%sktime is profiling process %d, command: %s\n", prefix, (int)pid, command);
	for (i = 0; i < options->notice_count; i++)
		fprintf(file, "%sWarning: %s\n", prefix, options->notices[i]);
	fflush(file);
}

static void write_application(const struct session *session, const struct options *options,
			      const char *prefix, FILE *file)
{
	const struct session_header *header = session_header(session);
	const char *command = session_string(session, header->command);
	char message[128];
	char *name = options->process_name ? filename_expand(options->process_name, header->pid, -1,
							     message, sizeof(message))
					   : NULL;

	if (name || *command)
		fprintf(file, "%sProfiling application: %s\n", prefix, name ? name : command);
	free(name);
}

/* As nvprof: the summary of both halves, unless something else was asked for. */
static void what_to_print(const struct options *options, bool *gpu, bool *api)
{
	bool other = options->print_gpu_summary || options->print_api_summary ||
		     options->print_summary_per_gpu || options_want_trace(options) ||
		     options->export_profile;
	bool both = options->print_summary || !other;

	*gpu = both || options->print_gpu_summary;
	*api = both || options->print_api_summary;
}

static int write_per_gpu(const struct session *session, const struct options *options,
			 const char *prefix, FILE *file)
{
	const struct session_header *header = session_header(session);
	int device, error = 0;

	for (device = 0; device < SESSION_DEVICES && !error; device++) {
		if (!header->devices[device].used || !(options->devices >> device & 1))
			continue;
		fprintf(file, "\n%sDevice \"%.63s (%d)\"\n", prefix, header->devices[device].name,
			device);
		error = summary_write(session, options, true, false, device, file);
	}
	return error;
}

static int write_tables(struct session *session, const struct options *options, const char *prefix,
			FILE *file)
{
	bool gpu, api;
	int error = 0;

	what_to_print(options, &gpu, &api);
	if (options_want_trace(options))
		error = trace_write(session, options, options->print_gpu_trace,
				    options->print_api_trace, file);
	if (!error && (gpu || api))
		error = options->format == FORMAT_NSYS ? nsys_format_write(session, options, file)
						       : summary_write(session, options, gpu, api,
								       TABLE_ALL_DEVICES, file);
	if (!error && options->print_summary_per_gpu)
		error = write_per_gpu(session, options, prefix, file);
	if (!error && options->histogram && !options->csv)
		error = histograms_write(session, options, file);
	if (!error && options->cross_check)
		error = cross_check_write(session, options, file);
	return error;
}

static void write_result_file(const char *pattern, pid_t pid, const char *prefix, FILE *file)
{
	char message[128];
	char *path = filename_expand(pattern, pid, -1, message, sizeof(message));

	fprintf(file, "%sGenerated result file: %s\n", prefix, path ? path : pattern);
	free(path);
}

int report_write(struct session *session, const struct options *options, FILE *file)
{
	const struct session_header *header = session_header(session);
	bool live = header->pid == getpid();
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	char prefix[PREFIX_SIZE];
	bool gpu, api;
	int error;

	prefix_format(prefix, header->pid, live);
	what_to_print(options, &gpu, &api);
	if (!options->quiet) {
		write_application(session, options, prefix, file);
		if (options->histogram && options->csv)
			fprintf(file,
				"%sWarning: --histogram is ignored with --csv: it draws text\n",
				prefix);
		if (gpu || api || options->print_summary_per_gpu || options_want_trace(options))
			fprintf(file, "%sProfiling result:\n", prefix);
	}
	error = write_tables(session, options, prefix, file);
	/* Without a process the records come from elsewhere: ktime has nothing to add. */
	if (!error && !options->quiet && header->pid != 0)
		error = closing_write(session, options, prefix, file);
	if (live && !options->quiet && options->export_profile)
		write_result_file(options->export_profile, header->pid, prefix, file);
	if (!error && fflush(file) != 0)
		error = -errno;
	if (!error && ferror(file))
		error = -EIO;
	uselocale(before);
	return error;
}
