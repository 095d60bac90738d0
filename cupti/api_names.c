/* SPDX-License-Identifier: MIT */
#include "cupti/api_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/library.h"

/* Callback ids with cached names: in CUDA 13.0 the runtime has 523 ids, the driver 800. */
#define CALLBACKS 2048

/* Copies without the version and default-stream suffix that CUPTI's names have. */
static char *names[2][CALLBACKS];

/* The length without one suffix "_v3020", "_ptsz" or "_ptds", if there is one. */
static size_t strip_suffix(const char *name, size_t length)
{
	size_t digits = length;

	if (length > 5 &&
	    (!strncmp(name + length - 5, "_ptsz", 5) || !strncmp(name + length - 5, "_ptds", 5)))
		return length - 5;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < length && digits > 2 && !strncmp(name + digits - 2, "_v", 2))
		return digits - 2;
	return length;
}

const char *api_call_name(const struct activity *activity)
{
	static const char unknown[] = "unknown call";
	const struct cupti_functions *cupti = library_functions();
	bool driver = activity->kind == ACTIVITY_DRIVER_API;
	uint32_t callback = activity->callback;
	size_t length, shorter;
	const char *name;

	if (callback >= CALLBACKS || !cupti || !cupti->cuptiGetCallbackName)
		return unknown;
	if (names[driver][callback])
		return names[driver][callback];
	if (cupti->cuptiGetCallbackName(driver ? CUPTI_CB_DOMAIN_DRIVER_API
					       : CUPTI_CB_DOMAIN_RUNTIME_API,
					callback, &name) ||
	    !name)
		return unknown;
	length = strlen(name);
	while ((shorter = strip_suffix(name, length)) < length)
		length = shorter;
	names[driver][callback] = strndup(name, length);
	return names[driver][callback] ? names[driver][callback] : unknown;
}
