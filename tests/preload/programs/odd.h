/* SPDX-License-Identifier: MIT */
/*
 * What the programs have in common that define the driver's names themselves: as pointers that they
 * fill with dlsym (ODD_POINTERS), or as functions. The calls read alike.
 */
#ifndef PRELOAD_PROGRAMS_ODD_H
#define PRELOAD_PROGRAMS_ODD_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

#define ODD_CALLS(X)                                                                               \
	X(cuInit, (unsigned int flags), (flags))                                                   \
	X(cuDevicePrimaryCtxRetain, (void **context, int device), (context, device))               \
	X(cuCtxSetCurrent, (void *context), (context))                                             \
	X(cuMemAlloc_v2, (unsigned long long *pointer, size_t size), (pointer, size))              \
	X(cuMemcpyHtoD_v2, (unsigned long long to, const void *from, size_t size),                 \
	  (to, from, size))                                                                        \
	X(cuMemsetD8_v2, (unsigned long long to, unsigned char value, size_t size),                \
	  (to, value, size))                                                                       \
	X(cuMemcpyDtoH_v2, (void *to, unsigned long long from, size_t size), (to, from, size))

#ifdef ODD_POINTERS
#define DECLARE(name, parameters, arguments)                                                       \
	typedef int type_##name parameters;                                                        \
	extern EXPORT type_##name *name;
#else
#define DECLARE(name, parameters, arguments) EXPORT int name parameters;
#endif
ODD_CALLS(DECLARE)
#undef DECLARE

/* What the library of each program exports beside them. */
EXPORT void odd_start(void);
EXPORT void odd_run(void);

/* Three operations. */
static inline void odd_work(const char *who)
{
	unsigned char bytes[100] = {1};
	unsigned long long device = 0;
	void *context = NULL;

	printf("%s: init %d\n", who, cuInit(0));
	printf("%s: context %d\n", who, cuDevicePrimaryCtxRetain(&context, 0));
	printf("%s: current %d\n", who, cuCtxSetCurrent(context));
	printf("%s: memory %d\n", who, cuMemAlloc_v2(&device, sizeof(bytes)));
	printf("%s: copy %d\n", who, cuMemcpyHtoD_v2(device, bytes, sizeof(bytes)));
	printf("%s: set %d\n", who, cuMemsetD8_v2(device, 7, sizeof(bytes)));
	printf("%s: back %d\n", who, cuMemcpyDtoH_v2(bytes, device, sizeof(bytes)));
	printf("%s: bytes %d %d\n", who, bytes[0], bytes[sizeof(bytes) - 1]);
}

#endif
