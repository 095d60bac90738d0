/* SPDX-License-Identifier: MIT */
/*
 * Operations on atomic objects with their order in the name. A load with acquire that sees a store
 * with release also sees what was written before it; relaxed ones say nothing about other data.
 */
#ifndef KTIME_PRELOAD_BASE_ATOMICS_H
#define KTIME_PRELOAD_BASE_ATOMICS_H

#include <stdatomic.h>

#define load_relaxed(object)	     atomic_load_explicit(object, memory_order_relaxed)
#define load_acquire(object)	     atomic_load_explicit(object, memory_order_acquire)
#define store_relaxed(object, value) atomic_store_explicit(object, value, memory_order_relaxed)
#define store_release(object, value) atomic_store_explicit(object, value, memory_order_release)
/* They return the value before. */
#define add_relaxed(object, value)   atomic_fetch_add_explicit(object, value, memory_order_relaxed)
#define add_release(object, value)   atomic_fetch_add_explicit(object, value, memory_order_release)

#endif
