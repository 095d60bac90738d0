/* SPDX-License-Identifier: MIT */
/*
 * Does away with its environment, or changes its directory, before it uses CUDA, as daemons,
 * sandboxes and setproctitle do. Then launches one kernel.
 *
 * usage: other_environment clear|overwrite|none|chdir|set
 */
#include <string.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static void change(const char *how)
{
	if (strcmp(how, "clear") == 0)
		clearenv();
	else if (strcmp(how, "overwrite") == 0)
		for (char **variable = environ; *variable; variable++)
			memset(*variable, 'x', strlen(*variable));
	else if (strcmp(how, "none") == 0)
		environ = NULL;
	else if (strcmp(how, "chdir") == 0)
		EXPECT(0, chdir("/"));
	else if (strcmp(how, "set") == 0)
		setenv("KTIME_OPTIONS", "--log-file own.log", 1);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	change(argv[1]);
	check_context();
	check_launch(check_kernel("first"), NULL);
	CHECK(cuCtxSynchronize());
	return 0;
}
