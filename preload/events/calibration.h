/* SPDX-License-Identifier: MIT */
/*
 * Measures the event-pair overhead of this device: two back-to-back events are recorded into a
 * stream of ktime's, and the time between them is compared with that on the device where the
 * built-in overheads were measured. Only needed without CUPTI, whose records tell the overhead call
 * by call.
 */
#ifndef KTIME_PRELOAD_EVENTS_CALIBRATION_H
#define KTIME_PRELOAD_EVENTS_CALIBRATION_H

#include "preload/handles/stream.h"

/*
 * Measures once, as soon as there is a context and no stream captures: some 100 us of the collector
 * thread, which alone may call it. If the device does not finish within a millisecond it is not
 * tried again.
 */
void calibration_update(void);

#endif
