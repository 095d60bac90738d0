/* SPDX-License-Identifier: MIT */
/* `ktime bench`: runs a program several times, or two programs in turns. */
#include "report/command/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/export/output.h"
#include "report/names/visible.h"
#include "report/options/filename.h"

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Waits for what child_fork() started; its status as waitpid(2) has it. */
static int wait_for(const struct child *child)
{
	int status = child_wait(child);

	/* child_fork() held signals back. */
	sigaction(SIGCHLD, &child->child_action, NULL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	return status;
}

/* Runs the program once; its status as waitpid(2) has it, or -errno. */
static int run_once(const struct options *options, const char *path, const char *const *program)
{
	char force[] = "-f", quiet[] = "--quiet", output[] = "-o";
	struct options run_options = *options;
	char *pattern = filename_quote(path);
	char *const words[] = {output, pattern, force, quiet};
	struct child child;
	int status;

	if (!pattern)
		return -ENOMEM;
	run_options.words = words;
	run_options.word_count = sizeof(words) / sizeof(*words);
	run_options.export_profile = pattern;
	run_options.force_overwrite = true;
	status = child_fork(&child);
	if (status == 0) {
		if (bench_takes_stdout(options))
			dup2(STDERR_FILENO, STDOUT_FILENO);
		_exit(launch(&run_options, program));
	}
	if (status > 0)
		status = wait_for(&child);
	free(pattern);
	return status;
}

/* Runs the shell command of --prepare. 0, or EXIT_FAILURE with a message. */
static int prepare(const char *command)
{
	struct child child;
	int status = child_fork(&child);

	if (status == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(visible_fail(127, "ktime bench: /bin/sh: %s", strerror(errno)));
	}
	if (status > 0)
		status = wait_for(&child);
	if (status == 0)
		return 0;
	if (status < 0)
		return visible_fail(EXIT_FAILURE, "ktime bench: --prepare: %s", strerror(-status));
	return visible_fail(EXIT_FAILURE, "ktime bench: the command of --prepare failed: %s",
			    command);
}

/* On a terminal: how far it is, and how long the rest will take if it goes on like this. */
static void say_progress(const struct bench *bench, const char *what, double wall)
{
	double left = (double)(now() - bench->started) / bench->done * (bench->all - bench->done);
	char time[NUMBER_SIZE], rest[NUMBER_SIZE];

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "ktime bench: %s: %s", what, number_about(time, wall, 3));
	if (bench->done < bench->all)
		fprintf(stderr, ", about %s left", number_about(rest, left, 2));
	fputc('\n', stderr);
}

/* Prepares and does run `run` of `runs`, whose profile goes to a path. The exit status. */
static int do_run(struct bench *bench, struct side *side, const char *kind, unsigned run,
		  unsigned runs, const char *path, double *wall)
{
	const char *command = bench->options->prepare;
	char what[64];
	uint64_t begin;
	int status;

	snprintf(what, sizeof(what), "%srun %u of %u%s", kind, run, runs,
		 bench->count < 2	? ""
		 : side == bench->sides ? " of A"
					: " of B");
	if (command && prepare(command))
		return EXIT_FAILURE;
	begin = now();
	status = run_once(bench->options, path, side->means.program);
	*wall = (double)(now() - begin);
	if (status < 0)
		return visible_fail(EXIT_FAILURE, "ktime bench: %s", strerror(-status));
	if (status != 0) {
		bench->ended = status;
		return visible_fail(EXIT_FAILURE, "ktime bench: %s failed", what);
	}
	if (access(path, F_OK) < 0)
		return visible_fail(EXIT_FAILURE,
				    "ktime bench: %s left no profile: no CUDA was used", what);
	bench->done++;
	say_progress(bench, what, *wall);
	return EXIT_SUCCESS;
}

/* Runs each program as often as asked for, in turns, so that what changes while they run, such as
 * clocks, hits both. The exit status. */
static int run_all(struct bench *bench)
{
	const struct options *options = bench->options;
	char path[RUN_PATH];
	double wall;
	int status;

	bench->all = (options->warmup + options->runs) * bench->count;
	bench->started = now();
	for (unsigned run = 1; run <= options->warmup; run++) {
		for (struct side *side = bench->sides; side < bench->sides + bench->count; side++) {
			/* Its name is none that is read as a run's. */
			snprintf(path, sizeof(path), "%s/warm-up", side->folders.runs);
			status = do_run(bench, side, "warm-up ", run, options->warmup, path, &wall);
			unlink(path);
			if (status)
				return status;
		}
	}
	for (unsigned run = 1; run <= options->runs; run++) {
		for (struct side *side = bench->sides; side < bench->sides + bench->count; side++) {
			status = do_run(bench, side, "", run, options->runs,
					folders_run(path, side->folders.runs, run),
					&side->means.times[run - 1].wall);
			if (status)
				return status;
		}
	}
	return EXIT_SUCCESS;
}

/* How long a GPU worked in a run, the mean of those that were used; NAN: not known of one. */
static double busy_of(const struct session *session)
{
	double busy = 0;
	unsigned used = 0;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = session_use(session, device);

		if (!session_header(session)->devices[device].used)
			continue;
		busy += use && !(use->error > 0) ? (double)use->busy : NAN;
		used++;
	}
	return used ? busy / used : NAN;
}

/* Reads the profiles of a side's runs. 0, or -errno with a message. */
static int load_runs(struct side *side, unsigned runs)
{
	char path[RUN_PATH], message[512] = "";
	int error = 0;

	side->files[0] = side->name;
	side->profile.files = side->files;
	side->profile.file_count = 1;
	for (unsigned run = 1; run <= runs && !error; run++) {
		struct profile profile = {0};
		struct session *session;

		folders_run(path, side->folders.folder, run);
		error = session_load(&session, path, message, sizeof(message));
		if (error)
			break;
		side->means.times[run - 1].busy = busy_of(session);
		session_close(session);
		error = import_profile(&profile, path, NULL, message, sizeof(message));
		if (!error)
			error = profile_add_run(&side->profile, &profile);
		profile_free(&profile);
	}
	if (error)
		visible_line(stderr, "ktime bench: %s", *message ? message : strerror(-error));
	else
		means_take_gpu_times(&side->means);
	return error;
}

/* Makes the folders; the exit status. */
static int begin(struct bench *bench, const char *folder)
{
	bool two = bench->count > 1;

	bench->made_parent = two && mkdir(folder, 0777) == 0;
	for (unsigned i = 0; i < bench->count; i++) {
		struct side *side = &bench->sides[i];

		side->means.folder = side->name;
		side->means.profile = &side->profile;
		side->means.times = calloc(bench->options->runs, sizeof(*side->means.times));
		if (!side->means.times)
			return visible_fail(EXIT_FAILURE, "ktime bench: %s", strerror(ENOMEM));
		if (snprintf(side->name, sizeof(side->name), two ? "%s/%c" : "%s", folder,
			     "AB"[i]) >= PATH_MAX)
			return visible_fail(EXIT_BAD_USAGE, "ktime bench: %s: %s", folder,
					    strerror(ENAMETOOLONG));
		if (folders_make(&side->folders, side->name, bench->options->force_overwrite))
			return EXIT_BAD_USAGE;
	}
	return EXIT_SUCCESS;
}

/* Runs the programs, and reads what the runs left; the exit status. */
static int make_runs(struct bench *bench)
{
	int status = run_all(bench);

	for (unsigned i = 0; i < bench->count && !status; i++)
		if (folders_replace(&bench->sides[i].folders, bench->options->runs) ||
		    load_runs(&bench->sides[i], bench->options->runs))
			status = EXIT_FAILURE;
	return status;
}

/* Leaves the profiles alone; nothing if the runs failed. */
static void end(struct bench *bench, const char *folder, bool failed)
{
	for (unsigned i = 0; i < bench->count; i++) {
		folders_leave(&bench->sides[i].folders, failed);
		profile_free(&bench->sides[i].profile);
		free(bench->sides[i].means.times);
	}
	if (bench->made_parent && failed)
		rmdir(folder);
}

/* The name of the folder unless the user gives one. */
static const char *folder_of(const struct bench *bench, char name[PATH_MAX])
{
	const char *program = bench->sides[0].means.program[0], *slash = strrchr(program, '/');

	if (bench->options->export_profile)
		return bench->options->export_profile;
	snprintf(name, PATH_MAX, "%s.runs", slash ? slash + 1 : program);
	return name;
}

static int run_bench(struct bench *bench)
{
	const struct options *options = bench->options;
	char name[PATH_MAX], message[512];
	const char *folder = folder_of(bench, name);
	bool failed;
	int status;

	if (options->json &&
	    output_check(options->json, options->force_overwrite, false, message, sizeof(message)))
		return visible_fail(EXIT_BAD_USAGE, "ktime bench: %s", message);
	status = begin(bench, folder);
	if (!status)
		status = make_runs(bench);
	failed = status != EXIT_SUCCESS;
	/* The runs stay, whatever comes of printing them. */
	if (!failed && bench_print(bench))
		status = EXIT_FAILURE;
	end(bench, folder, failed);
	return status;
}

int command_bench(const struct options *options, const char *const *operands, size_t count)
{
	const char **words = calloc(count + 1, sizeof(*words));
	static struct bench bench; /* too large for a small stack */
	size_t second = options->separator;
	int status;

	if (!words)
		return visible_fail(EXIT_FAILURE, "ktime bench: %s", strerror(ENOMEM));
	memcpy(words, operands, count * sizeof(*words));
	bench = (struct bench){.options = options, .count = second ? 2 : 1};
	bench.sides[0].means.program = words;
	if (second) {
		/* The first program's words end where the second's begin. */
		words[second - 1] = NULL;
		bench.sides[1].means.program = words + second;
	}
	if (!words[0] || (second && second == count))
		status = visible_fail(
			EXIT_BAD_USAGE,
			"ktime bench: one program given; usage: ktime bench [options] -- "
			"A -- B");
	else
		status = run_bench(&bench);
	free(words);
	return bench.ended ? child_end_alike(bench.ended) : status;
}
