/* SPDX-License-Identifier: MIT */
/* Kernels, and the code that does their work on the CPU. */
#ifndef SIM_DRIVER_KERNEL_H
#define SIM_DRIVER_KERNEL_H

#include "tests/sim/driver/handle.h"
#include "tests/sim/driver/host_kernel.h"
#include "tests/sim/driver/operation.h"

/* Behind a CUkernel of a library as behind a CUfunction of a module. */
struct kernel {
	struct handle handle;
	char *name;
	const void *owner;		/* the library or module */
	const struct host_kernel *host; /* NULL: it does nothing */
	struct kernel *function;	/* what cuKernelGetFunction gives */
};

/* The kernel behind what the program launches: a CUfunction, or a CUkernel cast to one. */
const struct kernel *kernel_of(CUfunction function);

void kernel_execute(const struct operation *operation);

#endif
