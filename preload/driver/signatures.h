/* SPDX-License-Identifier: MIT */
/*
 * What the entries of entries.def take and do: one line per distinct parameter list.
 *
 *   SIGNATURE_name(APPLY, …): APPLY(runtime call, (parameters), (arguments), (description), …)
 *
 * The runtime call is the one that cudart makes this driver call for: the name of its API row when
 * the caller is a cudart. The description is an expression on `call`, run before the real call:
 * which operation, in which stream, how many bytes (see describe.h). `_v1` are the entries from
 * before CUDA 3.2, with 32-bit addresses and sizes.
 */
#ifndef KTIME_PRELOAD_DRIVER_SIGNATURES_H
#define KTIME_PRELOAD_DRIVER_SIGNATURES_H

#define SIGNATURE_LaunchKernel(APPLY, ...)                                                         \
	APPLY(cudaLaunchKernel,                                                                    \
	      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
	       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,              \
	       CUstream stream, void **parameters, void **extra),                                  \
	      (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,        \
	       parameters, extra),                                                                 \
	      (describe_kernel(call, function, stream)), __VA_ARGS__)
#define SIGNATURE_LaunchKernelEx(APPLY, ...)                                                       \
	APPLY(cudaLaunchKernelExC,                                                                 \
	      (const CUlaunchConfig *config, CUfunction function, void **parameters,               \
	       void **extra),                                                                      \
	      (config, function, parameters, extra), (describe_kernel_ex(call, config, function)), \
	      __VA_ARGS__)
#define SIGNATURE_LaunchCooperativeKernel(APPLY, ...)                                              \
	APPLY(cudaLaunchCooperativeKernel,                                                         \
	      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
	       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,              \
	       CUstream stream, void **parameters),                                                \
	      (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,        \
	       parameters),                                                                        \
	      (describe_kernel(call, function, stream)), __VA_ARGS__)
#define SIGNATURE_LaunchCooperativeKernelMultiDevice(APPLY, ...)                                   \
	APPLY(cudaLaunchCooperativeKernelMultiDevice,                                              \
	      (CUDA_LAUNCH_PARAMS * list, unsigned devices, unsigned flags),                       \
	      (list, devices, flags), (describe_multi_device(call, list, devices)), __VA_ARGS__)
#define SIGNATURE_Launch(APPLY, ...)                                                               \
	APPLY(cudaLaunch, (CUfunction function), (function),                                       \
	      (describe_kernel(call, function, NULL)), __VA_ARGS__)
#define SIGNATURE_LaunchGrid(APPLY, ...)                                                           \
	APPLY(cudaLaunch, (CUfunction function, int width, int height), (function, width, height), \
	      (describe_kernel(call, function, NULL)), __VA_ARGS__)
#define SIGNATURE_LaunchGridAsync(APPLY, ...)                                                      \
	APPLY(cudaLaunch, (CUfunction function, int width, int height, CUstream stream),           \
	      (function, width, height, stream), (describe_kernel(call, function, stream)),        \
	      __VA_ARGS__)
#define SIGNATURE_LaunchHostFunc(APPLY, ...)                                                       \
	APPLY(cudaLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),                \
	      (stream, function, data), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_GraphLaunch(APPLY, ...)                                                          \
	APPLY(cudaGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream),                \
	      (describe_graph(call, exec, stream)), __VA_ARGS__)
#define SIGNATURE_Memcpy(APPLY, ...)                                                               \
	APPLY(cudaMemcpy, (CUdeviceptr destination, CUdeviceptr source, size_t bytes),             \
	      (destination, source, bytes),                                                        \
	      (describe_copy_unified(call, destination, source, bytes, NULL, SYNCHRONOUS)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAsync(APPLY, ...)                                                          \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream),        \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy_unified(call, destination, source, bytes, stream, ASYNCHRONOUS)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyPeer(APPLY, ...)                                                           \
	APPLY(cudaMemcpyPeer,                                                                      \
	      (CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,         \
	       CUcontext source_context, size_t bytes),                                            \
	      (destination, destination_context, source, source_context, bytes),                   \
	      (describe_copy_peer(call, destination_context, source_context, bytes, NULL)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyPeerAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyPeerAsync,                                                                 \
	      (CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,         \
	       CUcontext source_context, size_t bytes, CUstream stream),                           \
	      (destination, destination_context, source, source_context, bytes, stream),           \
	      (describe_copy_peer(call, destination_context, source_context, bytes, stream)),      \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoD(APPLY, ...)                                                           \
	APPLY(cudaMemcpy, (CUdeviceptr destination, const void *source, size_t bytes),             \
	      (destination, source, bytes),                                                        \
	      (describe_copy(call, OPERATION_COPY_HTOD, bytes, source, NULL, SYNCHRONOUS)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoDAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream),        \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy(call, OPERATION_COPY_HTOD, bytes, source, stream, ASYNCHRONOUS)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoH(APPLY, ...)                                                           \
	APPLY(cudaMemcpy, (void *destination, CUdeviceptr source, size_t bytes),                   \
	      (destination, source, bytes),                                                        \
	      (describe_copy(call, OPERATION_COPY_DTOH, bytes, destination, NULL, SYNCHRONOUS)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoHAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (void *destination, CUdeviceptr source, size_t bytes, CUstream stream),              \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy(call, OPERATION_COPY_DTOH, bytes, destination, stream,                \
			     ASYNCHRONOUS)),                                                       \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoD(APPLY, ...)                                                           \
	APPLY(cudaMemcpy, (CUdeviceptr destination, CUdeviceptr source, size_t bytes),             \
	      (destination, source, bytes),                                                        \
	      (describe_copy_device(call, destination, source, bytes, NULL)), __VA_ARGS__)
#define SIGNATURE_MemcpyDtoDAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream),        \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy_device(call, destination, source, bytes, stream)), __VA_ARGS__)
#define SIGNATURE_MemcpyDtoA(APPLY, ...)                                                           \
	APPLY(cudaMemcpyToArray,                                                                   \
	      (CUarray destination, size_t destination_offset, CUdeviceptr source, size_t bytes),  \
	      (destination, destination_offset, source, bytes),                                    \
	      (describe_copy(call, OPERATION_COPY_DTOA, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoD(APPLY, ...)                                                           \
	APPLY(cudaMemcpyFromArray,                                                                 \
	      (CUdeviceptr destination, CUarray source, size_t source_offset, size_t bytes),       \
	      (destination, source, source_offset, bytes),                                         \
	      (describe_copy(call, OPERATION_COPY_ATOD, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoA(APPLY, ...)                                                           \
	APPLY(cudaMemcpyToArray,                                                                   \
	      (CUarray destination, size_t destination_offset, const void *source, size_t bytes),  \
	      (destination, destination_offset, source, bytes),                                    \
	      (describe_copy(call, OPERATION_COPY_HTOA, bytes, source, NULL, SYNCHRONOUS)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoAAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyToArrayAsync,                                                              \
	      (CUarray destination, size_t destination_offset, const void *source, size_t bytes,   \
	       CUstream stream),                                                                   \
	      (destination, destination_offset, source, bytes, stream),                            \
	      (describe_copy(call, OPERATION_COPY_HTOA, bytes, source, stream, ASYNCHRONOUS)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoH(APPLY, ...)                                                           \
	APPLY(cudaMemcpyFromArray,                                                                 \
	      (void *destination, CUarray source, size_t source_offset, size_t bytes),             \
	      (destination, source, source_offset, bytes),                                         \
	      (describe_copy(call, OPERATION_COPY_ATOH, bytes, destination, NULL, SYNCHRONOUS)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoHAsync(APPLY, ...)                                                      \
	APPLY(cudaMemcpyFromArrayAsync,                                                            \
	      (void *destination, CUarray source, size_t source_offset, size_t bytes,              \
	       CUstream stream),                                                                   \
	      (destination, source, source_offset, bytes, stream),                                 \
	      (describe_copy(call, OPERATION_COPY_ATOH, bytes, destination, stream,                \
			     ASYNCHRONOUS)),                                                       \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoA(APPLY, ...)                                                           \
	APPLY(cudaMemcpyArrayToArray,                                                              \
	      (CUarray destination, size_t destination_offset, CUarray source,                     \
	       size_t source_offset, size_t bytes),                                                \
	      (destination, destination_offset, source, source_offset, bytes),                     \
	      (describe_copy(call, OPERATION_COPY_ATOA, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoD_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpy, (CUdeviceptr_v1 destination, const void *source, unsigned bytes),        \
	      (destination, source, bytes),                                                        \
	      (describe_copy(call, OPERATION_COPY_HTOD, bytes, source, NULL, SYNCHRONOUS)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoDAsync_v1(APPLY, ...)                                                   \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (CUdeviceptr_v1 destination, const void *source, unsigned bytes, CUstream stream),   \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy(call, OPERATION_COPY_HTOD, bytes, source, stream, ASYNCHRONOUS)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoH_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpy, (void *destination, CUdeviceptr_v1 source, unsigned bytes),              \
	      (destination, source, bytes),                                                        \
	      (describe_copy(call, OPERATION_COPY_DTOH, bytes, destination, NULL, SYNCHRONOUS)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoHAsync_v1(APPLY, ...)                                                   \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (void *destination, CUdeviceptr_v1 source, unsigned bytes, CUstream stream),         \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy(call, OPERATION_COPY_DTOH, bytes, destination, stream,                \
			     ASYNCHRONOUS)),                                                       \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyDtoD_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpy, (CUdeviceptr_v1 destination, CUdeviceptr_v1 source, unsigned bytes),     \
	      (destination, source, bytes),                                                        \
	      (describe_copy_device(call, destination, source, bytes, NULL)), __VA_ARGS__)
#define SIGNATURE_MemcpyDtoDAsync_v1(APPLY, ...)                                                   \
	APPLY(cudaMemcpyAsync,                                                                     \
	      (CUdeviceptr_v1 destination, CUdeviceptr_v1 source, unsigned bytes,                  \
	       CUstream stream),                                                                   \
	      (destination, source, bytes, stream),                                                \
	      (describe_copy_device(call, destination, source, bytes, stream)), __VA_ARGS__)
#define SIGNATURE_MemcpyDtoA_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpyToArray,                                                                   \
	      (CUarray destination, unsigned destination_offset, CUdeviceptr_v1 source,            \
	       unsigned bytes),                                                                    \
	      (destination, destination_offset, source, bytes),                                    \
	      (describe_copy(call, OPERATION_COPY_DTOA, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoD_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpyFromArray,                                                                 \
	      (CUdeviceptr_v1 destination, CUarray source, unsigned source_offset,                 \
	       unsigned bytes),                                                                    \
	      (destination, source, source_offset, bytes),                                         \
	      (describe_copy(call, OPERATION_COPY_ATOD, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoA_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpyToArray,                                                                   \
	      (CUarray destination, unsigned destination_offset, const void *source,               \
	       unsigned bytes),                                                                    \
	      (destination, destination_offset, source, bytes),                                    \
	      (describe_copy(call, OPERATION_COPY_HTOA, bytes, source, NULL, SYNCHRONOUS)),        \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyHtoAAsync_v1(APPLY, ...)                                                   \
	APPLY(cudaMemcpyToArrayAsync,                                                              \
	      (CUarray destination, unsigned destination_offset, const void *source,               \
	       unsigned bytes, CUstream stream),                                                   \
	      (destination, destination_offset, source, bytes, stream),                            \
	      (describe_copy(call, OPERATION_COPY_HTOA, bytes, source, stream, ASYNCHRONOUS)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoH_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpyFromArray,                                                                 \
	      (void *destination, CUarray source, unsigned source_offset, unsigned bytes),         \
	      (destination, source, source_offset, bytes),                                         \
	      (describe_copy(call, OPERATION_COPY_ATOH, bytes, destination, NULL, SYNCHRONOUS)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoHAsync_v1(APPLY, ...)                                                   \
	APPLY(cudaMemcpyFromArrayAsync,                                                            \
	      (void *destination, CUarray source, unsigned source_offset, unsigned bytes,          \
	       CUstream stream),                                                                   \
	      (destination, source, source_offset, bytes, stream),                                 \
	      (describe_copy(call, OPERATION_COPY_ATOH, bytes, destination, stream,                \
			     ASYNCHRONOUS)),                                                       \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyAtoA_v1(APPLY, ...)                                                        \
	APPLY(cudaMemcpyArrayToArray,                                                              \
	      (CUarray destination, unsigned destination_offset, CUarray source,                   \
	       unsigned source_offset, unsigned bytes),                                            \
	      (destination, destination_offset, source, source_offset, bytes),                     \
	      (describe_copy(call, OPERATION_COPY_ATOA, bytes, NULL, NULL, ASYNCHRONOUS)),         \
	      __VA_ARGS__)
#define SIGNATURE_Memcpy2D(APPLY, ...)                                                             \
	APPLY(cudaMemcpy2D, (const CUDA_MEMCPY2D_v2 *copy), (copy),                                \
	      (describe_copy_2d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy2DAsync(APPLY, ...)                                                        \
	APPLY(cudaMemcpy2DAsync, (const CUDA_MEMCPY2D_v2 *copy, CUstream stream), (copy, stream),  \
	      (describe_copy_2d(call, copy, stream, ASYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy2D_v1(APPLY, ...)                                                          \
	APPLY(cudaMemcpy2D, (const CUDA_MEMCPY2D_v1 *copy), (copy),                                \
	      (describe_copy_2d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy2DAsync_v1(APPLY, ...)                                                     \
	APPLY(cudaMemcpy2DAsync, (const CUDA_MEMCPY2D_v1 *copy, CUstream stream), (copy, stream),  \
	      (describe_copy_2d(call, copy, stream, ASYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy2DUnaligned(APPLY, ...)                                                    \
	APPLY(cudaMemcpy2D, (const CUDA_MEMCPY2D_v2 *copy), (copy),                                \
	      (describe_copy_2d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy2DUnaligned_v1(APPLY, ...)                                                 \
	APPLY(cudaMemcpy2D, (const CUDA_MEMCPY2D_v1 *copy), (copy),                                \
	      (describe_copy_2d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy3D(APPLY, ...)                                                             \
	APPLY(cudaMemcpy3D, (const CUDA_MEMCPY3D_v2 *copy), (copy),                                \
	      (describe_copy_3d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy3DAsync(APPLY, ...)                                                        \
	APPLY(cudaMemcpy3DAsync, (const CUDA_MEMCPY3D_v2 *copy, CUstream stream), (copy, stream),  \
	      (describe_copy_3d(call, copy, stream, ASYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy3D_v1(APPLY, ...)                                                          \
	APPLY(cudaMemcpy3D, (const CUDA_MEMCPY3D_v1 *copy), (copy),                                \
	      (describe_copy_3d(call, copy, NULL, SYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy3DAsync_v1(APPLY, ...)                                                     \
	APPLY(cudaMemcpy3DAsync, (const CUDA_MEMCPY3D_v1 *copy, CUstream stream), (copy, stream),  \
	      (describe_copy_3d(call, copy, stream, ASYNCHRONOUS)), __VA_ARGS__)
#define SIGNATURE_Memcpy3DPeer(APPLY, ...)                                                         \
	APPLY(cudaMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *copy), (copy),                          \
	      (describe_copy_3d_peer(call, copy, NULL)), __VA_ARGS__)
#define SIGNATURE_Memcpy3DPeerAsync(APPLY, ...)                                                    \
	APPLY(cudaMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),            \
	      (copy, stream), (describe_copy_3d_peer(call, copy, stream)), __VA_ARGS__)
#define SIGNATURE_MemcpyBatchAsync(APPLY, ...)                                                     \
	APPLY(cudaMemcpyBatchAsync,                                                                \
	      (CUdeviceptr * destinations, CUdeviceptr * sources, size_t * sizes, size_t count,    \
	       void *attributes, size_t *indices, size_t attribute_count, size_t *failed,          \
	       CUstream stream),                                                                   \
	      (destinations, sources, sizes, count, attributes, indices, attribute_count, failed,  \
	       stream),                                                                            \
	      (describe_copy_batch(call, destinations, sources, sizes, count, stream)),            \
	      __VA_ARGS__)
#define SIGNATURE_MemcpyBatchAsync_v2(APPLY, ...)                                                  \
	APPLY(cudaMemcpyBatchAsync,                                                                \
	      (CUdeviceptr * destinations, CUdeviceptr * sources, size_t * sizes, size_t count,    \
	       void *attributes, size_t *indices, size_t attribute_count, CUstream stream),        \
	      (destinations, sources, sizes, count, attributes, indices, attribute_count, stream), \
	      (describe_copy_batch(call, destinations, sources, sizes, count, stream)),            \
	      __VA_ARGS__)
#define SIGNATURE_Memcpy3DBatchAsync(APPLY, ...)                                                   \
	APPLY(cudaMemcpy3DBatchAsync,                                                              \
	      (size_t count, void *list, size_t *failed, unsigned long long flags,                 \
	       CUstream stream),                                                                   \
	      (count, list, failed, flags, stream),                                                \
	      (describe_copy_3d_batch(call, list, count, stream)), __VA_ARGS__)
#define SIGNATURE_Memcpy3DBatchAsync_v2(APPLY, ...)                                                \
	APPLY(cudaMemcpy3DBatchAsync,                                                              \
	      (size_t count, void *list, unsigned long long flags, CUstream stream),               \
	      (count, list, flags, stream), (describe_copy_3d_batch(call, list, count, stream)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD8(APPLY, ...)                                                             \
	APPLY(cudaMemset, (CUdeviceptr destination, unsigned char value, size_t count),            \
	      (destination, value, count), (describe_memset(call, count, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD2D8(APPLY, ...)                                                           \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr destination, size_t pitch, unsigned char value, size_t columns,         \
	       size_t rows),                                                                       \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)1 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD8Async(APPLY, ...)                                                        \
	APPLY(cudaMemsetAsync,                                                                     \
	      (CUdeviceptr destination, unsigned char value, size_t count, CUstream stream),       \
	      (destination, value, count, stream), (describe_memset(call, count, stream)),         \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD2D8Async(APPLY, ...)                                                      \
	APPLY(cudaMemset2DAsync,                                                                   \
	      (CUdeviceptr destination, size_t pitch, unsigned char value, size_t columns,         \
	       size_t rows, CUstream stream),                                                      \
	      (destination, pitch, value, columns, rows, stream),                                  \
	      (describe_memset(call, (uint64_t)1 * columns * rows, stream)), __VA_ARGS__)
#define SIGNATURE_MemsetD8_v1(APPLY, ...)                                                          \
	APPLY(cudaMemset, (CUdeviceptr_v1 destination, unsigned char value, unsigned count),       \
	      (destination, value, count), (describe_memset(call, count, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD2D8_v1(APPLY, ...)                                                        \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr_v1 destination, unsigned pitch, unsigned char value, unsigned columns,  \
	       unsigned rows),                                                                     \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)1 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD16(APPLY, ...)                                                            \
	APPLY(cudaMemset, (CUdeviceptr destination, unsigned short value, size_t count),           \
	      (destination, value, count), (describe_memset(call, (uint64_t)2 * count, NULL)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD2D16(APPLY, ...)                                                          \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr destination, size_t pitch, unsigned short value, size_t columns,        \
	       size_t rows),                                                                       \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)2 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD16Async(APPLY, ...)                                                       \
	APPLY(cudaMemsetAsync,                                                                     \
	      (CUdeviceptr destination, unsigned short value, size_t count, CUstream stream),      \
	      (destination, value, count, stream),                                                 \
	      (describe_memset(call, (uint64_t)2 * count, stream)), __VA_ARGS__)
#define SIGNATURE_MemsetD2D16Async(APPLY, ...)                                                     \
	APPLY(cudaMemset2DAsync,                                                                   \
	      (CUdeviceptr destination, size_t pitch, unsigned short value, size_t columns,        \
	       size_t rows, CUstream stream),                                                      \
	      (destination, pitch, value, columns, rows, stream),                                  \
	      (describe_memset(call, (uint64_t)2 * columns * rows, stream)), __VA_ARGS__)
#define SIGNATURE_MemsetD16_v1(APPLY, ...)                                                         \
	APPLY(cudaMemset, (CUdeviceptr_v1 destination, unsigned short value, unsigned count),      \
	      (destination, value, count), (describe_memset(call, (uint64_t)2 * count, NULL)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD2D16_v1(APPLY, ...)                                                       \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr_v1 destination, unsigned pitch, unsigned short value, unsigned columns, \
	       unsigned rows),                                                                     \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)2 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD32(APPLY, ...)                                                            \
	APPLY(cudaMemset, (CUdeviceptr destination, unsigned value, size_t count),                 \
	      (destination, value, count), (describe_memset(call, (uint64_t)4 * count, NULL)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD2D32(APPLY, ...)                                                          \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr destination, size_t pitch, unsigned value, size_t columns,              \
	       size_t rows),                                                                       \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)4 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemsetD32Async(APPLY, ...)                                                       \
	APPLY(cudaMemsetAsync,                                                                     \
	      (CUdeviceptr destination, unsigned value, size_t count, CUstream stream),            \
	      (destination, value, count, stream),                                                 \
	      (describe_memset(call, (uint64_t)4 * count, stream)), __VA_ARGS__)
#define SIGNATURE_MemsetD2D32Async(APPLY, ...)                                                     \
	APPLY(cudaMemset2DAsync,                                                                   \
	      (CUdeviceptr destination, size_t pitch, unsigned value, size_t columns, size_t rows, \
	       CUstream stream),                                                                   \
	      (destination, pitch, value, columns, rows, stream),                                  \
	      (describe_memset(call, (uint64_t)4 * columns * rows, stream)), __VA_ARGS__)
#define SIGNATURE_MemsetD32_v1(APPLY, ...)                                                         \
	APPLY(cudaMemset, (CUdeviceptr_v1 destination, unsigned value, unsigned count),            \
	      (destination, value, count), (describe_memset(call, (uint64_t)4 * count, NULL)),     \
	      __VA_ARGS__)
#define SIGNATURE_MemsetD2D32_v1(APPLY, ...)                                                       \
	APPLY(cudaMemset2D,                                                                        \
	      (CUdeviceptr_v1 destination, unsigned pitch, unsigned value, unsigned columns,       \
	       unsigned rows),                                                                     \
	      (destination, pitch, value, columns, rows),                                          \
	      (describe_memset(call, (uint64_t)4 * columns * rows, NULL)), __VA_ARGS__)
#define SIGNATURE_MemPrefetchAsync(APPLY, ...)                                                     \
	APPLY(cudaMemPrefetchAsync,                                                                \
	      (CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream),               \
	      (pointer, bytes, device, stream),                                                    \
	      (describe_movement(call, OPERATION_PREFETCH, bytes, stream)), __VA_ARGS__)
#define SIGNATURE_MemPrefetchAsync_v2(APPLY, ...)                                                  \
	APPLY(cudaMemPrefetchAsync,                                                                \
	      (CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,          \
	       CUstream stream),                                                                   \
	      (pointer, bytes, location, flags, stream),                                           \
	      (describe_movement(call, OPERATION_PREFETCH, bytes, stream)), __VA_ARGS__)
#define SIGNATURE_MemPrefetchBatchAsync(APPLY, ...)                                                \
	APPLY(cudaMemPrefetchBatchAsync,                                                           \
	      (CUdeviceptr * pointers, size_t * sizes, size_t count, CUmemLocation * locations,    \
	       size_t * indices, size_t location_count, unsigned long long flags,                  \
	       CUstream stream),                                                                   \
	      (pointers, sizes, count, locations, indices, location_count, flags, stream),         \
	      (describe_movement(call, OPERATION_PREFETCH, sum_of_sizes(sizes, count), stream)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemDiscardBatchAsync(APPLY, ...)                                                 \
	APPLY(cudaMemDiscardBatchAsync,                                                            \
	      (CUdeviceptr * pointers, size_t * sizes, size_t count, unsigned long long flags,     \
	       CUstream stream),                                                                   \
	      (pointers, sizes, count, flags, stream),                                             \
	      (describe_movement(call, OPERATION_DISCARD, sum_of_sizes(sizes, count), stream)),    \
	      __VA_ARGS__)
#define SIGNATURE_MemDiscardAndPrefetchBatchAsync(APPLY, ...)                                      \
	APPLY(cudaMemDiscardAndPrefetchBatchAsync,                                                 \
	      (CUdeviceptr * pointers, size_t * sizes, size_t count, CUmemLocation * locations,    \
	       size_t * indices, size_t location_count, unsigned long long flags,                  \
	       CUstream stream),                                                                   \
	      (pointers, sizes, count, locations, indices, location_count, flags, stream),         \
	      (describe_movement(call, OPERATION_PREFETCH, sum_of_sizes(sizes, count), stream)),   \
	      __VA_ARGS__)
#define SIGNATURE_MemBatchDecompressAsync(APPLY, ...)                                              \
	APPLY(cuMemBatchDecompressAsync,                                                           \
	      (void *parameters, size_t count, unsigned flags, size_t *failed, CUstream stream),   \
	      (parameters, count, flags, failed, stream),                                          \
	      (describe_decompress(call, parameters, count, stream)), __VA_ARGS__)
#define SIGNATURE_StreamWriteValue32(APPLY, ...)                                                   \
	APPLY(cuStreamWriteValue32,                                                                \
	      (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),            \
	      (stream, address, value, flags),                                                     \
	      (describe_other(call, OPERATION_STREAM_WRITE, stream)), __VA_ARGS__)
#define SIGNATURE_StreamWaitValue32(APPLY, ...)                                                    \
	APPLY(cuStreamWaitValue32,                                                                 \
	      (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),            \
	      (stream, address, value, flags), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_StreamWriteValue64(APPLY, ...)                                                   \
	APPLY(cuStreamWriteValue64,                                                                \
	      (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),            \
	      (stream, address, value, flags),                                                     \
	      (describe_other(call, OPERATION_STREAM_WRITE, stream)), __VA_ARGS__)
#define SIGNATURE_StreamWaitValue64(APPLY, ...)                                                    \
	APPLY(cuStreamWaitValue64,                                                                 \
	      (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),            \
	      (stream, address, value, flags), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_StreamBatchMemOp(APPLY, ...)                                                     \
	APPLY(cuStreamBatchMemOp,                                                                  \
	      (CUstream stream, unsigned count, void *operations, unsigned flags),                 \
	      (stream, count, operations, flags),                                                  \
	      (describe_other(call, OPERATION_STREAM_BATCH, stream)), __VA_ARGS__)
#define SIGNATURE_GraphUpload(APPLY, ...)                                                          \
	APPLY(cudaGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream),                \
	      (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_GraphicsMapResources(APPLY, ...)                                                 \
	APPLY(cudaGraphicsMapResources, (unsigned count, void *resources, CUstream stream),        \
	      (count, resources, stream), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_GraphicsUnmapResources(APPLY, ...)                                               \
	APPLY(cudaGraphicsUnmapResources, (unsigned count, void *resources, CUstream stream),      \
	      (count, resources, stream), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_MemAllocAsync(APPLY, ...)                                                        \
	APPLY(cudaMallocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),             \
	      (pointer, bytes, stream), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_MemAllocFromPoolAsync(APPLY, ...)                                                \
	APPLY(cudaMallocFromPoolAsync,                                                             \
	      (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream),           \
	      (pointer, bytes, pool, stream), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_MemFreeAsync(APPLY, ...)                                                         \
	APPLY(cudaFreeAsync, (CUdeviceptr pointer, CUstream stream), (pointer, stream),            \
	      (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_MemMapArrayAsync(APPLY, ...)                                                     \
	APPLY(cuMemMapArrayAsync, (void *list, unsigned count, CUstream stream),                   \
	      (list, count, stream), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_SignalExternalSemaphoresAsync(APPLY, ...)                                        \
	APPLY(cudaSignalExternalSemaphoresAsync,                                                   \
	      (const void *semaphores, const void *parameters, unsigned count, CUstream stream),   \
	      (semaphores, parameters, count, stream), (describe_call_only(call, stream)),         \
	      __VA_ARGS__)
#define SIGNATURE_WaitExternalSemaphoresAsync(APPLY, ...)                                          \
	APPLY(cudaWaitExternalSemaphoresAsync,                                                     \
	      (const void *semaphores, const void *parameters, unsigned count, CUstream stream),   \
	      (semaphores, parameters, count, stream), (describe_call_only(call, stream)),         \
	      __VA_ARGS__)
#define SIGNATURE_StreamAddCallback(APPLY, ...)                                                    \
	APPLY(cudaStreamAddCallback,                                                               \
	      (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),            \
	      (stream, callback, data, flags), (describe_call_only(call, stream)), __VA_ARGS__)
#define SIGNATURE_StreamAttachMemAsync(APPLY, ...)                                                 \
	APPLY(cudaStreamAttachMemAsync,                                                            \
	      (CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags),                \
	      (stream, pointer, bytes, flags), (describe_call_only(call, stream)), __VA_ARGS__)

#endif
