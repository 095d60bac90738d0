/* SPDX-License-Identifier: MIT */
#include "report/options/filename.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/session/environment.h"
#include "report/session/text.h"

/* Writes what follows a % at `code` to `out`; returns the rest of the pattern, NULL for an error.
 */
static const char *expand_code(FILE *out, const char *code, const struct name_codes *codes,
			       char *message, size_t size)
{
	char host[256], variable[256];
	const char *end, *value;

	switch (*code) {
	case '%':
		fputc('%', out);
		return code + 1;
	case 'p':
		fprintf(out, "%d", (int)codes->pid);
		return code + 1;
	case 'r':
		if (codes->rank < 0) {
			snprintf(message, size,
				 "the rank of %%r is not known: no launcher tells it "
				 "(--rank-variable "
				 "NAME names what does)");
			return NULL;
		}
		fprintf(out, "%d", codes->rank);
		return code + 1;
	case 'h':
		if (gethostname(host, sizeof(host)) < 0)
			strcpy(host, "localhost");
		host[sizeof(host) - 1] = '\0';
		fputs(host, out);
		return code + 1;
	case 'i':
		if (codes->id < 0)
			break;
		fprintf(out, "%lld", (long long)codes->id);
		return code + 1;
	case 'q':
		end = code[1] == '{' ? strchr(code, '}') : NULL;
		if (!end || (size_t)(end - code - 2) >= sizeof(variable)) {
			snprintf(message, size, "%%q needs the name of a variable: %%q{NAME}");
			return NULL;
		}
		*(char *)mempcpy(variable, code + 2, (size_t)(end - code - 2)) = '\0';
		value = environment_get(variable);
		if (!value) {
			snprintf(message, size, "the environment variable %s of %%q{%s} is not set",
				 variable, variable);
			return NULL;
		}
		fputs(value, out);
		return end + 1;
	}
	if (*code)
		snprintf(message, size,
			 "%%%c means nothing in a name (%%p, %%r, %%h, %%q{ENV}, %%%%)", *code);
	else
		snprintf(message, size, "a name ends in a lone %% (write %%%%)");
	return NULL;
}

char *filename_expand(const char *pattern, const struct name_codes *codes, char *message,
		      size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	while (out && pattern && *pattern) {
		if (*pattern == '%')
			pattern = expand_code(out, pattern + 1, codes, message, size);
		else
			fputc(*pattern++, out);
	}
	if (text_close(out, &text) && pattern)
		snprintf(message, size, "out of memory");
	if (pattern)
		return text;
	free(text);
	return NULL;
}

char *filename_expand_path(const char *pattern, const struct name_codes *codes, char *message,
			   size_t size)
{
	char *name = filename_expand(pattern, codes, message, size), *path = NULL;
	const char *directory = name && *name != '/' ? environment_directory() : NULL;

	if (!directory)
		return name;
	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		snprintf(message, size, "out of memory");
		path = NULL;
	}
	free(name);
	return path;
}

char *filename_quote(const char *path)
{
	char *quoted = malloc(2 * strlen(path) + 1), *end = quoted;

	for (; quoted && *path; path++) {
		if (*path == '%')
			*end++ = '%';
		*end++ = *path;
	}
	if (quoted)
		*end = '\0';
	return quoted;
}

#define SUFFIX ".ktime"

/*
 * Launchers, the innermost first: torchrun is started by the others, and Slurm starts them.
 * `mark` has to be a number if `numbered`: in a batch script, and so in what mpirun starts there,
 * SLURM_PROCID is 0 everywhere and SLURM_STEP_ID is "batch" or nothing.
 */
static const struct launcher {
	const char *name, *mark;
	bool numbered;
	const char *rank, *local_rank, *world_size;
	const char *job, *job_part; /* what tells the job from others */
	const char *start, *end;    /* of its command, around the number of processes */
} launchers[] = {
	{"torchrun", "TORCHELASTIC_RUN_ID", false, "RANK", "LOCAL_RANK", "WORLD_SIZE",
	 "TORCHELASTIC_RUN_ID", "MASTER_PORT", "torchrun --nproc-per-node", " --no-python"},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", true, "OMPI_COMM_WORLD_RANK",
	 "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "", "mpirun -n",
	 ""},
	{"PMIx", "PMIX_RANK", true, "PMIX_RANK", "", "", "PMIX_NAMESPACE", "", NULL, NULL},
	{"PMI", "PMI_RANK", true, "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", "PMI_JOBID", "",
	 "mpiexec -n", ""},
	{"Slurm", "SLURM_STEP_ID", true, "SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS",
	 "SLURM_JOB_ID", "SLURM_STEP_ID", "srun -n", ""},
	/* What PyTorch programs are told by launchers of their own. */
	{"RANK and LOCAL_RANK", "LOCAL_RANK", true, "RANK", "LOCAL_RANK", "WORLD_SIZE",
	 "MASTER_ADDR", "MASTER_PORT", NULL, NULL},
	{"RANK and WORLD_SIZE", "WORLD_SIZE", true, "RANK", "LOCAL_RANK", "WORLD_SIZE",
	 "MASTER_ADDR", "MASTER_PORT", NULL, NULL},
};
#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

/* Reads digits, at most those of an int; returns what follows them, NULL if there is none. */
static const char *read_number(const char *text, int *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	/* It may begin with a blank or a sign for strtoul. */
	if (*text < '0' || *text > '9' || value > INT_MAX)
		return NULL;
	*number = (int)value;
	return end;
}

/* A variable's number, or -1. */
static int number_of(const char *variable)
{
	const char *text = *variable ? environment_get(variable) : NULL;
	const char *end;
	int number;

	end = text ? read_number(text, &number) : NULL;
	return end && !*end ? number : -1;
}

static bool is_there(const struct launcher *launcher)
{
	return launcher->numbered ? number_of(launcher->mark) >= 0
				  : environment_get(launcher->mark) != NULL;
}

/* What is not known yet and this launcher tells. */
static void complete(struct process_rank *rank, const struct launcher *launcher)
{
	const char *job = *launcher->job ? environment_get(launcher->job) : NULL;
	const char *part = *launcher->job_part ? environment_get(launcher->job_part) : NULL;

	if (rank->local_rank < 0)
		rank->local_rank = number_of(launcher->local_rank);
	if (rank->world_size < 0)
		rank->world_size = number_of(launcher->world_size);
	if (!*rank->launcher)
		snprintf(rank->launcher, sizeof(rank->launcher), "%s", launcher->name);
	if (!*rank->job && job)
		snprintf(rank->job, sizeof(rank->job), "%s%s%s", job, part ? "." : "",
			 part ? part : "");
}

struct process_rank rank_find(const char *variable)
{
	struct process_rank rank = {-1, -1, -1, .launcher = ""};

	if (variable) {
		rank.rank = number_of(variable);
		if (rank.rank >= 0)
			snprintf(rank.launcher, sizeof(rank.launcher), "%s", variable);
	}
	/* PMIx tells no size, and the launcher around it may: one that gives the same rank. */
	for (size_t i = 0; i < LAUNCHERS; i++) {
		int number = is_there(&launchers[i]) ? number_of(launchers[i].rank) : -1;

		if (!variable && rank.rank < 0)
			rank.rank = number;
		if (number >= 0 && number == rank.rank)
			complete(&rank, &launchers[i]);
	}
	/* A size that the rank does not fit into is of another job. */
	if (rank.world_size <= rank.rank)
		rank.world_size = -1;
	return rank;
}

bool launcher_write(const char *name, unsigned processes, bool one_node, FILE *file)
{
	for (size_t i = 0; i < LAUNCHERS; i++) {
		const struct launcher *launcher = &launchers[i];

		if (strcmp(launcher->name, name) != 0 || !launcher->start)
			continue;
		/* It is started on each node by itself, with what else it needs to know. */
		if (*launcher->end && !one_node)
			return false;
		if (file)
			fprintf(file, "%s %u%s ", launcher->start, processes, launcher->end);
		return true;
	}
	return false;
}

/* The next range of a list, "3" or "3-7"; NULL where it is none. */
static const char *read_range(const char *text, int *first, int *last)
{
	const char *end = read_number(text, first);

	*last = *first;
	if (end && *end == '-')
		end = read_number(end + 1, last);
	return end && (!*end || (*end == ',' && end[1])) && *first <= *last ? end + (*end == ',')
									    : NULL;
}

bool rank_list_is_valid(const char *list)
{
	int first, last;

	do
		list = read_range(list, &first, &last);
	while (list && *list);
	return list != NULL;
}

bool rank_is_listed(const char *list, int rank)
{
	int first, last;

	if (!list || rank < 0)
		return true;
	while (list && *list) {
		list = read_range(list, &first, &last);
		if (list && rank >= first && rank <= last)
			return true;
	}
	return false;
}

bool filename_tells_apart(const char *pattern)
{
	for (const char *code = pattern; (code = strchr(code, '%')) && code[1]; code += 2)
		if (strchr("prq", code[1]))
			return true;
	return false;
}

/* The name's length without the suffix; 0 if it is the process's own. */
static size_t shared_length(const char *pattern, const struct process_rank *rank)
{
	size_t length = strlen(pattern), suffix = strlen(SUFFIX);

	if (rank->rank < 0 || rank->world_size == 1 || filename_tells_apart(pattern))
		return 0;
	if (length > suffix && strcmp(pattern + length - suffix, SUFFIX) == 0)
		length -= suffix;
	return length;
}

bool rank_file_pattern(char *own, size_t size, const char *pattern, const struct process_rank *rank)
{
	size_t length = shared_length(pattern, rank);

	if (length > 0 && snprintf(own, size, "%.*s.%%r" SUFFIX, (int)length, pattern) < (int)size)
		return true;
	snprintf(own, size, "%s", pattern);
	return false;
}

bool rank_file_pattern_of_process(char *own, size_t size, const char *pattern,
				  const struct process_rank *rank, unsigned ordinal)
{
	size_t length = shared_length(pattern, rank);
	char number[16] = "";

	if (ordinal > 1)
		snprintf(number, sizeof(number), ".%u", ordinal);
	if (!length)
		return snprintf(own, size, "%s.%%p%s", pattern, number) < (int)size;
	return snprintf(own, size, "%.*s.%%r.%%p%s" SUFFIX, (int)length, pattern, number) <
	       (int)size;
}
