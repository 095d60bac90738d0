/* SPDX-License-Identifier: MIT */
/*
 * ends_cupti BEFORE AFTER OTHERS: launches `first` so often, ends CUPTI as a profiler in the
 * program does when it is done, then launches `first` and `second` so often.
 */
#include <dlfcn.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static void launch(CUfunction kernel, CUstream stream, const char *count)
{
	for (int i = atoi(count); i > 0; i--)
		check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	CUfunction first, second;
	CUstream stream;
	void *library;

	if (argc != 4)
		return 2;
	check_context();
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	first = check_kernel("first");
	second = check_kernel("second");
	launch(first, stream, argv[1]);
	library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	if (library)
		EXPECT(0, ((int (*)(void))dlsym(library, "cuptiFinalize"))());
	launch(first, stream, argv[2]);
	/* `second` needs events, which those launches may have taken all of. */
	wait_for_ktime();
	launch(second, stream, argv[3]);
	return 0;
}
