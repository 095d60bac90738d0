/* SPDX-License-Identifier: MIT */
/* What calibration.c runs on the device. */

__device__ static unsigned long long now(void)
{
	unsigned long long nanoseconds;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
	return nanoseconds;
}

/* Runs for so long; result: when it began and ended, and the least step of the clock. */
extern "C" __global__ void ktime_self_timing(volatile unsigned long long *result,
					     unsigned long long nanoseconds)
{
	unsigned long long begin = now(), last = begin, step = ~0ULL, end;

	do {
		end = now();
		if (end != last && end - last < step)
			step = end - last;
		last = end;
	} while (end - begin < nanoseconds);
	result[0] = begin;
	result[1] = end;
	result[2] = step;
}

/* Where copies go to. */
extern "C" {
__device__ unsigned char ktime_target[4096];
}
