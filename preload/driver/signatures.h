/* SPDX-License-Identifier: MIT */
/*
 * What the driver functions of entries.def take and do: one line per distinct parameter list.
 *
 *   SIGNATURE_name: runtime function, (parameters), (arguments), (description)
 *
 * The runtime function is the one in which cudart calls this driver function: it names the API row
 * of calls that come from a cudart. The description is an expression on `call`, evaluated before
 * the real call: which operation, in which stream, how many bytes (see describe.h).
 */
#ifndef KTIME_PRELOAD_DRIVER_SIGNATURES_H
#define KTIME_PRELOAD_DRIVER_SIGNATURES_H

/* Calls `macro` with the four elements of SIGNATURE_name, and then the further arguments. */
#define WITH_SIGNATURE(macro, name, ...) WITH_ARGUMENTS(macro, SIGNATURE_##name, __VA_ARGS__)
#define WITH_ARGUMENTS(macro, ...)	 macro(__VA_ARGS__)

/* FORM_LIST (a, b) is a, b: removes a list's parentheses, so that another element can follow. */
#define FORM_LIST(...)			 __VA_ARGS__

/*
 * The two forms of most copies and memsets: one with a last parameter `stream`, one without it that
 * works in the default stream. Their description is describe(call, list …, stream). FORM_SYNC and
 * FORM_ASYNC also pass whether the call waits until the copy is done.
 */
#define FORM_DEFAULT(runtime, parameters, arguments, describe, list)                               \
	runtime, parameters, arguments, (describe(call, FORM_LIST list, NULL))
#define FORM_STREAM(runtime, parameters, arguments, describe, list)                                \
	runtime##Async, (FORM_LIST parameters, CUstream stream), (FORM_LIST arguments, stream),    \
		(call->asynchronous = true, describe(call, FORM_LIST list, stream))
#define FORM_SYNC(runtime, parameters, arguments, describe, list)                                  \
	runtime, parameters, arguments, (describe(call, FORM_LIST list, NULL, SYNCHRONOUS))
#define FORM_ASYNC(runtime, parameters, arguments, describe, list)                                 \
	runtime##Async, (FORM_LIST parameters, CUstream stream), (FORM_LIST arguments, stream),    \
		(call->asynchronous = true, describe(call, FORM_LIST list, stream, ASYNCHRONOUS))
/* A call that takes a stream and is shown in an API row, but is no operation on the device. */
#define FORM_API_ONLY(runtime, parameters, arguments)                                              \
	runtime, parameters, arguments, (describe_call_only(call, stream))

/* Addresses and sizes of the functions from before CUDA 3.2, and of their successors: what
 * SIGNATURE_name(of) has. */
#define ADDRESS_v1 CUdeviceptr_v1
#define SIZE_v1	   unsigned
#define ADDRESS_v2 CUdeviceptr
#define SIZE_v2	   size_t

/* Kernels and graphs */
#define KERNEL_PARAMETERS                                                                          \
	CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,  \
		unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,              \
		void **parameters
#define KERNEL_ARGUMENTS                                                                           \
	function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters
#define SIGNATURE_LaunchKernel                                                                     \
	cudaLaunchKernel, (KERNEL_PARAMETERS, void **extra), (KERNEL_ARGUMENTS, extra),            \
		(describe_kernel(call, function, stream))
#define SIGNATURE_LaunchKernelEx                                                                   \
	cudaLaunchKernelExC,                                                                       \
		(const CUlaunchConfig *config, CUfunction function, void **parameters,             \
		 void **extra),                                                                    \
		(config, function, parameters, extra),                                             \
		(describe_kernel_ex(call, config, function))
#define SIGNATURE_LaunchCooperativeKernel                                                          \
	cudaLaunchCooperativeKernel, (KERNEL_PARAMETERS), (KERNEL_ARGUMENTS),                      \
		(describe_kernel(call, function, stream))
#define SIGNATURE_LaunchCooperativeKernelMultiDevice                                               \
	cudaLaunchCooperativeKernelMultiDevice,                                                    \
		(CUDA_LAUNCH_PARAMS * list, unsigned devices, unsigned flags),                     \
		(list, devices, flags), (describe_multi_device(call, list, devices))
#define SIGNATURE_Launch                                                                           \
	cudaLaunch, (CUfunction function), (function), (describe_kernel(call, function, NULL))
#define SIGNATURE_LaunchGrid                                                                       \
	cudaLaunch, (CUfunction function, int width, int height), (function, width, height),       \
		(describe_kernel(call, function, NULL))
#define SIGNATURE_LaunchGridAsync                                                                  \
	cudaLaunch, (CUfunction function, int width, int height, CUstream stream),                 \
		(function, width, height, stream), (describe_kernel(call, function, stream))
#define SIGNATURE_GraphLaunch                                                                      \
	cudaGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream),                      \
		(describe_graph(call, exec, stream))
#define SIGNATURE_GraphUpload                                                                      \
	FORM_API_ONLY(cudaGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream))
#define SIGNATURE_LaunchHostFunc                                                                   \
	FORM_API_ONLY(cudaLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),        \
		      (stream, function, data))

/* Copies between addresses of unified or different kinds. H: host, D: device, A: array. */
#define COPY_UNIFIED(FORM)                                                                         \
	FORM(cudaMemcpy, (CUdeviceptr destination, CUdeviceptr source, size_t bytes),              \
	     (destination, source, bytes), describe_copy_unified, (destination, source, bytes))
#define SIGNATURE_Memcpy      COPY_UNIFIED(FORM_SYNC)
#define SIGNATURE_MemcpyAsync COPY_UNIFIED(FORM_ASYNC)
#define COPY_PEER(FORM)                                                                            \
	FORM(cudaMemcpyPeer,                                                                       \
	     (CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,          \
	      CUcontext source_context, size_t bytes),                                             \
	     (destination, destination_context, source, source_context, bytes),                    \
	     describe_copy_peer, (destination_context, source_context, bytes))
#define SIGNATURE_MemcpyPeer	  COPY_PEER(FORM_DEFAULT)
#define SIGNATURE_MemcpyPeerAsync COPY_PEER(FORM_STREAM)
#define COPY_HTOD(FORM, of)                                                                        \
	FORM(cudaMemcpy, (ADDRESS_##of destination, const void *source, SIZE_##of bytes),          \
	     (destination, source, bytes), describe_copy, (OPERATION_COPY_HTOD, bytes, source))
#define SIGNATURE_MemcpyHtoD(of)      COPY_HTOD(FORM_SYNC, of)
#define SIGNATURE_MemcpyHtoDAsync(of) COPY_HTOD(FORM_ASYNC, of)
#define COPY_DTOH(FORM, of)                                                                        \
	FORM(cudaMemcpy, (void *destination, ADDRESS_##of source, SIZE_##of bytes),                \
	     (destination, source, bytes), describe_copy,                                          \
	     (OPERATION_COPY_DTOH, bytes, destination))
#define SIGNATURE_MemcpyDtoH(of)      COPY_DTOH(FORM_SYNC, of)
#define SIGNATURE_MemcpyDtoHAsync(of) COPY_DTOH(FORM_ASYNC, of)
#define COPY_DTOD(FORM, of)                                                                        \
	FORM(cudaMemcpy, (ADDRESS_##of destination, ADDRESS_##of source, SIZE_##of bytes),         \
	     (destination, source, bytes), describe_copy_device, (destination, source, bytes))
#define SIGNATURE_MemcpyDtoD(of)      COPY_DTOD(FORM_DEFAULT, of)
#define SIGNATURE_MemcpyDtoDAsync(of) COPY_DTOD(FORM_STREAM, of)
#define COPY_HTOA(FORM, of)                                                                        \
	FORM(cudaMemcpyToArray,                                                                    \
	     (CUarray destination, SIZE_##of destination_offset, const void *source,               \
	      SIZE_##of bytes),                                                                    \
	     (destination, destination_offset, source, bytes), describe_copy,                      \
	     (OPERATION_COPY_HTOA, bytes, source))
#define SIGNATURE_MemcpyHtoA(of)      COPY_HTOA(FORM_SYNC, of)
#define SIGNATURE_MemcpyHtoAAsync(of) COPY_HTOA(FORM_ASYNC, of)
#define COPY_ATOH(FORM, of)                                                                        \
	FORM(cudaMemcpyFromArray,                                                                  \
	     (void *destination, CUarray source, SIZE_##of source_offset, SIZE_##of bytes),        \
	     (destination, source, source_offset, bytes), describe_copy,                           \
	     (OPERATION_COPY_ATOH, bytes, destination))
#define SIGNATURE_MemcpyAtoH(of)      COPY_ATOH(FORM_SYNC, of)
#define SIGNATURE_MemcpyAtoHAsync(of) COPY_ATOH(FORM_ASYNC, of)
/* Without an asynchronous form; the host is not involved. */
#define COPY_DTOA(of)                                                                              \
	cudaMemcpyToArray,                                                                         \
		(CUarray destination, SIZE_##of destination_offset, ADDRESS_##of source,           \
		 SIZE_##of bytes),                                                                 \
		(destination, destination_offset, source, bytes),                                  \
		(describe_copy(call, OPERATION_COPY_DTOA, bytes, NULL, NULL, ASYNCHRONOUS))
#define SIGNATURE_MemcpyDtoA(of) COPY_DTOA(of)
#define COPY_ATOD(of)                                                                              \
	cudaMemcpyFromArray,                                                                       \
		(ADDRESS_##of destination, CUarray source, SIZE_##of source_offset,                \
		 SIZE_##of bytes),                                                                 \
		(destination, source, source_offset, bytes),                                       \
		(describe_copy(call, OPERATION_COPY_ATOD, bytes, NULL, NULL, ASYNCHRONOUS))
#define SIGNATURE_MemcpyAtoD(of) COPY_ATOD(of)
#define COPY_ATOA(of)                                                                              \
	cudaMemcpyArrayToArray,                                                                    \
		(CUarray destination, SIZE_##of destination_offset, CUarray source,                \
		 SIZE_##of source_offset, SIZE_##of bytes),                                        \
		(destination, destination_offset, source, source_offset, bytes),                   \
		(describe_copy(call, OPERATION_COPY_ATOA, bytes, NULL, NULL, ASYNCHRONOUS))
#define SIGNATURE_MemcpyAtoA(of) COPY_ATOA(of)

/* Copies that a structure describes */
#define COPY_2D(FORM, of)                                                                          \
	FORM(cudaMemcpy2D, (const CUDA_MEMCPY2D_##of *copy), (copy), describe_copy_2d, (copy))
#define SIGNATURE_Memcpy2D(of)	    COPY_2D(FORM_SYNC, of)
#define SIGNATURE_Memcpy2DAsync(of) COPY_2D(FORM_ASYNC, of)
#define COPY_3D(FORM, of)                                                                          \
	FORM(cudaMemcpy3D, (const CUDA_MEMCPY3D_##of *copy), (copy), describe_copy_3d, (copy))
#define SIGNATURE_Memcpy3D(of)	    COPY_3D(FORM_SYNC, of)
#define SIGNATURE_Memcpy3DAsync(of) COPY_3D(FORM_ASYNC, of)
#define COPY_3D_PEER(FORM)                                                                         \
	FORM(cudaMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *copy), (copy), describe_copy_3d_peer,    \
	     (copy))
#define SIGNATURE_Memcpy3DPeer	    COPY_3D_PEER(FORM_DEFAULT)
#define SIGNATURE_Memcpy3DPeerAsync COPY_3D_PEER(FORM_STREAM)

/* Batches: CUDA 13.0 took the parameter `failed` out of them. */
#define COPY_BATCH_PARAMETERS                                                                      \
	CUdeviceptr *destinations, CUdeviceptr *sources, size_t *sizes, size_t count,              \
		void *attributes, size_t *indices, size_t attribute_count
#define COPY_BATCH_ARGUMENTS                                                                       \
	destinations, sources, sizes, count, attributes, indices, attribute_count
#define SIGNATURE_MemcpyBatchAsync                                                                 \
	cudaMemcpyBatchAsync, (COPY_BATCH_PARAMETERS, size_t * failed, CUstream stream),           \
		(COPY_BATCH_ARGUMENTS, failed, stream),                                            \
		(describe_copy_batch(call, destinations, sources, sizes, count, stream))
#define SIGNATURE_MemcpyBatchAsync_v2                                                              \
	cudaMemcpyBatchAsync, (COPY_BATCH_PARAMETERS, CUstream stream),                            \
		(COPY_BATCH_ARGUMENTS, stream),                                                    \
		(describe_copy_batch(call, destinations, sources, sizes, count, stream))
#define SIGNATURE_Memcpy3DBatchAsync                                                               \
	cudaMemcpy3DBatchAsync,                                                                    \
		(size_t count, void *list, size_t *failed, unsigned long long flags,               \
		 CUstream stream),                                                                 \
		(count, list, failed, flags, stream),                                              \
		(describe_copy_3d_batch(call, list, count, stream))
#define SIGNATURE_Memcpy3DBatchAsync_v2                                                            \
	cudaMemcpy3DBatchAsync,                                                                    \
		(size_t count, void *list, unsigned long long flags, CUstream stream),             \
		(count, list, flags, stream), (describe_copy_3d_batch(call, list, count, stream))

/* Memsets */
#define MEMSET(FORM, of, element)                                                                  \
	FORM(cudaMemset, (ADDRESS_##of destination, element value, SIZE_##of count),               \
	     (destination, value, count), describe_sized,                                          \
	     (OPERATION_MEMSET, (uint64_t)sizeof(value) * count))
#define MEMSET_2D(FORM, of, element)                                                               \
	FORM(cudaMemset2D,                                                                         \
	     (ADDRESS_##of destination, SIZE_##of pitch, element value, SIZE_##of columns,         \
	      SIZE_##of rows),                                                                     \
	     (destination, pitch, value, columns, rows), describe_sized,                           \
	     (OPERATION_MEMSET, (uint64_t)sizeof(value) * columns * rows))
#define SIGNATURE_MemsetD8(of)	   MEMSET(FORM_DEFAULT, of, unsigned char)
#define SIGNATURE_MemsetD8Async	   MEMSET(FORM_STREAM, v2, unsigned char)
#define SIGNATURE_MemsetD2D8(of)   MEMSET_2D(FORM_DEFAULT, of, unsigned char)
#define SIGNATURE_MemsetD2D8Async  MEMSET_2D(FORM_STREAM, v2, unsigned char)
#define SIGNATURE_MemsetD16(of)	   MEMSET(FORM_DEFAULT, of, unsigned short)
#define SIGNATURE_MemsetD16Async   MEMSET(FORM_STREAM, v2, unsigned short)
#define SIGNATURE_MemsetD2D16(of)  MEMSET_2D(FORM_DEFAULT, of, unsigned short)
#define SIGNATURE_MemsetD2D16Async MEMSET_2D(FORM_STREAM, v2, unsigned short)
#define SIGNATURE_MemsetD32(of)	   MEMSET(FORM_DEFAULT, of, unsigned)
#define SIGNATURE_MemsetD32Async   MEMSET(FORM_STREAM, v2, unsigned)
#define SIGNATURE_MemsetD2D32(of)  MEMSET_2D(FORM_DEFAULT, of, unsigned)
#define SIGNATURE_MemsetD2D32Async MEMSET_2D(FORM_STREAM, v2, unsigned)

/* Movements of managed memory, and decompression */
#define SIGNATURE_MemPrefetchAsync                                                                 \
	cudaMemPrefetchAsync,                                                                      \
		(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream),             \
		(pointer, bytes, device, stream),                                                  \
		(describe_unrecorded(call, OPERATION_PREFETCH, bytes, stream))
#define SIGNATURE_MemPrefetchAsync_v2                                                              \
	cudaMemPrefetchAsync,                                                                      \
		(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,        \
		 CUstream stream),                                                                 \
		(pointer, bytes, location, flags, stream),                                         \
		(describe_unrecorded(call, OPERATION_PREFETCH, bytes, stream))
#define PREFETCH_BATCH(runtime)                                                                    \
	runtime,                                                                                   \
		(CUdeviceptr * pointers, size_t * sizes, size_t count, CUmemLocation * locations,  \
		 size_t * indices, size_t location_count, unsigned long long flags,                \
		 CUstream stream),                                                                 \
		(pointers, sizes, count, locations, indices, location_count, flags, stream),       \
		(describe_unrecorded(call, OPERATION_PREFETCH, sum_of_sizes(sizes, count),         \
				     stream))
#define SIGNATURE_MemPrefetchBatchAsync PREFETCH_BATCH(cudaMemPrefetchBatchAsync)
#define SIGNATURE_MemDiscardAndPrefetchBatchAsync                                                  \
	PREFETCH_BATCH(cudaMemDiscardAndPrefetchBatchAsync)
#define SIGNATURE_MemDiscardBatchAsync                                                             \
	cudaMemDiscardBatchAsync,                                                                  \
		(CUdeviceptr * pointers, size_t * sizes, size_t count, unsigned long long flags,   \
		 CUstream stream),                                                                 \
		(pointers, sizes, count, flags, stream),                                           \
		(describe_unrecorded(call, OPERATION_DISCARD, sum_of_sizes(sizes, count), stream))
#define SIGNATURE_MemBatchDecompressAsync                                                          \
	cuMemBatchDecompressAsync,                                                                 \
		(void *parameters, size_t count, unsigned flags, size_t *failed, CUstream stream), \
		(parameters, count, flags, failed, stream),                                        \
		(describe_decompress(call, parameters, count, stream))

/* Values in memory that a stream writes or waits for */
#define STREAM_WRITE(runtime, value_type)                                                          \
	runtime, (CUstream stream, CUdeviceptr address, value_type value, unsigned flags),         \
		(stream, address, value, flags),                                                   \
		(describe_unrecorded(call, OPERATION_STREAM_WRITE, 0, stream))
#define SIGNATURE_StreamWriteValue32 STREAM_WRITE(cuStreamWriteValue32, cuuint32_t)
#define SIGNATURE_StreamWriteValue64 STREAM_WRITE(cuStreamWriteValue64, cuuint64_t)
#define STREAM_WAIT(runtime, value_type)                                                           \
	FORM_API_ONLY(runtime,                                                                     \
		      (CUstream stream, CUdeviceptr address, value_type value, unsigned flags),    \
		      (stream, address, value, flags))
#define SIGNATURE_StreamWaitValue32 STREAM_WAIT(cuStreamWaitValue32, cuuint32_t)
#define SIGNATURE_StreamWaitValue64 STREAM_WAIT(cuStreamWaitValue64, cuuint64_t)
#define SIGNATURE_StreamBatchMemOp                                                                 \
	cuStreamBatchMemOp, (CUstream stream, unsigned count, void *operations, unsigned flags),   \
		(stream, count, operations, flags),                                                \
		(describe_unrecorded(call, OPERATION_STREAM_BATCH, 0, stream))

/* API rows only */
#define GRAPHICS_RESOURCES(runtime)                                                                \
	FORM_API_ONLY(runtime, (unsigned count, void *resources, CUstream stream),                 \
		      (count, resources, stream))
#define SIGNATURE_GraphicsMapResources	 GRAPHICS_RESOURCES(cudaGraphicsMapResources)
#define SIGNATURE_GraphicsUnmapResources GRAPHICS_RESOURCES(cudaGraphicsUnmapResources)
#define SIGNATURE_MemAllocAsync                                                                    \
	cudaMallocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),                   \
		(pointer, bytes, stream),                                                          \
		(describe_pool_call(call, POOL_CALL_ALLOCATES, pointer, bytes, stream))
#define SIGNATURE_MemAllocFromPoolAsync                                                            \
	cudaMallocFromPoolAsync,                                                                   \
		(CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream),         \
		(pointer, bytes, pool, stream),                                                    \
		(describe_pool_call(call, POOL_CALL_ALLOCATES, pointer, bytes, stream))
#define SIGNATURE_MemFreeAsync                                                                     \
	cudaFreeAsync, (CUdeviceptr pointer, CUstream stream), (pointer, stream),                  \
		(describe_pool_call(call, POOL_CALL_FREES, (const void *)(uintptr_t)pointer, 0,    \
				    stream))
#define SIGNATURE_MemMapArrayAsync                                                                 \
	FORM_API_ONLY(cuMemMapArrayAsync, (void *list, unsigned count, CUstream stream),           \
		      (list, count, stream))
#define SEMAPHORES(runtime)                                                                        \
	FORM_API_ONLY(                                                                             \
		runtime,                                                                           \
		(const void *semaphores, const void *parameters, unsigned count, CUstream stream), \
		(semaphores, parameters, count, stream))
#define SIGNATURE_SignalExternalSemaphoresAsync SEMAPHORES(cudaSignalExternalSemaphoresAsync)
#define SIGNATURE_WaitExternalSemaphoresAsync	SEMAPHORES(cudaWaitExternalSemaphoresAsync)
#define SIGNATURE_StreamAddCallback                                                                \
	FORM_API_ONLY(cudaStreamAddCallback,                                                       \
		      (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),    \
		      (stream, callback, data, flags))
#define SIGNATURE_StreamAttachMemAsync                                                             \
	FORM_API_ONLY(cudaStreamAttachMemAsync,                                                    \
		      (CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags),        \
		      (stream, pointer, bytes, flags))

#endif
