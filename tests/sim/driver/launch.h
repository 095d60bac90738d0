/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_LAUNCH_H
#define SIM_DRIVER_LAUNCH_H

#include "tests/sim/driver/sim.h"

/* Checks the arguments and gives the kernel to the stream. */
CUresult launch_kernel(const CUlaunchConfig *config, CUfunction function, void **parameters,
		       void **extra, bool cooperative);

#endif
