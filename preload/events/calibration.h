/* SPDX-License-Identifier: MIT */
/*
 * The bias of an event pair on this device, where there are no activity records to tell it from:
 * two events with nothing between them are recorded into a stream of ktime's own, and what they
 * measure is held against what they measured on the machine that the known biases come from.
 */
#ifndef KTIME_PRELOAD_EVENTS_CALIBRATION_H
#define KTIME_PRELOAD_EVENTS_CALIBRATION_H

#include "preload/handles/stream.h"

/*
 * Measures once, when a context is there and nothing captures; some 100 us of the collector thread,
 * which alone may call it. A device that does not answer within a millisecond is left for good.
 */
void calibration_update(void);

#endif
