/* SPDX-License-Identifier: MIT */
/* Commands of other processes, which come by a page of the profile: ktime on, off, window and
 * snapshot. For the collector thread. */
#ifndef KTIME_PRELOAD_RECORDING_COMMANDS_H
#define KTIME_PRELOAD_RECORDING_COMMANDS_H

#include <stdbool.h>

#include "report/session/session.h"

/* To be called once, first. `collect` takes what has finished into the rows. */
void commands_start(void (*collect)(void));
/* To be called with true before the collector writes to the profile and with false after: while it
 * is false, other processes may copy the profile. */
void commands_writing(bool writing);
/* Carries out what was asked for since the last call, and what the window's plan says. Once per
 * period. */
void commands_update(void);

#endif
