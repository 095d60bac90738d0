/* SPDX-License-Identifier: MIT */
#include "cupti/versions.h"

/*
 * Kernels off and on, and nodes: a graph of 100 kernels launched without a pause for two seconds,
 * also updated every 500 launches (tests/bench/graph_loop.cu), on an H100 with driver 580.159, with
 * CUPTI of 12.4, 12.6, 12.8, 12.9 Update 1, 13.0, 13.0 Update 2, 13.1 Update 1, 13.2 Update 1, 13.3
 * Update 1, 13.4 Update 1 and 13.5; on an H200 with those of 11.8, 12.0, 12.4 and 13.0 Update 2.
 * From 12.6 to 13.0 each of fifteen programs hung when ktime turned the kernel kind off (NVIDIA's
 * release notes: "deadlock" on disabling it, mended in 13.0 Update 1); with those of 12.9 and 13.0
 * 42 of 47 programs whose nodes were all recorded died, in the driver's cuGraphLaunch, seven of
 * eight of them under a tracer that does no more than that (tests/bench/bare_tracer.c).
 * A version between two that were tried counts as the worse of them.
 *
 * Refusal: a NULL buffer could end the program before 12.9 (NVIDIA's release notes). Buffers by
 * thread: the default since 13.0 (the same). Subscribers: 13.0 brought cuptiSubscribe_v2, 13.2 the
 * activity functions that take its handle (cupti_activity.h).
 *
 * A newer version than these is like the last: where it misses records the first windows show it
 * (preload/recording/recording.h). What would end the program cannot be found out so, and is
 * done with no version: copies turned off and on again, whole graphs turned on once nodes were
 * recorded, cuptiFinalize. Who does it with a version that bears it adds a column, and a last row
 * that does not.
 */
static const struct cupti_version versions[] = {
	/* first, kernels, nodes, refusal, by thread, subscribers */
	{0, true, true, false, false, false},	   /* CUDA 11.8 to 12.4 */
	{23, false, true, false, false, false},	   /* 12.5 */
	{27, false, false, true, false, false},	   /* 12.9 */
	{130000, false, false, true, true, false}, /* 13.0 */
	{130001, true, true, true, true, false},   /* 13.0 Update 1 */
	{130200, true, true, true, true, true},	   /* 13.2 */
};

const struct cupti_version *cupti_version_of(uint32_t version)
{
	const struct cupti_version *found = &versions[0];

	for (unsigned i = 1; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (versions[i].first <= version)
			found = &versions[i];
	return found;
}

int cupti_version_major(uint32_t version)
{
	/* Counted up to 28, which is of CUDA 12.9 Update 1; then they became the toolkit's. 18 is
	 * of CUDA 11.8, and of the first CUDA 12.0 too. */
	if (version >= 10000)
		return (int)(version / 10000);
	return version > CUPTI_OLDEST_VERSION ? 12 : CUPTI_OLDEST_MAJOR;
}
