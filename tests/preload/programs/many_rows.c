/* SPDX-License-Identifier: MIT */
/* many_rows N: launches N kernels of names of their own, then fills and copies memory. */
#include "tests/sim/programs/check.h"

#define NAME "kernel_number_%06d"

static CUmodule load(int kernels)
{
	CUmodule module;
	size_t length;
	char *text;
	FILE *source = open_memstream(&text, &length);

	if (!source)
		exit(1);
	fputs(".version 8.0\n.target sm_80\n", source);
	for (int i = 0; i < kernels; i++)
		fprintf(source, ".visible .entry " NAME "()\n", i);
	fclose(source);
	CHECK(cuModuleLoadData(&module, text));
	free(text);
	return module;
}

int main(int argc, char **argv)
{
	int kernels = argc > 1 ? atoi(argv[1]) : 0;
	CUmodule module;
	CUdeviceptr memory;
	char name[32];

	check_context();
	module = load(kernels);
	for (int i = 0; i < kernels; i++) {
		CUfunction kernel;

		snprintf(name, sizeof(name), NAME, i);
		CHECK(cuModuleGetFunction(&kernel, module, name));
		check_launch(kernel, NULL);
	}
	CHECK(cuMemAlloc(&memory, sizeof(name)));
	CHECK(cuMemsetD8(memory, 1, sizeof(name)));
	CHECK(cuMemcpyDtoH(name, memory, sizeof(name)));
	CHECK(cuCtxSynchronize());
	return 0;
}
