/* SPDX-License-Identifier: MIT */
/*
 * Opens a plug-in that works the device, such that ktime does not see it, or opens the driver and
 * does not use it.
 *
 * usage: blind deepbind|dlmopen|fork|unused LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *opened(void *library)
{
	if (!library) {
		fprintf(stderr, "blind: %s\n", dlerror());
		exit(1);
	}
	return library;
}

static void work(void *plugin)
{
	((void (*)(const char *))dlsym(plugin, "plugin_copies"))("plugin");
}

int main(int argc, char **argv)
{
	int status = 0;
	void *plugin;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "dlmopen") == 0) {
		work(opened(dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW)));
	} else if (strcmp(argv[1], "unused") == 0) {
		opened(dlopen(argv[2], RTLD_NOW | RTLD_DEEPBIND));
	} else {
		plugin = opened(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND));
		work(plugin);
		fflush(stdout);
		/* The child ends as the parent does, by exit. */
		if (strcmp(argv[1], "fork") == 0 && fork() > 0)
			wait(&status);
	}
	return WEXITSTATUS(status);
}
