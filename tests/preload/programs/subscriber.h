/* SPDX-License-Identifier: MIT */
/*
 * The steps of a program that uses CUPTI by its V2 interface, where each subscriber has activity
 * kinds and buffers of its own, by the older one, or by both. Included by a program for a GPU and
 * by one for the simulated device, which launch each in their way.
 *
 *     run_steps(LIBRARY, STEPS): each step prints its name and what CUPTI answered, "-" for a
 * function that this CUPTI lacks. LIBRARY "": the one that the program is linked to.
 *
 * CUPTI's types are declared here, as its headers have them since CUDA 13.2 only.
 */
#ifndef TESTS_PRELOAD_PROGRAMS_SUBSCRIBER_H
#define TESTS_PRELOAD_PROGRAMS_SUBSCRIBER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_KIND_KERNEL 10  /* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
#define STEP_KIND_CALLS	 5   /* CUPTI_ACTIVITY_KIND_RUNTIME */
#define STEP_NAME_OFFSET 104 /* of a kernel's record, in all versions */
#define STEP_LAUNCHES	 100
#define STEP_APART_US	 2000
#define STEP_LONG_S	 0.5 /* longer is said on stderr */

/* Launches so often, and waits for it. */
static void launch(int count);

struct subscriber_params {
	size_t size;
	const char *name;
	char *other;
	size_t other_size;
	uint8_t several;
	uint8_t padding[7];
};

static void *step_library, *step_subscriber;
/* Records that came to the callbacks of V1 and of V2. */
static unsigned step_kernels[2], step_calls[2];

static void *step_function(const char *name)
{
	return dlsym(step_library, name);
}

static void step_request(uint8_t **buffer, size_t *size, size_t *records)
{
	*size = 1 << 20;
	*buffer = (uint8_t *)aligned_alloc(8, *size);
	*records = 0;
}

static void step_request_v2(uint8_t **buffer, size_t *size, size_t *records, void *info)
{
	(void)info;
	step_request(buffer, size, records);
}

/* One that launch() launched. */
static bool step_is_kernel(const void *record)
{
	const char *name;

	if (*(const uint32_t *)record != STEP_KIND_KERNEL)
		return false;
	memcpy(&name, (const char *)record + STEP_NAME_OFFSET, sizeof(name));
	return name && strstr(name, "first");
}

static void step_count(bool v2, uint8_t *buffer, size_t valid)
{
	int (*next)(uint8_t *, size_t, void **) =
		(int (*)(uint8_t *, size_t, void **))step_function("cuptiActivityGetNextRecord");
	int (*next_v2)(void *, uint8_t *, size_t, void **) = (int (*)(
		void *, uint8_t *, size_t, void **))step_function("cuptiActivityGetNextRecord_v2");
	void *record = NULL;

	while (!(v2 && next_v2 ? next_v2(step_subscriber, buffer, valid, &record)
			       : next(buffer, valid, &record))) {
		step_kernels[v2] += step_is_kernel(record);
		step_calls[v2] += *(uint32_t *)record == STEP_KIND_CALLS;
	}
	free(buffer);
}

static void step_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
			  size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	step_count(false, buffer, valid);
}

static void step_complete_v2(uint8_t *buffer, size_t size, size_t valid, void *info)
{
	(void)size;
	(void)info;
	step_count(true, buffer, valid);
}

static void step_called(void *argument, int domain, uint32_t callback, const void *data)
{
	(void)argument;
	(void)domain;
	(void)callback;
	(void)data;
}

static uint64_t step_clock(void)
{
	static uint64_t now;

	return ++now;
}

#define STEP_CALL(symbol, types, ...)                                                              \
	do {                                                                                       \
		int(*function) types = (int(*) types)step_function(#symbol);                       \
                                                                                                   \
		if (!function)                                                                     \
			return -1;                                                                 \
		return function(__VA_ARGS__);                                                      \
	} while (0)

static int step_subscribe(uint8_t several)
{
	static char other[64];
	struct subscriber_params params = {/* CUPTI 13.0 and 13.1 know no `several`. */
					   step_function("cuptiActivityEnable_v2")
						   ? sizeof(params)
						   : offsetof(struct subscriber_params, several),
					   "subscriber",
					   other,
					   sizeof(other),
					   several,
					   {0}};

	STEP_CALL(cuptiSubscribe_v2,
		  (void **, void (*)(void *, int, uint32_t, const void *), void *, void *),
		  &step_subscriber, step_called, NULL, &params);
}

/* -1: there is no such function. */
static int step(const char *name)
{
	uint64_t now;

#define STEP(text) if (!strcmp(name, text))
	STEP("launch")
	{
		/* Away from the steps beside it: records near the moment when a kind is enabled
		 * may be the program's or not. */
		usleep(STEP_APART_US);
		launch(STEP_LAUNCHES);
		usleep(STEP_APART_US);
		return 0;
	}
	STEP("subscribe") return step_subscribe(0);
	STEP("subscribe-several") return step_subscribe(1);
	STEP("subscribe-v1")
	STEP_CALL(cuptiSubscribe, (void **, void (*)(void *, int, uint32_t, const void *), void *),
		  &step_subscriber, step_called, NULL);
	STEP("unsubscribe") STEP_CALL(cuptiUnsubscribe, (void *), step_subscriber);
	STEP("callbacks")
	STEP_CALL(cuptiActivityRegisterCallbacks_v2,
		  (void *, __typeof__(&step_request_v2), __typeof__(&step_complete_v2)),
		  step_subscriber, step_request_v2, step_complete_v2);
	STEP("enable")
	STEP_CALL(cuptiActivityEnable_v2, (void *, int, void *), step_subscriber, STEP_KIND_KERNEL,
		  NULL);
	STEP("enable-calls")
	STEP_CALL(cuptiActivityEnable_v2, (void *, int, void *), step_subscriber, STEP_KIND_CALLS,
		  NULL);
	STEP("disable")
	STEP_CALL(cuptiActivityDisable_v2, (void *, int, void *), step_subscriber, STEP_KIND_KERNEL,
		  NULL);
	STEP("timestamp")
	STEP_CALL(cuptiGetTimestamp_v2, (void *, uint64_t *), step_subscriber, &now);
	STEP("callbacks-v1")
	STEP_CALL(cuptiActivityRegisterCallbacks,
		  (__typeof__(&step_request), __typeof__(&step_complete)), step_request,
		  step_complete);
	STEP("enable-v1") STEP_CALL(cuptiActivityEnable, (int), STEP_KIND_KERNEL);
	STEP("disable-v1") STEP_CALL(cuptiActivityDisable, (int), STEP_KIND_KERNEL);
	STEP("timestamp-v1") STEP_CALL(cuptiGetTimestamp, (uint64_t *), &now);
	STEP("clock-v1")
	STEP_CALL(cuptiActivityRegisterTimestampCallback, (uint64_t(*)(void)), step_clock);
	STEP("flush") STEP_CALL(cuptiActivityFlushAll, (uint32_t), 1);
	STEP("finalize") STEP_CALL(cuptiFinalize, (void), );
#undef STEP
	fprintf(stderr, "no such step: %s\n", name);
	exit(2);
}

static double step_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run_steps(const char *library, char **steps)
{
	/* With the program linked to CUPTI its functions are the program's. */
	step_library = library[0] ? dlopen(library, RTLD_NOW) : RTLD_DEFAULT;
	if (library[0] && !step_library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (; *steps; steps++) {
		double began = step_now();
		int result = step(*steps);

		if (step_now() - began > STEP_LONG_S)
			fprintf(stderr, "%s took %.1f s\n", *steps, step_now() - began);
		if (result < 0)
			printf("%s -\n", *steps);
		else
			printf("%s %d\n", *steps, result);
		fflush(stdout);
	}
	printf("records %u %u, calls %u %u\n", step_kernels[0], step_kernels[1], step_calls[0],
	       step_calls[1]);
	return 0;
}

#endif
