/* SPDX-License-Identifier: MIT */
/* subscriber LIBRARY STEP…: uses CUPTI by its V2 interface or the older one (subscriber.h). */
#include "tests/preload/programs/subscriber.h"
#include "tests/sim/programs/check.h"

static void launch(int count)
{
	static CUfunction first;

	if (!first) {
		check_context();
		first = check_kernel("first");
	}
	for (int i = 0; i < count; i++)
		check_launch(first, NULL);
	CHECK(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	return argc < 2 ? 2 : run_steps(argv[1], argv + 2);
}
