/* SPDX-License-Identifier: MIT */
#ifndef KTIME_PRELOAD_HOOKS_WRAPPERS_H
#define KTIME_PRELOAD_HOOKS_WRAPPERS_H

#include <stdbool.h>

#include "preload/driver/entries.h"

/* What ktime hands out in place of an entry: to a cudart, or to anybody else. */
void *wrapper_of(enum driver_entry entry, bool for_runtime);

#endif
