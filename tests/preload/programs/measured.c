/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose counters must not be read, each launched three times: "first" by a cooperative
 * launch, "second" by a launch with the cooperative attribute, "ncclDevKernel_AllReduce" because of
 * its name, "third" while a stream captures; and "fifth", whose counters may be read.
 */
#include "tests/sim/programs/check.h"

#define PTX                                                                                        \
	".version 8.0\n.target sm_75\n.address_size 64\n"                                          \
	".visible .entry first() { ret; }\n.visible .entry second() { ret; }\n"                    \
	".visible .entry third() { ret; }\n.visible .entry fifth() { ret; }\n"                     \
	".visible .entry ncclDevKernel_AllReduce() { ret; }\n"

static CUmodule module;

static CUfunction kernel(const char *name)
{
	CUfunction found;

	CHECK(cuModuleGetFunction(&found, module, name));
	return found;
}

static void launch(CUfunction function, CUstream stream)
{
	for (int i = 0; i < 3; i++)
		check_launch(function, stream);
}

int main(void)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
		.value.cooperative = 1,
	};
	CUlaunchConfig config = {CHECK_ONE_THREAD, .attrs = &attribute, .numAttrs = 1};
	CUstream captured, other;
	CUgraph graph;

	check_context();
	CHECK(cuModuleLoadData(&module, PTX));
	CHECK(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	config.hStream = other;
	for (int i = 0; i < 3; i++) {
		CHECK(cuLaunchCooperativeKernel(kernel("first"), 1, 1, 1, 1, 1, 1, 0, other, NULL));
		CHECK(cuLaunchKernelEx(&config, kernel("second"), NULL, NULL));
	}
	launch(kernel("ncclDevKernel_AllReduce"), other);
	CHECK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(kernel("third"), captured);
	launch(kernel("third"), other);
	CHECK(cuStreamEndCapture(captured, &graph));
	launch(kernel("fifth"), other);
	CHECK(cuCtxSynchronize());
	return 0;
}
