/* SPDX-License-Identifier: MIT */
/* Records of what the device did. */
#ifndef SIM_CUPTI_DEVICE_RECORD_H
#define SIM_CUPTI_DEVICE_RECORD_H

#include "tests/sim/cupti/driver.h"

/* Adds the record of the activity, if its kind is on. */
void device_record_add(const struct sim_activity *activity, const _Atomic bool *kinds,
		       bool kernel_missed);

/* Writes the records that SIM_CUPTI_LATE holds back. */
void device_record_release_late(void);

#endif
