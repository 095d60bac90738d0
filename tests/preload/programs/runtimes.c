/* SPDX-License-Identifier: MIT */
/*
 * Three runtimes in one process: this program's, linked statically, and those of two plug-ins,
 * each in a scope of its own. Each runtime keeps a last error: an error that turns up in another
 * one tells that a call went astray.
 *
 * usage: runtimes FOLDER
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/preload/programs/copies.h"

static void *load(const char *folder, const char *name)
{
	char path[4096];
	void *plugin;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		fprintf(stderr, "runtimes: %s\n", dlerror());
		exit(1);
	}
	return plugin;
}

static void run(void *plugin, const char *runtime)
{
	((void (*)(const char *))dlsym(plugin, "plugin_copies"))(runtime);
}

static int last_error(void *plugin)
{
	return ((int (*)(void))dlsym(plugin, "plugin_last_error"))();
}

int main(int argc, char **argv)
{
	void *first, *second;

	if (argc != 2)
		return 2;
	first = load(argv[1], "libplugin.so");
	second = load(argv[1], "libplugin_other.so");
	copies("static");
	printf("static %d, first %d, second %d\n", cudaGetLastError(), last_error(first),
	       last_error(second));
	run(first, "first");
	printf("static %d, first %d, second %d\n", cudaGetLastError(), last_error(first),
	       last_error(second));
	run(second, "second");
	printf("static %d, first %d, second %d\n", cudaGetLastError(), last_error(first),
	       last_error(second));
	return 0;
}
