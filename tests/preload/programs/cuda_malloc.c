/* SPDX-License-Identifier: MIT */
/*
 * A malloc that is made of CUDA calls, as in programs for coherent memory: what is large comes from
 * cuMemAllocManaged, and is set to 0 on the device. Launches 100 kernels of one name in as many
 * streams, and one each of 100 names. Prints how many memsets malloc made.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/sim/programs/check.h"

#define LARGE 512
#define COUNT 100
#define MAGIC 0x5ca1ab1e0ddba11ul

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void __libc_free(void *pointer);

/* Before what is handed out. */
struct head {
	uintptr_t magic, self;
	size_t size;
	char rest[64 - 3 * sizeof(size_t)];
};

static __thread bool inside __attribute__((tls_model("initial-exec")));
static _Atomic bool ready;
static _Atomic unsigned memsets, running;
static CUcontext context;

static struct head *head_of(void *pointer)
{
	struct head *head = (struct head *)pointer - 1;

	return ((uintptr_t)pointer & 255) == sizeof(*head) && head->magic == MAGIC &&
			       head->self == (uintptr_t)head
		       ? head
		       : NULL;
}

static struct head *allocate(size_t size)
{
	CUdeviceptr memory;
	CUcontext current;

	if (cuCtxGetCurrent(&current) || (!current && cuCtxSetCurrent(context)) ||
	    cuMemAllocManaged(&memory, size + sizeof(struct head), CU_MEM_ATTACH_GLOBAL))
		return NULL;
	CHECK(cuMemsetD8(memory, 0, size + sizeof(struct head)));
	memsets++;
	return (struct head *)memory;
}

/* NULL for what is not large. */
static void *large(size_t size)
{
	struct head *head = NULL;

	if (inside || size < LARGE)
		return NULL;
	inside = true;
	running++;
	if (ready)
		head = allocate(size);
	running--;
	inside = false;
	if (!head)
		return NULL;
	*head = (struct head){.magic = MAGIC, .self = (uintptr_t)head, .size = size};
	return head + 1;
}

/* ktime and the C library call these. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
	void *pointer = large(size);

	return pointer ? pointer : __libc_malloc(size);
}

void free(void *pointer)
{
	struct head *head = pointer ? head_of(pointer) : NULL;
	bool before = inside;

	if (!head) {
		__libc_free(pointer);
		return;
	}
	head->magic = 0;
	inside = true;
	cuMemFree((CUdeviceptr)head);
	inside = before;
}

void *calloc(size_t count, size_t size)
{
	void *pointer = large(count * size);

	return pointer ? pointer : __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size)
{
	struct head *head = pointer ? head_of(pointer) : NULL;
	void *larger;

	if (!head)
		return __libc_realloc(pointer, size);
	larger = malloc(size);
	if (larger) {
		memcpy(larger, pointer, size < head->size ? size : head->size);
		free(pointer);
	}
	return larger;
}

#pragma GCC visibility pop

/* A module with the kernels k0, k1, and so on. */
static CUmodule many_kernels(void)
{
	static char image[64 * COUNT] = ".version 8.0\n.target sm_80\n";
	size_t end = strlen(image);
	CUmodule module;

	for (int i = 0; i < COUNT; i++)
		end += (size_t)snprintf(image + end, sizeof(image) - end, ".visible .entry k%d()\n",
					i);
	CHECK(cuModuleLoadData(&module, image));
	return module;
}

int main(void)
{
	CUfunction kernel;
	CUmodule module;
	CUstream stream;
	char name[40];

	context = check_context();
	kernel = check_kernel("first");
	check_launch(kernel, NULL);
	module = many_kernels();
	ready = true;
	for (int i = 0; i < COUNT; i++) {
		char *block = malloc(2000);

		CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		check_launch(kernel, stream);
		free(block);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		CHECK(cuModuleGetFunction(&kernel, module, name));
		check_launch(kernel, NULL);
	}
	ready = false;
	/* ktime's thread may be in one. */
	while (running)
		sched_yield();
	CHECK(cuCtxSynchronize());
	printf("%u\n", memsets);
	return 0;
}
