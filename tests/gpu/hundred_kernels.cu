/* SPDX-License-Identifier: MIT */
/*
 * hundred_kernels [PERCENT]
 *
 * A hundred kernels of 3 to 60 us, in turns, 40 times each; all of them PERCENT slower, or none.
 */
#include <array>
#include <cmath>
#include <utility>

#include "check.cuh"

#define KERNELS	 100
#define TURNS	 40
#define LEAST_US 3.0
#define GROWTH	 1.0308 /* from one kernel to the next */

template <int Number> __global__ void kernel_of(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

template <int Number> static void launch(double kilohertz)
{
	kernel_of<Number>
		<<<1, 32>>>((long long)(LEAST_US * pow(GROWTH, Number) * kilohertz / 1000));
}

template <int... Numbers>
static std::array<void (*)(double), KERNELS> launches(std::integer_sequence<int, Numbers...>)
{
	return {launch<Numbers>...};
}

int main(int argc, char **argv)
{
	auto all = launches(std::make_integer_sequence<int, KERNELS>());
	double slower = argc > 1 ? 1 + atof(argv[1]) / 100 : 1;
	int kilohertz;

	CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
	for (int turn = 0; turn < TURNS; turn++)
		for (auto one : all)
			one(slower * kilohertz);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
