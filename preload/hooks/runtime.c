/* SPDX-License-Identifier: MIT */
#include "preload/base/atomics.h"
#include "preload/driver/entries.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

#include "preload/base/export.h"
#include "preload/base/launch_state.h"
#include "preload/base/own_part.h"
#include "preload/driver/elf_symbol.h"
#include "preload/launch/runtime_call.h"

/* cudaErrorSharedObjectSymbolNotFound */
#define NOT_FOUND 302
#define MODULES	  64

static const char *const symbols[RUNTIME_COUNT] = {
#define RUNTIME(symbol, name, parameters, arguments) [RUNTIME_##symbol] = #symbol,
#include "preload/driver/runtime.def"
#undef RUNTIME
};

/* A library that calls a runtime which is not in the global scope, and what it is bound to. */
struct module {
	uintptr_t low, high;
	_Atomic uintptr_t real[RUNTIME_COUNT];
};

static LAUNCH_STATIC_TABLE _Atomic uintptr_t global[RUNTIME_COUNT];
/* Added under the lock, read without. */
static struct {
	struct module list[MODULES];
	_Atomic unsigned count;
	pthread_mutex_t lock;
} modules = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static struct module *known_module(uintptr_t caller)
{
	unsigned count = load_acquire(&modules.count);

	for (unsigned i = 0; i < count; i++)
		if (caller >= modules.list[i].low && caller < modules.list[i].high)
			return &modules.list[i];
	return NULL;
}

static struct module *add_module(uintptr_t caller)
{
	struct elf_range range;
	struct module *module = NULL;
	unsigned count;

	if (!elf_range_around(caller, false, &range))
		return NULL;
	pthread_mutex_lock(&modules.lock);
	module = known_module(caller);
	count = load_relaxed(&modules.count);
	if (!module && count < MODULES) {
		module = &modules.list[count];
		module->low = range.low;
		module->high = range.high;
		/* Release: the range is written before the module counts. */
		store_release(&modules.count, count + 1);
	}
	pthread_mutex_unlock(&modules.lock);
	return module;
}

/* Looks where the loader looked when it bound the caller: in its own scope. */
static void *find_in_scope_of(const void *caller, const char *symbol)
{
	struct link_map *map = NULL;
	Dl_info info;
	void *handle = NULL;

	if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		handle = dlopen(map->l_name[0] ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
	/* The handle is kept: it holds the runtime in the process for as long as we call it. */
	return handle ? real_dlsym(handle, symbol) : NULL;
}

/* real_runtime() for a caller whose runtime is not known to be the one in the global scope. */
static __attribute__((noinline)) void *callers_runtime(enum runtime_symbol which,
						       const void *caller)
{
	struct module *module = known_module((uintptr_t)caller);
	uintptr_t real = 0;
	int saved_errno;

	if (module)
		real = load_relaxed(&module->real[which]);
	if (real)
		return (void *)real;

	saved_errno = errno;
	real = (uintptr_t)next_symbol(symbols[which]);
	if (real) {
		store_relaxed(&global[which], real);
	} else {
		real = (uintptr_t)find_in_scope_of(caller, symbols[which]);
		module = module ? module : add_module((uintptr_t)caller);
		if (module && real)
			store_relaxed(&module->real[which], real);
	}
	errno = saved_errno;
	return (void *)real;
}

/*
 * The runtime function that the caller would have reached without ktime: the next one in the global
 * scope, as the loader searches that first, else the one in the scope of the caller's own library
 * (a Python extension's cudart is RTLD_LOCAL, and there may be several).
 */
static inline void *real_runtime(enum runtime_symbol which, const void *caller)
{
	uintptr_t real = load_relaxed(&global[which]);

	return __builtin_expect(real != 0, 1) ? (void *)real : callers_runtime(which, caller);
}

/* Whether the runtime itself makes a call inside of one of the program's, or the program makes it
 * inside of ktime. */
static LAUNCH_COLD __attribute__((noinline)) bool is_made_inside(uintptr_t real, uintptr_t caller)
{
	struct module *runtime;

	if (own_part_is_around())
		return true;
	if (!runtime_call_is_around() ||
	    (uintptr_t)__builtin_frame_address(0) >= runtime_call.frame)
		return false;
	runtime = known_module(real);
	runtime = runtime ? runtime : add_module(real);
	return runtime && caller >= runtime->low && caller < runtime->high;
}

static inline bool is_part_of_another(uintptr_t real, const void *caller)
{
	return __builtin_expect(runtime_call_is_around() || own_part != 0, 0) &&
	       is_made_inside(real, (uintptr_t)caller);
}

#define WRAPPER(symbol, parameters, arguments, may_make_none)                                      \
	LAUNCH_PATH int runtime_##symbol parameters;                                               \
	EXPORT_AS(runtime_##symbol, symbol)                                                        \
	int runtime_##symbol parameters                                                            \
	{                                                                                          \
		int(*real) parameters = (int(*) parameters)real_runtime(                           \
			RUNTIME_##symbol, __builtin_return_address(0));                            \
		uint64_t begun;                                                                    \
		int result = NOT_FOUND;                                                            \
                                                                                                   \
		if (real) {                                                                        \
			if (runtime_call_passes_on(RUNTIME_##symbol)) {                            \
				result = real arguments;                                           \
				if (__builtin_expect(result != 0, 0) ||                            \
				    (may_make_none && runtime_call.role == RUNTIME_CALL_NAMES))    \
					runtime_call_passed(RUNTIME_##symbol, result);             \
				return result;                                                     \
			}                                                                          \
			if (is_part_of_another((uintptr_t)real, __builtin_return_address(0)))      \
				return real arguments;                                             \
			begun = runtime_call_begin(RUNTIME_##symbol);                              \
			result = real arguments;                                                   \
			runtime_call_end(begun, result);                                           \
		}                                                                                  \
		return result;                                                                     \
	}
#define RUNTIME(symbol, name, parameters, arguments) WRAPPER(symbol, parameters, arguments, true)
#define RUNTIME_LAUNCH(symbol, name, parameters, arguments)                                        \
	WRAPPER(symbol, parameters, arguments, false)
#include "preload/driver/runtime.def"
#undef RUNTIME
