/* SPDX-License-Identifier: MIT */
/* Profiles that hold something of everything, no two figures of which are equal. */
#ifndef KTIME_TESTS_UNIT_WHOLE_PROFILE_H
#define KTIME_TESTS_UNIT_WHOLE_PROFILE_H

#include "report/session/session.h"

/* What a profile's times come from. */
enum whole_profile {
	WHOLE_CUPTI,   /* both clocks on three devices, with ranges, idle times and a trace */
	WHOLE_EVENTS,  /* a sample by CUDA events */
	WHOLE_WINDOWS, /* CUPTI in windows, of graphs too */
	WHOLE_KINDS
};

/* In the file `path`, or in memory if it is NULL. Fails the test if it cannot be had. */
struct session *whole_profile(enum whole_profile kind, const char *path);

#endif
