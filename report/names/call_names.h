/* SPDX-License-Identifier: MIT */
/*
 * The names of CUDA's calls as other profilers have them: CUPTI's callback names, with the version
 * of the runtime's ABI ("cudaLaunchKernel_v7000") or the driver's symbol ("cuMemAlloc_v2"), and
 * "_ptsz" or "_ptds" where the default stream is one of a thread. ktime names the call alone. Known
 * are those of the toolkit that ktime is built with (call_names.awk).
 */
#ifndef KTIME_REPORT_NAMES_CALL_NAMES_H
#define KTIME_REPORT_NAMES_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* CUPTI's name of a callback number; NULL: none of those known. */
const char *call_name_of(bool driver, unsigned number);
/*
 * CUPTI's name of a call as ktime has it: where several versions have the name, that of the newest.
 * A name that CUPTI does not have is returned as it is.
 */
const char *call_name_with_version(bool driver, const char *name);

/* How much of a name is before "_v7000", a version of the runtime's ABI, as nsys's tables have it.
 */
size_t call_symbol_length(const char *name);
/* How much of a name is before all versions and "_ptsz" or "_ptds". */
size_t call_base_length(const char *name);

#endif
