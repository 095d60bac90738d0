/* SPDX-License-Identifier: MIT */
/* Which functions made the calls that a rule counts, by the rows of API calls. */
#ifndef KTIME_REPORT_FINDINGS_FUNCTIONS_H
#define KTIME_REPORT_FINDINGS_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* What functions do, as far as their names say it. */
enum function_group {
	FUNCTION_WAIT,	 /* synchronizes: cudaStreamSynchronize */
	FUNCTION_COPY,	 /* copies, and is not asynchronous: cudaMemcpy */
	FUNCTION_SET,	 /* sets memory, and is not asynchronous: cudaMemset */
	FUNCTION_MEMORY, /* allocates, frees, maps or registers memory: cudaMalloc */
	FUNCTION_LOAD,	 /* loads code: cuModuleLoadData */
	FUNCTION_END,	 /* ends what a call began: cudaFree, cudaDeviceReset */
	FUNCTION_WORK	 /* gives the GPU work, or waits for it: cudaMemcpyAsync */
};
bool function_is(enum function_group group, const char *name);

/* A function and its calls; nanoseconds. */
struct function_calls {
	uint64_t name; /* offset of a string */
	uint64_t calls, time, longest;
};

/* The most functions of a finding that are told apart. Chosen: what a sentence has room for. */
#define FUNCTIONS_MOST 4
struct functions {
	struct function_calls of[FUNCTIONS_MOST];
	unsigned count;
	uint64_t calls, time; /* of all, those that had no room too */
	uint64_t longest;     /* the sum of each function's longest call */
};

/* Adds calls of a function, those of one name together. */
void functions_add(struct functions *functions, const struct function_calls *calls);
/* Those of a group that the API rows have. */
void functions_of(struct functions *functions, const struct session *session,
		  enum function_group group);
/* The one with most time first. */
void functions_sort(struct functions *functions);

#endif
