/* SPDX-License-Identifier: MIT */
/*
 * Operations: what a row of the table stands for, seen from the launch path. There is one for
 * every kernel name, every copy direction, every graph; none is ever freed, so a span may point to
 * one for as long as it likes.
 */
#ifndef KTIME_PRELOAD_HANDLES_OPERATION_H
#define KTIME_PRELOAD_HANDLES_OPERATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver.h"
#include "preload/base/launch_section.h"
#include "report/session/session.h"

/* The operations that are there from the start: X(identifier, row kind, name). */
#define FIXED_OPERATIONS(X)                                                                        \
	X(OPERATION_COPY_HTOD, ROW_MEMCPY, "[CUDA memcpy HtoD]")                                   \
	X(OPERATION_COPY_DTOH, ROW_MEMCPY, "[CUDA memcpy DtoH]")                                   \
	X(OPERATION_COPY_DTOD, ROW_MEMCPY, "[CUDA memcpy DtoD]")                                   \
	X(OPERATION_COPY_HTOH, ROW_MEMCPY, "[CUDA memcpy HtoH]")                                   \
	X(OPERATION_COPY_PTOP, ROW_MEMCPY, "[CUDA memcpy PtoP]")                                   \
	X(OPERATION_COPY_HTOA, ROW_MEMCPY, "[CUDA memcpy HtoA]")                                   \
	X(OPERATION_COPY_ATOH, ROW_MEMCPY, "[CUDA memcpy AtoH]")                                   \
	X(OPERATION_COPY_ATOA, ROW_MEMCPY, "[CUDA memcpy AtoA]")                                   \
	X(OPERATION_COPY_ATOD, ROW_MEMCPY, "[CUDA memcpy AtoD]")                                   \
	X(OPERATION_COPY_DTOA, ROW_MEMCPY, "[CUDA memcpy DtoA]")                                   \
	X(OPERATION_MEMSET, ROW_MEMSET, "[CUDA memset]")                                           \
	X(OPERATION_PREFETCH, ROW_MOVEMENT, "[CUDA memory prefetch]")                              \
	X(OPERATION_DISCARD, ROW_MOVEMENT, "[CUDA memory discard]")                                \
	X(OPERATION_DECOMPRESS, ROW_MOVEMENT, "[CUDA memory decompress]")                          \
	X(OPERATION_STREAM_WRITE, ROW_OTHER, "[CUDA stream write value]")                          \
	X(OPERATION_STREAM_BATCH, ROW_OTHER, "[CUDA stream memory operations]")                    \
	X(OPERATION_UNKNOWN_KERNEL, ROW_KERNEL, "[CUDA kernel]")                                   \
	X(OPERATION_UNKNOWN_GRAPH, ROW_GRAPH, "[CUDA graph]")

enum fixed_operation {
#define FIXED_OPERATION_ENUM(identifier, kind, name) identifier,
	FIXED_OPERATIONS(FIXED_OPERATION_ENUM)
#undef FIXED_OPERATION_ENUM
		FIXED_OPERATION_COUNT
};

#define SAMPLE_ALL	   UINT32_MAX

/* Operations that threads can count by their index; those beyond always leave a span. */
#define COUNTED_OPERATIONS 8192u

struct operation {
	/*
	 * An event pair goes around a call when a random 32-bit number lies below this; SAMPLE_ALL
	 * is every call. The collector sets it, launching threads read it.
	 */
	_Atomic uint32_t sample_below;
	uint32_t index;
	/* A dependent launch has followed this kernel in its stream: an event after it would part
	 * the chain. Set once, never cleared. */
	_Atomic bool followed;
	enum row_kind kind;
	enum bias_kind bias;
	const char *name; /* kernels: mangled, as the driver gives it */
	uint32_t nodes;	  /* graphs */
	const char *kernels_listed;
	/* Calls whose span found no room. */
	_Atomic uint64_t lost;

	/* The collector's alone. */
	struct row *rows[SESSION_DEVICES];
	uint64_t calls, pairs; /* so far */
	uint64_t window_calls; /* in the budget's present window */
	double rate;	       /* calls a nanosecond, as the budget follows it */
	struct operation *next;
};

/*
 * What share of an operation's calls gets a pair before the budget has seen any of them: SAMPLE_ALL
 * unless set. For those that are there as well; before the first call.
 */
void operation_first_sampling(uint32_t sample_below);

/* Any thread. */
struct operation *operation_fixed(enum fixed_operation which);
/*
 * The operation of a kernel or graph by name; the name is copied. Takes a lock; any thread.
 * OPERATION_UNKNOWN_KERNEL where memory is out.
 */
struct operation *operation_named(enum row_kind kind, const char *name);
/* A list of all, newest first; safe to walk from any thread. */
struct operation *operation_first(void);

/*
 * The operation behind a kernel's handle. Asks the driver, so only within the call that brought
 * the handle; takes a lock. The names that module look-ups gave are used where the driver is older
 * than 12.3 and cannot say.
 */
struct operation *operation_of_kernel(CUfunction function);
bool operation_driver_names(void); /* it can say the name of every kernel */
void operation_remember_kernel(const void *handle, const char *name);
void operation_forget_kernels(void);
/*
 * A module is about to be unloaded. From here on CUPTI's names of kernels are not relied on: it
 * gives a kernel that comes to stand at an old handle the old one's name (CUPTI 13.0, driver 580:
 * of 60 launches of 30 modules 59 were named wrongly), and the call that a record is of knows
 * better. Any thread.
 */
void operation_modules_unload(void);
bool operation_names_are_reused(void);
/*
 * Changes whenever a module goes away: handles may be given out again for other kernels, so what a
 * thread cached under an older number is void.
 */
extern LAUNCH_STATE _Atomic uint32_t operation_generation;

#endif
