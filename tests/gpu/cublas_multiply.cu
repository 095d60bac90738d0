/* SPDX-License-Identifier: MIT */
/* Matrix products by cuBLAS: single, half, batched. */
#include <vector>

#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "check.cuh"

#define N 256

#define CHECK_BLAS(call)                                                                           \
	do {                                                                                       \
		cublasStatus_t status = (call);                                                    \
		if (status != CUBLAS_STATUS_SUCCESS) {                                             \
			fprintf(stderr, "%s: %s\n", #call, cublasGetStatusString(status));         \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

int main()
{
	const float one = 1, zero = 0;
	std::vector<float> host(N * N, 0.5f);
	__half *half_matrix;
	cublasHandle_t handle;
	float *a, *b, *c;
	double sum = 0;

	CHECK(cudaMalloc(&a, N * N * sizeof(float)));
	CHECK(cudaMalloc(&b, N * N * sizeof(float)));
	CHECK(cudaMalloc(&c, N * N * sizeof(float)));
	CHECK(cudaMalloc(&half_matrix, N * N * sizeof(__half)));
	CHECK(cudaMemset(half_matrix, 0, N * N * sizeof(__half)));
	CHECK_BLAS(cublasCreate(&handle));
	CHECK_BLAS(cublasSetMatrix(N, N, sizeof(float), host.data(), N, a, N));
	CHECK_BLAS(cublasSetMatrix(N, N, sizeof(float), host.data(), N, b, N));
	for (int i = 0; i < 10; i++)
		CHECK_BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N,
				       &zero, c, N));
	CHECK_BLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 64, 64, 64, &one, a,
					     64, 4096, b, 64, 4096, &zero, c, 64, 4096, 16));
	CHECK_BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, half_matrix,
				CUDA_R_16F, N, half_matrix, CUDA_R_16F, N, &zero, half_matrix,
				CUDA_R_16F, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	CHECK_BLAS(cublasGetMatrix(N, N, sizeof(float), c, N, host.data(), N));
	CHECK_BLAS(cublasDestroy(handle));
	for (float value : host)
		sum += value;
	printf("sum %.0f\n", sum);
	return 0;
}
