/* SPDX-License-Identifier: MIT */
/* Pairs of kernels whose second may start before the first one ends. */
#include "tests/sim/programs/check.h"

int main(void)
{
	CUfunction first, second;
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value.programmaticStreamSerializationAllowed = 1,
	};
	CUlaunchConfig config = {CHECK_ONE_THREAD};

	check_context();
	first = check_kernel("first");
	second = check_kernel("second");
	CHECK(cuStreamCreate(&config.hStream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 100; i++) {
		config.attrs = NULL;
		config.numAttrs = 0;
		CHECK(cuLaunchKernelEx(&config, first, NULL, NULL));
		config.attrs = &attribute;
		config.numAttrs = 1;
		CHECK(cuLaunchKernelEx(&config, second, NULL, NULL));
	}
	return 0;
}
