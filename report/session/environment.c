/* SPDX-License-Identifier: MIT */
#include "report/session/environment.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What ktime asks for begins like this, besides what the options name: for itself, for CUDA and its
 * tools, for folders, and what tells of a rank or a job. */
static const char *const beginnings[] = {
	"KTIME_",
	"CUDA_",
	"NVTX_",
	"XDG_RUNTIME_DIR=",
	"TMPDIR=",
	"HOME=",
	"COLUMNS=",
	"NO_COLOR=",
	"TERM=",
	"TORCHELASTIC_",
	"RANK=",
	"LOCAL_RANK=",
	"WORLD_SIZE=",
	"MASTER_PORT=",
	"OMPI_COMM_WORLD_",
	"PMIX_",
	"PMI_",
	"MPI_LOCALRANKID=",
	"SLURM_",
};

/* Each string "NAME=value", with its end, one after the other, and an empty one. */
static char *saved;
static char directory[PATH_MAX];

/* Whether the options name the variable: in %q{NAME}, or as what --rank-variable takes. */
static bool is_named(const char *variable, const char *options)
{
	size_t length = strcspn(variable, "=");

	for (const char *at = options; length && *at; at++)
		if (strncmp(at, variable, length) == 0 && strchr("} '\"", at[length]))
			return true;
	return false;
}

static bool is_wanted(const char *variable, const char *options)
{
	for (unsigned i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return options && is_named(variable, options);
}

void environment_save(const char *options_name)
{
	const char *options = getenv(options_name);
	int saved_errno = errno;
	size_t size = 1;
	char *block, *at;

	for (char **variable = environ; variable && *variable; variable++)
		if (is_wanted(*variable, options))
			size += strlen(*variable) + 1;
	if (options && !getcwd(directory, sizeof(directory)))
		directory[0] = '\0';
	/* Not malloc, which may be the program's, and be made of CUDA calls. */
	block = size > 1 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0)
			 : MAP_FAILED;
	if (block != MAP_FAILED) {
		at = block;
		for (char **variable = environ; variable && *variable; variable++)
			if (is_wanted(*variable, options))
				at = stpcpy(at, *variable) + 1;
		saved = block;
	}
	errno = saved_errno;
}

const char *environment_get(const char *name)
{
	const char *now = getenv(name);
	size_t length = strlen(name);

	for (const char *at = saved; !now && at && *at; at += strlen(at) + 1)
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			now = at + length + 1;
	return now;
}

const char *environment_directory(void)
{
	static char now[PATH_MAX];

	if (!directory[0] || (getcwd(now, sizeof(now)) && strcmp(now, directory) == 0))
		return NULL;
	return directory;
}
