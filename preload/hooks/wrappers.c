/* SPDX-License-Identifier: MIT */
/*
 * The wrappers, made from entries.def. Each entry has two: the one that libktime.so exports under
 * the entry's own symbol and hands to programs, and the one it hands to a cudart, whose calls are
 * known to the user by the runtime's names.
 *
 * In C they carry names of our own; the exported symbol is set for the assembler, so that neither
 * cuda.h's prototypes nor its renaming macros get in the way.
 */
#include "preload/hooks/wrappers.h"

#include <stddef.h>

#include "preload/launch/count_only.h"
#include "preload/launch/describe.h"
#include "preload/driver/driver.h"
#include "preload/base/export.h"
#include "preload/driver/signatures.h"
#include "preload/hooks/lookup.h"

#define DEFAULT_STREAM_legacy	  CU_STREAM_LEGACY
#define DEFAULT_STREAM_per_thread CU_STREAM_PER_THREAD

#define DESCRIBE(symbol, description, default_stream, from_runtime)                                \
	(call_describe(call,                                                                       \
		       from_runtime ? API_FROM_RUNTIME(ENTRY_##symbol)                             \
				    : API_DRIVER(ENTRY_##symbol),                                  \
		       DEFAULT_STREAM_##default_stream),                                           \
	 description)

/* A call with a description in memory. */
#define DESCRIBED(begin, end, symbol, parameters, arguments, description, default_stream,          \
		  from_runtime)                                                                    \
	do {                                                                                       \
		struct call this_call;                                                             \
		struct call *call = &this_call;                                                    \
                                                                                                   \
		if (__builtin_expect(!real, 0))                                                    \
			real = (CUresult(*) parameters)lookup_late(ENTRY_##symbol,                 \
								   __builtin_return_address(0));   \
		DESCRIBE(symbol, description, default_stream, from_runtime);                       \
		begin(call, __builtin_return_address(0));                                          \
		result = real arguments;                                                           \
		end(call, result);                                                                 \
	} while (0)

#define BODY(symbol, runtime, parameters, arguments, description, default_stream, from_runtime)    \
	{                                                                                          \
		CUresult(*real) parameters = (CUresult(*) parameters)driver_entry(ENTRY_##symbol); \
		CUresult result;                                                                   \
                                                                                                   \
		DESCRIBED(call_begin_or_count, call_end_or_count, symbol, parameters, arguments,   \
			  description, default_stream, from_runtime);                              \
		return result;                                                                     \
	}

/* The body for launches: those that are only counted have a path of their own, for which the
 * description stays in registers. */
#define LAUNCH_BODY(symbol, runtime, parameters, arguments, description, default_stream,           \
		    from_runtime)                                                                  \
	{                                                                                          \
		struct call description_alone;                                                     \
		struct call *call = &description_alone;                                            \
		CUresult(*real) parameters = (CUresult(*) parameters)driver_entry(ENTRY_##symbol); \
		CUresult result;                                                                   \
                                                                                                   \
		DESCRIBE(symbol, description, default_stream, from_runtime);                       \
		if (__builtin_expect(real && count_only_begin(call), 1)) {                         \
			result = real arguments;                                                   \
			count_only_end(call, result);                                              \
		} else {                                                                           \
			DESCRIBED(call_begin, call_end, symbol, parameters, arguments,             \
				  description, default_stream, from_runtime);                      \
		}                                                                                  \
		return result;                                                                     \
	}

#define WRAPPERS(BODY, runtime, parameters, arguments, description, symbol, default_stream)        \
	CUresult wrapped_##symbol parameters;                                                      \
	CUresult wrapped_##symbol parameters BODY(                                                 \
		symbol, runtime, parameters, arguments, description, default_stream,               \
		false) static CUresult from_runtime_##symbol parameters                            \
	BODY(symbol, runtime, parameters, arguments, description, default_stream, true)            \
		EXPORT_AS(wrapped_##symbol, symbol)
#define CALL_WRAPPERS(...)   WRAPPERS(BODY, __VA_ARGS__)
#define LAUNCH_WRAPPERS(...) WRAPPERS(LAUNCH_BODY, __VA_ARGS__)

#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	SIGNATURE_##signature(CALL_WRAPPERS, symbol, default_stream)
#define ENTRY_LAUNCH(symbol, name, signature, version, default_stream)                             \
	SIGNATURE_##signature(LAUNCH_WRAPPERS, symbol, default_stream)
#include "preload/driver/entries.def"
#undef ENTRY

static void *const wrappers[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	[ENTRY_##symbol] = (void *)wrapped_##symbol,
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	[ENTRY_##symbol] = (void *)wrapped_##symbol,
#include "preload/driver/states.def"
#undef STATE
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	[ENTRY_##symbol] = (void *)wrapped_##symbol,
#include "preload/driver/host_calls.def"
#undef HOST_CALL
};

static void *const runtime_wrappers[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	[ENTRY_##symbol] = (void *)from_runtime_##symbol,
#include "preload/driver/entries.def"
#undef ENTRY
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	[ENTRY_##symbol] = (void *)from_runtime_##symbol,
#include "preload/driver/host_calls.def"
#undef HOST_CALL
};

void *wrapper_of(enum driver_entry entry, bool for_runtime)
{
	return for_runtime && runtime_wrappers[entry] ? runtime_wrappers[entry] : wrappers[entry];
}
