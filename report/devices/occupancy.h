/* SPDX-License-Identifier: MIT */
/* How many warps of a kernel a multiprocessor can hold at once. Pure, on any thread. */
#ifndef KTIME_REPORT_DEVICES_OCCUPANCY_H
#define KTIME_REPORT_DEVICES_OCCUPANCY_H

#include "report/session/session.h"

#define OCCUPANCY_LIMITS(X)                                                                        \
	X(NONE, "")                                                                                \
	X(WARPS, "warps")                                                                          \
	X(BLOCKS, "blocks")                                                                        \
	X(REGISTERS, "registers")                                                                  \
	X(SHARED, "shared memory")
#define OCCUPANCY_LIMIT_ENUM(name, text) OCCUPANCY_BY_##name,
enum occupancy_limit { OCCUPANCY_LIMITS(OCCUPANCY_LIMIT_ENUM) OCCUPANCY_LIMIT_COUNT };
#undef OCCUPANCY_LIMIT_ENUM
const char *occupancy_limit_text(enum occupancy_limit limit);

struct occupancy {
	double fraction; /* of the warps that a multiprocessor has room for; 0: not known */
	double waves;	 /* blocks of a launch over those that the whole device holds at once */
	enum occupancy_limit limit; /* what keeps it from more */
};
struct occupancy occupancy_of(const struct device_info *info, const struct launch_shape *shape);

#endif
