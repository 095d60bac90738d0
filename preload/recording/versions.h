/* SPDX-License-Identifier: MIT */
/*
 * Versions of updated graphs (operation.h). Records do not tell them apart if they run the same
 * kernels; but a window in which one version alone was launched is of that one. For the collector
 * thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_VERSIONS_H
#define KTIME_PRELOAD_RECORDING_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/handles/operation.h"

/* Before a window opens, and a while after it was closed, when all calls that were made in it have
 * returned: notes which graphs are launched in between. Anything longer is not a window. */
void versions_window_opens(void);
void versions_window_was_closed(void);
/* Calls `use` for each version of graphs with these kernels (graph_contents_key()), the first ones
 * too; not if there is no other. */
void versions_for_each(uint64_t kernels, void (*use)(struct operation *version, void *context),
		       void *context);
/* The only version of graphs with these kernels that was launched in the last window; NULL if there
 * were several, or that is not known. */
struct operation *versions_in_window(uint64_t kernels);
/* The window's records have been taken: the next ones are not known to be of one window. */
void versions_window_taken(void);

#endif
