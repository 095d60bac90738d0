/* SPDX-License-Identifier: MIT */
#include "preload/events/self_timing.h"

#include <stddef.h>
#include <sys/mman.h>

/* Chosen: copies of a few bytes are not made by a copy engine (H200: 4 bytes are not). */
#define COPY_BYTES 4096u

/* From preload/events/self_timing.cu. */
extern const unsigned long long self_timing_fatbin[];

/* What the device writes and reads. */
struct shared {
	struct reading readings[SELF_TIMING_READINGS];
	uint8_t copied[COPY_BYTES]; /* never written */
};

static CUfunction kernel;
static CUdeviceptr target;
static struct shared *shared; /* memory of its own, as a child of fork must not copy it */
static CUdeviceptr shared_address;

static bool load_kernel(void)
{
	CUresult (*function)(CUfunction *, CUmodule, const char *) = (CUresult(*)(
		CUfunction *, CUmodule, const char *))driver_entry(ENTRY_cuModuleGetFunction);
	CUmodule module;
	size_t bytes;

	/* Never unloaded: CUPTI names kernels wrongly from the first unloading on. */
	return driver.cuModuleLoadData && driver.cuModuleGetGlobal_v2 && function &&
	       driver.cuModuleLoadData(&module, self_timing_fatbin) == CUDA_SUCCESS &&
	       function(&kernel, module, "ktime_self_timing") == CUDA_SUCCESS &&
	       driver.cuModuleGetGlobal_v2(&target, &bytes, module, "ktime_target") ==
		       CUDA_SUCCESS &&
	       bytes >= COPY_BYTES;
}

static bool make_shared(void)
{
	if (!shared) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (shared == MAP_FAILED)
			shared = NULL;
	}
	return shared && driver.cuMemHostRegister_v2 && driver.cuMemHostGetDevicePointer_v2 &&
	       driver.cuMemHostRegister_v2(shared, sizeof(*shared), CU_MEMHOSTREGISTER_DEVICEMAP) ==
		       CUDA_SUCCESS &&
	       driver.cuMemHostGetDevicePointer_v2(&shared_address, shared, 0) == CUDA_SUCCESS;
}

bool self_timing_prepare(void)
{
	return make_shared() && load_kernel();
}

/* The forms for per-thread default streams do the same in another stream; among the driver's calls
 * they can be told from those of most programs. */
bool self_timing_launch(CUstream stream, unsigned number, uint64_t nanoseconds)
{
	CUresult (*real)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			 unsigned, CUstream, void **, void **) =
		(CUresult(*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			     unsigned, CUstream, void **,
			     void **))driver_entry(ENTRY_cuLaunchKernel_ptsz);
	CUdeviceptr result = shared_address + number * sizeof(struct reading);
	void *parameters[] = {&result, &nanoseconds};

	return real && real(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL) == CUDA_SUCCESS;
}

bool self_timing_copy(CUstream stream)
{
	CUresult (*real)(CUdeviceptr, const void *, size_t, CUstream) =
		(CUresult(*)(CUdeviceptr, const void *, size_t, CUstream))driver_entry(
			ENTRY_cuMemcpyHtoDAsync_v2_ptsz);

	return real && real(target, shared->copied, COPY_BYTES, stream) == CUDA_SUCCESS;
}

void self_timing_wait(CUstream stream)
{
	CUstreamBatchMemOpParams wait = {
		.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			      .address = shared_address + offsetof(struct shared, copied),
			      .value = 0,
			      .flags = CU_STREAM_WAIT_VALUE_GEQ}};

	if (driver.cuStreamBatchMemOp_v2)
		driver.cuStreamBatchMemOp_v2(stream, 1, &wait, 0);
}

const struct reading *self_timing_reading(unsigned number)
{
	return &shared->readings[number];
}

bool self_timing_beyond(CUevent (*pairs)[2], unsigned count, unsigned number,
			struct measured *measured)
{
	double values[SELF_TIMING_READINGS];
	float milliseconds;

	for (unsigned i = 0; i < count; i++) {
		const struct reading *reading = self_timing_reading(number + i);

		if (driver.cuEventElapsedTime(&milliseconds, pairs[i][0], pairs[i][1]) !=
		    CUDA_SUCCESS)
			return false;
		/* A reading is the clock's last step: half a step early on average, at the end not,
		 * as the kernel waits for a step there. */
		values[i] = (double)milliseconds * 1e6 - (double)(reading->end - reading->begin) +
			    (double)self_timing_reading(0)->step / 2;
	}
	*measured = measured_of(values, count);
	return true;
}
