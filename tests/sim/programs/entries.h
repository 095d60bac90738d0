/* SPDX-License-Identifier: MIT */
/*
 * Every entry of the driver that makes the device work, with a call of it: symbol, what it does,
 * bytes, arguments. BOTH has the form for the per-thread default stream as well.
 */
#ifndef SIM_PROGRAMS_ENTRIES_H
#define SIM_PROGRAMS_ENTRIES_H

#define BOTH(X, symbol, suffix, kind, bytes, arguments)                                            \
	X(symbol, kind, bytes, arguments) X(symbol##suffix, kind, bytes, arguments)

#define LAUNCH_ARGUMENTS (kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL)

#define LAUNCH_ENTRIES(X)                                                                          \
	BOTH(X, cuLaunchKernel, _ptsz, "kernel", 0, LAUNCH_ARGUMENTS)                              \
	BOTH(X, cuLaunchKernelEx, _ptsz, "kernel", 0, (&config, kernel, NULL, NULL))               \
	BOTH(X, cuLaunchCooperativeKernel, _ptsz, "kernel", 0,                                     \
	     (kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL))                                          \
	X(cuLaunchCooperativeKernelMultiDevice, "kernel", 0, (&multi, 1, 0))                       \
	X(cuLaunch, "kernel", 0, (kernel))                                                         \
	X(cuLaunchGrid, "kernel", 0, (kernel, 1, 1))                                               \
	X(cuLaunchGridAsync, "kernel", 0, (kernel, 1, 1, stream))                                  \
	BOTH(X, cuGraphLaunch, _ptsz, "graph", 0, (graph, stream))                                 \
	BOTH(X, cuGraphUpload, _ptsz, "none", 0, (graph, stream))                                  \
	BOTH(X, cuLaunchHostFunc, _ptsz, "host", 0, (stream, host_function, NULL))                 \
	BOTH(X, cuStreamAddCallback, _ptsz, "host", 0, (stream, host_callback, NULL, 0))

#define LINEAR_COPIES(X, name, kind, to, from)                                                     \
	X(name, kind, 1001, (to, from, 1001))                                                      \
	BOTH(X, name##_v2, _ptds, kind, 1002, (to, from, 1002))                                    \
	X(name##Async, kind, 1003, (to, from, 1003, stream))                                       \
	BOTH(X, name##Async_v2, _ptsz, kind, 1004, (to, from, 1004, stream))

#define LINEAR_ENTRIES(X)                                                                          \
	LINEAR_COPIES(X, cuMemcpyHtoD, "HtoD", device, host)                                       \
	LINEAR_COPIES(X, cuMemcpyDtoH, "DtoH", host, device)                                       \
	LINEAR_COPIES(X, cuMemcpyDtoD, "DtoD", device, second)                                     \
	BOTH(X, cuMemcpy, _ptds, "HtoD", 1005, (device, (CUdeviceptr)host, 1005))                  \
	BOTH(X, cuMemcpyAsync, _ptsz, "DtoH", 1006, ((CUdeviceptr)host, device, 1006, stream))     \
	BOTH(X, cuMemcpyPeer, _ptds, "PtoP", 1007, (device, context, second, context, 1007))       \
	BOTH(X, cuMemcpyPeerAsync, _ptsz, "PtoP", 1008,                                            \
	     (device, context, second, context, 1008, stream))

#define ARRAY_COPIES(X, name, kind, arguments)                                                     \
	X(name, kind, 64, arguments) BOTH(X, name##_v2, _ptds, kind, 64, arguments)

#define ARRAY_ENTRIES(X)                                                                           \
	ARRAY_COPIES(X, cuMemcpyDtoA, "DtoA", (array, 0, device, 64))                              \
	ARRAY_COPIES(X, cuMemcpyAtoD, "AtoD", (device, array, 0, 64))                              \
	ARRAY_COPIES(X, cuMemcpyHtoA, "HtoA", (array, 0, host, 64))                                \
	ARRAY_COPIES(X, cuMemcpyAtoH, "AtoH", (host, array, 0, 64))                                \
	ARRAY_COPIES(X, cuMemcpyAtoA, "AtoA", (array, 0, other_array, 0, 64))                      \
	X(cuMemcpyHtoAAsync, "HtoA", 48, (array, 0, host, 48, stream))                             \
	BOTH(X, cuMemcpyHtoAAsync_v2, _ptsz, "HtoA", 48, (array, 0, host, 48, stream))             \
	X(cuMemcpyAtoHAsync, "AtoH", 48, (host, array, 0, 48, stream))                             \
	BOTH(X, cuMemcpyAtoHAsync_v2, _ptsz, "AtoH", 48, (host, array, 0, 48, stream))

#define REGION_ENTRIES(X)                                                                          \
	X(cuMemcpy2D, "HtoD", 200, (&copy_2d_v1))                                                  \
	BOTH(X, cuMemcpy2D_v2, _ptds, "HtoD", 200, (&copy_2d))                                     \
	X(cuMemcpy2DUnaligned, "HtoD", 200, (&copy_2d_v1))                                         \
	BOTH(X, cuMemcpy2DUnaligned_v2, _ptds, "HtoD", 200, (&copy_2d))                            \
	X(cuMemcpy2DAsync, "HtoD", 200, (&copy_2d_v1, stream))                                     \
	BOTH(X, cuMemcpy2DAsync_v2, _ptsz, "HtoD", 200, (&copy_2d, stream))                        \
	X(cuMemcpy3D, "HtoD", 600, (&copy_3d_v1))                                                  \
	BOTH(X, cuMemcpy3D_v2, _ptds, "HtoD", 600, (&copy_3d))                                     \
	X(cuMemcpy3DAsync, "HtoD", 600, (&copy_3d_v1, stream))                                     \
	BOTH(X, cuMemcpy3DAsync_v2, _ptsz, "HtoD", 600, (&copy_3d, stream))                        \
	BOTH(X, cuMemcpy3DPeer, _ptds, "PtoP", 600, (&copy_peer))                                  \
	BOTH(X, cuMemcpy3DPeerAsync, _ptsz, "PtoP", 600, (&copy_peer, stream))                     \
	BOTH(X, cuMemcpyBatchAsync, _ptsz, "HtoD", 100,                                            \
	     (to_list, from_list, size_list, 1, &attributes, index_list, 1, &failed, stream))      \
	BOTH(X, cuMemcpyBatchAsync_v2, _ptsz, "HtoD", 100,                                         \
	     (to_list, from_list, size_list, 1, &attributes, index_list, 1, stream))               \
	BOTH(X, cuMemcpy3DBatchAsync, _ptsz, "HtoD", 120, (1, &batch_copy, &failed, 0, stream))    \
	BOTH(X, cuMemcpy3DBatchAsync_v2, _ptsz, "HtoD", 120, (1, &batch_copy, 0, stream))

#define MEMSETS(X, bits)                                                                           \
	X(cuMemsetD##bits, "memset", 10 * bits / 8, (device, 1, 10))                               \
	BOTH(X, cuMemsetD##bits##_v2, _ptds, "memset", 11 * bits / 8, (device, 1, 11))             \
	BOTH(X, cuMemsetD##bits##Async, _ptsz, "memset", 12 * bits / 8, (device, 1, 12, stream))   \
	X(cuMemsetD2D##bits, "memset", 20 * bits / 8, (device, 512, 1, 10, 2))                     \
	BOTH(X, cuMemsetD2D##bits##_v2, _ptds, "memset", 30 * bits / 8, (device, 512, 1, 10, 3))   \
	BOTH(X, cuMemsetD2D##bits##Async, _ptsz, "memset", 40 * bits / 8,                          \
	     (device, 512, 1, 10, 4, stream))

#define MEMSET_ENTRIES(X) MEMSETS(X, 8) MEMSETS(X, 16) MEMSETS(X, 32)

#define MOVEMENT_ENTRIES(X)                                                                        \
	BOTH(X, cuMemPrefetchAsync, _ptsz, "movement", 4096, (managed, 4096, 0, stream))           \
	BOTH(X, cuMemPrefetchAsync_v2, _ptsz, "movement", 4096,                                    \
	     (managed, 4096, location, 0, stream))                                                 \
	BOTH(X, cuMemPrefetchBatchAsync, _ptsz, "movement", 4096,                                  \
	     (managed_list, managed_sizes, 1, &location, index_list, 1, 0, stream))                \
	BOTH(X, cuMemDiscardBatchAsync, _ptsz, "movement", 4096,                                   \
	     (managed_list, managed_sizes, 1, 0, stream))                                          \
	BOTH(X, cuMemDiscardAndPrefetchBatchAsync, _ptsz, "movement", 4096,                        \
	     (managed_list, managed_sizes, 1, &location, index_list, 1, 0, stream))                \
	BOTH(X, cuMemBatchDecompressAsync, _ptsz, "movement", 256,                                 \
	     (&decompress, 1, 0, &failed, stream))

#define VALUE_ENTRIES(X, name, value)                                                              \
	BOTH(X, name, _ptsz, "stream-memory", 0, (stream, device, value, 0))                       \
	BOTH(X, name##_v2, _ptsz, "stream-memory", 0, (stream, device, value, 0))

#define OTHER_ENTRIES(X)                                                                           \
	VALUE_ENTRIES(X, cuStreamWriteValue32, 3)                                                  \
	VALUE_ENTRIES(X, cuStreamWriteValue64, 3)                                                  \
	VALUE_ENTRIES(X, cuStreamWaitValue32, 3)                                                   \
	VALUE_ENTRIES(X, cuStreamWaitValue64, 3)                                                   \
	BOTH(X, cuStreamBatchMemOp, _ptsz, "stream-memory", 0, (stream, 1, &memory_operation, 0))  \
	BOTH(X, cuStreamBatchMemOp_v2, _ptsz, "stream-memory", 0,                                  \
	     (stream, 1, &memory_operation, 0))                                                    \
	BOTH(X, cuMemAllocAsync, _ptsz, "none", 512, (&allocated, 512, stream))                    \
	BOTH(X, cuMemAllocFromPoolAsync, _ptsz, "none", 512, (&allocated, 512, pool, stream))      \
	BOTH(X, cuStreamAttachMemAsync, _ptsz, "none", 0, (stream, managed, 0, 4))                 \
	BOTH(X, cuSignalExternalSemaphoresAsync, _ptsz, "none", 0,                                 \
	     (&semaphore, &signal_parameters, 1, stream))                                          \
	BOTH(X, cuWaitExternalSemaphoresAsync, _ptsz, "none", 0,                                   \
	     (&semaphore, &wait_parameters, 1, stream))

#define ALL_ENTRIES(X)                                                                             \
	LAUNCH_ENTRIES(X)                                                                          \
	LINEAR_ENTRIES(X)                                                                          \
	ARRAY_ENTRIES(X)                                                                           \
	REGION_ENTRIES(X)                                                                          \
	MEMSET_ENTRIES(X)                                                                          \
	MOVEMENT_ENTRIES(X)                                                                        \
	OTHER_ENTRIES(X)

#endif
