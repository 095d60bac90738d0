/* SPDX-License-Identifier: MIT */
/* The way of launches with --metrics. */
#ifndef KTIME_PRELOAD_METRICS_LAUNCHES_H
#define KTIME_PRELOAD_METRICS_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

/* Has the wrappers of launches and captures call launches.c; once, before the first launch. */
void launches_take(void);
/* Keeps all launches out until launches_let_in(); false if that did not come about in time. */
bool launches_keep_out(uint64_t nanoseconds);
void launches_let_in(void);

#endif
