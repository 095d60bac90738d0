/* SPDX-License-Identifier: MIT */
/*
 * context_lives CONTEXTS: makes contexts one after the other, launches kernels in each, one of them
 * in a thread of its own, and destroys it. Prints how many KiB of the heap are in use at the end.
 */
/*
 * context_lives CONTEXTS: makes contexts one after the other, launches kernels in each, one of them
 * in a thread of its own, and destroys it. Prints the resident
 * memory in KiB at the end.
 */
#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

/* Declared by CUDA 12 alone, and in every driver. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

static CUcontext context;
static CUfunction kernel;

static void *launch(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	check_launch(kernel, NULL);
	return NULL;
}

/* The last of malloc_info()'s numbers are those of all arenas. */
static long last_size(const char *text, const char *kind)
{
	long size = 0;

	for (const char *found = strstr(text, kind); found; found = strstr(found + 1, kind))
		EXPECT(1, sscanf(strstr(found, "size=") + 5, "\"%ld\"", &size));
	return size;
}

/* Not the resident memory: how far free pieces of the heap are used again differs by run. */
static long heap_kib(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	long bytes;

	EXPECT(0, malloc_info(0, file));
	fclose(file);
	bytes = last_size(text, "<system type=\"current\"") +
		last_size(text, "<total type=\"mmap\"") - last_size(text, "<total type=\"fast\"") -
		last_size(text, "<total type=\"rest\"");
	free(text);
	return bytes / 1024;
}

int main(int argc, char **argv)
{
	long contexts = argc > 1 ? atol(argv[1]) : 100;
	pthread_t thread;

	CHECK(cuInit(0));
	for (long i = 0; i < contexts; i++) {
		CHECK(cuCtxCreate_v2(&context, 0, 0));
		kernel = check_kernel("first");
		check_launch(kernel, NULL);
		check_launch(kernel, NULL);
		pthread_create(&thread, NULL, launch, NULL);
		pthread_join(thread, NULL);
		CHECK(cuCtxDestroy(context));
		if (i % 20 == 19)
			wait_for_a_turn_of_ktime();
	}
	wait_for_ktime();
	printf("%ld\n", heap_kib());
	return 0;
}
