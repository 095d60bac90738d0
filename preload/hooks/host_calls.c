/* SPDX-License-Identifier: MIT */
/* The wrappers of host_calls.def: calls that are timed to say why a device was idle. Each function
 * has two, as those of entries.def have (wrappers.c). */
#include "preload/base/export.h"
#include "preload/driver/api.h"
#include "preload/driver/driver.h"
#include "preload/hooks/lookup.h"
#include "preload/hooks/wrappers.h"
#include "preload/launch/host_call.h"

#define BODY(symbol, parameters, arguments, api)                                                   \
	{                                                                                          \
		CUresult(*real) parameters = (CUresult(*) parameters)driver_entry(ENTRY_##symbol); \
		struct timed_call call;                                                            \
		CUresult result;                                                                   \
                                                                                                   \
		if (!real)                                                                         \
			real = (CUresult(*) parameters)lookup_late(ENTRY_##symbol,                 \
								   __builtin_return_address(0));   \
		host_call_begin(&call);                                                            \
		result = real arguments;                                                           \
		host_call_end(&call, api, result);                                                 \
		return result;                                                                     \
	}

#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments)                              \
	CUresult wrapped_##symbol parameters BODY(symbol, parameters, arguments,                   \
						  API_DRIVER(ENTRY_##symbol))                      \
		CUresult from_runtime_##symbol parameters                                          \
		BODY(symbol, parameters, arguments, API_FROM_RUNTIME(ENTRY_##symbol))              \
			EXPORT_AS(wrapped_##symbol, symbol)
#include "preload/driver/host_calls.def"
#undef HOST_CALL
