/* SPDX-License-Identifier: MIT */
/* A program for a newer toolkit: looks entries up that an older one does not declare, and says
 * which there are. */
#include "tests/sim/programs/check.h"

int main(void)
{
	static const char *const names[] = {"cuLaunchLater", "cuMemcpyLater", "cuCtxLater",
					    "cuLaunchLater", "cuLaunchNever"};
	CUdriverProcAddressQueryResult status;
	void *pointer;

	check_context();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK(cuGetProcAddress(names[i], &pointer, 12000, 0, &status));
		printf("%s: %s\n", names[i], pointer ? "found" : "NULL");
	}
	check_launch(check_kernel("first"), NULL);
	CHECK(cuCtxSynchronize());
	return 0;
}
