/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of launches call with --metrics, instead of the driver. A launch whose counters
 * are read must be the only one meanwhile, and no capture may begin: all that starts kernels or a
 * capture goes through here.
 */
#include "preload/metrics/metrics.h"

#include <pthread.h>
#include <time.h>

#include "preload/base/clock.h"
#include "preload/driver/driver.h"
#include "preload/driver/signatures.h"
#include "preload/launch/describe.h"
#include "preload/launch/thread.h"

/* How long a launch waits for another whose counters are read. If that takes longer, the other may
 * be waiting for this launch, which then goes ahead. Ten times what reading takes. */
#define OTHER_WAIT_NS 2000000000u
/* How long a launch whose counters are wanted waits for other launches to return. Chosen. */
#define ALONE_WAIT_NS 100000000u

/* Held for reading by every launch, and for writing by a launch whose counters are read. Writers
 * come first: where many threads launch there is hardly a moment without a reader. */
static pthread_rwlock_t launches = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

struct passage {
	bool outermost, locked;
	struct measure measure;
};

/* The thread is in a launch: the driver, or a library in its place, calls its own functions there,
 * which must not take the lock again. */
static __thread bool within __attribute__((tls_model("initial-exec")));

static struct timespec time_after(uint64_t nanoseconds)
{
	const uint64_t end = clock_ns(CLOCK_REALTIME) + nanoseconds;

	return (struct timespec){(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
}

/* Begins a launch or the begin of a capture. `call`: the launch, whose counters are read if they
 * are wanted; NULL: no counters are read, but those of other launches are waited for. */
static void enter(struct passage *passage, const struct call *call)
{
	struct timespec end;

	*passage = (struct passage){.outermost = !within};
	if (!passage->outermost)
		return;
	within = true;
	if (call && measure_wants(call)) {
		end = time_after(ALONE_WAIT_NS);
		if (pthread_rwlock_timedwrlock(&launches, &end) == 0) {
			passage->locked = true;
			measure_begin(&passage->measure, call);
			return;
		}
	}
	end = time_after(OTHER_WAIT_NS);
	passage->locked = pthread_rwlock_timedrdlock(&launches, &end) == 0;
}

static void leave(struct passage *passage, bool succeeded)
{
	if (!passage->outermost)
		return;
	if (passage->measure.kernel)
		measure_end(&passage->measure, succeeded);
	if (passage->locked)
		pthread_rwlock_unlock(&launches);
	within = false;
}

/* Whether a launch may be held back until no other is in progress: not that of a cooperative kernel
 * or of one that starts by a signal of the kernel before it, nor one whose attributes are unknown.
 */
static bool may_be_alone(const struct call *call, const CUlaunchConfig *config)
{
	if (!config || call->dependent)
		return false;
	for (unsigned i = 0; config->attrs && i < config->numAttrs; i++)
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
		    config->attrs[i].value.cooperative)
			return false;
	return true;
}

#define DEFAULT_STREAM_legacy	  CU_STREAM_LEGACY
#define DEFAULT_STREAM_per_thread CU_STREAM_PER_THREAD

/* The driver's function behind the wrapper of each entry. */
static void *real[ENTRY_COUNT];

#define PASSAGE(symbol, parameters, arguments, prepare, measured)                                  \
	static CUresult pass_##symbol parameters                                                   \
	{                                                                                          \
		struct call this_call, *call = &this_call;                                         \
		struct passage passage;                                                            \
		CUresult result;                                                                   \
                                                                                                   \
		prepare;                                                                           \
		enter(&passage, (measured) ? call : NULL);                                         \
		result = ((CUresult(*) parameters)real[ENTRY_##symbol])arguments;                  \
		leave(&passage, result == CUDA_SUCCESS);                                           \
		return result;                                                                     \
	}

#define DESCRIBE(default_stream, description)                                                      \
	call_describe(call, API_NONE, DEFAULT_STREAM_##default_stream);                            \
	description

#define MEASURED(runtime, parameters, arguments, description, symbol, default_stream)              \
	PASSAGE(symbol, parameters, arguments, DESCRIBE(default_stream, description), true)
#define CONFIGURED(runtime, parameters, arguments, description, symbol, default_stream)            \
	PASSAGE(symbol, parameters, arguments, DESCRIBE(default_stream, description),              \
		may_be_alone(call, config))
#define KEPT_OUT(runtime, parameters, arguments, description, symbol, default_stream)              \
	PASSAGE(symbol, parameters, arguments, DESCRIBE(default_stream, description), false)
#define CAPTURE(symbol, parameters, arguments)                                                     \
	PASSAGE(symbol, parameters, arguments, (void)call, false)

/* X(symbol, signature, how, default stream): everything in entries.def that launches kernels. */
#define LAUNCHES(X)                                                                                \
	X(cuLaunchKernel, LaunchKernel, MEASURED, legacy)                                          \
	X(cuLaunchKernel_ptsz, LaunchKernel, MEASURED, per_thread)                                 \
	X(cuLaunchKernelEx, LaunchKernelEx, CONFIGURED, legacy)                                    \
	X(cuLaunchKernelEx_ptsz, LaunchKernelEx, CONFIGURED, per_thread)                           \
	X(cuLaunch, Launch, MEASURED, legacy)                                                      \
	X(cuLaunchGrid, LaunchGrid, MEASURED, legacy)                                              \
	X(cuLaunchGridAsync, LaunchGridAsync, MEASURED, legacy)                                    \
	X(cuLaunchCooperativeKernel, LaunchCooperativeKernel, KEPT_OUT, legacy)                    \
	X(cuLaunchCooperativeKernel_ptsz, LaunchCooperativeKernel, KEPT_OUT, per_thread)           \
	X(cuLaunchCooperativeKernelMultiDevice, LaunchCooperativeKernelMultiDevice, KEPT_OUT,      \
	  legacy)                                                                                  \
	X(cuGraphLaunch, GraphLaunch, KEPT_OUT, legacy)                                            \
	X(cuGraphLaunch_ptsz, GraphLaunch, KEPT_OUT, per_thread)

#define GRAPH_PARAMETERS                                                                           \
	CUstream stream, CUgraph graph, const void *dependencies, const void *data, size_t count,  \
		int mode
#define GRAPH_ARGUMENTS stream, graph, dependencies, data, count, mode
#define CAPTURES(X)                                                                                \
	X(cuStreamBeginCapture, (CUstream stream), (stream))                                       \
	X(cuStreamBeginCapture_ptsz, (CUstream stream), (stream))                                  \
	X(cuStreamBeginCapture_v2, (CUstream stream, int mode), (stream, mode))                    \
	X(cuStreamBeginCapture_v2_ptsz, (CUstream stream, int mode), (stream, mode))               \
	X(cuStreamBeginCaptureToGraph, (GRAPH_PARAMETERS), (GRAPH_ARGUMENTS))                      \
	X(cuStreamBeginCaptureToGraph_ptsz, (GRAPH_PARAMETERS), (GRAPH_ARGUMENTS))

#define LAUNCH(symbol, signature, how, default_stream)                                             \
	WITH_SIGNATURE(how, signature, symbol, default_stream)
LAUNCHES(LAUNCH)
#undef LAUNCH
CAPTURES(CAPTURE)

void launches_take(void)
{
#define TAKE(symbol, ...)                                                                          \
	real[ENTRY_##symbol] = driver_entry(ENTRY_##symbol);                                       \
	driver_replace(ENTRY_##symbol, (void *)pass_##symbol);
	LAUNCHES(TAKE)
	CAPTURES(TAKE)
#undef TAKE
}

bool launches_keep_out(uint64_t nanoseconds)
{
	struct timespec end = time_after(nanoseconds);

	return pthread_rwlock_timedwrlock(&launches, &end) == 0;
}

void launches_let_in(void)
{
	pthread_rwlock_unlock(&launches);
}
