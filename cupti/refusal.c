/* SPDX-License-Identifier: MIT */
#include "cupti/refusal.h"
#include "report/session/environment.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nsight Systems maps this library; it may be injected without CUDA_INJECTION64_PATH. */
static int find_injection(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)size;
	*(bool *)argument = strstr(info->dlpi_name, "libToolsInjection") != NULL;
	return *(bool *)argument;
}

bool refusal_by_environment(char *reason, size_t size)
{
	const char *injection = environment_get("CUDA_INJECTION64_PATH");
	const char *file = injection ? strrchr(injection, '/') : NULL;
	bool injected = false;

	file = file ? file + 1 : injection;
	if (file && file[0] && strncmp(file, "libktime", strlen("libktime"))) {
		snprintf(reason, size, "a profiler is attached (CUDA_INJECTION64_PATH is %s)",
			 injection);
		return true;
	}
	dl_iterate_phdr(find_injection, &injected);
	if (injected)
		snprintf(reason, size, "Nsight Systems is attached (libToolsInjection is mapped)");
	return injected;
}

void refusal_by_cupti(const struct cupti_functions *cupti, CUptiResult result, char *reason,
		      size_t size)
{
	const char *name = NULL, *advice;

	if (cupti->cuptiGetResultString(result, &name) || !name)
		name = "an unknown error";
	switch (result) {
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
		advice = "another tool uses CUPTI, as ncu and compute-sanitizer do; run without it";
		break;
	case CUPTI_ERROR_NOT_INITIALIZED:
		advice = "it does not match the driver; install CUPTI of the driver's CUDA version";
		break;
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		advice = "the driver allows only administrators to profile; ask yours to load it"
			 " with NVreg_RestrictProfilingToAdminUsers=0";
		break;
	default:
		advice = "it cannot be used on this device or with this program";
		break;
	}
	snprintf(reason, size, "CUPTI refused: %s (%s, %s)", advice, name, library_path());
}
