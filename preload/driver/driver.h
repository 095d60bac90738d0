/* SPDX-License-Identifier: MIT */
/*
 * The real driver: the pointers that the wrappers call through, and the functions that ktime calls.
 *
 * Real pointers come from a handle of the libcuda.so.1 that is already loaded, never from
 * RTLD_NEXT: XLA and other libraries export trampolines named like driver functions, so the next
 * symbol of that name could be a function that calls back into ktime.
 */
#ifndef KTIME_PRELOAD_DRIVER_DRIVER_H
#define KTIME_PRELOAD_DRIVER_DRIVER_H

/* Without this, cuda.h renames every cuX to cuX_v2 by macros, also in ktime's tables. */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif

#include <cuda.h>

/* cuda.h renames this one in any case. */
#undef cuGetProcAddress

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"
#include "preload/driver/entries.h"

/* The driver functions that the collector alone calls, as in DRIVER_CALLS. */
#define COLLECTOR_CALLS(X)                                                                         \
	X(cuMemHostRegister_v2, (void *address, size_t bytes, unsigned int flags), 0)              \
	X(cuMemHostGetDevicePointer_v2,                                                            \
	  (CUdeviceptr * pointer, void *address, unsigned int flags), 0)                           \
	X(cuModuleLoadData, (CUmodule * module, const void *image), 0)                             \
	X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name), 0)      \
	X(cuModuleGetGlobal_v2,                                                                    \
	  (CUdeviceptr * pointer, size_t * bytes, CUmodule module, const char *name), 0)           \
	X(cuStreamCreate, (CUstream * stream, unsigned int flags), 0)                              \
	X(cuLaunchKernel_ptsz,                                                                     \
	  (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                 \
	   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, \
	   void **parameters, void **extra),                                                       \
	  0)                                                                                       \
	X(cuMemcpyHtoDAsync_v2_ptsz,                                                               \
	  (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream), 0)

/* The driver functions that ktime calls on the program's threads too: X(name, arguments, needed).
 * If needed is 0, the pointer may be NULL, with an older driver. All are looked up once, before the
 * first wrapper calls the driver. */
#define DRIVER_CALLS(X)                                                                            \
	X(cuDriverGetVersion, (int *version), 1)                                                   \
	X(cuDeviceGetCount, (int *count), 1)                                                       \
	X(cuDeviceGetName, (char *name, int length, CUdevice device), 1)                           \
	X(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), 0)                                    \
	X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), 1)                               \
	X(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device), 1)    \
	X(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned int *flags, int *active), 1)      \
	X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), 1)                     \
	X(cuDevicePrimaryCtxRelease_v2, (CUdevice device), 1)                                      \
	X(cuCtxFromGreenCtx, (CUcontext * context, void *green), 0)                                \
	X(cuCtxGetCurrent, (CUcontext * context), 1)                                               \
	X(cuCtxSetCurrent, (CUcontext context), 1)                                                 \
	X(cuCtxPushCurrent_v2, (CUcontext context), 1)                                             \
	X(cuCtxPopCurrent_v2, (CUcontext * context), 1)                                            \
	X(cuCtxGetDevice, (CUdevice * device), 1)                                                  \
	X(cuStreamGetCtx, (CUstream stream, CUcontext * context), 1)                               \
	X(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status), 1)               \
	/* That of a given stream is the same by either name, and this one is rarely a program's.  \
	 */                                                                                        \
	X(cuStreamQuery_ptsz, (CUstream stream), 1)                                                \
	X(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), 1)                      \
	X(cuStreamBatchMemOp_v2,                                                                   \
	  (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,              \
	   unsigned int flags),                                                                    \
	  0)                                                                                       \
	X(cuEventCreate, (CUevent * event, unsigned int flags), 1)                                 \
	X(cuEventRecord, (CUevent event, CUstream stream), 1)                                      \
	X(cuEventQuery, (CUevent event), 1)                                                        \
	X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end), 1)                \
	X(cuEventDestroy_v2, (CUevent event), 1)                                                   \
	X(cuPointerGetAttributes,                                                                  \
	  (unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer), \
	  1)                                                                                       \
	X(cuKernelGetName, (const char **name, void *kernel), 0)                                   \
	X(cuFuncGetName, (const char **name, CUfunction function), 0)                              \
	X(cuGraphGetNodes, (CUgraph graph, CUgraphNode * nodes, size_t * count), 0)                \
	X(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType * type), 0)                       \
	X(cuGraphKernelNodeGetParams_v2, (CUgraphNode node, void *parameters), 0)                  \
	X(cuGraphMemcpyNodeGetParams, (CUgraphNode node, CUDA_MEMCPY3D * copy), 0)                 \
	X(cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph * graph), 0)                   \
	X(cuStreamGetCaptureInfo_v3,                                                               \
	  (CUstream stream, CUstreamCaptureStatus * status, cuuint64_t * id, CUgraph * graph,      \
	   const CUgraphNode **dependencies, const void **edges, size_t *count),                   \
	  0)

struct driver {
#define DRIVER_POINTER(name, arguments, needed) CUresult(*name) arguments;
	COLLECTOR_CALLS(DRIVER_POINTER)
	DRIVER_CALLS(DRIVER_POINTER)
#undef DRIVER_POINTER
};

/* Constant once driver_load() has returned true. */
extern LAUNCH_TABLE struct driver driver;
/* The function that each entry's wrapper calls. The first ones of entries.def lie in the cache line
 * of struct launch_state. */
extern LAUNCH_TABLE void *_Atomic driver_entries[ENTRY_COUNT];

/*
 * Finds the driver that is already loaded and fills the tables. False if no usable libcuda is
 * loaded yet; a later call may succeed. Any thread; takes the loader's lock, so hold no lock
 * of ktime's.
 */
bool driver_load(void);
/* Why driver_load() returned false though the driver was there, for the user; else NULL. Any
 * thread. */
const char *driver_trouble(void);

/* The function that an entry's wrapper calls; NULL if this driver has none, and before
 * driver_load(). */
static inline void *driver_entry(enum driver_entry entry)
{
	/* Acquire: pairs with driver_load(), so a thread that sees an entry sees the tables too. */
	return load_acquire(&driver_entries[entry]);
}

/* From now on an entry's wrapper calls `function` in place of the driver's. Returns the function
 * that it called before; NULL: this driver has no such entry, and nothing is changed. To be called
 * after driver_load(). */
void *driver_replace(enum driver_entry entry, void *function);

/* The entry that a function pointer belongs to, or -1; always -1 before driver_load().
 * Lock-free. */
int driver_entry_of(const void *real);

/* The file name of the library that stands in for the driver, or NULL if none does. */
const char *driver_stand_in(void);
/*
 * Whether a look-up asks for the driver's own functions while another library stands in for the
 * driver: it passes the driver's handle, or comes from the stand-in. Such a look-up must not get
 * ktime's wrappers: they call the stand-in, which would call them again without end.
 */
struct link_map;
bool driver_is_behind(const void *handle, const struct link_map *caller);
/* Whether an address is in the driver's code, or in the stand-in's. */
bool driver_contains(const void *address);

/* Counts an error that a driver function returned to ktime; the report shows the sum. */
void driver_failed(void);
extern _Atomic uint64_t driver_failures;

/* Whether ktime calls a driver function itself. CUPTI's API records do not tell ktime's calls from
 * the program's, so the function gets no API row from them. */
bool driver_is_called(const char *name);

/* Remembers the name of a driver function that starts GPU work but is not in entries.def, as it is
 * newer than ktime, for a warning in the report. Any thread; may allocate. */
void driver_note_unknown(const char *name);
/* The remembered names by index, from 0; NULL past the last. */
const char *driver_unknown_entry(unsigned index);

/* Threads that the driver makes: on one of them it calls host functions. */

/* Looks up the addresses in the driver and libc that driver_thread_is_calling() needs. To be called
 * once, after driver_load(); takes the loader's lock. */
void driver_thread_start(void);
/*
 * Whether the driver made the calling thread. The program's code runs there as a host function, a
 * stream's callback, a host node of a graph, or a destructor of a user object, and the driver waits
 * for its return. Also in signal handlers.
 */
bool driver_thread_is_calling(void);

#endif
