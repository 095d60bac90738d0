/* SPDX-License-Identifier: MIT */
/* The bundled workloads' kernels, compiled for the CPU from the same source. */
#include <cmath>
#include <cstring>
#include <utility>

#include "tests/sim/driver/host_kernel.h"

struct index3 {
	unsigned int x, y, z;
};
static __thread index3 blockIdx, threadIdx, blockDim, gridDim;

struct float4 {
	float x, y, z, w;
};

using std::fma;

#define __global__ static inline
#define __device__ static inline
#include "workloads/flops_kernel.h"
#include "workloads/heat_kernel.h"
#include "workloads/matcopy_kernel.h"
#include "workloads/saxpy_kernel.h"
#include "workloads/vecadd_kernel.h"

template <auto kernel> struct runner;

template <class... Parameter, void (*kernel)(Parameter...)> struct runner<kernel> {
	static constexpr size_t sizes[] = {sizeof(Parameter)...};

	static void run_blocks(Parameter... parameter)
	{
		for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
			for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
				for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
					run_block(parameter...);
	}

	static void run_block(Parameter... parameter)
	{
		for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++)
			for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
				for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
					kernel(parameter...);
	}

	template <size_t... index>
	static void unpack(void **parameters, std::index_sequence<index...>)
	{
		run_blocks(*static_cast<Parameter *>(parameters[index])...);
	}

	static void run(const unsigned int grid[3], const unsigned int block[3], void **parameters)
	{
		gridDim = {grid[0], grid[1], grid[2]};
		blockDim = {block[0], block[1], block[2]};
		unpack(parameters, std::index_sequence_for<Parameter...>());
	}
};

template <auto kernel> static constexpr host_kernel entry(const char *name)
{
	return {name, sizeof(runner<kernel>::sizes) / sizeof(size_t), runner<kernel>::sizes,
		runner<kernel>::run};
}

#define COPIES(type, letter)                                                                       \
	entry<copy_coalesced<type>>("_Z14copy_coalescedI" letter "EviPKT_PS0_"),                   \
		entry<copy_strided<type>>("_Z12copy_stridedI" letter "EviPKT_PS0_"),               \
		entry<copy_transposed<type>>("_Z15copy_transposedI" letter "EviPKT_PS0_")

static const host_kernel host_kernels[] = {
	entry<saxpy>("_Z5saxpyifPfS_"),
	entry<saxpy_grid_stride>("_Z17saxpy_grid_strideifPfS_"),
	entry<saxpy_float4>("_Z12saxpy_float4ifPfS_"),
	entry<vector_add>("_Z10vector_addiPKfS0_Pf"),
	entry<heat>("_Z4heatiiPKfPf"),
	COPIES(int, "i"),
	COPIES(float, "f"),
	COPIES(double, "d"),
	entry<add<float>>("_Z3addIfEviT_PS0_"),
	entry<add<double>>("_Z3addIdEviT_PS0_"),
	entry<multiply_add<float>>("_Z12multiply_addIfEviT_S0_PS0_"),
	entry<multiply_add<double>>("_Z12multiply_addIdEviT_S0_PS0_"),
};

const struct host_kernel *host_kernel_find(const char *name)
{
	for (const host_kernel &kernel : host_kernels) {
		if (!std::strcmp(kernel.name, name))
			return &kernel;
	}
	return nullptr;
}
