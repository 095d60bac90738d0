/* SPDX-License-Identifier: MIT */
/* Built with one sanitizer after the other: three operations in each of three threads. */
#include <pthread.h>

#include "tests/preload/programs/odd.h"

static void *work(void *unused)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	odd_work("thread");
	printf("found %d\n", dlsym(library, "cuMemsetD8_v2") != NULL);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	odd_work("first");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
