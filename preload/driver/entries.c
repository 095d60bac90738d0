/* SPDX-License-Identifier: MIT */
#include "preload/driver/entries.h"

#include <stddef.h>

#include "preload/driver/signatures.h"

static const struct {
	const char *symbol, *name;
	const char *runtime; /* the runtime function that makes this call; NULL if it has no row */
	enum host_call_kind host_call;
} entries[ENTRY_COUNT] = {
#define RUNTIME_NAME(runtime, parameters, arguments, description, symbol) #runtime
#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	[ENTRY_##symbol] = {#symbol, #name, WITH_SIGNATURE(RUNTIME_NAME, signature, symbol),       \
			    HOST_CALL_NONE},
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	[ENTRY_##symbol] = {#symbol, #name, NULL, HOST_CALL_NONE},
#include "preload/driver/states.def"
#undef STATE
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	[ENTRY_##symbol] = {#symbol, #name, #runtime, HOST_CALL_##kind},
#include "preload/driver/host_calls.def"
#undef HOST_CALL
};

const char *entry_symbol(enum driver_entry entry)
{
	return entries[entry].symbol;
}

enum host_call_kind api_host_call(unsigned api)
{
	return api < API_RUNTIME(0) ? entries[api % ENTRY_COUNT].host_call : HOST_CALL_NONE;
}

static const char *const runtime_symbol_names[RUNTIME_COUNT] = {
#define RUNTIME(symbol, name, parameters, arguments) [RUNTIME_##symbol] = #name,
#include "preload/driver/runtime.def"
#undef RUNTIME
};

const char *api_name(unsigned api, bool *of_runtime)
{
	if (api >= API_COUNT)
		return NULL;
	*of_runtime = true;
	if (api >= API_RUNTIME(0))
		return runtime_symbol_names[api - API_RUNTIME(0)];
	if (api >= API_FROM_RUNTIME(0)) {
		api -= API_FROM_RUNTIME(0);
		if (entries[api].runtime)
			return entries[api].runtime;
	}
	*of_runtime = false;
	return entries[api].name;
}
