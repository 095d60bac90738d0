/* SPDX-License-Identifier: MIT */
#include "preload/driver/api.h"

#include <stddef.h>

#include "preload/driver/signatures.h"

#define RUNTIME_NAME(runtime, parameters, arguments, description, symbol)                          \
	[ENTRY_##symbol] = #runtime,
static const char *const runtime_names[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	SIGNATURE_##signature(RUNTIME_NAME, symbol)
#include "preload/driver/entries.def"
#undef ENTRY
};

static const char *const symbols[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream) [ENTRY_##symbol] = #symbol,
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after) [ENTRY_##symbol] = #symbol,
#include "preload/driver/states.def"
#undef STATE
};

const char *entry_symbol(enum entry entry)
{
	return symbols[entry];
}

static const char *const names[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream) [ENTRY_##symbol] = #name,
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after) [ENTRY_##symbol] = #name,
#include "preload/driver/states.def"
#undef STATE
};

const char *entry_name(enum entry entry)
{
	return names[entry];
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
		if (runtime_names[api])
			return runtime_names[api];
	}
	*of_runtime = false;
	return names[api];
}
