/* SPDX-License-Identifier: MIT */
/*
 * The program's calls that allocate and free memory, as their wrappers see them. The functions
 * before and after the driver's call belong together by what is freed; a call may be made inside of
 * another one, by a malloc that is made of such calls. What is allocated is noted after the
 * driver's call, what is freed before it, as the driver may give the same address to another thread
 * at once. They keep errno, and take a lock for some hundred instructions, never across a call of
 * the driver. Any thread.
 */
#ifndef KTIME_PRELOAD_MEMORY_ALLOCATIONS_H
#define KTIME_PRELOAD_MEMORY_ALLOCATIONS_H

#include <stdint.h>

#include "preload/driver/driver.h"
#include "preload/memory/holdings.h"

/* The size of a CUDA array, by its elements: the driver does not tell how much it adds as padding.
 */

/* Bytes of an array with `levels` mipmap levels, 1 for one without any; 0 for a sparse array, or
 * one that is given memory later. */
uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels);

/* To be called after a call that allocates. Adds the current context and thread and, unless
 * `placed` is set, the device. */
void allocation_ends(CUresult result, const struct allocation *made);
/* To be called before and after a call that frees. A key of 0 has no effect. */
void allocation_freeing(enum holding_space space, uint64_t key);
void allocation_freed(CUresult result, uint64_t key);

/* After calls on physical memory that succeeded. */
void allocation_mapped(CUresult result, uint64_t handle, uint64_t address, uint64_t bytes);
void allocation_unmapped(CUresult result, uint64_t address, uint64_t bytes);
void allocation_retained(CUresult result, const unsigned long long *handle, const void *address);

/* To be called after an allocating call that was captured: it allocates nothing now; the graph
 * allocates at each launch. */
void allocation_captured(void);
/* To be called before the driver destroys a context. */
void allocations_context_ends(CUcontext context);

/* Held while the holdings and their sums are read. */
void allocations_lock(void);
void allocations_unlock(void);
/* A number that changes with each change of the holdings. */
uint64_t allocations_version(void);

/* Copies the program's memory use into the profile. For the collector thread only. */

/* Copies the figures if they have changed since the last call. */
void memory_profile_update(void);

#endif
