/* SPDX-License-Identifier: MIT */
/*
 * The parts of ktime that, on the program's threads, take a lock, allocate memory or call the
 * driver. All three may call the program: its malloc, for one, which may be made of CUDA calls.
 * Such a call is the program's and counts, but must not wait for a lock that its own thread holds.
 */
#ifndef KTIME_PRELOAD_BASE_OWN_PART_H
#define KTIME_PRELOAD_BASE_OWN_PART_H

#include <stdbool.h>
#include <stdint.h>

/* The stack address of the outermost such part that the thread is in; 0: none. Initial-exec, as the
 * usual TLS access calls __tls_get_addr(), which may allocate. */
extern __thread uintptr_t own_part __attribute__((tls_model("initial-exec")));

/* Whether the caller runs inside such a part. If own_part lies below the caller on the stack, the
 * part was left by a longjmp out of a signal handler, and does not count. */
static inline __attribute__((always_inline)) bool own_part_is_around(void)
{
	return own_part > (uintptr_t)__builtin_frame_address(0);
}

/* To be called at the beginning of such a part; returns the argument for own_part_end(). */
static inline __attribute__((always_inline)) uintptr_t own_part_begin(void)
{
	uintptr_t around = own_part_is_around() ? own_part : 0;

	if (!around)
		own_part = (uintptr_t)__builtin_frame_address(0);
	return around;
}

static inline void own_part_end(uintptr_t around)
{
	own_part = around;
}

/* A declaration that makes the rest of its block such a part: the variable's cleanup ends it. */
#define OWN_PART                                                                                   \
	uintptr_t around __attribute__((cleanup(own_part_leave), unused)) = own_part_begin()
static inline void own_part_leave(const uintptr_t *around)
{
	own_part_end(*around);
}

#endif
