/* SPDX-License-Identifier: MIT */
/*
 * How the driver answers cuGetProcAddress: prints, for NAME VERSION FLAGS, the result, the status
 * and the symbol whose address dlsym gives as well. With no arguments, checks every entry that the
 * toolkit's headers list.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static const struct {
	const char *entry;
	int version;
	int flags;
	const char *symbol;
} versions[] = {
#define ENTRY(entry, version, per_thread, symbol) {#entry, version, per_thread ? 2 : 0, #symbol},
#include "sim_versions.h"
#undef ENTRY
};

enum {
	COUNT = sizeof(versions) / sizeof(versions[0]),
};

static int check_all(void *library)
{
	void *pointers[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		pointers[i] = NULL;
		CHECK(cuGetProcAddress(versions[i].entry, &pointers[i], versions[i].version,
				       versions[i].flags, NULL));
		EXPECT(1, pointers[i] == dlsym(library, versions[i].symbol));
		for (size_t j = 0; j < i; j++)
			EXPECT(0, pointers[i] == pointers[j]);
	}
	printf("%d entries\n", COUNT);
	return 0;
}

int main(int argc, char **argv)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *untouched = &library,
	     *pointer = untouched;
	CUdriverProcAddressQueryResult status = 7;
	CUresult result;
	Dl_info info = {0};

	if (argc < 4)
		return check_all(library);
	result = cuGetProcAddress(argv[1], &pointer, atoi(argv[2]), atoi(argv[3]), &status);
	printf("result %d status %d ", result, status);
	if (pointer == untouched)
		printf("untouched\n");
	else if (pointer && dladdr(pointer, &info) && info.dli_sname)
		printf("%s\n", info.dli_sname);
	else
		printf("%s\n", pointer ? "nameless" : "NULL");
	return 0;
}
