/* SPDX-License-Identifier: MIT */
/* Compiled to a cubin, which can be edited: latency --cubin. */
#include "workloads/latency_kernel.cuh"
