/* SPDX-License-Identifier: MIT */
/* Runtime calls that take so little time that recording one costs as much: CUPTI stops recording
 * such a function after some calls. For the collector thread only. */
#ifndef KTIME_PRELOAD_RECORDING_CHEAP_CALLS_H
#define KTIME_PRELOAD_RECORDING_CHEAP_CALLS_H

#include <stdint.h>

#include "report/session/session.h"

/* Takes a call of a runtime function, by its callback id, that its row has counted. */
void cheap_calls_note(struct row *row, uint32_t callback);
/* Names the functions whose later calls are not counted, in the report. */
void cheap_calls_warn(struct session *session);

#endif
