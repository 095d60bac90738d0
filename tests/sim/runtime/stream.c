/* SPDX-License-Identifier: MIT */
/* Streams and events. */
#include "tests/sim/runtime/runtime.h"

RUNTIME(cudaStreamCreate, (cudaStream_t * stream), (stream))
{
	return runtime_driver->cuStreamCreate(stream, CU_STREAM_DEFAULT);
}

RUNTIME(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned int flags), (stream, flags))
{
	return runtime_driver->cuStreamCreate(stream, flags);
}

RUNTIME(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned int flags, int priority),
	(stream, flags, priority))
{
	return runtime_driver->cuStreamCreateWithPriority(stream, flags, priority);
}

RUNTIME(cudaStreamDestroy, (cudaStream_t stream), (stream))
{
	return runtime_driver->cuStreamDestroy_v2(stream);
}

RUNTIME_STREAM(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
{
	return runtime_driver->cuStreamSynchronize(stream);
}

RUNTIME_STREAM(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
{
	return runtime_driver->cuStreamQuery(stream);
}

RUNTIME_STREAM(cudaStreamWaitEvent, _ptsz,
	       (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))
{
	return runtime_driver->cuStreamWaitEvent(stream, event, flags);
}

RUNTIME(cudaEventCreate, (cudaEvent_t * event), (event))
{
	return runtime_driver->cuEventCreate(event, CU_EVENT_DEFAULT);
}

RUNTIME(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags), (event, flags))
{
	return runtime_driver->cuEventCreate(event, flags);
}

RUNTIME(cudaEventDestroy, (cudaEvent_t event), (event))
{
	return runtime_driver->cuEventDestroy_v2(event);
}

RUNTIME_STREAM(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
{
	return runtime_driver->cuEventRecord(event, stream);
}

RUNTIME_STREAM(cudaEventRecordWithFlags, _ptsz,
	       (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
{
	return runtime_driver->cuEventRecordWithFlags(event, stream, flags);
}

RUNTIME(cudaEventQuery, (cudaEvent_t event), (event))
{
	return runtime_driver->cuEventQuery(event);
}

RUNTIME(cudaEventSynchronize, (cudaEvent_t event), (event))
{
	return runtime_driver->cuEventSynchronize(event);
}

RUNTIME(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t stop),
	(milliseconds, start, stop))
{
	return runtime_driver->cuEventElapsedTime_v2(milliseconds, start, stop);
}

RUNTIME_STREAM(cudaStreamAddCallback, _ptsz,
	       (cudaStream_t stream, cudaStreamCallback_t function, void *argument,
		unsigned int flags),
	       (stream, function, argument, flags))
{
	return runtime_driver->cuStreamAddCallback(stream, (CUstreamCallback)function, argument,
						   flags);
}
