/* SPDX-License-Identifier: MIT */
/* Compiled to a fat binary that saxpy_driver.c embeds. */
#include "workloads/saxpy_kernel.h"
