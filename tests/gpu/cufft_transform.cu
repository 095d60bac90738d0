/* SPDX-License-Identifier: MIT */
/* Transforms by cuFFT, one and two dimensions, there and back. */
#include <cmath>
#include <vector>

#include <cufft.h>

#include "check.cuh"

#define N 256

#define CHECK_FFT(call)                                                                            \
	do {                                                                                       \
		cufftResult result = (call);                                                       \
		if (result != CUFFT_SUCCESS) {                                                     \
			fprintf(stderr, "%s: %d\n", #call, (int)result);                           \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

int main()
{
	std::vector<cufftComplex> host(N * N);
	cufftHandle line, plane;
	cufftComplex *data;
	double sum = 0;

	for (int i = 0; i < N * N; i++)
		host[i] = {(float)(i % 17), 0};
	CHECK(cudaMalloc(&data, N * N * sizeof(cufftComplex)));
	CHECK(cudaMemcpy(data, host.data(), N * N * sizeof(cufftComplex), cudaMemcpyHostToDevice));
	CHECK_FFT(cufftPlan1d(&line, N, CUFFT_C2C, N));
	CHECK_FFT(cufftPlan2d(&plane, N, N, CUFFT_C2C));
	for (int i = 0; i < 3; i++) {
		CHECK_FFT(cufftExecC2C(line, data, data, CUFFT_FORWARD));
		CHECK_FFT(cufftExecC2C(line, data, data, CUFFT_INVERSE));
		CHECK_FFT(cufftExecC2C(plane, data, data, CUFFT_FORWARD));
		CHECK_FFT(cufftExecC2C(plane, data, data, CUFFT_INVERSE));
	}
	CHECK(cudaMemcpy(host.data(), data, N * N * sizeof(cufftComplex), cudaMemcpyDeviceToHost));
	for (const cufftComplex &value : host)
		sum += value.x / std::pow(N, 9);
	CHECK_FFT(cufftDestroy(line));
	CHECK_FFT(cufftDestroy(plane));
	printf("sum %.0f\n", sum);
	return 0;
}
