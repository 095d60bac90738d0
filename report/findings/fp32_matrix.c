/* SPDX-License-Identifier: MIT */
#include "report/findings/fp32_matrix.h"

#include <stddef.h>
#include <string.h>

/* A name with both parts is one, as cuBLAS and CUTLASS name their kernels. */
static const struct {
	const char *part, *other;
} certain[] = {
	{"simt_sgemm", ""},	   /* cutlass_80_simt_sgemm_256x128_8x4_nt_align1 */
	{"_sgemm_", ""},	   /* volta_sgemm_128x64_nn */
	{"gemm_f32f32_", "_ffma_"} /* sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_…_ffma_… */
};

/* With one of these it is something else: a convolution, or on the tensor cores after all. */
static const char *const other_work[] = {"tensor", "implicit", "convol"};

bool is_fp32_matrix(const char *kernel)
{
	for (size_t i = 0; i < sizeof(other_work) / sizeof(other_work[0]); i++)
		if (strstr(kernel, other_work[i]))
			return false;
	for (size_t i = 0; i < sizeof(certain) / sizeof(certain[0]); i++)
		if (strstr(kernel, certain[i].part) && strstr(kernel, certain[i].other))
			return true;
	return false;
}
