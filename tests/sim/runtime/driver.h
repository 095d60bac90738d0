/* SPDX-License-Identifier: MIT */
/*
 * How the simulated runtime reaches the driver: as the real one does, by dlopen, one dlsym, and
 * cuGetProcAddress_v2 for everything else, before cuInit.
 */
#ifndef SIM_RUNTIME_DRIVER_H
#define SIM_RUNTIME_DRIVER_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#undef __CUDA_API_VERSION_INTERNAL

/* The driver's symbols that the runtime calls. */
#define DRIVER_SYMBOLS(X)                                                                          \
	X(cuInit)                                                                                  \
	X(cuDriverGetVersion)                                                                      \
	X(cuGetExportTable)                                                                        \
	X(cuGetProcAddress_v2)                                                                     \
	X(cuDeviceGet)                                                                             \
	X(cuDeviceGetCount)                                                                        \
	X(cuDeviceGetAttribute)                                                                    \
	X(cuDeviceGetName)                                                                         \
	X(cuDeviceTotalMem_v2)                                                                     \
	X(cuDevicePrimaryCtxRetain)                                                                \
	X(cuDevicePrimaryCtxReset_v2)                                                              \
	X(cuDeviceCanAccessPeer)                                                                   \
	X(cuCtxGetCurrent)                                                                         \
	X(cuCtxSetCurrent)                                                                         \
	X(cuCtxSynchronize)                                                                        \
	X(cuCtxEnablePeerAccess)                                                                   \
	X(cuCtxGetStreamPriorityRange)                                                             \
	X(cuLibraryLoadData)                                                                       \
	X(cuLibraryUnload)                                                                         \
	X(cuLibraryGetKernel)                                                                      \
	X(cuLibraryGetGlobal)                                                                      \
	X(cuKernelGetAttribute)                                                                    \
	X(cuKernelGetName)                                                                         \
	X(cuKernelGetFunction)                                                                     \
	X(cuLaunchKernel)                                                                          \
	X(cuLaunchKernelEx)                                                                        \
	X(cuLaunchCooperativeKernel)                                                               \
	X(cuLaunchHostFunc)                                                                        \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                             \
	X(cuMemAlloc_v2)                                                                           \
	X(cuMemAllocManaged)                                                                       \
	X(cuMemAllocPitch_v2)                                                                      \
	X(cuMemAllocAsync)                                                                         \
	X(cuMemFree_v2)                                                                            \
	X(cuMemFreeAsync)                                                                          \
	X(cuMemFreeHost)                                                                           \
	X(cuMemHostAlloc)                                                                          \
	X(cuMemHostRegister_v2)                                                                    \
	X(cuMemHostUnregister)                                                                     \
	X(cuMemHostGetDevicePointer_v2)                                                            \
	X(cuMemGetInfo_v2)                                                                         \
	X(cuMemPrefetchAsync_v2)                                                                   \
	X(cuMemcpyHtoD_v2)                                                                         \
	X(cuMemcpyDtoH_v2)                                                                         \
	X(cuMemcpyDtoD_v2)                                                                         \
	X(cuMemcpy)                                                                                \
	X(cuMemcpyHtoDAsync_v2)                                                                    \
	X(cuMemcpyDtoHAsync_v2)                                                                    \
	X(cuMemcpyDtoDAsync_v2)                                                                    \
	X(cuMemcpyAsync)                                                                           \
	X(cuMemcpyPeer)                                                                            \
	X(cuMemcpyPeerAsync)                                                                       \
	X(cuMemcpy2DUnaligned_v2)                                                                  \
	X(cuMemcpy2DAsync_v2)                                                                      \
	X(cuMemcpy3D_v2)                                                                           \
	X(cuMemcpy3DAsync_v2)                                                                      \
	X(cuMemcpyBatchAsync_v2)                                                                   \
	X(cuMemsetD8_v2)                                                                           \
	X(cuMemsetD8Async)                                                                         \
	X(cuMemsetD2D8_v2)                                                                         \
	X(cuMemsetD2D8Async)                                                                       \
	X(cuArray3DCreate_v2)                                                                      \
	X(cuArrayDestroy)                                                                          \
	X(cuPointerGetAttributes)                                                                  \
	X(cuStreamCreate)                                                                          \
	X(cuStreamCreateWithPriority)                                                              \
	X(cuStreamDestroy_v2)                                                                      \
	X(cuStreamSynchronize)                                                                     \
	X(cuStreamQuery)                                                                           \
	X(cuStreamWaitEvent)                                                                       \
	X(cuStreamAddCallback)                                                                     \
	X(cuStreamBeginCapture_v2)                                                                 \
	X(cuStreamEndCapture)                                                                      \
	X(cuStreamIsCapturing)                                                                     \
	X(cuThreadExchangeStreamCaptureMode)                                                       \
	X(cuEventCreate)                                                                           \
	X(cuEventDestroy_v2)                                                                       \
	X(cuEventRecord)                                                                           \
	X(cuEventRecordWithFlags)                                                                  \
	X(cuEventQuery)                                                                            \
	X(cuEventSynchronize)                                                                      \
	X(cuEventElapsedTime_v2)                                                                   \
	X(cuGraphCreate)                                                                           \
	X(cuGraphDestroy)                                                                          \
	X(cuGraphAddKernelNode_v2)                                                                 \
	X(cuGraphGetNodes)                                                                         \
	X(cuGraphInstantiateWithFlags)                                                             \
	X(cuGraphLaunch)                                                                           \
	X(cuGraphUpload)                                                                           \
	X(cuGraphExecDestroy)                                                                      \
	X(cuProfilerStart)                                                                         \
	X(cuProfilerStop)                                                                          \
	X(cuGetErrorString)                                                                        \
	X(cuGetErrorName)

struct driver {
#define X(symbol) __typeof__(symbol) *symbol;
	DRIVER_SYMBOLS(X)
#undef X
};

/*
 * The entries, those of the per-thread default stream in the second. An entry that the driver is
 * too old for is NULL.
 */
extern struct driver runtime_drivers[2];

/* Finds the driver and looks all its entries up. CUDA_ERROR_NOT_FOUND without a driver. */
CUresult driver_load(void);
void driver_unload(void);

#endif
