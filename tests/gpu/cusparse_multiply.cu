/* SPDX-License-Identifier: MIT */
/* A sparse matrix by a vector, by cuSPARSE. */
#include <vector>

#include <cusparse.h>

#include "check.cuh"

#define N 1024

#define CHECK_SPARSE(call)                                                                         \
	do {                                                                                       \
		cusparseStatus_t status = (call);                                                  \
		if (status != CUSPARSE_STATUS_SUCCESS) {                                           \
			fprintf(stderr, "%s: %s\n", #call, cusparseGetErrorString(status));        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

template <typename T> static T *on_device(const std::vector<T> &host)
{
	T *device;

	CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
	CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

int main()
{
	std::vector<float> values(N, 2), x(N, 3), y(N, 0);
	std::vector<int> offsets(N + 1), columns(N);
	cusparseDnVecDescr_t vector_x, vector_y;
	const float one = 1, zero = 0;
	cusparseSpMatDescr_t matrix;
	cusparseHandle_t handle;
	size_t size = 0;
	float *device_y;
	void *buffer;
	double sum = 0;

	for (int i = 0; i < N; i++) {
		offsets[i + 1] = i + 1;
		columns[i] = N - 1 - i;
	}
	device_y = on_device(y);
	CHECK_SPARSE(cusparseCreate(&handle));
	CHECK_SPARSE(cusparseCreateCsr(&matrix, N, N, N, on_device(offsets), on_device(columns),
				       on_device(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
				       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	CHECK_SPARSE(cusparseCreateDnVec(&vector_x, N, on_device(x), CUDA_R_32F));
	CHECK_SPARSE(cusparseCreateDnVec(&vector_y, N, device_y, CUDA_R_32F));
	CHECK_SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix,
					     vector_x, &zero, vector_y, CUDA_R_32F,
					     CUSPARSE_SPMV_ALG_DEFAULT, &size));
	CHECK(cudaMalloc(&buffer, size ? size : 1));
	for (int i = 0; i < 10; i++)
		CHECK_SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix,
					  vector_x, &zero, vector_y, CUDA_R_32F,
					  CUSPARSE_SPMV_ALG_DEFAULT, buffer));
	CHECK(cudaMemcpy(y.data(), device_y, N * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK_SPARSE(cusparseDestroy(handle));
	for (float value : y)
		sum += value;
	printf("sum %.0f\n", sum);
	return 0;
}
