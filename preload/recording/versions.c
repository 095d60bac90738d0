/* SPDX-License-Identifier: MIT */
#include "preload/recording/versions.h"

#include <stddef.h>

#include "preload/handles/graph_contents.h"

static enum { UNKNOWN, OPEN, KNOWN } window;

void versions_window_opens(void)
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		operation->calls_before = operation->calls;
	window = OPEN;
}

void versions_window_was_closed(void)
{
	if (window != OPEN)
		return;
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		operation->in_window = operation->calls > operation->calls_before;
	window = KNOWN;
}

void versions_window_taken(void)
{
	window = UNKNOWN;
}

static bool has_kernels(const struct operation *operation, uint64_t kernels)
{
	const struct graph_contents *contents = graph_contents_of(operation);

	return contents && graph_contents_key(contents) == kernels;
}

void versions_for_each(uint64_t kernels, void (*use)(struct operation *version, void *context),
		       void *context)
{
	bool several = false;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		several |= operation->version_of && has_kernels(operation, kernels);
	for (struct operation *operation = operation_first(); several && operation;
	     operation = operation->next)
		if (has_kernels(operation, kernels))
			use(operation, context);
}

struct operation *versions_in_window(uint64_t kernels)
{
	struct operation *found = NULL;

	for (struct operation *operation = operation_first(); window == KNOWN && operation;
	     operation = operation->next) {
		if (!operation->in_window || !has_kernels(operation, kernels))
			continue;
		if (found)
			return NULL;
		found = operation;
	}
	return found;
}
